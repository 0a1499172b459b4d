-- What format 4 adds: the texts that the plan was read from, as they were written. docs/record.md explains every table
-- and column.

CREATE TABLE definition_texts (
    number INTEGER PRIMARY KEY,
    name   TEXT NOT NULL,
    bytes  INTEGER NOT NULL,
    text   TEXT NOT NULL
);
