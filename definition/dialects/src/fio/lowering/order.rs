//! Jobs that wait for others (`wait_for`), and whose end ends others (`exitall`).

use super::ends::Times;
use super::stream::Made;
use super::{Complaints, refused, warn_differs};
use crate::fio::{Job, codes};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{Ends, Nanos, Stream};
use std::ops::Range;

/// Whether some job says `exitall`; in fio that is then said of all.
pub(super) fn exits(jobs: &[Job]) -> bool {
    jobs.iter().any(|job| job.is_on("exitall"))
}

/// Puts jobs that wait behind those that they wait for, of a step; `done` are the names of jobs of earlier steps. Where it is known when
/// those end, that is a delay. Else it is found out while they run: gives the jobs that each waits for, by their places.
pub(super) fn begins(
    made: &mut [(&Job, Made)],
    done: &[String],
    exits: bool,
    found: &mut Complaints,
) -> Result<Vec<Option<usize>>, Diagnostic> {
    let mut waits = vec![None; made.len()];
    for at in 0..made.len() {
        let job = made[at].0;
        let Some(name) = job
            .text("wait_for")
            .filter(|n| !n.is_empty() && *n != "none")
        else {
            continue;
        };
        let Some(before) = waited_for(job, name, &made[..at], done)? else {
            continue;
        };
        match end_of(&made[before].1.times).filter(|_| waits[before].is_none() && !exits) {
            Some(end) => made[at].1.times.delay.0 = made[at].1.times.delay.0.saturating_add(end),
            None => waits[at] = Some(before),
        }
        if waits[at].is_some() && made[at].1.times.ramp > Nanos(0) {
            let message = format!(
                "job {} waits for {name}, and what it does in its ramp is counted",
                job.name
            );
            found.warn(warn_differs(job, "ramp_time", message));
        }
    }
    Ok(waits)
}

/// The job of that name above; nothing where it is one of an earlier step, which is over.
fn waited_for(
    job: &Job,
    name: &str,
    above: &[(&Job, Made)],
    done: &[String],
) -> Result<Option<usize>, Diagnostic> {
    let same = |(_, (other, _)): &(usize, &(&Job, Made))| other.name == name;
    let mut all = above.iter().enumerate().filter(same);
    match (all.next(), all.next()) {
        (Some((at, _)), None) => Ok(Some(at)),
        (Some(_), Some(_)) => Err(refused(
            job,
            "wait_for",
            format!("several jobs above {} are called {name}", job.name),
            "give the one that is meant a name of its own",
        )),
        (None, _) if done.iter().any(|d| d == name) => Ok(None),
        (None, _) => Err(refused(
            job,
            "wait_for",
            format!("no job above {} is called {name}", job.name),
            "name a job that stands above it",
        )),
    }
}

/// When a job ends that goes on for its time, ns from the step's beginning.
fn end_of(times: &Times) -> Option<u64> {
    let run = times.run.filter(|_| times.goes_on)?;
    Some(
        run.0
            .saturating_add(times.delay.0)
            .saturating_add(times.ramp.0),
    )
}

/// Enters into the streams of a step what each waits for, and what its end ends. `places` are each job's streams.
pub(super) fn entered(
    jobs: &[Job],
    waits: &[Option<usize>],
    places: &[Range<usize>],
    exits: bool,
    streams: &mut [Stream],
) -> Result<(), Diagnostic> {
    let alone = streams.len() < 2;
    let mut group = 0;
    for (at, job) in jobs.iter().enumerate() {
        group += u32::from(at > 0 && job.is_on("new_group"));
        let what = ends(job)?;
        for stream in &mut streams[places[at].clone()] {
            if let Some(before) = waits[at] {
                stream.dependency.after = places[before].clone().map(|n| n as u32).collect();
            }
            if exits && !alone {
                (stream.dependency.group, stream.dependency.ends) = (group, what);
            }
        }
    }
    Ok(())
}

/// What the end of a job ends, where some job says `exitall`.
fn ends(job: &Job) -> Result<Ends, Diagnostic> {
    match job.text("exit_what") {
        None | Some("group") => Ok(Ends::Group),
        Some("all" | "stonewall") => Ok(Ends::Step),
        Some(other) => {
            Err(
                Diagnostic::error(codes::VALUE, format!("`exit_what={other}` cannot be read")).at(
                    job.place("exit_what").unwrap_or(job.span),
                    "group, stonewall or all",
                ),
            )
        }
    }
}

/// The job whose end ends all that is to come, too.
pub(super) fn last(jobs: &[Job], exits: bool) -> Option<&Job> {
    let all = |job: &&Job| exits && job.text("exit_what") == Some("all");
    jobs.iter().find(all)
}
