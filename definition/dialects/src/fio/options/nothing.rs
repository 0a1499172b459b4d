//! Options that cannot change the load.

use super::Effect::Nothing;
use super::ValueKind::{Bool, Flag, Int, Text, Time, Word};
use super::{Opt, opt};

const OWN_OUTPUT: &str = "every number is kept in the record; see plimsoll show and export";
const OWN_CLOCKS: &str = "times are always kept; they cost next to nothing here";
const OWN_PROCESS: &str = "it tunes fio's own processes and memory";
const NO_MAP: &str = "random orders need no map and no generator of fio's here";
const LAYOUT: &str = "files are made and filled before anything is measured";
const ONLY_VERIFY: &str = "each read is checked as it completes, by the worker that reaped it, and told with what was expected";
const ONLY_STRIDED: &str = "it concerns zoned devices only";
const NOTE: &str = "it is a note";
const OWN_PLACE: &str = "memory is taken where a worker runs; pin workers by cpus_allowed, or start plimsoll itself with numactl";
const RING: &str = "it tunes fio's ring; ours is set up as the kernel allows";

pub(super) const TABLE: &[Opt] = &[
    opt(
        "thread",
        "threads",
        Flag,
        Nothing("workers are always threads"),
    ),
    opt(
        "read_iolog_chunked",
        "",
        Bool,
        Nothing(
            "a log is read before anything is measured, and its I/Os are kept in a few bytes each",
        ),
    ),
    opt(
        "thinktime_spin",
        "",
        Time(1),
        Nothing("a pause is as long whether it costs CPU or not; here it costs none"),
    ),
    opt("description", "", Text, Nothing(NOTE)),
    opt("comm", "", Text, Nothing(NOTE)),
    opt("slat_percentiles", "", Bool, Nothing(OWN_OUTPUT)),
    opt("significant_figures", "", Int, Nothing(OWN_OUTPUT)),
    opt("disk_util", "", Bool, Nothing(OWN_OUTPUT)),
    opt("stats", "", Bool, Nothing(OWN_OUTPUT)),
    opt("unit_base", "", Int, Nothing(OWN_OUTPUT)),
    opt("log_prio", "", Bool, Nothing(OWN_OUTPUT)),
    opt("log_issue_time", "", Bool, Nothing(OWN_OUTPUT)),
    opt("log_entries", "", Int, Nothing(OWN_OUTPUT)),
    opt("log_compression", "", Int, Nothing(OWN_OUTPUT)),
    opt("log_compression_cpus", "", Text, Nothing(OWN_OUTPUT)),
    opt("log_store_compressed", "", Bool, Nothing(OWN_OUTPUT)),
    opt("log_alternate_epoch_clock_id", "", Int, Nothing(OWN_OUTPUT)),
    opt("job_start_clock_id", "", Int, Nothing(OWN_OUTPUT)),
    opt("bwavgtime", "", Time(1000), Nothing(OWN_OUTPUT)),
    opt("iopsavgtime", "", Time(1000), Nothing(OWN_OUTPUT)),
    opt("block_error_percentiles", "", Bool, Nothing(OWN_OUTPUT)),
    opt("error_dump", "", Bool, Nothing(OWN_OUTPUT)),
    opt("gtod_reduce", "", Bool, Nothing(OWN_CLOCKS)),
    opt("gtod_cpu", "", Int, Nothing(OWN_CLOCKS)),
    opt("disable_lat", "", Bool, Nothing(OWN_CLOCKS)),
    opt("disable_clat", "", Bool, Nothing(OWN_CLOCKS)),
    opt("disable_slat", "", Bool, Nothing(OWN_CLOCKS)),
    opt(
        "disable_bw_measurement",
        "disable_bw",
        Bool,
        Nothing(OWN_CLOCKS),
    ),
    opt("clocksource", "", Text, Nothing(OWN_CLOCKS)),
    opt("mem", "iomem", Text, Nothing(OWN_PROCESS)),
    opt("iomem_align", "mem_align", Int, Nothing(OWN_PROCESS)),
    opt("hugepage-size", "", Int, Nothing(OWN_PROCESS)),
    opt("create_serialize", "", Bool, Nothing(LAYOUT)),
    opt("create_fsync", "", Bool, Nothing(LAYOUT)),
    opt("create_on_open", "", Bool, Nothing(LAYOUT)),
    opt(
        "allow_file_create",
        "",
        Bool,
        Nothing("files are made only where nothing has their name"),
    ),
    opt(
        "fallocate",
        "",
        Word(&["none", "posix", "keep", "truncate", "native", "0", "1"]),
        Nothing(LAYOUT),
    ),
    opt("overwrite", "", Bool, Nothing(LAYOUT)),
    opt(
        "unique_filename",
        "",
        Bool,
        Nothing("it concerns fio's clients only"),
    ),
    opt(
        "openfiles",
        "",
        Int,
        Nothing("all files are open while a run goes on"),
    ),
    opt(
        "filetype",
        "",
        Text,
        Nothing("what a target is, is looked at"),
    ),
    opt(
        "allow_mounted_write",
        "",
        Bool,
        Nothing("what is mounted is never written; see docs/safety.md"),
    ),
    opt(
        "fadvise_hint",
        "",
        Text,
        Nothing("the kernel is told nothing of what will be read"),
    ),
    opt("random_generator", "", Text, Nothing(NO_MAP)),
    opt(
        "bs_is_seq_rand",
        "",
        Bool,
        Nothing("it changes nothing where bs= has one size"),
    ),
    opt("verify_dump", "", Bool, Nothing(ONLY_VERIFY)),
    opt("verify_async", "", Int, Nothing(ONLY_VERIFY)),
    opt("verify_async_cpus", "", Text, Nothing(ONLY_VERIFY)),
    opt("verify_policy", "", Text, Nothing(ONLY_VERIFY)),
    opt("verify_header_seed", "", Bool, Nothing(ONLY_VERIFY)),
    opt("verify_write_sequence", "", Bool, Nothing(ONLY_VERIFY)),
    opt("experimental_verify", "", Bool, Nothing(ONLY_VERIFY)),
    opt("verifysort", "", Bool, Nothing(ONLY_VERIFY)),
    opt("verifysort_nr", "", Int, Nothing(ONLY_VERIFY)),
    opt("trim_verify_zero", "", Bool, Nothing(ONLY_VERIFY)),
    opt("ignore_zone_limits", "", Bool, Nothing(ONLY_STRIDED)),
    opt("recover_zbd_write_error", "", Bool, Nothing(ONLY_STRIDED)),
    opt("write_zone_remainder", "", Bool, Nothing(ONLY_STRIDED)),
    opt("read_beyond_wp", "", Bool, Nothing(ONLY_STRIDED)),
    opt("max_open_zones", "", Int, Nothing(ONLY_STRIDED)),
    opt("job_max_open_zones", "", Int, Nothing(ONLY_STRIDED)),
    opt("zonecapacity", "", Int, Nothing(ONLY_STRIDED)),
    opt("zone_reset_threshold", "", Text, Nothing(ONLY_STRIDED)),
    opt("zone_reset_frequency", "", Text, Nothing(ONLY_STRIDED)),
    opt(
        "cpus_allowed_policy",
        "",
        Text,
        Nothing("each worker is pinned to one CPU of those that are allowed, in turn"),
    ),
    opt(
        "iodepth_batch_complete_max",
        "",
        Int,
        Nothing("whatever has completed is taken"),
    ),
    opt(
        "iodepth_low",
        "",
        Int,
        Nothing("each slot is filled as soon as it is free"),
    ),
    opt(
        "rwmixcycle",
        "",
        Int,
        Nothing("fio does nothing with it either"),
    ),
    opt(
        "percentage_sequential",
        "",
        Int,
        Nothing("fio does nothing with it either"),
    ),
    opt(
        "flow_watermark",
        "",
        Int,
        Nothing("fio does nothing with it either"),
    ),
    opt("flow_sleep", "", Int, Nothing("it is a part of flow")),
    opt(
        "dedupe_global",
        "",
        Bool,
        Nothing("duplicates are made over all of a target's blocks alike"),
    ),
    opt(
        "exitall_on_error",
        "",
        Flag,
        Nothing("an error ends all of a run, unless continue_on_error allows it"),
    ),
    opt(
        "spr_num_regions",
        "",
        Int,
        Nothing("it is a part of sprandom"),
    ),
    opt("spr_op", "", Text, Nothing("it is a part of sprandom")),
    opt("spr_cs", "", Int, Nothing("it is a part of sprandom")),
    opt("nonvectored", "", Int, Nothing(RING)),
    opt("userspace_reap", "", Flag, Nothing(RING)),
    opt("sqthread_poll_cpu", "", Int, Nothing(RING)),
    opt(
        "io_submit_mode",
        "",
        Text,
        Nothing(
            "a schedule needs no other threads here: response times count from when an I/O was due",
        ),
    ),
    opt("numa_cpu_nodes", "", Text, Nothing(OWN_PLACE)),
    opt("numa_mem_policy", "", Text, Nothing(OWN_PLACE)),
    opt(
        "nice",
        "",
        Int,
        Nothing("a job is no process here: start plimsoll itself with nice"),
    ),
    opt(
        "buffer_compress_chunk",
        "",
        Int,
        Nothing("each 4 KiB compress by the same share, however large a chunk fio would lay out"),
    ),
    opt(
        "gpu_dev_id",
        "",
        Int,
        Nothing("there are no buffers in GPUs"),
    ),
];
