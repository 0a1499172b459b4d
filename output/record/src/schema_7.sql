-- What format 7 adds: what came back of each stream, beside what came due, in each 100 ms.
-- docs/record.md explains every table and column.

ALTER TABLE interval_streams ADD COLUMN done BLOB;
