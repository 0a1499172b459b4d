-- The record format, version 1. docs/record.md explains every table and column.
-- No STRICT tables and no JSON operators here: sqlite3 of enterprise distributions must open the file.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT
) WITHOUT ROWID;

CREATE TABLE definition_texts (
    number INTEGER PRIMARY KEY,
    name   TEXT NOT NULL,
    bytes  INTEGER NOT NULL,
    text   TEXT NOT NULL
);

CREATE TABLE environment (
    key   TEXT PRIMARY KEY,
    value TEXT
) WITHOUT ROWID;

CREATE TABLE hosts (
    host           INTEGER PRIMARY KEY,
    key            TEXT NOT NULL,
    hostname       TEXT NOT NULL,
    kernel         TEXT NOT NULL,
    cpu_model      TEXT,
    cpus_available INTEGER NOT NULL,
    memory_bytes   INTEGER NOT NULL
);

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
    evidence                    TEXT,
    short_samples               REAL,
    unfinished                  INTEGER,
    host                        INTEGER NOT NULL DEFAULT 0
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

CREATE TABLE step_streams (
    step                        INTEGER NOT NULL,
    stream                      INTEGER NOT NULL,
    workload                    TEXT NOT NULL,
    target                      INTEGER NOT NULL,
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
    response_max_us             REAL,
    service_mean_us             REAL,
    service_mean_half_width_us  REAL,
    service_p50_us              REAL,
    service_p99_us              REAL,
    service_p999_us             REAL,
    service_max_us              REAL,
    ios                         INTEGER NOT NULL,
    bytes                       INTEGER NOT NULL,
    errors                      INTEGER NOT NULL,
    saturated                   INTEGER,
    no_slot_share               REAL,
    shortfall                   REAL,
    backlog_growth              REAL,
    backlog_end                 INTEGER,
    short_samples               REAL,
    host                        INTEGER NOT NULL,
    counted_s                   REAL,
    PRIMARY KEY (step, stream)
) WITHOUT ROWID;

CREATE TABLE step_stream_ops (
    step             INTEGER NOT NULL,
    stream           INTEGER NOT NULL,
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
    PRIMARY KEY (step, stream, op)
) WITHOUT ROWID;

CREATE TABLE step_workloads (
    step                        INTEGER NOT NULL,
    workload                    TEXT NOT NULL,
    targets                     INTEGER NOT NULL,
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
    response_max_us             REAL,
    service_mean_us             REAL,
    service_mean_half_width_us  REAL,
    service_p50_us              REAL,
    service_p99_us              REAL,
    service_p999_us             REAL,
    service_max_us              REAL,
    ios                         INTEGER NOT NULL,
    bytes                       INTEGER NOT NULL,
    errors                      INTEGER NOT NULL,
    saturated                   INTEGER,
    no_slot_share               REAL,
    shortfall                   REAL,
    backlog_growth              REAL,
    backlog_end                 INTEGER,
    short_samples               REAL,
    PRIMARY KEY (step, workload)
) WITHOUT ROWID;

CREATE TABLE step_targets (
    step                        INTEGER NOT NULL,
    target                      INTEGER NOT NULL,
    workloads                   INTEGER NOT NULL,
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
    response_max_us             REAL,
    service_mean_us             REAL,
    service_mean_half_width_us  REAL,
    service_p50_us              REAL,
    service_p99_us              REAL,
    service_p999_us             REAL,
    service_max_us              REAL,
    ios                         INTEGER NOT NULL,
    bytes                       INTEGER NOT NULL,
    errors                      INTEGER NOT NULL,
    saturated                   INTEGER,
    no_slot_share               REAL,
    shortfall                   REAL,
    backlog_growth              REAL,
    backlog_end                 INTEGER,
    short_samples               REAL,
    PRIMARY KEY (step, target)
) WITHOUT ROWID;

CREATE TABLE step_stretches (
    step      INTEGER NOT NULL,
    kind      TEXT NOT NULL,
    number    INTEGER NOT NULL,
    start_ns  INTEGER NOT NULL,
    length_ns INTEGER NOT NULL,
    ios       INTEGER NOT NULL,
    PRIMARY KEY (step, kind, number)
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

CREATE TABLE step_paths (
    step            INTEGER NOT NULL,
    target          TEXT NOT NULL,
    path            INTEGER NOT NULL,
    uri             TEXT NOT NULL,
    state           TEXT NOT NULL,
    ios             INTEGER NOT NULL,
    errors          INTEGER NOT NULL,
    reissued        INTEGER NOT NULL,
    times_down      INTEGER NOT NULL,
    times_back      INTEGER NOT NULL,
    service_mean_us REAL,
    PRIMARY KEY (step, target, path)
) WITHOUT ROWID;

CREATE TABLE step_path_events (
    step   INTEGER NOT NULL,
    target TEXT NOT NULL,
    number INTEGER NOT NULL,
    path   INTEGER NOT NULL,
    at_ns  INTEGER NOT NULL,
    state  TEXT NOT NULL,
    why    TEXT NOT NULL,
    PRIMARY KEY (step, target, number)
) WITHOUT ROWID;

CREATE TABLE step_arrays (
    step                   INTEGER NOT NULL,
    array                  INTEGER NOT NULL,
    name                   TEXT NOT NULL,
    scale                  REAL,
    observed_s             REAL NOT NULL,
    core_max               REAL,
    core_mean              REAL,
    owner_max              REAL,
    front_reads            INTEGER,
    front_writes           INTEGER,
    front_read_bytes       INTEGER,
    front_write_bytes      INTEGER,
    front_failed           INTEGER,
    front_read_mean_us     REAL,
    front_write_mean_us    REAL,
    back_reads             INTEGER,
    back_writes            INTEGER,
    write_amplification    REAL,
    journal_fill_bytes     INTEGER,
    journal_capacity_bytes INTEGER,
    journal_waited_ns      INTEGER,
    new_bytes              INTEGER,
    stored_bytes           INTEGER,
    distinct_bytes         INTEGER,
    PRIMARY KEY (step, array)
) WITHOUT ROWID;

CREATE TABLE step_array_chunks (
    step   INTEGER NOT NULL,
    array  INTEGER NOT NULL,
    op     TEXT NOT NULL,
    place  TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    PRIMARY KEY (step, array, op, place)
) WITHOUT ROWID;

CREATE TABLE step_array_cores (
    step        INTEGER NOT NULL,
    array       INTEGER NOT NULL,
    core        INTEGER NOT NULL,
    controller  INTEGER,
    utilisation REAL,
    owner_bound REAL,
    PRIMARY KEY (step, array, core)
) WITHOUT ROWID;

CREATE TABLE step_array_ports (
    step        INTEGER NOT NULL,
    array       INTEGER NOT NULL,
    port        INTEGER NOT NULL,
    utilisation REAL,
    PRIMARY KEY (step, array, port)
) WITHOUT ROWID;

CREATE TABLE step_array_paths (
    step     INTEGER NOT NULL,
    array    INTEGER NOT NULL,
    path     INTEGER NOT NULL,
    port     INTEGER,
    state    TEXT NOT NULL,
    requests INTEGER NOT NULL,
    failed   INTEGER NOT NULL,
    PRIMARY KEY (step, array, path)
) WITHOUT ROWID;

CREATE TABLE step_array_media (
    step        INTEGER NOT NULL,
    array       INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    count       INTEGER NOT NULL,
    utilisation REAL,
    PRIMARY KEY (step, array, kind)
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
    drain               INTEGER NOT NULL,
    host                INTEGER NOT NULL,
    witnessed           TEXT,
    PRIMARY KEY (step, host, interval)
) WITHOUT ROWID;

CREATE TABLE interval_streams (
    step          INTEGER NOT NULL,
    interval      INTEGER NOT NULL,
    stream        INTEGER NOT NULL,
    due           INTEGER NOT NULL,
    late_for_slot INTEGER NOT NULL,
    heat          BLOB,
    late_by_host  INTEGER NOT NULL,
    demand        BLOB,
    host          INTEGER NOT NULL,
    done          BLOB,
    PRIMARY KEY (step, host, interval, stream)
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
    host             INTEGER NOT NULL,
    PRIMARY KEY (step, host, interval, stream, op)
) WITHOUT ROWID;

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
    host                INTEGER NOT NULL,
    PRIMARY KEY (step, host, interval, array)
) WITHOUT ROWID;

CREATE TABLE samples (
    step            INTEGER NOT NULL,
    interval        INTEGER NOT NULL,
    sample          INTEGER NOT NULL,
    ios             INTEGER NOT NULL,
    bytes           INTEGER NOT NULL,
    response_sum_ns INTEGER NOT NULL,
    service_sum_ns  INTEGER NOT NULL,
    timed           INTEGER NOT NULL,
    host            INTEGER NOT NULL,
    PRIMARY KEY (step, host, interval, sample)
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
    host        INTEGER NOT NULL,
    PRIMARY KEY (step, host, interval, stream, op, quantity)
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
    message  TEXT NOT NULL,
    seen     TEXT
);
