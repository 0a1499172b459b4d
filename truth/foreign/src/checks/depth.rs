//! Whether the concurrency behind a number is the one that is written beside it.

use super::{About, Answer, Check, Hit, answer, doubt};
use crate::model::{ForeignResult, Load, Run, Tool};
use plimsoll_evidence::{Quantity, Severity};

const ABOVE: About = About {
    id: "depth-above-threads",
    threshold: "more I/Os in flight than 1.05 times the threads that the run names",
    source: "Little 1961; Vdbench's threads are of one target on one host",
    remedy: "Name the depth that was in flight beside the result, not threads=, and say on how many targets and hosts.",
};

const NOT_REACHED: About = About {
    id: "depth-not-reached",
    threshold: "fewer I/Os in flight than 0.9 times those asked for, where nothing limited the rate",
    source: "our choice; DiskSPD's users ask for the reached depth, since it often is not",
    remedy: "Use more threads or larger batches, or name the depth that was reached.",
};

const IGNORED: About = About {
    id: "depth-ignored",
    threshold: "a depth above 1 with a synchronous engine",
    source: "fio's manual: iodepth has no effect with synchronous engines",
    remedy: "Use ioengine=io_uring or libaio with direct=1, or numjobs for more at a time.",
};

/// Depth and threads.
pub const CHECK: Check = Check {
    name: "depth and threads",
    rules: &[ABOVE, NOT_REACHED, IGNORED],
    look,
};

fn look(result: &ForeignResult) -> Answer {
    let (mut seen, mut above, mut low, mut ignored) = (0, Vec::new(), Vec::new(), Vec::new());
    for run in &result.runs {
        let Some(row) = run.whole() else { continue };
        let in_flight = row.queue_depth.or(row.in_flight());
        seen += usize::from(
            in_flight.is_some() && (run.asked.depth.is_some() || run.asked.in_flight.is_some()),
        );
        ignored.extend(unused(run));
        let Some(in_flight) = in_flight else { continue };
        if result.tool == Tool::Vdbench {
            above.extend(more(run, in_flight));
        }
        low.extend(fewer(run, in_flight));
    }
    answer(
        seen,
        "a depth that was asked for",
        [
            doubt(&ABOVE, Severity::Suspect, above),
            doubt(&NOT_REACHED, Severity::Suspect, low),
            doubt(&IGNORED, Severity::Suspect, ignored),
        ],
    )
}

fn more(run: &Run, in_flight: f64) -> Option<Hit<'_>> {
    // Threads are of each target; where the definition is there, it says how many those are.
    let threads = run.asked.depth? as f64;
    let targets = run.asked.targets.unwrap_or(1) as f64;
    (in_flight > 1.05 * threads * targets).then(|| {
        Hit::new(
            run,
            run.whole().map_or(run.at, |r| r.at),
            in_flight,
            [
                ("threads", Quantity::Number(threads)),
                ("in_flight", Quantity::Number(in_flight)),
            ],
        )
    })
}

fn fewer(run: &Run, in_flight: f64) -> Option<Hit<'_>> {
    let asked = run.asked.in_flight.filter(|n| *n >= 2)? as f64;
    // What does no I/O has none in flight.
    let does = run.asked.engine.as_deref() != Some("null");
    let free = does && matches!(run.asked.load, Some(Load::Max | Load::CurveMax));
    (free && !run.asked.searches_depth && in_flight < 0.9 * asked).then(|| {
        Hit::new(
            run,
            run.whole().map_or(run.at, |r| r.at),
            asked / in_flight.max(0.01),
            [
                ("in_flight", Quantity::Number(in_flight)),
                ("asked", Quantity::Number(asked)),
            ],
        )
    })
}

fn unused(run: &Run) -> Option<Hit<'_>> {
    let asked = run.asked.depth.filter(|d| *d > 1)? as f64;
    let threads = run.asked.threads.unwrap_or(1) as f64;
    let engine = run.asked.engine.clone().unwrap_or_else(|| "psync".into());
    (run.asked.synchronous? && run.asked.in_flight.is_some()).then(|| {
        Hit::new(
            run,
            run.at,
            asked,
            [
                ("engine", Quantity::Text(engine)),
                ("asked", Quantity::Number(asked)),
                ("threads", Quantity::Number(threads)),
            ],
        )
    })
}
