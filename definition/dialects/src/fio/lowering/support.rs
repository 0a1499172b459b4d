//! What of the jobs can be carried out at all, and what counts for all of them.

use super::{Complaints, otherwise, refused};
use crate::fio::engine;
use crate::fio::settings::Assigned;
use crate::fio::watched;
use crate::fio::{Job, codes};
use plimsoll_diagnostic::Diagnostic;

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
    }
    idle.sort_by_key(|(a, _)| (a.span.file.0, a.span.start));
    let mut said: Vec<&'static str> = Vec::new();
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
        if !said.contains(why) {
            complaint = complaint.at(assigned.span, *why);
            said.push(why);
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

/// What ends a job before its time must be readable; a steady state needs a time.
fn watched_for(job: &Job, found: &mut Complaints) {
    let watched = found.keep(watched::of(job));
    if job.get("steadystate").is_some() && watched.is_some_and(|w| w.steady.is_none()) {
        found.warn(otherwise(
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
        true => found.warn(otherwise(
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
            found.warn(otherwise(
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
