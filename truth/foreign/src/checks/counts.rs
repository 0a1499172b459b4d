//! Whether anything was done at all, and whether counts, rates and times belong together.

use super::{Check, CheckAnswer, Hit, answer, doubt};
use crate::model::{ForeignResult, Row, Run};
use plimsoll_evidence::{Quantity, Severity};

/// Counts.
pub const CHECK: Check = Check {
    rules: &[403, 500, 501],
    look,
};

fn look(result: &ForeignResult) -> CheckAnswer {
    let (mut seen, mut nothing, mut null, mut counts) = (0, Vec::new(), Vec::new(), Vec::new());
    for run in &result.runs {
        if run.asked.engine.as_deref() == Some("null") {
            null.push(Hit::new(run, run.at, 1.0, []));
        }
        let Some(row) = run.whole() else { continue };
        let idle = row.all.ios == Some(0) || (row.all.ios.is_none() && row.iops() == Some(0.0));
        if idle {
            nothing.push(Hit::new(run, row.at, 1.0, []));
        }
        let sides = [&row.all, &row.reads, &row.writes];
        seen += usize::from(idle || sides.iter().any(|s| s.ios.is_some()));
        counts.extend(differ(run, row));
    }
    answer(
        seen.max(null.len()),
        "counts of I/Os",
        [
            doubt(403, "nothing-done", Severity::Invalid, nothing),
            doubt(500, "null-engine", Severity::Invalid, null),
            doubt(501, "counts-disagree", Severity::Invalid, counts),
        ],
    )
}

/// The direction whose numbers are the furthest from each other.
pub(super) fn differ<'r>(run: &'r Run, row: &Row) -> Option<Hit<'r>> {
    let sides = [&row.all, &row.reads, &row.writes];
    let all = sides.into_iter().filter_map(|side| {
        let (ios, rate, seconds) = (side.ios? as f64, side.iops?.0, side.seconds?);
        let product = rate * seconds;
        let off = (ios - product).abs();
        // Times are printed to 1 ms.
        let rounding = rate * 1e-3 + 1.0;
        (off > TOLERANCE * ios.max(product) + rounding).then_some((off, ios, rate, product))
    });
    let (off, ios, rate, product) = all.max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Hit::new(
        run,
        row.at,
        off,
        [
            ("ios", Quantity::Number(ios)),
            ("rate", Quantity::PerSecond(rate)),
            ("product", Quantity::Number(product)),
            ("ratio", Quantity::Number(product / ios.max(1.0))),
        ],
    ))
}

const TOLERANCE: f64 = 0.05;
