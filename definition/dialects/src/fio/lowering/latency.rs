//! Depths that are searched for (`latency_target=`): what of the jobs stands in the way.

use super::{Complaints, refused, warn_differs};
use crate::fio::Job;
use crate::fio::watched::{self, SHORTEST_WINDOW};
use plimsoll_plan::LatencyGoal;
use plimsoll_plan::Nanos;

/// What a job with a search cannot have beside it: a depth is kept where every free slot issues at once.
const NOT_BESIDE: [&str; 6] = [
    "rate",
    "rate_iops",
    "thinktime",
    "flow",
    "wait_for",
    "startdelay",
];

/// What a job searches for; nothing where it does not, or where that cannot be read, which is said elsewhere.
fn goal(job: &Job) -> Option<LatencyGoal> {
    watched::of(job).ok()?.latency
}

/// Whether a job's clones each search for a depth of their own.
pub(super) fn is_searched(job: &Job) -> bool {
    goal(job).is_some()
}

/// The interval that a search needs, where one of the jobs has one.
pub(super) fn interval(jobs: &[Job]) -> Option<Nanos> {
    jobs.iter().any(is_searched).then_some(SHORTEST_WINDOW)
}

/// Jobs that start together search for the same, or none of them does: the step ends when all have found it.
pub(super) fn judge(jobs: &[Job], found: &mut Complaints) {
    let Some(first) = jobs.iter().find(|job| is_searched(job)) else {
        return;
    };
    let same = |job: &&Job| {
        goal(job).map(|g| LatencyGoal { most: 1, ..g })
            == goal(first).map(|g| LatencyGoal { most: 1, ..g })
    };
    if !jobs.iter().all(|job| same(&job)) {
        found.error(refused(
            first,
            "latency_target",
            "the jobs that start together search for different latencies, or only some of them search",
            "give all of them the same latency_target= and what belongs to it, or part them by stonewall",
        ));
    }
    for job in jobs {
        let beside = NOT_BESIDE
            .iter()
            .find(|o| job.get(o).is_some_and(|a| !a.is_off()));
        if let Some(option) = beside {
            found.error(refused(
                job,
                option,
                format!(
                    "the depth of job {} is searched for (latency_target=)",
                    job.name
                ),
                format!("leave out {option}=, or latency_target="),
            ));
        }
        let window = job.number("latency_window").unwrap_or(0);
        if i128::from(window) * 1000 < i128::from(SHORTEST_WINDOW.0) {
            found.warn(
                warn_differs(
                    job,
                    "latency_window",
                    format!(
                        "job {} looks at each depth for {SHORTEST_WINDOW}, the shortest window",
                        job.name
                    ),
                )
                .help("give latency_window= of 1s or more: what a short one finds is chance"),
            );
        }
    }
}
