//! Whether the concurrency behind a number is the one that is written beside it.

use super::{Check, CheckAnswer, Hit, LEAST_S, answer, doubt};
use crate::model::{Caching, Content, ForeignResult, Load, Row, Run, Tool};
use plimsoll_evidence::{Quantity, Severity};

/// Depth and threads.
pub const CHECK: Check = Check {
    rules: &[114, 502, 503],
    look,
};

fn look(result: &ForeignResult) -> CheckAnswer {
    let (mut seen, mut above, mut low, mut ignored) =
        (0, [Vec::new(), Vec::new()], Vec::new(), Vec::new());
    let (mut filling, mut unmet, mut waited) = (Vec::new(), Vec::new(), Vec::new());
    for run in &result.runs {
        let Some(row) = run.whole() else { continue };
        let in_flight = row.queue_depth.or(row.in_flight());
        seen += usize::from(
            in_flight.is_some() && (run.asked.depth.is_some() || run.asked.in_flight.is_some()),
        );
        ignored.extend(unused(run));
        waited.extend(submits(run, row));
        unmet.extend(never_met(run, row));
        let Some(in_flight) = in_flight else { continue };
        if result.tool == Tool::Vdbench {
            // Threads are of each target, and a console tells of none.
            let is_told = run.asked.targets.is_some();
            above[usize::from(is_told)].extend(more(run, in_flight));
        }
        match fills_between(run, in_flight) {
            true => filling.extend(fewer(run, in_flight)),
            false => low.extend(fewer(run, in_flight)),
        }
    }
    let [of_some, of_all] = above;
    answer(
        seen,
        "a depth that was asked for",
        [
            doubt(502, "depth-above-threads", Severity::Suspect, of_all),
            doubt(502, "depth-above-threads", Severity::Note, of_some),
            doubt(114, "depth-not-reached", Severity::Suspect, low),
            doubt(114, "depth-not-reached", Severity::Note, filling),
            doubt(114, "depth-not-met", Severity::Note, unmet),
            doubt(503, "depth-ignored", Severity::Suspect, ignored),
            doubt(503, "depth-submitted", Severity::Suspect, waited),
        ],
    )
}

fn more(run: &Run, in_flight: f64) -> Option<Hit<'_>> {
    // Where the definition is there, it says how many targets there are.
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

/// True where a job that makes what it writes between its I/Os had half of its slots busy at least, as it has to.
fn fills_between(run: &Run, in_flight: f64) -> bool {
    let makes = matches!(
        run.asked.content,
        Some(Content::Fresh | Content::Reducible { .. })
    );
    let asked = run.asked.in_flight.unwrap_or(0) as f64;
    makes && run.writes() && in_flight >= 0.5 * asked
}

/// A depth that no I/O met by half, of a load that may have been held back.
fn never_met<'r>(run: &'r Run, row: &Row) -> Option<Hit<'r>> {
    let asked = run.asked.in_flight.filter(|n| *n >= 2)? as f64;
    let most = row.deepest?.saturating_mul(run.asked.threads.unwrap_or(1)) as f64;
    (run.asked.load.is_none() && most < 0.5 * asked).then(|| {
        let values = [
            ("most", Quantity::Number(most)),
            ("asked", Quantity::Number(asked)),
        ];
        Hit::new(run, row.at, asked / most.max(1.0), values)
    })
}

fn fewer(run: &Run, in_flight: f64) -> Option<Hit<'_>> {
    let asked = run.asked.in_flight.filter(|n| *n >= 2)? as f64;
    // What does no I/O has none in flight.
    let does = run.asked.engine.as_deref() != Some("null");
    let does = does && run.counted_s().is_none_or(|s| s >= LEAST_S);
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

/// Threads that were in a submission nearly all the time, and waited there. What goes around the page cache may be as busy with it, and
/// wait where more are in flight than a device's queue in the host takes.
fn submits<'r>(run: &'r Run, row: &Row) -> Option<Hit<'r>> {
    const A_QUEUE: u64 = 32;
    const NEARLY_ALL: std::ops::RangeInclusive<f64> = 0.8..=1.1;
    let asked = run.asked.depth.filter(|d| *d > 1)? as f64;
    let share = row.submitting? / run.asked.threads? as f64;
    let waited = match run.asked.cache {
        Some(Caching::Buffered) => true,
        Some(_) => false,
        None => run.asked.in_flight? <= A_QUEUE && row.cpu.is_some_and(|cpu| cpu.busy < 0.9),
    };
    (waited && run.asked.synchronous == Some(false) && NEARLY_ALL.contains(&share)).then(|| {
        let values = [
            ("share", Quantity::Share(share.min(1.0))),
            ("asked", Quantity::Number(asked)),
        ];
        Hit::new(run, row.at, asked, values)
    })
}
