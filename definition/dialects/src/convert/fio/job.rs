//! The streams of a step as jobs.

use super::{Engine, Missing, Opt, content, ends, pattern, sizes, target};
use crate::convert::origin;
use plimsoll_diagnostic::Span;
use plimsoll_plan::{
    Arrival, Command, Depth, Limits, Load, Location, Pattern, Plan, Rate, Step, Stream, Throttle,
};

/// A job, without its section's line.
pub(super) struct Written {
    pub name: String,
    pub options: Vec<Opt>,
    pub spans: Vec<Span>,
}

/// The jobs of a step, which start together.
pub(super) fn jobs(
    plan: &Plan,
    step: &Step,
    engine: Engine<'_>,
    missing: &mut Missing<'_>,
) -> Vec<Written> {
    let mut jobs = Vec::new();
    of_step(step, missing);
    for (at, stream) in step.streams.iter().enumerate() {
        let mut options = Vec::new();
        let target = plan.target(stream.target);
        target::options(target, stream, &mut options, missing);
        let depth = depth(plan, step, stream, missing);
        let own = engine
            .of_targets
            .get(stream.target.0 as usize)
            .copied()
            .flatten();
        let own = own.unwrap_or(engine.name);
        let has_command =
            at == 0 && !(step.start_commands.is_empty() && step.end_commands.is_empty());
        let is_cloned = own == "psync"
            && (2..=CLONES).contains(&depth)
            && !has_command
            && draws_freely(step, stream);
        let name = match target.location {
            Location::Null(_) => "null",
            Location::Nbd(_) => "nbd",
            // pread and pwrite have one I/O in flight.
            _ if own == "psync" && depth > 1 && !is_cloned => "posixaio",
            _ => own,
        };
        if name == "mmap" && depth > 1 {
            let what = "several I/Os at once from and to a map";
            missing.add(&stream.workload, "depth", what, "write a workload for each");
        }
        let (name, polled) = name.split_once('+').unwrap_or((name, ""));
        options.push(("ioengine", name.to_string()));
        for (word, option) in [("iopoll", "hipri"), ("sqpoll", "sqthread_poll")] {
            if polled.split('+').any(|p| p == word) {
                options.push((option, "1".to_string()));
            }
        }
        let depth = match is_cloned && name == "psync" {
            true => {
                options.push(("numjobs", depth.to_string()));
                options.push(("group_reporting", "1".to_string()));
                1
            }
            false => depth,
        };
        options.push(("iodepth", depth.to_string()));
        if engine.batch > 1 && depth > 1 {
            options.push(("iodepth_batch", engine.batch.min(depth).to_string()));
        }
        if engine.reap > 1 && depth > 1 {
            let reap = engine.reap.min(depth).to_string();
            options.push(("iodepth_batch_complete_min", reap));
        }
        sizes::options(stream, &mut options, missing);
        pattern::options(target, stream, &mut options, missing);
        content::options(stream, &mut options, missing);
        pace(step, stream, depth, &mut options, missing);
        ends::options(step, stream, &mut options, missing);
        if at == 0 {
            command(&step.start_commands, "exec_prerun", &mut options, missing);
            command(&step.end_commands, "exec_postrun", &mut options, missing);
        }
        if let Some(cpus) = &step.workers.pin {
            let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
            options.push(("cpus_allowed", cpus.join(",")));
        }
        for (option, value) in options.iter().filter(|(o, v)| !survives(o, v)) {
            let what = format!(
                "`{option}={}`, which fio would read differently",
                value.escape_default()
            );
            let remedy = "leave out what begins a comment or is replaced (; # ${ $ncpus), and blanks at the ends";
            missing.add(&stream.workload, option, what, remedy);
        }
        jobs.push(Written {
            name: stream.workload.clone(),
            options,
            spans: origin::of_workload(&step.origins, &stream.workload),
        });
    }
    jobs
}

/// Bytes of a line that fio reads at once.
const LINE: usize = 8 << 10;
/// Words that fio replaces.
const REPLACED: [&str; 4] = ["${", "$ncpus", "$pagesize", "$mb_memory"];

/// Whether fio reads an option back as it is written.
fn survives(option: &str, value: &str) -> bool {
    let odd = |c: char| matches!(c, ';' | '#') || c.is_control();
    let is_long = option.len() + value.len() + 2 >= LINE;
    let is_replaced = REPLACED.iter().any(|word| value.contains(word));
    !is_long && !is_replaced && !value.contains(odd) && value.trim() == value
}

/// The most clones of a job; fio holds 4,096 in all.
const CLONES: u32 = 64;

/// Whether clones with one I/O each are the same as one job with several: each I/O draws its address by itself, and nothing counts.
/// With posixaio, the other way to several synchronous I/Os, the C library does those of one file one after the other.
fn draws_freely(step: &Step, stream: &Stream) -> bool {
    let draws = matches!(
        stream.address.pattern,
        Pattern::Random {
            coverage: false,
            ..
        }
    );
    let is_free = step.load == Load::Max
        && stream.fixed_rate.is_none()
        && stream.throttle == Throttle::default();
    let goes_on = stream.quota.is_none() && step.limits == Limits::default();
    draws && is_free && goes_on
}

/// What a step says that no job can.
fn of_step(step: &Step, missing: &mut Missing<'_>) {
    match step.load {
        Load::PercentOfLast { .. } => missing.of_step(
            "load",
            "a percentage of what the last run reached",
            "write the rate",
        ),
        Load::Schedule { .. } => missing.of_step(
            "load",
            "rates one after the other",
            "write a run for each rate",
        ),
        Load::Max | Load::MaxShared | Load::Rate { .. } => {}
    }
    if !step.actions.is_empty() {
        missing.of_step(
            "actions",
            "what is done while it runs",
            "leave `actions` out, or do it beside fio",
        );
    }
}

/// A command before or after the step.
fn command(
    all: &[Command],
    option: &'static str,
    options: &mut Vec<Opt>,
    missing: &mut Missing<'_>,
) {
    match all {
        [] => {}
        [one] if one.output == "console" && !one.line.contains('\n') => {
            options.push((option, one.line.clone()));
        }
        _ => missing.of_step(
            match option {
                "exec_prerun" => "start_commands",
                _ => "end_commands",
            },
            "several commands, or one whose output goes elsewhere",
            "write them as one line for the shell",
        ),
    }
}

/// I/Os in flight of a job. Slots that several streams share no job has.
fn depth(plan: &Plan, step: &Step, stream: &Stream, missing: &mut Missing<'_>) -> u32 {
    if let Some(own) = stream.depth {
        return own;
    }
    let of = |depth: &&Depth| depth.target == stream.target;
    let slots = step.depths.iter().find(of).map_or(1, |d| d.slots).max(1);
    let sharing = step
        .streams
        .iter()
        .filter(|s| s.target == stream.target && s.depth.is_none())
        .count();
    if sharing > 1 {
        missing.add(
            &stream.workload,
            "depth",
            format!(
                "it shares {slots} slots of target `{}` with others",
                plan.target(stream.target).name
            ),
            "give each workload a depth of its own",
        );
    }
    slots
}

/// What holds a job back.
fn pace(
    step: &Step,
    stream: &Stream,
    depth: u32,
    options: &mut Vec<Opt>,
    missing: &mut Missing<'_>,
) {
    let name = &stream.workload;
    if stream.priority.is_some() {
        missing.add(name, "priority", "its priority among rates", "leave it out");
    }
    throttle(stream, depth, options, missing);
    let gaps = |own: Arrival| stream.arrival.unwrap_or(own);
    match (&step.load, stream.fixed_rate) {
        (Load::Rate { arrival, .. }, Some(own)) => {
            rate(stream, own, gaps(*arrival), options, missing)
        }
        (_, Some(own)) => rate(stream, own, gaps(Arrival::default()), options, missing),
        (Load::Rate { rate: all, arrival }, None) => {
            let part = Rate(all.0 * stream.share / step.shares());
            rate(stream, part, *arrival, options, missing);
        }
        (Load::MaxShared, None) if step.streams.len() > 1 => {
            match stream.share.fract() == 0.0 && stream.share < 1e6 {
                true => options.push(("flow", format!("{}", stream.share as u64))),
                false => missing.add(
                    name,
                    "share",
                    format!("a share of {}, which is not whole", stream.share),
                    "write shares as whole numbers",
                ),
            }
        }
        _ => {}
    }
}

fn rate(
    stream: &Stream,
    rate: Rate,
    gaps: Arrival,
    options: &mut Vec<Opt>,
    missing: &mut Missing<'_>,
) {
    let name = &stream.workload;
    let mix = stream.mix;
    let mixed = mix.percents().iter().filter(|p| **p > 0.0).count() > 1;
    // Random arrivals of which each is a read by chance are random arrivals of reads, and of writes.
    let each = match mixed {
        true => vec![rate.0 * mix.read / 100.0, rate.0 * mix.write / 100.0],
        false => vec![rate.0],
    };
    if mixed && (gaps != Arrival::Exponential || mix.trim > 0.0) {
        let what = "one rate of reads and writes together whose gaps are no exponential ones; its own are of each";
        missing.add(
            name,
            "rate",
            what,
            "write arrival = \"exponential\", or a workload for each",
        );
    }
    let whole = |r: &f64| (r - r.round()).abs() < 1e-9 && *r >= 1.0 && *r < f64::from(u32::MAX);
    // What is no whole number of I/Os may be one of bytes.
    let is_one_size = stream.smallest() == stream.largest();
    let bytes: Vec<f64> = each.iter().map(|r| r * stream.largest().0 as f64).collect();
    let is_bytes = |b: &f64| (b - b.round()).abs() < 1e-9 * b && *b >= 1.0 && *b < 1e15;
    let (word, each) = match each.iter().all(whole) || !is_one_size || !bytes.iter().all(is_bytes) {
        true => ("rate_iops", each),
        false => ("rate", bytes),
    };
    if word == "rate_iops" && !each.iter().all(whole) {
        let what =
            format!("a rate of {rate}, which is not whole, or whose reads and writes are not");
        missing.add(
            name,
            "rate",
            what,
            "write a whole number per second of each",
        );
    }
    let each: Vec<String> = each
        .iter()
        .map(|r| format!("{}", r.round() as u64))
        .collect();
    options.push((word, each.join(",")));
    match gaps {
        Arrival::Even => {}
        Arrival::Exponential => options.push(("rate_process", "poisson".to_string())),
        Arrival::Uniform => missing.add(
            name,
            "arrival",
            "uniform gaps between intended starts",
            "write \"even\" or \"exponential\"",
        ),
    }
}

fn throttle(stream: &Stream, depth: u32, options: &mut Vec<Opt>, missing: &mut Missing<'_>) {
    let name = &stream.workload;
    let Throttle {
        think,
        max_rate,
        max_bandwidth,
    } = stream.throttle;
    if max_rate.is_some() || max_bandwidth.is_some() {
        missing.add(
            name,
            "max_rate",
            "the most per second of a closed loop that catches up",
            "write a rate, which is a schedule: rate = 5000",
        );
    }
    let Some(think) = think else {
        return;
    };
    let whole = think.time.0.is_multiple_of(1000);
    match depth == 1 && think.spread == Arrival::Even && whole {
        true => {
            options.push(("thinktime", format!("{}us", think.time.0 / 1000)));
            options.push(("thinktime_blocks", think.every.to_string()));
        }
        false => missing.add(
            name,
            "think",
            "a pause of each of several slots, or one that varies, or of a part of a microsecond",
            "write depth = 1 and an even think time in microseconds",
        ),
    }
}
