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

/// Kinds of such options; where several have an option, the first speaks.
const KINDS: &[IneffectiveOptions] = &[
    IneffectiveOptions {
        options: ON_BLOCKS,
        counts: |job| !matches!(engine::of(job), Ok(Engine::Names(_))),
        why: "works on names, and moves no bytes",
        help: "leave it out",
    },
    IneffectiveOptions {
        options: &["rwmixread", "rwmixwrite"],
        counts: mixes,
        why: "has rw={rw} and mixes nothing",
        help: "for reads and writes say rw=randrw, or rw=rw in sequence",
    },
    IneffectiveOptions {
        options: &["rate_process"],
        counts: is_rated,
        why: "has no rate",
        help: "give it rate= or rate_iops=",
    },
    IneffectiveOptions {
        options: &["rate_ignore_thinktime"],
        counts: |job| is_rated(job) && asks(job, "thinktime"),
        why: "has no rate, or no pauses",
        help: "give it both rate= and thinktime=, or leave it out",
    },
    IneffectiveOptions {
        options: &["thinktime_blocks", "thinktime_blocks_type"],
        counts: |job| asks(job, "thinktime"),
        why: "has no thinktime",
        help: "give it thinktime=",
    },
    IneffectiveOptions {
        options: &[
            "do_verify",
            "verify_backlog",
            "verify_backlog_batch",
            "verify_fatal",
            "verify_interval",
            "verify_offset",
            "verify_only",
            "verify_pattern_interval",
            "verify_state_load",
        ],
        counts: |job| verify::word(job).is_some(),
        why: "verifies nothing",
        help: "give it verify=, as verify=crc32c",
    },
    IneffectiveOptions {
        options: &["verify_pattern_interval"],
        counts: |job| asks(job, "verify_pattern"),
        why: "has no verify_pattern",
        help: "give it verify_pattern=",
    },
    IneffectiveOptions {
        options: &["verify_backlog_batch"],
        counts: |job| asks(job, "verify_backlog"),
        why: "has no verify_backlog",
        help: "give it verify_backlog=",
    },
    IneffectiveOptions {
        options: &["bs", "bsrange"],
        counts: |job| !asks(job, "bssplit"),
        why: "has bssplit, which alone says its sizes",
        help: "keep one of the two",
    },
    IneffectiveOptions {
        options: &["bs"],
        counts: |job| !asks(job, "bsrange"),
        why: "has bsrange, which alone says its sizes",
        help: "keep one of the two",
    },
    IneffectiveOptions {
        options: &["percentage_random", "random_distribution"],
        counts: is_random,
        why: "has rw={rw} and goes in sequence",
        help: "for a random order say rw=randread, randwrite or randrw",
    },
    IneffectiveOptions {
        options: &["rw_sequencer"],
        counts: |job| job.text("rw").is_some_and(|text| text.contains(':')),
        why: "draws each address anew, or goes in sequence",
        help: "say after how many I/Os an address is drawn, as rw=randread:8",
    },
    IneffectiveOptions {
        options: &["fsync", "fdatasync", "end_fsync", "fsync_on_close"],
        counts: verify::writes,
        why: "has rw={rw} and writes nothing",
        help: "leave it out, or write",
    },
    IneffectiveOptions {
        options: &["dedupe_mode", "dedupe_working_set_percentage"],
        counts: |job| asks(job, "dedupe_percentage"),
        why: "writes no duplicates",
        help: "give it dedupe_percentage=",
    },
    IneffectiveOptions {
        options: &["buffer_pattern"],
        counts: |job| asks(job, "buffer_compress_percentage") || !asks(job, "dedupe_percentage"),
        why: "has dedupe_percentage, which alone says what it writes",
        help: "for a pattern in a part of each block add buffer_compress_percentage=",
    },
    IneffectiveOptions {
        options: &["zero_buffers"],
        counts: |job| {
            let above = [
                "buffer_pattern",
                "buffer_compress_percentage",
                "dedupe_percentage",
            ];
            !above.iter().any(|option| asks(job, option))
        },
        why: "has a pattern or a percentage, which alone says what it writes",
        help: "keep one of the two",
    },
    IneffectiveOptions {
        options: &["fixedbufs", "registerfiles"],
        counts: |job| matches!(engine::of(job), Ok(Engine::Uring(_))),
        why: "has another engine than io_uring",
        help: "use ioengine=io_uring",
    },
    IneffectiveOptions {
        options: &["iodepth_batch", "iodepth_batch_complete_min"],
        counts: |job| {
            engine::of(job).is_ok_and(|e| !e.is_sync()) && job.number("iodepth") > Some(1)
        },
        why: "has one I/O in flight",
        help: "use ioengine=libaio or io_uring, with iodepth=",
    },
    IneffectiveOptions {
        options: &["latency_window", "latency_percentile", "latency_run"],
        counts: |job| asks(job, "latency_target"),
        why: "has no latency_target",
        help: "give it latency_target=",
    },
    IneffectiveOptions {
        options: &[
            "steadystate_duration",
            "steadystate_ramp_time",
            "steadystate_check_interval",
        ],
        counts: |job| asks(job, "steadystate"),
        why: "has no steadystate",
        help: "give it steadystate=, as iops:10%",
    },
    IneffectiveOptions {
        options: &["rate_cycle"],
        counts: |job| asks(job, "rate_min") || asks(job, "rate_iops_min"),
        why: "has no least rate",
        help: "give it rate_min= or rate_iops_min=",
    },
    IneffectiveOptions {
        options: &[
            "replay_no_stall",
            "replay_redirect",
            "replay_scale",
            "replay_align",
            "replay_time_scale",
            "replay_skip",
        ],
        counts: |job| asks(job, "read_iolog"),
        why: "replays nothing",
        help: "give it read_iolog=",
    },
    IneffectiveOptions {
        options: &["stat_type"],
        counts: |job| matches!(engine::of(job), Ok(Engine::Names(Op::Stat))),
        why: "asks for no attributes",
        help: "give it ioengine=filestat",
    },
    IneffectiveOptions {
        options: &["randrepeat", "randseed"],
        counts: |job| {
            let is_drawn = is_rated(job) && job.word("rate_process") == Some("poisson");
            is_drawn || !matches!(engine::of(job), Ok(Engine::Names(_)))
        },
        why: "takes its names in order, and draws nothing",
        help: "leave it out",
    },
    IneffectiveOptions {
        options: &["flow_id"],
        counts: |job| asks(job, "flow"),
        why: "has no flow",
        help: "give it flow=",
    },
    IneffectiveOptions {
        options: &["exit_what"],
        counts: |job| asks(job, "exitall"),
        why: "ends no others",
        help: "give it exitall",
    },
];

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
