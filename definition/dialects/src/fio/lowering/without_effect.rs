//! Options that have no effect in the job that says them, because another one is missing or stands above them.

use super::{Complaints, verify};
use crate::fio::engine::{self, Engine};
use crate::fio::{Job, codes};
use plimsoll_diagnostic::{Diagnostic, FileId};
use plimsoll_plan::Op;
use std::collections::{BTreeMap, BTreeSet};

/// Options of one kind: when they count, and why they do not (`{rw}` is the job's).
struct IneffectiveOptions {
    options: &'static [&'static str],
    counts: fn(&Job) -> bool,
    why: &'static str,
    help: &'static str,
}

/// Kinds as lines: options, when they count, why they do not, what to do.
macro_rules! kinds {
    ($($options:expr => $counts:expr, $why:literal, $help:literal;)*) => {
        &[$(IneffectiveOptions { options: $options, counts: $counts, why: $why, help: $help },)*]
    };
}

/// Kinds of such options; where several have an option, the first speaks.
const KINDS: &[IneffectiveOptions] = kinds! {
    ON_BLOCKS => |job| !matches!(engine::of(job), Ok(Engine::Names(_))), "works on names, and moves no bytes", "leave it out";
    &["rwmixread", "rwmixwrite"] => mixes, "has rw={rw} and mixes nothing", "for reads and writes say rw=randrw, or rw=rw in sequence";
    &["rate_process"] => is_rated, "has no rate", "give it rate= or rate_iops=";
    &["rate_ignore_thinktime"] => |job| is_rated(job) && asks(job, "thinktime"), "has no rate, or no pauses",
        "give it both rate= and thinktime=, or leave it out";
    &["thinktime_blocks", "thinktime_blocks_type"] => |job| asks(job, "thinktime"), "has no thinktime", "give it thinktime=";
    &["do_verify", "verify_backlog", "verify_backlog_batch", "verify_fatal", "verify_interval", "verify_offset", "verify_only",
        "verify_pattern_interval", "verify_state_load"] => |job| verify::word(job).is_some(), "verifies nothing", "give it verify=, as verify=crc32c";
    &["verify_pattern_interval"] => |job| asks(job, "verify_pattern"), "has no verify_pattern", "give it verify_pattern=";
    &["verify_backlog_batch"] => |job| asks(job, "verify_backlog"), "has no verify_backlog", "give it verify_backlog=";
    &["bs", "bsrange"] => |job| !asks(job, "bssplit"), "has bssplit, which alone says its sizes", "keep one of the two";
    &["bs"] => |job| !asks(job, "bsrange"), "has bsrange, which alone says its sizes", "keep one of the two";
    &["percentage_random", "random_distribution"] => is_random, "has rw={rw} and goes in sequence",
        "for a random order say rw=randread, randwrite or randrw";
    &["rw_sequencer"] => |job| job.text("rw").is_some_and(|text| text.contains(':')), "draws each address anew, or goes in sequence",
        "say after how many I/Os an address is drawn, as rw=randread:8";
    &["fsync", "fdatasync", "end_fsync", "fsync_on_close"] => verify::writes, "has rw={rw} and writes nothing", "leave it out, or write";
    &["dedupe_mode", "dedupe_working_set_percentage"] => |job| asks(job, "dedupe_percentage"), "writes no duplicates", "give it dedupe_percentage=";
    &["buffer_pattern"] => |job| asks(job, "buffer_compress_percentage") || !asks(job, "dedupe_percentage"),
        "has dedupe_percentage, which alone says what it writes", "for a pattern in a part of each block add buffer_compress_percentage=";
    &["zero_buffers"] =>
        |job| !["buffer_pattern", "buffer_compress_percentage", "dedupe_percentage"].iter().any(|option| asks(job, option)),
        "has a pattern or a percentage, which alone says what it writes", "keep one of the two";
    &["fixedbufs", "registerfiles"] => |job| matches!(engine::of(job), Ok(Engine::Uring(_))), "has another engine than io_uring",
        "use ioengine=io_uring";
    &["iodepth_batch", "iodepth_batch_complete_min"] => |job| engine::of(job).is_ok_and(|e| !e.is_sync()) && job.number("iodepth") > Some(1),
        "has one I/O in flight", "use ioengine=libaio or io_uring, with iodepth=";
    &["latency_window", "latency_percentile", "latency_run"] => |job| asks(job, "latency_target"), "has no latency_target",
        "give it latency_target=";
    &["steadystate_duration", "steadystate_ramp_time", "steadystate_check_interval"] => |job| asks(job, "steadystate"), "has no steadystate",
        "give it steadystate=, as iops:10%";
    &["rate_cycle"] => |job| asks(job, "rate_min") || asks(job, "rate_iops_min"), "has no least rate", "give it rate_min= or rate_iops_min=";
    &["replay_no_stall", "replay_redirect", "replay_scale", "replay_align", "replay_time_scale", "replay_skip"] => |job| asks(job, "read_iolog"),
        "replays nothing", "give it read_iolog=";
    &["stat_type"] => |job| matches!(engine::of(job), Ok(Engine::Names(Op::Stat))), "asks for no attributes", "give it ioengine=filestat";
    &["randrepeat", "randseed"] => is_drawn, "takes its names in order, and draws nothing", "leave it out";
    &["flow_id"] => |job| asks(job, "flow"), "has no flow", "give it flow=";
    &["exit_what"] => |job| asks(job, "exitall"), "ends no others", "give it exitall";
};

/// Options of what moves bytes, of which fio's engines of names take no notice.
const ON_BLOCKS: &[&str] = &[
    "ba",
    "buffer_compress_percentage",
    "buffer_pattern",
    "buffered",
    "dedupe_percentage",
    "direct",
    "hipri",
    "hipri_percentage",
    "invalidate",
    "log_alternate_epoch",
    "log_avg_msec",
    "log_hist_coarseness",
    "log_hist_msec",
    "log_offset",
    "log_window_value",
    "norandommap",
    "per_job_logs",
    "percentage_random",
    "random_distribution",
    "refill_buffers",
    "rw_sequencer",
    "scramble_buffers",
    "softrandommap",
    "sqthread_poll",
    "sync",
    "uri",
    "verify_state_save",
    "zero_buffers",
    "zonemode",
    "zonerange",
    "zonesize",
    "zoneskip",
];

/// True where a job draws when an I/O is due, or its addresses.
fn is_drawn(job: &Job) -> bool {
    let is_drawn = is_rated(job) && job.word("rate_process") == Some("poisson");
    is_drawn || !matches!(engine::of(job), Ok(Engine::Names(_)))
}

/// True where a job gives an option for nothing.
pub(super) fn is_idle(option: &str, job: &Job) -> bool {
    let mut kinds = KINDS.iter().filter(|kind| kind.options.contains(&option));
    kinds.any(|kind| !(kind.counts)(job))
}

/// Names options that change nothing in any job that they reach: in a global section one may be meant for some of its jobs.
pub(super) fn judge(jobs: &[Job], found: &mut Complaints) {
    let mut said = BTreeSet::new();
    for kind in KINDS {
        for option in kind.options {
            judge_option(kind, option, jobs, &mut said, found);
        }
    }
    for job in jobs.iter().filter(|job| job.number("size") == Some(0)) {
        say(
            job,
            "size",
            "uses all of its file or device, for which 0 stands",
            "give it a size, or leave it out where all is meant",
            found,
        );
    }
}

/// Names each place that gives the option and changes nothing, by the first job that it reaches, unless it is named already.
fn judge_option(
    kind: &IneffectiveOptions,
    option: &str,
    jobs: &[Job],
    said: &mut BTreeSet<(FileId, u32)>,
    found: &mut Complaints,
) {
    let mut places: Vec<(&Job, bool)> = Vec::new();
    let mut known: BTreeMap<(FileId, u32), usize> = BTreeMap::new();
    for job in jobs {
        let Some(given) = job.get(option).filter(|given| !given.is_off()) else {
            continue;
        };
        let at = *known
            .entry((given.span.file, given.span.start))
            .or_insert_with(|| {
                places.push((job, false));
                places.len() - 1
            });
        places[at].1 |= (kind.counts)(job);
    }
    for (job, _) in places.iter().filter(|(_, counts)| !counts) {
        let place = job.place(option).unwrap_or(job.span);
        if said.insert((place.file, place.start)) {
            let why = kind.why.replace("{rw}", word(job));
            say(job, option, &why, kind.help, found);
        }
    }
}

fn say(job: &Job, option: &str, why: &str, help: &str, found: &mut Complaints) {
    let place = job.place(option).unwrap_or(job.span);
    found.warn(
        Diagnostic::warning(
            codes::WITHOUT_EFFECT,
            format!("`{option}` has no effect: job {} {why}", job.name),
        )
        .at(place, "")
        .help(help),
    );
}

/// True where an option is given and asks for something.
fn asks(job: &Job, option: &str) -> bool {
    job.get(option).is_some_and(|given| !given.is_off())
}

fn is_rated(job: &Job) -> bool {
    asks(job, "rate") || asks(job, "rate_iops")
}

fn mixes(job: &Job) -> bool {
    matches!(word(job).trim_start_matches("rand"), "rw" | "readwrite")
}

fn is_random(job: &Job) -> bool {
    word(job).starts_with("rand")
}

fn word(job: &Job) -> &'static str {
    job.word("rw").unwrap_or("read")
}
