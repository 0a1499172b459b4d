//! Whether there is room for what a plan asks for, before it is taken.

use crate::RigError;
use plimsoll_engine::OpenTarget;
use plimsoll_engine::backend::choose::BackendKind;
use plimsoll_engine::footprint::{Footprint, footprint};
use plimsoll_plan::bounds::WORKERS_MAX;
use plimsoll_plan::validate::Problem;
use plimsoll_plan::{Arrival, CurveSpec, Item, Load, Nanos, Plan, Rate, Step, depth};
use plimsoll_witness::{Root, memory};
use std::sync::Arc;

/// Bytes of counters that can be merged and recorded in a second, while the rest of the host goes on measuring.
const COUNTERS_PER_SECOND: u64 = 1 << 30;

/// Refuses steps that would take more threads or memory than there are.
pub(crate) fn check<'s>(
    steps: impl Iterator<Item = &'s Step>,
    targets: &[Arc<OpenTarget>],
    kinds: &[BackendKind],
    cpus: u32,
) -> Result<(), RigError> {
    let available = memory::available(&Root::system()).map_or(u64::MAX, |left| left.bytes);
    let mut problems: Vec<Problem> = Vec::new();
    for step in steps {
        let found = judge(step, footprint(step, targets, kinds, cpus), available);
        problems.extend(found.filter(|p| !problems.contains(p)));
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(RigError::Plan(problems)),
    }
}

/// The steps of a plan's curves that may take most: those of the greatest depth that a search may come to.
pub(crate) fn widest(plan: &Plan) -> Vec<Step> {
    let of = |item: &Item| match item {
        Item::Curve(CurveSpec {
            base,
            search: Some(search),
            ..
        }) => {
            // A point's slots are buffers alone; the maximum's may be threads.
            let mut point = base.clone();
            depth::set(&mut point.depths, search.point_slots(search.most));
            point.load = Load::rate(Rate(1.0), Arrival::default());
            vec![search.probe(base, search.most), point]
        }
        Item::Method(method) => method.outline().into_iter().map(|o| o.step).collect(),
        _ => Vec::new(),
    };
    plan.items.iter().flat_map(of).collect()
}

fn judge(step: &Step, takes: Footprint, available: u64) -> Option<Problem> {
    let run = &step.run;
    let at = |key: &str, vdbench: &str| step.origins.of(key).or(step.origins.of(vdbench));
    if takes.workers > u64::from(WORKERS_MAX) {
        return Some(Problem {
            message: format!(
                "run `{run}` would take {} threads: what cannot be issued asynchronously has one for each I/O in flight",
                takes.workers
            ),
            remedy: format!("give a depth of {WORKERS_MAX} or less, of all such targets together"),
            span: at("depth", "threads"),
        });
    }
    // Each worker counts one interval while the one before is merged.
    let needed = takes
        .buffers
        .saturating_add(takes.counters.saturating_mul(2));
    if needed > available {
        return Some(Problem {
            message: format!(
                "run `{run}` needs {} of memory for its I/Os in flight and {} for its counters, and {} are available",
                mebibytes(takes.buffers),
                mebibytes(takes.counters.saturating_mul(2)),
                mebibytes(available)
            ),
            remedy: "give a smaller depth or smaller I/Os".into(),
            span: at("depth", "threads").or(at("block", "xfersize")),
        });
    }
    let shortest = shortest_interval(takes.counters);
    (step.interval < shortest).then(|| Problem {
        message: format!(
            "the interval of run `{run}`, {}, is too short for {} workers with {} of counters together",
            step.interval,
            takes.workers,
            mebibytes(takes.counters)
        ),
        remedy: format!("make it {shortest} or more, or give fewer workers"),
        span: at("interval", "interval"),
    })
}

/// The shortest interval at which so many bytes of counters can be kept up with, in whole milliseconds.
fn shortest_interval(counters: u64) -> Nanos {
    let ms = u128::from(counters) * 1000 / u128::from(COUNTERS_PER_SECOND);
    Nanos(u64::try_from(ms * 1_000_000).unwrap_or(u64::MAX))
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::{Filling, fill_step};
    use plimsoll_plan::{ContentSpec, TargetId};

    fn problem(takes: Footprint, interval_ms: u64, available: u64) -> Option<Problem> {
        let filling = Filling {
            target: TargetId(0),
            size: 1 << 30,
            files: Vec::new(),
            stripe: None,
            content: ContentSpec::Unique,
        };
        let mut step = fill_step("t", &[filling]);
        step.interval = Nanos(interval_ms * 1_000_000);
        judge(&step, takes, available)
    }

    #[test]
    fn what_fits_is_carried_out() {
        let takes = Footprint {
            workers: 4096,
            buffers: 1 << 30,
            counters: 1 << 29,
        };
        assert_eq!(problem(takes, 500, 2 << 30), None);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_limit() {
        let fits = Footprint {
            workers: 2,
            buffers: 1 << 30,
            counters: 1 << 20,
        };
        let threads = Footprint {
            workers: 4097,
            ..fits
        };
        let many = Footprint {
            counters: 1 << 30,
            ..fits
        };
        for (takes, available, message, remedy) in [
            (threads, u64::MAX, "would take 4097 threads", "4096 or less"),
            (
                fits,
                1 << 30,
                "needs 1024 MiB of memory for its I/Os in flight and 2 MiB for its counters, and 1024 MiB are",
                "smaller",
            ),
            (
                many,
                u64::MAX,
                "is too short for 2 workers with 1024 MiB of counters",
                "make it 1s or more",
            ),
        ] {
            let found = problem(takes, 999, available).expect(message);
            assert!(found.message.contains(message), "{found:?}");
            assert!(found.remedy.contains(remedy), "{found:?}");
        }
    }
}
