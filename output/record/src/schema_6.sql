-- What format 6 adds: the hosts that a record is of, and of which of them a step's, a stream's and an interval's figures are
-- (and how long a stream worked);
-- 0 is all of them together, or the only one. Their tables are made anew, because a key cannot be changed.
-- docs/record.md explains every table and column.

CREATE TABLE hosts (
    host           INTEGER PRIMARY KEY,
    key            TEXT NOT NULL,
    hostname       TEXT NOT NULL,
    kernel         TEXT NOT NULL,
    cpu_model      TEXT,
    cpus_available INTEGER NOT NULL,
    memory_bytes   INTEGER NOT NULL
);
INSERT INTO hosts
    SELECT 1, '',
        max(CASE key WHEN 'hostname' THEN value ELSE '' END),
        max(CASE key WHEN 'kernel' THEN value ELSE '' END),
        max(CASE key WHEN 'cpu_model' THEN value END),
        max(CASE key WHEN 'cpus_available' THEN CAST(value AS INTEGER) ELSE 0 END),
        max(CASE key WHEN 'memory_bytes' THEN CAST(value AS INTEGER) ELSE 0 END)
    FROM environment HAVING count(*) > 0;

ALTER TABLE steps ADD COLUMN host INTEGER NOT NULL DEFAULT 0;
ALTER TABLE step_streams ADD COLUMN host INTEGER NOT NULL DEFAULT 0;
ALTER TABLE step_streams ADD COLUMN counted_s REAL;
UPDATE step_streams SET counted_s = (SELECT counted_s FROM steps WHERE steps.step = step_streams.step);

ALTER TABLE intervals RENAME TO old_intervals;
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
    drain               INTEGER NOT NULL DEFAULT 0,
    host                INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (step, host, interval)
) WITHOUT ROWID;
INSERT INTO intervals (
    step, interval, start_ns, length_ns, warmup, ios, bytes, errors, iops, bytes_per_s,
    response_mean_us, response_p50_us, response_p99_us, response_max_us, service_mean_us,
    service_p50_us, service_p99_us, service_max_us, depth_mean, depth_max, depth_integral_ns,
    backlog_end, backlog_integral_ns, worker_cpu_ns, cpu_user, cpu_system, cpu_iowait, cpu_steal,
    cpu_process_ns, cpu_io_wq_ns, cpu_workers, drain
) SELECT
    step, interval, start_ns, length_ns, warmup, ios, bytes, errors, iops, bytes_per_s,
    response_mean_us, response_p50_us, response_p99_us, response_max_us, service_mean_us,
    service_p50_us, service_p99_us, service_max_us, depth_mean, depth_max, depth_integral_ns,
    backlog_end, backlog_integral_ns, worker_cpu_ns, cpu_user, cpu_system, cpu_iowait, cpu_steal,
    cpu_process_ns, cpu_io_wq_ns, cpu_workers, drain
FROM old_intervals;
DROP TABLE old_intervals;

ALTER TABLE interval_streams RENAME TO old_interval_streams;
CREATE TABLE interval_streams (
    step          INTEGER NOT NULL,
    interval      INTEGER NOT NULL,
    stream        INTEGER NOT NULL,
    due           INTEGER NOT NULL,
    late_for_slot INTEGER NOT NULL,
    heat          BLOB,
    late_by_host  INTEGER NOT NULL DEFAULT 0,
    demand        BLOB,
    host          INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (step, host, interval, stream)
);
INSERT INTO interval_streams (
    step, interval, stream, due, late_for_slot, heat, late_by_host, demand
) SELECT
    step, interval, stream, due, late_for_slot, heat, late_by_host, demand
FROM old_interval_streams;
DROP TABLE old_interval_streams;

ALTER TABLE interval_ops RENAME TO old_interval_ops;
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
    host             INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (step, host, interval, stream, op)
) WITHOUT ROWID;
INSERT INTO interval_ops (
    step, interval, stream, op, ios, bytes, errors, response_mean_us, response_p99_us,
    response_max_us, service_mean_us, service_p99_us, service_max_us
) SELECT
    step, interval, stream, op, ios, bytes, errors, response_mean_us, response_p99_us,
    response_max_us, service_mean_us, service_p99_us, service_max_us
FROM old_interval_ops;
DROP TABLE old_interval_ops;

ALTER TABLE interval_arrays RENAME TO old_interval_arrays;
CREATE TABLE interval_arrays (
    step                INTEGER NOT NULL,
    interval            INTEGER NOT NULL,
    array               INTEGER NOT NULL,
    core_max            REAL,
    core_mean           REAL,
    front_end_iops      REAL,
    back_end_iops       REAL,
    journal_fill        REAL,
    write_amplification REAL,
    host                INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (step, host, interval, array)
) WITHOUT ROWID;
INSERT INTO interval_arrays (
    step, interval, array, core_max, core_mean, front_end_iops, back_end_iops, journal_fill,
    write_amplification
) SELECT
    step, interval, array, core_max, core_mean, front_end_iops, back_end_iops, journal_fill,
    write_amplification
FROM old_interval_arrays;
DROP TABLE old_interval_arrays;

ALTER TABLE samples RENAME TO old_samples;
CREATE TABLE samples (
    step            INTEGER NOT NULL,
    interval        INTEGER NOT NULL,
    sample          INTEGER NOT NULL,
    ios             INTEGER NOT NULL,
    bytes           INTEGER NOT NULL,
    response_sum_ns INTEGER NOT NULL,
    service_sum_ns  INTEGER NOT NULL,
    timed           INTEGER NOT NULL DEFAULT 0,
    host            INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (step, host, interval, sample)
) WITHOUT ROWID;
INSERT INTO samples (
    step, interval, sample, ios, bytes, response_sum_ns, service_sum_ns, timed
) SELECT
    step, interval, sample, ios, bytes, response_sum_ns, service_sum_ns, timed
FROM old_samples;
DROP TABLE old_samples;

ALTER TABLE histograms RENAME TO old_histograms;
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
    host        INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (step, host, interval, stream, op, quantity)
);
INSERT INTO histograms (
    step, interval, stream, op, quantity, count, sum_ns, sum_squares, min_ns, max_ns, hdr
) SELECT
    step, interval, stream, op, quantity, count, sum_ns, sum_squares, min_ns, max_ns, hdr
FROM old_histograms;
DROP TABLE old_histograms;
