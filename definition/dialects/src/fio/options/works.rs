//! Options that are carried out.

use super::ValueKind::{Bool, Extent, Flag, Int, Range, Text, Time, Triple, Word};
use super::{Beside, Effect, Opt};

/// A part of the plan.
const WORKS: Effect = Effect::Works(Beside::Planned);
/// Files of fio's own beside its targets.
const FILES: Effect = Effect::Works(Beside::LeftOut(
    "fio is to write to its targets only, and to no file of its own",
));
/// What fio prints.
const SHOWN: Effect = Effect::Works(Beside::LeftOut("it changes what fio shows, and no I/O"));
/// A part of an option that is left out or refused.
const PART: Effect = Effect::Works(Beside::LeftOut(
    "without the option that it belongs to it says nothing",
));
/// What makes a job depend on what it measures.
const RESULTS: Effect = Effect::Works(Beside::Refused(
    "fio would end the job, or change its depth, by what it measures, and plimsoll run would go on for the job's time",
));

/// What takes files away that both tools are to find.
const GOING: Effect = Effect::Works(Beside::Refused(
    "both tools are to find the same files, each time",
));

const SECONDS: i64 = 1_000_000;

pub(super) const TABLE: &[Opt] = options! {
    "rw"/"readwrite" Word(&["read", "write", "trim", "randread", "randwrite", "randtrim", "rw", "readwrite", "randrw", "trimwrite",
        "randtrimwrite"]), WORKS;
    "ioengine" Text, WORKS;
    "stat_type" Word(&["stat", "lstat", "statx"]), WORKS;
    "bs"/"blocksize" Triple, WORKS;
    "bsrange"/"blocksize_range" Range, WORKS;
    "bssplit" Text, WORKS;
    "ba"/"blockalign" Triple, WORKS;
    "size" Extent, WORKS;
    "filesize" Text, WORKS;
    "io_size"/"io_limit" Extent, WORKS;
    "fill_device"/"fill_fs" Bool, WORKS;
    "loops" Int, WORKS;
    "number_ios" Int, WORKS;
    "offset"/"fileoffset" Extent, WORKS;
    "offset_increment" Extent, WORKS;
    "direct" Bool, WORKS;
    "buffered" Bool, WORKS;
    "iodepth" Int, WORKS;
    "iodepth_batch"/"iodepth_batch_submit" Int, WORKS;
    "iodepth_batch_complete_min"/"iodepth_batch_complete" Int, WORKS;
    "filename" Text, WORKS;
    "filename_format" Text, WORKS;
    "directory" Text, WORKS;
    "nrfiles"/"nr_files" Int, WORKS;
    "numjobs" Int, WORKS;
    "name" Text, WORKS;
    "time_based" Flag, WORKS;
    "runtime"/"timeout" Time(SECONDS), WORKS;
    "ramp_time" Time(SECONDS), WORKS;
    "startdelay" Text, WORKS;
    "stonewall"/"wait_for_previous" Flag, WORKS;
    "group_reporting" Flag, WORKS;
    "new_group" Flag, WORKS;
    "percentile_list" Text, SHOWN;
    "norandommap" Flag, WORKS;
    "softrandommap" Bool, WORKS;
    "randrepeat"/"allrandrepeat" Bool, WORKS;
    "randseed" Int, WORKS;
    "rwmixread" Int, WORKS;
    "rwmixwrite" Int, WORKS;
    "percentage_random" Triple, WORKS;
    "random_distribution" Text, WORKS;
    "rw_sequencer" Word(&["sequential", "identical"]), WORKS;
    "zonemode" Word(&["none", "strided", "zbd"]), WORKS;
    "zonesize" Extent, WORKS;
    "zonerange" Extent, WORKS;
    "zoneskip" Extent, WORKS;
    // The ring has its buffers and files registered in any case.
    "fixedbufs" Flag, WORKS;
    "registerfiles" Flag, WORKS;
    "hipri" Flag, WORKS;
    "sqthread_poll" Flag, WORKS;
    // Of an engine that polls for nothing here; a warning says so.
    "hipri_percentage" Int, PART;
    "unlink" Bool, GOING;
    "thinktime" Time(1), WORKS;
    "thinktime_blocks" Int, WORKS;
    "thinktime_blocks_type" Word(&["complete", "issue"]), WORKS;
    "rate" Triple, WORKS;
    "rate_iops" Triple, WORKS;
    "rate_ignore_thinktime" Bool, WORKS;
    "rate_process" Word(&["linear", "poisson"]), WORKS;
    "zero_buffers" Flag, WORKS;
    "refill_buffers" Flag, WORKS;
    "scramble_buffers" Bool, WORKS;
    "buffer_pattern" Text, WORKS;
    "buffer_compress_percentage" Int, WORKS;
    "dedupe_percentage" Int, WORKS;
    "dedupe_mode" Word(&["repeat", "working_set"]), WORKS;
    "dedupe_working_set_percentage" Int, WORKS;
    "sync" Text, WORKS;
    "fsync" Int, WORKS;
    "fdatasync" Int, WORKS;
    "end_fsync" Bool, WORKS;
    "fsync_on_close" Bool, WORKS;
    "verify" Text, WORKS;
    "do_verify" Bool, WORKS;
    "verify_interval" Int, WORKS;
    "verify_offset" Int, WORKS;
    "verify_pattern" Text, WORKS;
    "verify_pattern_interval" Int, WORKS;
    "verify_fatal" Bool, WORKS;
    "verify_backlog" Int, WORKS;
    "verify_backlog_batch" Int, WORKS;
    "verify_only" Flag, WORKS;
    "verify_state_save" Bool, FILES;
    "verify_state_load" Bool, WORKS;
    "cpus_allowed" Text, WORKS;
    "cpumask" Int, WORKS;
    "continue_on_error" Text, WORKS;
    "exec_prerun" Text, WORKS;
    "exec_postrun" Text, WORKS;
    "invalidate" Bool, WORKS;
    "file_service_type" Text, WORKS;
    "kb_base" Word(&["1024", "1000"]), WORKS;
    "uri" Text, WORKS;
    "flow" Int, WORKS;
    "flow_id" Int, WORKS;
    "exitall" Flag, WORKS;
    "exit_what" Text, WORKS;
    "wait_for" Text, WORKS;
    "ignore_error" Text, WORKS;
    "rate_min"/"ratemin" Triple, RESULTS;
    "rate_iops_min" Triple, RESULTS;
    "max_latency" Text, RESULTS;
    "latency_target" Time(1), RESULTS;
    "latency_window" Time(1), PART;
    "latency_percentile" Text, PART;
    "latency_run" Bool, PART;
    "steadystate"/"ss" Text, RESULTS;
    "steadystate_duration"/"ss_dur" Time(1_000_000), PART;
    "steadystate_ramp_time"/"ss_ramp" Time(1_000_000), PART;
    "steadystate_check_interval"/"ss_interval" Time(1_000_000), PART;
    "rate_cycle"/"ratecycle" Int, PART;
    "clat_percentiles" Bool, SHOWN;
    "lat_percentiles" Bool, SHOWN;
    "unified_rw_reporting" Text, SHOWN;
    "per_job_logs" Bool, PART;
    "write_bw_log" Text, FILES;
    "write_lat_log" Text, FILES;
    "write_iops_log" Text, FILES;
    "write_hist_log" Text, FILES;
    "write_iolog" Text, FILES;
    "read_iolog" Text, WORKS;
    "replay_no_stall" Bool, WORKS;
    "replay_redirect" Text, WORKS;
    "replay_scale" Int, WORKS;
    "replay_align" Int, WORKS;
    "replay_time_scale" Int, WORKS;
    "replay_skip" Text, WORKS;
    "log_avg_msec" Time(1000), PART;
    "log_hist_msec" Time(1000), PART;
    "log_hist_coarseness" Int, PART;
    "log_offset" Bool, PART;
    "log_window_value"/"log_max_value" Text, PART;
    "log_alternate_epoch"/"log_unix_epoch" Bool, PART;
};
