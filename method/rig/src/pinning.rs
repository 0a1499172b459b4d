//! Whether workers can be pinned to the CPUs that the plan names.

use plimsoll_plan::Plan;
use plimsoll_plan::validate::Problem;
use rustix::thread::{CpuSet, sched_getaffinity};
use std::collections::BTreeSet;

/// The CPUs of the plan that this process may not run on; a pin to one of them would silently do nothing.
pub(crate) fn check(plan: &Plan) -> Vec<Problem> {
    // Where the system doesn't say, the engine's own pinning is the judge.
    let Ok(available) = sched_getaffinity(None) else {
        return Vec::new();
    };
    let mut seen = BTreeSet::new();
    let mut problems = Vec::new();
    for step in plan.steps() {
        for cpu in step.workers.pin.iter().flatten() {
            let there =
                usize::try_from(*cpu).is_ok_and(|n| n < CpuSet::MAX_CPU && available.is_set(n));
            if !there && seen.insert(*cpu) {
                problems.push(Problem {
                    message: format!(
                        "a worker is pinned to CPU {cpu}, which is not available here"
                    ),
                    remedy: format!("available are {}", list(&available)),
                    span: step.origins.of("pin"),
                });
            }
        }
    }
    problems
}

fn list(set: &CpuSet) -> String {
    let cpus: Vec<String> = (0..CpuSet::MAX_CPU)
        .filter(|n| set.is_set(*n))
        .map(|n| n.to_string())
        .collect();
    cpus.join(", ")
}
