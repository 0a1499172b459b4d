-- What format 2 adds: paths to targets, and what arrays told of themselves. docs/record.md explains every table and
-- column.

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
    PRIMARY KEY (step, interval, array)
) WITHOUT ROWID;
