-- What format 8 adds: what everyone else saw in each interval, as JSON (`Witnessed` in docs/record.md). A step's is in its evidence.
-- docs/record.md explains every table and column.

ALTER TABLE intervals ADD COLUMN witnessed TEXT;
