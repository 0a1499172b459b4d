CREATE TABLE records (
  path BLOB PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  stamp TEXT NOT NULL,
  error TEXT,
  begun INTEGER NOT NULL DEFAULT 0,
  started TEXT NOT NULL DEFAULT '',
  test TEXT NOT NULL DEFAULT '',
  title TEXT,
  tag TEXT,
  note TEXT,
  targets TEXT NOT NULL DEFAULT '',
  method TEXT NOT NULL DEFAULT '',
  workload TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL DEFAULT '',
  answer TEXT NOT NULL DEFAULT '',
  trust TEXT NOT NULL DEFAULT '',
  worst INTEGER NOT NULL DEFAULT 0,
  findings TEXT NOT NULL DEFAULT '',
  words TEXT NOT NULL DEFAULT ''
);
-- Apart, for they are long and a list does not need them.
CREATE TABLE figures (id TEXT PRIMARY KEY, steps TEXT NOT NULL);
CREATE INDEX by_time ON records (begun DESC);
CREATE INDEX by_test ON records (test, begun);
