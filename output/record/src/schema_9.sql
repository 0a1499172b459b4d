-- What format 9 adds: the values behind a finding's sentence, with their units and what they were judged by, as JSON.
-- docs/record.md explains every table and column.

ALTER TABLE findings ADD COLUMN seen TEXT;
