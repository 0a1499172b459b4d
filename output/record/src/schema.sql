-- The record format, version 1; schema_2.sql adds to it. docs/record.md explains every table and column.
-- No STRICT tables and no JSON operators here: sqlite3 of enterprise distributions must open the file.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT
) WITHOUT ROWID;

CREATE TABLE environment (
    key   TEXT PRIMARY KEY,
    value TEXT
) WITHOUT ROWID;

CREATE TABLE targets (
    target              INTEGER PRIMARY KEY,
    name                TEXT NOT NULL,
    location            TEXT NOT NULL,
    kind                TEXT NOT NULL,
    size_bytes          INTEGER NOT NULL,
    logical_block_bytes INTEGER NOT NULL,
    filesystem          TEXT,
    backend             TEXT,
    device              TEXT,
    model               TEXT,
    serial              TEXT,
    wwn                 TEXT,
    scheduler           TEXT
);

CREATE TABLE steps (
    step                        INTEGER PRIMARY KEY,
    name                        TEXT NOT NULL,
    run                         TEXT NOT NULL,
    begun_unix_ns               INTEGER NOT NULL,
    finished_unix_ns            INTEGER,
    fill                        INTEGER,
    load                        TEXT,
    slots                       INTEGER,
    workers                     INTEGER,
    offered_iops                REAL,
    iops                        REAL,
    iops_half_width             REAL,
    bytes_per_s                 REAL,
    response_mean_us            REAL,
    response_mean_half_width_us REAL,
    response_p50_us             REAL,
    response_p90_us             REAL,
    response_p99_us             REAL,
    response_p999_us            REAL,
    response_p9999_us           REAL,
    response_max_us             REAL,
    service_mean_us             REAL,
    service_mean_half_width_us  REAL,
    service_p50_us              REAL,
    service_p99_us              REAL,
    service_p999_us             REAL,
    service_max_us              REAL,
    depth_mean                  REAL,
    ios                         INTEGER,
    bytes                       INTEGER,
    errors                      INTEGER,
    warmup_s                    REAL,
    counted_s                   REAL,
    first_counted_interval      INTEGER,
    last_counted_interval       INTEGER,
    saturated                   INTEGER,
    no_slot_share               REAL,
    shortfall                   REAL,
    backlog_growth              REAL,
    backlog_end                 INTEGER,
    cpu_ns_per_io               REAL,
    end_reason                  TEXT,
    definition                  TEXT NOT NULL,
    evidence                    TEXT
);

CREATE TABLE step_ops (
    step             INTEGER NOT NULL,
    op               TEXT NOT NULL,
    ios              INTEGER NOT NULL,
    bytes            INTEGER NOT NULL,
    errors           INTEGER NOT NULL,
    response_mean_us REAL,
    response_p50_us  REAL,
    response_p99_us  REAL,
    response_p999_us REAL,
    response_max_us  REAL,
    service_mean_us  REAL,
    service_p50_us   REAL,
    service_p99_us   REAL,
    service_p999_us  REAL,
    service_max_us   REAL,
    PRIMARY KEY (step, op)
) WITHOUT ROWID;

CREATE TABLE step_errors (
    step   INTEGER NOT NULL,
    number INTEGER NOT NULL,
    target TEXT NOT NULL,
    op     TEXT NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    at_ns  INTEGER NOT NULL,
    what   TEXT NOT NULL,
    PRIMARY KEY (step, number)
) WITHOUT ROWID;

CREATE TABLE intervals (
    step                INTEGER NOT NULL,
    interval            INTEGER NOT NULL,
    start_ns            INTEGER NOT NULL,
    length_ns           INTEGER NOT NULL,
    warmup              INTEGER NOT NULL,
    ios                 INTEGER NOT NULL,
    bytes               INTEGER NOT NULL,
    errors              INTEGER NOT NULL,
    iops                REAL,
    bytes_per_s         REAL,
    response_mean_us    REAL,
    response_p50_us     REAL,
    response_p99_us     REAL,
    response_max_us     REAL,
    service_mean_us     REAL,
    service_p50_us      REAL,
    service_p99_us      REAL,
    service_max_us      REAL,
    depth_mean          REAL,
    depth_max           INTEGER NOT NULL,
    depth_integral_ns   INTEGER NOT NULL,
    backlog_end         INTEGER NOT NULL,
    backlog_integral_ns INTEGER NOT NULL,
    worker_cpu_ns       INTEGER NOT NULL,
    cpu_user            REAL,
    cpu_system          REAL,
    cpu_iowait          REAL,
    cpu_steal           REAL,
    cpu_process_ns      INTEGER,
    cpu_io_wq_ns        INTEGER,
    cpu_workers         TEXT,
    PRIMARY KEY (step, interval)
) WITHOUT ROWID;

CREATE TABLE interval_streams (
    step          INTEGER NOT NULL,
    interval      INTEGER NOT NULL,
    stream        INTEGER NOT NULL,
    due           INTEGER NOT NULL,
    late_for_slot INTEGER NOT NULL,
    heat          BLOB,
    PRIMARY KEY (step, interval, stream)
);

CREATE TABLE interval_ops (
    step             INTEGER NOT NULL,
    interval         INTEGER NOT NULL,
    stream           INTEGER NOT NULL,
    op               TEXT NOT NULL,
    ios              INTEGER NOT NULL,
    bytes            INTEGER NOT NULL,
    errors           INTEGER NOT NULL,
    response_mean_us REAL,
    response_p99_us  REAL,
    response_max_us  REAL,
    service_mean_us  REAL,
    service_p99_us   REAL,
    service_max_us   REAL,
    PRIMARY KEY (step, interval, stream, op)
) WITHOUT ROWID;

CREATE TABLE samples (
    step            INTEGER NOT NULL,
    interval        INTEGER NOT NULL,
    sample          INTEGER NOT NULL,
    ios             INTEGER NOT NULL,
    bytes           INTEGER NOT NULL,
    response_sum_ns INTEGER NOT NULL,
    service_sum_ns  INTEGER NOT NULL,
    PRIMARY KEY (step, interval, sample)
) WITHOUT ROWID;

CREATE TABLE histograms (
    step        INTEGER NOT NULL,
    interval    INTEGER NOT NULL,
    stream      INTEGER NOT NULL,
    op          TEXT NOT NULL,
    quantity    TEXT NOT NULL,
    count       INTEGER NOT NULL,
    sum_ns      INTEGER NOT NULL,
    sum_squares REAL NOT NULL,
    min_ns      INTEGER NOT NULL,
    max_ns      INTEGER NOT NULL,
    hdr         BLOB NOT NULL,
    PRIMARY KEY (step, interval, stream, op, quantity)
);

CREATE TABLE verdicts (
    verdict INTEGER PRIMARY KEY,
    kind    TEXT NOT NULL,
    run     TEXT,
    body    TEXT NOT NULL
);

CREATE TABLE findings (
    finding  INTEGER PRIMARY KEY,
    rule     TEXT NOT NULL,
    severity TEXT NOT NULL,
    step     INTEGER,
    message  TEXT NOT NULL
);
