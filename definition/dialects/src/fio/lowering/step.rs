//! Jobs that start together, as one step.

use super::delays::Delays;
use super::ends::Times;
use super::order;
use super::stream::{self, Made};
use super::targets::{Targets, widened};
use super::{Complaints, latency, refused, verify, warn_differs};
use crate::fio::engine::Engine;
use crate::fio::{Job, codes, logs};
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_draw::{STEP, mix64};
use plimsoll_plan::{
    Command, Depth, Load, NO_TIME_LIMIT, Nanos, Origins, Step, Stream, Target, TargetId, Window,
    Workers,
};
use std::collections::BTreeSet;

/// Counters are read so often, where the step lasts as long.
const INTERVAL: Nanos = Nanos::secs(1);
/// Names of jobs that a step's name shows.
const SHOWN: usize = 3;

/// The steps so far, on the targets of all of them.
#[derive(Debug, Default)]
pub(super) struct Steps {
    targets: Targets,
    steps: Vec<Step>,
    /// The end of a job ends others.
    exits: bool,
    /// The names of jobs that have steps already.
    done: Vec<String>,
    /// The job with whose end all ends.
    last: Option<String>,
    delays: Delays,
}

impl Steps {
    /// Steps, none yet; `exits` where the end of a job ends others.
    pub fn new(exits: bool) -> Self {
        Steps {
            exits,
            ..Steps::default()
        }
    }

    /// Adds the step of jobs that start together.
    pub fn add(&mut self, jobs: &[Job], engines: &[Engine], found: &mut Complaints) {
        if let (Some(last), Some(job)) = (&self.last, jobs.first()) {
            let message = format!(
                "when job {last} ends, all does: what comes behind it never runs, in fio neither"
            );
            found.warn(warn_differs(job, "stonewall", message));
            return;
        }
        let names = names(jobs);
        let mut made: Vec<(&Job, Made)> = Vec::new();
        for ((job, engine), name) in jobs.iter().zip(engines).zip(&names) {
            let result = stream::of(job, name, *engine, &mut self.targets, found);
            made.extend(found.keep(result).map(|m| (job, m)));
        }
        if made.len() != jobs.len() {
            return;
        }
        let turn = self
            .delays
            .at_their_turn(&mut made, self.done.is_empty(), found);
        if found.keep(turn).is_none() {
            return;
        }
        let waits = order::begins(&mut made, &self.done, self.exits);
        let apart = |waits: &Vec<Option<usize>>| waits.iter().all(Option::is_none);
        let known = !self.exits && waits.as_ref().is_ok_and(apart);
        self.delays.went_on(&made, known);
        let waits = one_engine(jobs, engines).and(waits);
        let step = waits.and_then(|waits| step(jobs, &names, made, (&waits, self.exits), found));
        let mut step = found.keep(step);
        let back = step.as_mut().and_then(verify::read_back);
        if back.is_some() {
            self.delays.took_any_time();
        }
        self.steps.extend(step.into_iter().chain(back));
        self.done.extend(jobs.iter().map(|job| job.name.clone()));
        self.last = order::last(jobs, self.exits).map(|job| job.name.clone());
    }

    /// All targets with their engines, and all steps. Steps of one name are numbered.
    pub fn finish(mut self) -> (Vec<Target>, Vec<Option<Engine>>, Vec<Step>) {
        let (targets, engines) = self.targets.finish();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for step in &mut self.steps {
            step.streams.iter_mut().for_each(|s| widened(s, &targets));
            let name = step.name.clone();
            let numbered = (2..).map(|n| format!("{name} ({n})"));
            let mut free = std::iter::once(name.clone()).chain(numbered);
            if let Some(name) = free.find(|n| !seen.contains(n)) {
                seen.insert(name.clone());
                (step.name, step.run) = (name.clone(), name);
            }
        }
        (targets, engines, self.steps)
    }
}

/// What the workloads of jobs are called: their names, or sections where several have one name.
pub(in crate::fio) fn names(jobs: &[Job]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for job in jobs {
        let numbered = (2..).map(|n| format!("{} ({n})", job.section));
        let mut free = [job.name.clone(), job.section.clone()]
            .into_iter()
            .chain(numbered);
        let name = free.find(|n| !names.contains(n));
        names.extend(name);
    }
    names
}

fn step(
    jobs: &[Job],
    names: &[String],
    made: Vec<(&Job, Made)>,
    (waits, exits): (&[Option<usize>], bool),
    found: &mut Complaints,
) -> Result<Step, Diagnostic> {
    let all: Vec<Times> = made.iter().map(|(_, m)| m.times).collect();
    let (warmup, mut elapsed) = length(&all, waits);
    if waits.iter().any(Option::is_some) {
        // Nobody knows when those end that wait.
        elapsed = NO_TIME_LIMIT;
    }
    let mut streams: Vec<Stream> = Vec::new();
    let mut places = Vec::new();
    let end = Nanos(warmup.0.saturating_add(elapsed.0));
    for ((_, mut own), waits) in made.into_iter().zip(waits) {
        places.push(streams.len()..streams.len() + own.streams.len());
        // The beginning of one that waits is not the step's.
        let before = if waits.is_some() { Nanos(0) } else { warmup };
        for (number, stream) in own.streams.iter_mut().enumerate() {
            let later = drawn(own.times.spread.0, (streams.len() + number) as u64);
            stream.window = window(&own.times, later, before, end);
        }
        streams.append(&mut own.streams);
    }
    order::entered(jobs, waits, &places, exits, &mut streams)?;
    let targets: BTreeSet<TargetId> = streams.iter().map(|s| s.target).collect();
    let name = match names {
        [first, ..] if names.len() > SHOWN => format!("{first} and {} more", names.len() - 1),
        _ => names.join(" + "),
    };
    Ok(Step {
        warmup,
        interval: interval(jobs, found).min(elapsed.max(Nanos(1))),
        workers: Workers {
            // One worker has all slots of a stream, and so a depth of 1 leaves none without any.
            count: latency::interval(jobs).map(|_| 1),
            pin: pin(jobs)?,
            ..Workers::default()
        },
        start_commands: commands(jobs, "exec_prerun"),
        end_commands: commands(jobs, "exec_postrun"),
        origins: origins(jobs, names),
        ..Step::new(name, streams, Depth::each(targets, 0), load(jobs)?, elapsed)
    })
}

/// How often counters are read: at least as often as a log has a line.
fn interval(jobs: &[Job], found: &mut Complaints) -> Nanos {
    let mut shortest = latency::interval(jobs).unwrap_or(INTERVAL);
    for job in jobs {
        for (option, kind) in logs::wanted(job) {
            let window = logs::window(job, kind);
            shortest = shortest.min(window);
            if logs::asked(job, kind) != Some(window) {
                let message = format!(
                    "I/Os are not logged one by one: a line of the logs of job {} is of {window}",
                    job.name
                );
                let help = "say log_avg_msec= (log_hist_msec= for histograms), 100 or more";
                found.warn(warn_differs(job, option, message).help(help));
            }
        }
    }
    shortest
}

/// Weights are kept by one loop over all jobs, which has one engine.
fn one_engine(jobs: &[Job], engines: &[Engine]) -> Result<(), Diagnostic> {
    let mut weighted = jobs
        .iter()
        .zip(engines)
        .filter(|(job, _)| job.get("flow").is_some());
    let Some((_, first)) = weighted.next() else {
        return Ok(());
    };
    match weighted.find(|(_, engine)| engine.on_files() != first.on_files()) {
        None => Ok(()),
        Some((job, _)) => Err(refused(
            job,
            "flow",
            "the jobs with weights have several engines",
            "give all of them one ioengine=, or part them by stonewall",
        )),
    }
}

/// As fast as it goes; where jobs have weights (`flow=`), those are kept.
fn load(jobs: &[Job]) -> Result<Load, Diagnostic> {
    let weight = |job: &Job| job.number("flow").filter(|n| *n != 0);
    let Some(first) = jobs.iter().find(|job| weight(job).is_some()) else {
        return Ok(Load::Max);
    };
    let no = |job: &Job, why: &str, remedy: &str| Err(refused(job, "flow", why, remedy));
    let has_rate = |job: &&Job| ["rate", "rate_iops"].iter().any(|o| job.get(o).is_some());
    if let Some(job) = jobs.iter().find(has_rate) {
        return no(
            job,
            "a job has a rate, and those that start with it weights",
            "say one of both, or part them by stonewall",
        );
    }
    for job in jobs {
        match weight(job) {
            None => {
                return no(
                    first,
                    "of the jobs that start together only some have a weight",
                    "give all of them flow=, or part them by stonewall",
                );
            }
            Some(n) if n < 0 => {
                return no(
                    job,
                    "a weight is below 0",
                    "write the ratio as positive numbers: flow=8 and flow=1",
                );
            }
            Some(_) if job.number("flow_id") != first.number("flow_id") => {
                return no(
                    job,
                    "the jobs that start together are in several flows",
                    "part them by stonewall",
                );
            }
            Some(_) if job.number("numjobs").unwrap_or(1) > 1 => {
                return no(job, "a job with a weight has clones", "leave out numjobs=");
            }
            Some(_) => {}
        }
    }
    Ok(Load::MaxShared)
}

/// Warm-up and counted time of a step. `waits`: the jobs of which nobody knows when they begin.
fn length(all: &[Times], waits: &[Option<usize>]) -> (Nanos, Nanos) {
    let ramp = ramp(all, waits);
    let latest = |t: &Times| t.delay.0.saturating_add(t.spread.0);
    let end = |t: &Times| Some(t.run?.0.saturating_add(latest(t)).saturating_add(t.ramp.0));
    let ends: Option<Vec<u64>> = all.iter().map(end).collect();
    let end = ends.and_then(|ends| ends.into_iter().max());
    let counted = |end: u64| Nanos(end.saturating_sub(ramp.0));
    (ramp, end.map_or(NO_TIME_LIMIT, counted))
}

/// The warm-up of a step: until the first of its jobs is counted. What is left of the others' ramps is theirs.
fn ramp(all: &[Times], waits: &[Option<usize>]) -> Nanos {
    if all.iter().all(|t| t.ramp == Nanos(0)) {
        return Nanos(0);
    }
    let known = all.iter().zip(waits).filter(|(_, waits)| waits.is_none());
    let counted_from = known.map(|(t, _)| Nanos(t.delay.0.saturating_add(t.ramp.0)));
    counted_from.min().unwrap_or_default()
}

/// When a stream of a job works that begins `later` than its job may, in a step with that warm-up that ends at `end`.
fn window(times: &Times, later: u64, warmup: Nanos, end: Nanos) -> Window {
    let from = Nanos(times.delay.0.saturating_add(later));
    let counted_from = from.0.saturating_add(times.ramp.0);
    let until = times.run.map(|run| counted_from.saturating_add(run.0));
    Window {
        from,
        until: until.filter(|u| *u < end.0).map(Nanos),
        ramp: match counted_from > warmup.0 {
            true => times.ramp,
            false => Nanos(0),
        },
    }
}

/// A part of a time, the same each time, and another for each number.
fn drawn(spread: u64, number: u64) -> u64 {
    let z = mix64(number.wrapping_mul(STEP));
    ((u128::from(z) * u128::from(spread.saturating_add(1))) >> 64) as u64
}

/// The CPUs of all jobs of a step.
fn pin(jobs: &[Job]) -> Result<Option<Vec<u32>>, Diagnostic> {
    let mut all = jobs.iter().map(|job| Ok((job, allowed(job)?)));
    let Some((_, first)) = all.next().transpose()? else {
        return Ok(None);
    };
    for other in all {
        let (job, cpus) = other?;
        if cpus != first {
            return Err(refused(
                job,
                pinned_by(job),
                "jobs that start together are done by the same workers, and are allowed different CPUs",
                "give all of them the same, or part them by stonewall",
            ));
        }
    }
    Ok(first)
}

/// The option that says which CPUs a job may use.
fn pinned_by(job: &Job) -> &'static str {
    match job.get("cpus_allowed") {
        Some(_) => "cpus_allowed",
        None => "cpumask",
    }
}

/// The CPUs of a job: those that it names, or those of its mask.
fn allowed(job: &Job) -> Result<Option<Vec<u32>>, Diagnostic> {
    let wrong = |option: &str, what: &str| {
        let text = job.text(option).unwrap_or_default();
        Diagnostic::error(codes::VALUE, format!("`{option}={text}` cannot be read"))
            .at(job.place(option).unwrap_or(job.span), what)
    };
    let named = match (job.text("cpus_allowed"), job.number("cpumask")) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => {
            return Err(refused(
                job,
                "cpumask",
                format!("job {} names its CPUs in two ways", job.name),
                "keep cpus_allowed=",
            ));
        }
        (Some(text), None) => {
            cpus(text).ok_or_else(|| wrong("cpus_allowed", "numbers and ranges: 0-3,8"))?
        }
        (None, Some(mask)) => {
            let has = |cpu: &u32| mask.cast_unsigned() >> cpu & 1 == 1;
            (0..u64::BITS).filter(has).collect()
        }
    };
    match named.is_empty() {
        true => Err(wrong(
            pinned_by(job),
            "a mask with one CPU at least: 0x3 is 0 and 1",
        )),
        false => Ok(Some(named)),
    }
}

fn cpus(text: &str) -> Option<Vec<u32>> {
    let mut out = Vec::new();
    for part in text.split([',', ':']) {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to): (u32, u32) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        // More CPUs than this no host has.
        if from > to || to > 65_535 {
            return None;
        }
        out.extend(from..=to);
    }
    Some(out)
}

fn commands(jobs: &[Job], option: &str) -> Vec<Command> {
    let lines = jobs.iter().filter_map(|job| job.text(option));
    lines
        .filter(|line| !line.is_empty())
        .map(|line| Command {
            line: line.to_string(),
            output: "console".to_string(),
        })
        .collect()
}

/// fio's names for what the rules ask for.
const NAMES: [(&str, &[&str]); 24] = [
    ("access", &["rw"]),
    ("block", &["bssplit", "bsrange", "bs"]),
    (
        "content",
        &[
            "buffer_pattern",
            "buffer_compress_percentage",
            "dedupe_percentage",
            "zero_buffers",
        ],
    ),
    ("align", &["ba"]),
    ("clones", &["numjobs"]),
    ("depth", &["iodepth"]),
    ("distribution", &["random_distribution"]),
    ("offset", &["offset"]),
    ("range", &["offset", "size"]),
    ("read", &["rwmixread", "rwmixwrite", "rw"]),
    ("rate", &["rate_iops", "rate"]),
    ("arrival", &["rate_process"]),
    ("think", &["thinktime"]),
    ("replay", &["read_iolog"]),
    ("start", &["startdelay"]),
    ("stop", &["runtime"]),
    ("ramp", &["ramp_time"]),
    ("targets", &["filename", "directory"]),
    ("limits", &["io_size", "size", "number_ios", "loops"]),
    ("for", &["runtime"]),
    ("warmup", &["ramp_time"]),
    ("pin", &["cpus_allowed", "cpumask"]),
    ("start_commands", &["exec_prerun"]),
    ("end_commands", &["exec_postrun"]),
];
/// Options by which fio itself caps a rate: it waits for all that is out before it goes on, unless a thread of its own submits.
const CAPPED: (&str, &[&str]) = ("capped", &["rate_iops", "rate"]);
/// Of these the whole run has one.
const OF_THE_RUN: [&str; 5] = ["for", "warmup", "pin", "start_commands", "end_commands"];

/// Where the parts of the jobs were written, by the names of the plan's fields.
fn origins(jobs: &[Job], names: &[String]) -> Origins {
    let mut origins = Origins::default();
    for (job, name) in jobs.iter().zip(names).take(64) {
        origins.note("workloads", job.span);
        let capped = Some(CAPPED).filter(|_| job.text("io_submit_mode") != Some("offload"));
        for (field, options) in NAMES.into_iter().chain(capped) {
            let place: Option<Span> = options.iter().find_map(|o| job.place(o));
            let Some(span) = place else {
                continue;
            };
            match OF_THE_RUN.contains(&field) {
                true => origins.note(field, span),
                false => {
                    origins.note(format!("{name}.{field}"), span);
                    let clones = job.number("numjobs").unwrap_or(1).clamp(0, 64);
                    for number in (0..clones).filter(|_| clones > 1) {
                        origins.note(format!("{name}.{number}.{field}"), span);
                    }
                }
            }
        }
    }
    origins
}
