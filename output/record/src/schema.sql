-- The record format, version 1. The comments are the reference part of docs/record.md, and come with each record (`.schema` in sqlite3):
-- of a table behind its name, of columns in front of them.
-- No STRICT tables and no JSON operators here: sqlite3 of enterprise distributions must open the file.

CREATE TABLE meta ( -- Keys: `plan` (the resolved plan, JSON), `environment` (all that is known of host and targets, JSON), `status` (`running`, also after a kill; `completed`, `interrupted`, `failed`), `status_reason` (of `failed`), `started_unix_ns`, `finished_unix_ns`.
    -- name
    key   TEXT PRIMARY KEY,
    -- text
    value TEXT
) WITHOUT ROWID;

CREATE TABLE definition_texts ( -- What the plan was read from, as it was written: the files, what they include, and what the command line changed; empty where there was only a command line. Comments are in it too: look before you hand a record on.
    -- order in which they were read, from 1
    number INTEGER PRIMARY KEY,
    -- the file as it was named; `command line` or `<command line>`
    name   TEXT NOT NULL,
    -- how long the text was
    bytes  INTEGER NOT NULL,
    -- the text; of long ones the beginning, 1 MiB of all together
    text   TEXT NOT NULL
);

CREATE TABLE environment ( -- What the JSON in `meta` says of the host and the program, a line each.
    -- `tool_version`, `started`, `command`, `seed`, `backend`, `backend_reason`, `submit_batch`, `reap_batch`, `clock`, `simulated`, `host_key`, `hostname`, `kernel`, `distribution`, `cpu_model`, `cpus_available`, `cpus_online`, `numa_nodes`, `memory_bytes`, `virtualization`, `clocksource`, `governor`, `drivers` (a line for each module that says its version), `notes`
    key   TEXT PRIMARY KEY,
    -- text; `NULL` where it could not be seen
    value TEXT
) WITHOUT ROWID;

CREATE TABLE hosts ( -- The hosts that carried out the run: one, unless several did. Then there are intervals of all together (`host` 0) and of each. A step's `evidence` has each host's part as `hosts`, and those whose part is missing as `lost_hosts`, with the reason.
    -- number, from 1. Where another table has a `host`, this is it; there 0 means all of them together, or the only one
    host           INTEGER PRIMARY KEY,
    -- the same from run to run: its name, and a hash of `/etc/machine-id` (HMAC-SHA256) that does not reveal it
    key            TEXT NOT NULL,
    -- as in `environment`
    hostname       TEXT NOT NULL,
    kernel         TEXT NOT NULL,
    cpu_model      TEXT,
    cpus_available INTEGER NOT NULL,
    memory_bytes   INTEGER NOT NULL
);

CREATE TABLE targets ( -- The whole stack below, with its queues, is in the JSON of `meta`.
    -- number, from 1, in the plan's order
    target              INTEGER PRIMARY KEY,
    -- its name in the definition
    name                TEXT NOT NULL,
    -- its path, `lab:PERSONA`, or `null:SIZE`
    location            TEXT NOT NULL,
    -- `file`, `block device`, `null`
    kind                TEXT NOT NULL,
    -- bytes used
    size_bytes          INTEGER NOT NULL,
    -- the smallest direct I/O
    logical_block_bytes INTEGER NOT NULL,
    -- of a file
    filesystem          TEXT,
    -- the backend, where it is not that of the rest
    backend             TEXT,
    -- kernel name of the device: the top of its stack
    device              TEXT,
    -- vendor and model of that device
    model               TEXT,
    -- its serial number
    serial              TEXT,
    -- its world-wide name
    wwn                 TEXT,
    -- its I/O scheduler
    scheduler           TEXT
);

CREATE TABLE steps ( -- One line for each step that was begun. Its figures are `NULL` until it is finished; a kill leaves one such step.
    -- number, from 1
    step                        INTEGER PRIMARY KEY,
    -- with the loop values that made it, and the percentage of a curve's point: `rd1_(threads=8,xfersize=4k)_(10%)`
    name                        TEXT NOT NULL,
    -- the run that it belongs to
    run                         TEXT NOT NULL,
    -- wall clock
    begun_unix_ns               INTEGER NOT NULL,
    finished_unix_ns            INTEGER,
    -- 1 for preparation: part of no result
    fill                        INTEGER,
    -- the load in words
    load                        TEXT,
    -- most I/Os in flight, all targets
    slots                       INTEGER,
    -- worker threads
    workers                     INTEGER,
    -- rate asked for; `NULL` in a closed loop
    offered_iops                REAL,
    -- achieved rate, and half of its 95 % confidence interval
    iops                        REAL,
    iops_half_width             REAL,
    -- achieved bytes per second
    bytes_per_s                 REAL,
    -- mean, and half of its 95 % interval
    response_mean_us            REAL,
    response_mean_half_width_us REAL,
    -- percentiles: 50, 90, 99, 99.9, 99.99
    response_p50_us             REAL,
    response_p90_us             REAL,
    response_p99_us             REAL,
    response_p999_us            REAL,
    response_p9999_us           REAL,
    -- the longest
    response_max_us             REAL,
    -- the same of service time
    service_mean_us             REAL,
    service_mean_half_width_us  REAL,
    service_p50_us              REAL,
    service_p99_us              REAL,
    service_p999_us             REAL,
    service_max_us              REAL,
    -- mean I/Os in flight
    depth_mean                  REAL,
    -- completed in the counted intervals
    ios                         INTEGER,
    bytes                       INTEGER,
    -- failed I/Os and fsyncs, those of the warm-up and after the last interval too
    errors                      INTEGER,
    -- lengths of the warm-up and of the counted time
    warmup_s                    REAL,
    counted_s                   REAL,
    -- their numbers in `intervals`
    first_counted_interval      INTEGER,
    last_counted_interval       INTEGER,
    -- 1: the response time is no latency but a backlog; `NULL` in a closed loop
    saturated                   INTEGER,
    -- share of I/Os that found no free slot at their intended start
    no_slot_share               REAL,
    -- (due - achieved) / due
    shortfall                   REAL,
    -- I/Os per second
    backlog_growth              REAL,
    -- I/Os
    backlog_end                 INTEGER,
    -- CPU time of the process with its kernel workers
    cpu_ns_per_io               REAL,
    -- `elapsed`, `limit`, `interrupted`, `errors`, `hung`; `set_aside`: no result, because a host was lost (the reason is in the evidence)
    end_reason                  TEXT,
    -- the resolved step, JSON
    definition                  TEXT NOT NULL,
    -- everything that was found, JSON, without the histograms
    evidence                    TEXT,
    -- share of the samples of 100 ms in which slots were short and a backlog stood, without those that the host spoiled; the largest of the step's streams'
    short_samples               REAL,
    -- I/Os due in the counted time that never came back; the response times have what they had waited
    unfinished                  INTEGER,
    -- see `hosts`
    host                        INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE step_ops ( -- A step's operations: those that occurred.
    -- key; `read`, `write`, `trim`; `fsync` is no I/O and has service times alone
    step             INTEGER NOT NULL,
    op               TEXT NOT NULL,
    -- counts
    ios              INTEGER NOT NULL,
    bytes            INTEGER NOT NULL,
    errors           INTEGER NOT NULL,
    -- response time
    response_mean_us REAL,
    response_p50_us  REAL,
    response_p99_us  REAL,
    response_p999_us REAL,
    response_max_us  REAL,
    -- service time
    service_mean_us  REAL,
    service_p50_us   REAL,
    service_p99_us   REAL,
    service_p999_us  REAL,
    service_max_us   REAL,
    PRIMARY KEY (step, op)
) WITHOUT ROWID;

CREATE TABLE step_streams ( -- A stream is a workload on a target. Streams count from 1 in the order of the step, as in `interval_streams`.
    -- key
    step                        INTEGER NOT NULL,
    stream                      INTEGER NOT NULL,
    -- its name
    workload                    TEXT NOT NULL,
    -- as in `targets`
    target                      INTEGER NOT NULL,
    -- rate asked for; `NULL` where it has no rate of its own
    offered_iops                REAL,
    -- as in `steps`
    iops                        REAL,
    iops_half_width             REAL,
    bytes_per_s                 REAL,
    -- mean, and half of its 95 % interval
    response_mean_us            REAL,
    response_mean_half_width_us REAL,
    -- response time
    response_p50_us             REAL,
    response_p90_us             REAL,
    response_p99_us             REAL,
    response_p999_us            REAL,
    response_max_us             REAL,
    -- mean service time, and half of its 95 % interval
    service_mean_us             REAL,
    service_mean_half_width_us  REAL,
    -- service time
    service_p50_us              REAL,
    service_p99_us              REAL,
    service_p999_us             REAL,
    service_max_us              REAL,
    -- counts of the counted time
    ios                         INTEGER NOT NULL,
    bytes                       INTEGER NOT NULL,
    errors                      INTEGER NOT NULL,
    -- as in `steps`, of its own schedule; `NULL` where it has none
    saturated                   INTEGER,
    no_slot_share               REAL,
    shortfall                   REAL,
    backlog_growth              REAL,
    backlog_end                 INTEGER,
    short_samples               REAL,
    -- see `hosts`
    host                        INTEGER NOT NULL,
    -- how much of the counted time it worked: rates are of that time
    counted_s                   REAL,
    PRIMARY KEY (step, stream)
) WITHOUT ROWID;

CREATE TABLE step_stream_ops ( -- A stream's operations: those that occurred.
    -- key; `read`, `write`, `trim`, `fsync` as in `step_ops`
    step             INTEGER NOT NULL,
    stream           INTEGER NOT NULL,
    op               TEXT NOT NULL,
    -- counts
    ios              INTEGER NOT NULL,
    bytes            INTEGER NOT NULL,
    errors           INTEGER NOT NULL,
    -- response time
    response_mean_us REAL,
    response_p50_us  REAL,
    response_p99_us  REAL,
    response_p999_us REAL,
    response_max_us  REAL,
    -- service time
    service_mean_us  REAL,
    service_p50_us   REAL,
    service_p99_us   REAL,
    service_p999_us  REAL,
    service_max_us   REAL,
    PRIMARY KEY (step, stream, op)
) WITHOUT ROWID;

CREATE TABLE step_workloads ( -- The streams of each workload together. Their sums are those of the step.
    -- key
    step                        INTEGER NOT NULL,
    workload                    TEXT NOT NULL,
    -- on how many targets it was
    targets                     INTEGER NOT NULL,
    -- sums over its streams
    offered_iops                REAL,
    iops                        REAL,
    -- as if all its streams had erred the same way, so never too small; `NULL` where one stream has none
    iops_half_width             REAL,
    -- sums over its streams
    bytes_per_s                 REAL,
    -- response times of all its I/Os
    response_mean_us            REAL,
    -- as if all its streams had erred the same way, so never too small; `NULL` where one stream has none
    response_mean_half_width_us REAL,
    -- response times of all its I/Os
    response_p50_us             REAL,
    response_p90_us             REAL,
    response_p99_us             REAL,
    response_p999_us            REAL,
    response_max_us             REAL,
    -- service times of all its I/Os
    service_mean_us             REAL,
    -- as if all its streams had erred the same way, so never too small; `NULL` where one stream has none
    service_mean_half_width_us  REAL,
    -- service times of all its I/Os
    service_p50_us              REAL,
    service_p99_us              REAL,
    service_p999_us             REAL,
    service_max_us              REAL,
    -- sums over its streams
    ios                         INTEGER NOT NULL,
    bytes                       INTEGER NOT NULL,
    errors                      INTEGER NOT NULL,
    -- 1 where one of its streams is saturated; `NULL` where none has a schedule
    saturated                   INTEGER,
    -- of all that came due
    no_slot_share               REAL,
    shortfall                   REAL,
    -- sums over its streams
    backlog_growth              REAL,
    backlog_end                 INTEGER,
    -- the largest of its streams'
    short_samples               REAL,
    PRIMARY KEY (step, workload)
) WITHOUT ROWID;

CREATE TABLE step_targets ( -- The streams on each target together.
    -- key; the target is that of `targets`
    step                        INTEGER NOT NULL,
    target                      INTEGER NOT NULL,
    -- how many were on it
    workloads                   INTEGER NOT NULL,
    -- as in `step_workloads`, like all that follow
    offered_iops                REAL,
    iops                        REAL,
    iops_half_width             REAL,
    bytes_per_s                 REAL,
    -- response time
    response_mean_us            REAL,
    response_mean_half_width_us REAL,
    response_p50_us             REAL,
    response_p90_us             REAL,
    response_p99_us             REAL,
    response_p999_us            REAL,
    response_max_us             REAL,
    -- service time
    service_mean_us             REAL,
    service_mean_half_width_us  REAL,
    service_p50_us              REAL,
    service_p99_us              REAL,
    service_p999_us             REAL,
    service_max_us              REAL,
    -- counts
    ios                         INTEGER NOT NULL,
    bytes                       INTEGER NOT NULL,
    errors                      INTEGER NOT NULL,
    -- as in `steps`, of its streams together
    saturated                   INTEGER,
    no_slot_share               REAL,
    shortfall                   REAL,
    backlog_growth              REAL,
    backlog_end                 INTEGER,
    short_samples               REAL,
    PRIMARY KEY (step, target)
) WITHOUT ROWID;

CREATE TABLE step_stretches ( -- When something held I/Os up for a while, without making the step saturated.
    -- key; `stall`: slots were short or a backlog stood for a time; `late by host`: the generator got no CPU
    step      INTEGER NOT NULL,
    kind      TEXT NOT NULL,
    number    INTEGER NOT NULL,
    -- from the step's start
    start_ns  INTEGER NOT NULL,
    length_ns INTEGER NOT NULL,
    -- I/Os that it held up
    ios       INTEGER NOT NULL,
    PRIMARY KEY (step, kind, number)
) WITHOUT ROWID;

CREATE TABLE step_errors ( -- The first errors of a step, with their place. `op` is `read`, `write`, `trim`, `fsync` or an operation on a tree; what has no place (an fsync, an operation on a name, a file that could not be opened) has offset and length 0.
    -- key
    step   INTEGER NOT NULL,
    number INTEGER NOT NULL,
    -- where and what
    target TEXT NOT NULL,
    op     TEXT NOT NULL,
    -- bytes on the target, or in the file that `what` names
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    -- from the step's start
    at_ns  INTEGER NOT NULL,
    -- as `EIO (Input/output error)`
    what   TEXT NOT NULL,
    PRIMARY KEY (step, number)
) WITHOUT ROWID;

CREATE TABLE step_paths ( -- The paths to targets on NBD: several make one multipath device. Paths count from 1 in the plan's order. Writes that counted as done while an earlier copy might still arrive are in the step's `evidence` (`$.paths[0].unconfirmed_writes`).
    -- key
    step            INTEGER NOT NULL,
    target          TEXT NOT NULL,
    path            INTEGER NOT NULL,
    -- where it leads
    uri             TEXT NOT NULL,
    -- at the step's end: `up`, `down`
    state           TEXT NOT NULL,
    -- answered well, the warm-up's too
    ios             INTEGER NOT NULL,
    -- answered with an error
    errors          INTEGER NOT NULL,
    -- taken off it, and sent again on another path or later
    reissued        INTEGER NOT NULL,
    -- how often it failed (also at the start) and came back
    times_down      INTEGER NOT NULL,
    times_back      INTEGER NOT NULL,
    -- mean time from a request to its answer; `NULL`: none was answered
    service_mean_us REAL,
    PRIMARY KEY (step, target, path)
) WITHOUT ROWID;

CREATE TABLE step_path_events ( -- When paths went down and came back.
    -- key
    step   INTEGER NOT NULL,
    target TEXT NOT NULL,
    number INTEGER NOT NULL,
    -- as in `step_paths`
    path   INTEGER NOT NULL,
    -- from the step's start
    at_ns  INTEGER NOT NULL,
    -- what it was from then on
    state  TEXT NOT NULL,
    -- why it went down; empty where it came back
    why    TEXT NOT NULL,
    PRIMARY KEY (step, target, number)
) WITHOUT ROWID;

CREATE TABLE step_arrays ( -- What each simulated array below the targets told of itself over the counted time; other runs have no lines here. Rates are at the array's scale, as those of `steps`. Arrays count from 1 in the step.
    -- key
    step                   INTEGER NOT NULL,
    array                  INTEGER NOT NULL,
    -- as `lab:scale-out-flash-8`
    name                   TEXT NOT NULL,
    -- what rates, capacity, caches and parallelism were divided by; `NULL` for a real array
    scale                  REAL,
    -- time between the two looks at the counters
    observed_s             REAL NOT NULL,
    -- share of the time in which the busiest core was busy, and the mean of all cores
    core_max               REAL,
    core_mean              REAL,
    -- the largest part of all owner-bound work that one core did
    owner_max              REAL,
    -- requests from hosts
    front_reads            INTEGER,
    front_writes           INTEGER,
    front_read_bytes       INTEGER,
    front_write_bytes      INTEGER,
    -- requests that were refused, not answered or invalid
    front_failed           INTEGER,
    -- mean time that the array itself had them
    front_read_mean_us     REAL,
    front_write_mean_us    REAL,
    -- requests to flash and disks
    back_reads             INTEGER,
    back_writes            INTEGER,
    -- pages programmed for each page written; `NULL` where the array maps no pages or none was written
    write_amplification    REAL,
    -- what the journal held at the end, and what fits
    journal_fill_bytes     INTEGER,
    journal_capacity_bytes INTEGER,
    -- how long writes waited for room in it, in sum
    journal_waited_ns      INTEGER,
    -- new data, without known zeros and duplicates, and the space that it takes
    new_bytes              INTEGER,
    stored_bytes           INTEGER,
    -- different data that the array held at the end, where it deduplicates
    distinct_bytes         INTEGER,
    PRIMARY KEY (step, array)
) WITHOUT ROWID;

CREATE TABLE step_array_chunks ( -- Chunks of 4 KiB by the way that they took. Places: `front end`, `unmapped` (never written), `zero`, `journal zero`, `duplicate`, `journal`, `cache`, `local flash`, `remote flash`, `disk`.
    -- key; `op` is `read` (where it was found) or `write` (where it went)
    step   INTEGER NOT NULL,
    array  INTEGER NOT NULL,
    op     TEXT NOT NULL,
    place  TEXT NOT NULL,
    -- how many
    chunks INTEGER NOT NULL,
    PRIMARY KEY (step, array, op, place)
) WITHOUT ROWID;

CREATE TABLE step_array_cores ( -- Cores, ports and paths count from 0, as the array numbers them.
    -- key
    step        INTEGER NOT NULL,
    array       INTEGER NOT NULL,
    core        INTEGER NOT NULL,
    -- that it belongs to
    controller  INTEGER,
    -- share of the time in which it was busy
    utilisation REAL,
    -- share of the time in which it did work that only the owner of an address can do
    owner_bound REAL,
    PRIMARY KEY (step, array, core)
) WITHOUT ROWID;

CREATE TABLE step_array_ports (
    -- key
    step        INTEGER NOT NULL,
    array       INTEGER NOT NULL,
    port        INTEGER NOT NULL,
    -- share of the time in which it was busy
    utilisation REAL,
    PRIMARY KEY (step, array, port)
) WITHOUT ROWID;

CREATE TABLE step_array_paths ( -- Paths, as the array sees them.
    -- key
    step     INTEGER NOT NULL,
    array    INTEGER NOT NULL,
    path     INTEGER NOT NULL,
    -- that it leads to
    port     INTEGER,
    -- at the end: `up`, `slow`, `down`, `silent`
    state    TEXT NOT NULL,
    -- served over it
    requests INTEGER NOT NULL,
    -- refused or not answered
    failed   INTEGER NOT NULL,
    PRIMARY KEY (step, array, path)
) WITHOUT ROWID;

CREATE TABLE step_array_media ( -- How busy the busiest of them was, and the busiest drive, is in the step's `evidence` (`$.arrays[0].media[0].busiest`, `.drives`).
    -- key; `flash dies`, `disks`
    step        INTEGER NOT NULL,
    array       INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    -- how many
    count       INTEGER NOT NULL,
    -- mean share of the time in which they were busy
    utilisation REAL,
    PRIMARY KEY (step, array, kind)
) WITHOUT ROWID;

CREATE TABLE intervals ( -- One line for each interval of each step, of the warm-up too, and one for the drain, where anything came back after the end.
    -- key; intervals count from 1 in their step
    step                INTEGER NOT NULL,
    interval            INTEGER NOT NULL,
    -- from the step's start
    start_ns            INTEGER NOT NULL,
    length_ns           INTEGER NOT NULL,
    -- 1 before the counted time
    warmup              INTEGER NOT NULL,
    -- counts; fsyncs are in `errors` alone, where they failed
    ios                 INTEGER NOT NULL,
    bytes               INTEGER NOT NULL,
    errors              INTEGER NOT NULL,
    -- rates
    iops                REAL,
    bytes_per_s         REAL,
    -- response time, all operations
    response_mean_us    REAL,
    response_p50_us     REAL,
    response_p99_us     REAL,
    response_max_us     REAL,
    -- service time, all operations
    service_mean_us     REAL,
    service_p50_us      REAL,
    service_p99_us      REAL,
    service_max_us      REAL,
    -- I/Os in flight
    depth_mean          REAL,
    depth_max           INTEGER NOT NULL,
    -- I/Os in flight x ns: sums over intervals
    depth_integral_ns   INTEGER NOT NULL,
    -- I/Os due and not submitted, at the end, and x ns
    backlog_end         INTEGER NOT NULL,
    backlog_integral_ns INTEGER NOT NULL,
    -- CPU time of the worker threads
    worker_cpu_ns       INTEGER NOT NULL,
    -- shares of all CPUs' time, 0 to 1; `NULL` where not observable
    cpu_user            REAL,
    cpu_system          REAL,
    cpu_iowait          REAL,
    cpu_steal           REAL,
    -- CPU time of the process with its kernel workers, and of those alone
    cpu_process_ns      INTEGER,
    cpu_io_wq_ns        INTEGER,
    -- busy share of each worker thread, JSON list
    cpu_workers         TEXT,
    -- 1 after the counted time: what was due in it comes back then; its times count, its rate does not
    drain               INTEGER NOT NULL,
    -- see `hosts`
    host                INTEGER NOT NULL,
    -- what the witness saw since the interval before, JSON; `NULL` where nobody looked, or the kernel did not answer in time
    witnessed           TEXT,
    PRIMARY KEY (step, host, interval)
) WITHOUT ROWID;

CREATE TABLE interval_streams (
    -- key
    step          INTEGER NOT NULL,
    interval      INTEGER NOT NULL,
    stream        INTEGER NOT NULL,
    -- I/Os whose intended start fell into the interval (open loop)
    due           INTEGER NOT NULL,
    -- of those due, the ones that found no free slot
    late_for_slot INTEGER NOT NULL,
    -- accesses by address: 256 equal parts of the target, 32-bit little-endian counts; `NULL`: none at all
    heat          BLOB,
    -- I/Os that the generator itself issued late
    late_by_host  INTEGER NOT NULL,
    -- each 100 ms: due, late for a slot, late by the host, backlog at its end, as 64-bit little-endian counts; `NULL` in a closed loop
    demand        BLOB,
    -- see `hosts`
    host          INTEGER NOT NULL,
    -- as `demand`, of what came back while the stream worked, errors too
    done          BLOB,
    PRIMARY KEY (step, host, interval, stream)
);

CREATE TABLE interval_ops ( -- One line for each operation of each stream, where anything happened.
    -- key; `fsync` is an `op` too, with service times alone, and no I/O
    step             INTEGER NOT NULL,
    interval         INTEGER NOT NULL,
    stream           INTEGER NOT NULL,
    op               TEXT NOT NULL,
    -- counts
    ios              INTEGER NOT NULL,
    bytes            INTEGER NOT NULL,
    errors           INTEGER NOT NULL,
    -- response time
    response_mean_us REAL,
    response_p99_us  REAL,
    response_max_us  REAL,
    -- service time
    service_mean_us  REAL,
    service_p99_us   REAL,
    service_max_us   REAL,
    -- see `hosts`
    host             INTEGER NOT NULL,
    PRIMARY KEY (step, host, interval, stream, op)
) WITHOUT ROWID;

CREATE TABLE interval_arrays ( -- An array over time; arrays as in `step_arrays`.
    -- key
    step                INTEGER NOT NULL,
    interval            INTEGER NOT NULL,
    array               INTEGER NOT NULL,
    -- share of the interval in which the busiest core was busy, and the mean of all cores
    core_max            REAL,
    core_mean           REAL,
    -- requests from hosts, and to flash and disks, per second
    front_end_iops      REAL,
    back_end_iops       REAL,
    -- bytes in the journal over bytes that fit, at the end; above 1 while writes wait for room
    journal_fill        REAL,
    -- as in `step_arrays`
    write_amplification REAL,
    -- see `hosts`
    host                INTEGER NOT NULL,
    PRIMARY KEY (step, host, interval, array)
) WITHOUT ROWID;

CREATE TABLE samples ( -- Counters each 100 ms inside an interval, for batch means; the drain has none.
    -- key; samples count from 1 in their interval
    step            INTEGER NOT NULL,
    interval        INTEGER NOT NULL,
    sample          INTEGER NOT NULL,
    -- completed
    ios             INTEGER NOT NULL,
    bytes           INTEGER NOT NULL,
    -- sums of their times
    response_sum_ns INTEGER NOT NULL,
    service_sum_ns  INTEGER NOT NULL,
    -- of those completed, the I/Os that were due in the counted time: their times are in the sums
    timed           INTEGER NOT NULL,
    -- see `hosts`
    host            INTEGER NOT NULL,
    PRIMARY KEY (step, host, interval, sample)
) WITHOUT ROWID;

CREATE TABLE histograms ( -- Empty histograms have no line. `hdr` is an uncompressed HdrHistogram V2 with 3 significant digits, from 1 ns to 2^44 − 1 ns (4.9 hours), which every HdrHistogram library reads. Each bucket is stored at its highest value, so any reader has Plimsoll's percentiles: at most 0.78 % above the truth. A reader's *mean* may be that much too high; take `sum_ns / count`. Histograms of one step merge by adding counts.
    -- the step
    step        INTEGER NOT NULL,
    -- its interval; 0: all counted intervals of the step
    interval    INTEGER NOT NULL,
    -- the stream; 0: all
    stream      INTEGER NOT NULL,
    -- `read`, `write`, `trim`; `all`
    op          TEXT NOT NULL,
    -- `response`, `service`, or `lateness` (of the generator itself: actual issue - the moment when it was due and had a slot)
    quantity    TEXT NOT NULL,
    -- values
    count       INTEGER NOT NULL,
    -- sum, ns, and sum of squares, ns². The sum is exact up to 2^63 - 1; what is longer is a floating-point number of 53 bits
    sum_ns      INTEGER NOT NULL,
    sum_squares REAL NOT NULL,
    -- exact
    min_ns      INTEGER NOT NULL,
    max_ns      INTEGER NOT NULL,
    -- the counts, HdrHistogram V2
    hdr         BLOB NOT NULL,
    -- see `hosts`
    host        INTEGER NOT NULL,
    PRIMARY KEY (step, host, interval, stream, op, quantity)
);

CREATE TABLE verdicts ( -- The answers of curves and other methods.
    -- number, in order of addition
    verdict INTEGER PRIMARY KEY,
    -- `curve`; `method`: the answer of any other method
    kind    TEXT NOT NULL,
    -- the run that it is about
    run     TEXT,
    -- the verdict, JSON
    body    TEXT NOT NULL
);

CREATE TABLE findings ( -- Findings of a step come with the step, those of a verdict with the verdict, those of the numbered rules at the run's end. A resumed run is judged again at its end.
    -- number, in order of addition
    finding  INTEGER PRIMARY KEY,
    -- what was found, as `never-steady`, or the number of a rule, as `PL012`
    rule     TEXT NOT NULL,
    -- `note`, `suspect`, `invalid`
    severity TEXT NOT NULL,
    -- the step, where it is about one
    step     INTEGER,
    -- what was seen and why it matters; what to do, on a second line where the first does not say it
    message  TEXT NOT NULL,
    -- the values behind the sentence, a JSON list of `name`, `quantity` (`unit`, `value`) and, where the rule judges by it, `threshold`; `clean` and `clean_half_width` are the number without the fault, where that can be computed
    seen     TEXT
);
