//! What of the jobs can be carried out at all, and what counts for all of them.

use super::{Complaints, files, names, refused, stream, warn_differs, without_effect};
use crate::fio::engine::{self, Engine};
use crate::fio::settings::{Assigned, Value};
use crate::fio::watched;
use crate::fio::{Job, codes};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{Bytes, Nanos};
use std::path::PathBuf;

/// What is refused by the table, engines that do not exist, and what changes nothing.
pub(super) fn judge(jobs: &[Job], found: &mut Complaints) {
    let mut idle: Vec<(&Assigned, &'static str)> = Vec::new();
    for job in jobs {
        if let Err(complaint) = engine::of(job) {
            // What else such a job says belongs to its engine.
            found.error(complaint);
            continue;
        }
        let (errors, mut own) = job.judged();
        errors.into_iter().for_each(|e| found.error(e));
        own.extend(without_flags(job));
        for (assigned, why) in own {
            if !idle.iter().any(|(a, _)| a.opt == assigned.opt) {
                idle.push((assigned, why));
            }
        }
        ignored_errors(job, found);
        watched_for(job, found);
        polled(job, found);
        ends_before(job, found);
    }
    without_effect::judge(jobs, found);
    merged(jobs, found);
    idle.sort_by_key(|(a, _)| (a.span.file.0, a.span.start));
    let mut reasons: Vec<&'static str> = Vec::new();
    let names: Vec<String> = idle
        .iter()
        .map(|(a, _)| format!("`{}`", a.opt.name))
        .collect();
    if names.is_empty() {
        return;
    }
    let mut complaint = Diagnostic::warning(
        codes::NO_EFFECT,
        format!(
            "{} cannot change the load, and {} left out",
            listed(&names),
            if names.len() == 1 { "is" } else { "are" }
        ),
    );
    for (assigned, why) in &idle {
        // A reason that many share is said once.
        if !reasons.contains(why) {
            complaint = complaint.at(assigned.span, *why);
            reasons.push(why);
        }
    }
    found.warn(complaint);
}

/// `atomic` where fio's engine has no flag to pass.
fn without_flags(job: &Job) -> Option<(&Assigned, &'static str)> {
    let atomic = job.get("atomic")?;
    (!job.passes_flags()).then_some((atomic, "this engine of fio's passes no flags to the kernel"))
}

fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// Options that make two jobs different loads, and what each is where nobody gives it.
const OF_LOADS: [(&str, &str); 12] = [
    ("rw", "read"),
    ("bs", "4096,4096,4096"),
    ("bsrange", ""),
    ("bssplit", ""),
    ("rwmixread", "50"),
    ("percentage_random", "100,100,100"),
    ("random_distribution", "random"),
    ("iodepth", "1"),
    ("rate", ""),
    ("rate_iops", ""),
    ("direct", "0"),
    ("sync", "none"),
];

/// Value of an option of a job, in one writing: 4k and 4096 are the same.
fn of_load(job: &Job, option: &str, default: &str) -> String {
    let listed = |each: &[String]| each.join(",");
    match (option, job.number("rwmixwrite"), job.switch("buffered")) {
        ("rwmixread", Some(writes), _) => return (100 - writes).to_string(),
        ("direct", _, Some(buffered)) => return u8::from(!buffered).to_string(),
        _ => {}
    }
    match job.get(option).map(|given| (&given.value, &given.text)) {
        None => default.to_owned(),
        Some((Value::Number(number), _)) => number.value.to_string(),
        Some((Value::Triple(each), _)) => listed(&each.map(|n| n.to_string())),
        Some((Value::Ranges(each), _)) => listed(&each.map(|(a, b)| format!("{a}-{b}"))),
        Some((Value::Switch(on), _)) => u8::from(*on).to_string(),
        // Behind the word of rw may stand a number.
        Some((Value::Word(_), text)) => text.replace("readwrite", "rw"),
        Some((Value::Text, text)) => text.clone(),
    }
}

/// Different loads that fio reports as one, because `group_reporting` reaches further than whoever wrote it may think.
fn merged(jobs: &[Job], found: &mut Complaints) {
    for (from, to) in super::groups(jobs) {
        let mut first = &jobs[from];
        let mut is_said = false;
        for job in &jobs[from + 1..to] {
            if job.is_on("new_group") || !job.is_on("group_reporting") {
                (first, is_said) = (job, false);
                continue;
            }
            let differs = |(option, default): &&(&str, &str)| {
                of_load(first, option, default) != of_load(job, option, default)
            };
            let Some((option, _)) = OF_LOADS.iter().find(differs).filter(|_| !is_said) else {
                continue;
            };
            is_said = true;
            let message = format!(
                "jobs {} and {} run at once and are reported as one, by the name {}, though `{option}` differs",
                first.name, job.name, first.name
            );
            found.warn(
                Diagnostic::warning(codes::MERGED, message)
                    .at(job.span, "")
                    .help("say new_group for a result of its own, or stonewall to have it run alone; or leave out group_reporting"),
            );
        }
    }
}

/// A time that is only the most, of a job that has moved its size long before on most storage.
fn ends_before(job: &Job, found: &mut Complaints) {
    /// A drive of today does so much in a second, bytes.
    const USUAL: u64 = 100 << 20;
    let held = [
        "rate",
        "rate_iops",
        "thinktime",
        "number_ios",
        "flow",
        "read_iolog",
    ];
    let Some(micros) = job.number("runtime").filter(|us| *us > 0) else {
        return;
    };
    if job.is_on("time_based") || held.iter().any(|option| job.get(option).is_some()) {
        return;
    }
    let bytes = |option: &str| match files::extent(job, option) {
        Ok(files::Extent::Bytes(bytes)) => Some(bytes),
        _ => None,
    };
    let loops = job.number("loops").unwrap_or(1).max(1).unsigned_abs();
    let Some(bytes) = bytes("io_size").or(bytes("size").map(|b| b.saturating_mul(loops))) else {
        return;
    };
    let most = u128::from(micros.unsigned_abs()) * u128::from(USUAL) / 1_000_000;
    if u128::from(bytes) < most {
        let time = Nanos(micros.unsigned_abs().saturating_mul(1000));
        found.warn(
            Diagnostic::warning(
                codes::ENDS_BEFORE,
                format!(
                    "job {} ends when it has moved {}: {time} is only the most that it takes",
                    job.name,
                    Bytes(bytes)
                ),
            )
            .at(
                job.place("runtime").unwrap_or(job.span),
                "without time_based",
            )
            .help("say time_based to have it go on for that time"),
        );
    }
}

/// Options that have fio poll for completions, or the kernel for submissions. Only a ring does so here.
fn polled(job: &Job, found: &mut Complaints) {
    if matches!(engine::of(job), Ok(Engine::Uring(_))) {
        return;
    }
    for option in ["hipri", "hipri_percentage", "sqthread_poll"] {
        if job.get(option).is_some_and(|a| !a.is_off()) {
            let message = format!(
                "job {} polls for nothing: its times are those of interrupts and system calls, and its CPU time is less than with `{option}`",
                job.name
            );
            found.warn(warn_differs(job, option, message));
        }
    }
}

/// What ends a job before its time must be readable; a steady state needs a time.
fn watched_for(job: &Job, found: &mut Complaints) {
    let watched = found.keep(watched::of(job));
    if job.get("steadystate").is_some() && watched.is_some_and(|w| w.steady.is_none()) {
        found.warn(warn_differs(
            job,
            "steadystate",
            "a steady state is looked for where ss_dur= says how long, a second or more; here the job goes on for all of its time, as in fio",
        ));
    }
}

/// Of jobs that start together all are looked at for a steady state, or none: they end together then.
pub(super) fn steady_together(jobs: &[Job], found: &mut Complaints) {
    let is_steady = |job: &&Job| watched::of(job).is_ok_and(|w| w.steady.is_some());
    let one = jobs.iter().find(is_steady);
    if let (Some(job), true) = (one, jobs.iter().any(|job| !is_steady(&job))) {
        found.error(refused(
            job,
            "steadystate",
            "of the jobs that start together only some end when they are steady",
            "give all of them steadystate= and ss_dur=, or part them by stonewall",
        ));
    }
}

/// Errors that do not count, by their numbers. Where all of them may come, they change nothing but what is counted.
fn ignored_errors(job: &Job, found: &mut Complaints) {
    if job.get("ignore_error").is_none_or(|a| a.is_off()) {
        return;
    }
    match goes_on(job) {
        true => found.warn(warn_differs(
            job,
            "ignore_error",
            "errors that are ignored are counted all the same; the run goes on, for continue_on_error= says so",
        )),
        false => found.error(refused(
            job,
            "ignore_error",
            "errors are not ignored by their numbers",
            "use continue_on_error=io",
        )),
    }
}

/// Whether errors do not end a job.
fn goes_on(job: &Job) -> bool {
    job.get("continue_on_error").is_some_and(|a| !a.is_off())
}

/// How many I/Os go to the kernel at once, and how many are waited for.
pub(super) fn batches(jobs: &[Job], found: &mut Complaints) -> (u32, u32) {
    let mut largest = |option: &str| {
        let of = |job: &Job| {
            let depth = job.number("iodepth").unwrap_or(1).max(1);
            match job.number(option) {
                // fio's 0 stands for the depth when it submits, and for not waiting at all when it reaps.
                Some(0) if option == "iodepth_batch" => depth,
                Some(n) => n.clamp(1, depth),
                None => 1,
            }
        };
        let all: Vec<i64> = jobs.iter().map(of).collect();
        let most = all.iter().copied().max().unwrap_or(1);
        if let Some(job) = jobs.iter().zip(&all).find(|(_, n)| **n != most) {
            found.warn(warn_differs(
                job.0,
                option,
                format!("`{option}` differs from job to job; {most}, the largest, counts for all"),
            ));
        }
        u32::try_from(most).unwrap_or(u32::MAX)
    };
    (
        largest("iodepth_batch"),
        largest("iodepth_batch_complete_min"),
    )
}

/// The files of jobs that remove theirs; fio does so as soon as such a job is done, also with files that were there before.
pub(super) fn unlinked(jobs: &[Job], engines: &[Engine], found: &mut Complaints) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for (job, engine) in jobs.iter().zip(engines) {
        if !job.is_on("unlink") || engine.on_files().is_none() {
            continue;
        }
        let message = format!(
            "the files of job {} go when all jobs are done, and only those that this run made",
            job.name
        );
        found.warn(warn_differs(job, "unlink", message));
        let clones = stream::count(job).unwrap_or(1);
        let each = (0..clones).filter_map(|number| names::paths(job, number).ok());
        files.extend(each.flat_map(|(paths, _)| paths).map(PathBuf::from));
    }
    files
}

/// The error with which all ends: fio's first, unless it is to go on.
pub(super) fn max_errors(jobs: &[Job]) -> u64 {
    let goes_on = |job: &Job| goes_on(job) && !job.is_on("verify_fatal");
    match jobs.iter().any(goes_on) {
        true => u64::MAX,
        false => 1,
    }
}

/// Where the same order is asked for each time, a seed of its own; else each run draws one, and records it.
pub(super) fn seed(jobs: &[Job]) -> Option<u64> {
    let given = jobs.iter().find_map(|job| job.number("randseed"));
    let repeats = jobs.iter().any(|job| job.is_on("randrepeat"));
    // fio's own constant.
    given.map(i64::cast_unsigned).or(repeats.then_some(0x89))
}
