-- What format 3 adds: what each open-loop stream asked for in each sample, whose times are in a sample's sums, and the
-- time after a step's end in which what was due in it comes back. docs/record.md explains every table and column.

ALTER TABLE intervals ADD COLUMN drain INTEGER NOT NULL DEFAULT 0;
ALTER TABLE interval_streams ADD COLUMN late_by_host INTEGER NOT NULL DEFAULT 0;
ALTER TABLE interval_streams ADD COLUMN demand BLOB;
ALTER TABLE samples ADD COLUMN timed INTEGER NOT NULL DEFAULT 0;
UPDATE samples SET timed = ios;
