//! Points of a curve that lie on the ceiling of its slots.

use super::{Check, CheckAnswer, Hit, answer, doubt, ns};
use crate::model::{ForeignResult, Load, Run};
use plimsoll_evidence::{CEILING, Quantity, Severity, more_than_needed};

/// A curve's points against its maximum.
pub const CHECK: Check = Check {
    rules: &[102, 429],
    look,
};

fn look(result: &ForeignResult) -> CheckAnswer {
    let (mut seen, mut points, mut maxima) = (0, Vec::new(), Vec::new());
    let mut enough: Vec<Hit> = Vec::new();
    let mut maximum: Option<(&Run, f64)> = None;
    for run in &result.runs {
        let Some(row) = run.whole() else { continue };
        let Some(depth) = row.queue_depth.or(row.in_flight()).filter(|d| *d > 0.0) else {
            continue;
        };
        if matches!(run.asked.load, Some(Load::CurveMax | Load::Max)) {
            maximum = Some((run, depth));
            continue;
        }
        let Some((top, most)) = maximum.filter(|(top, _)| same_curve(top, run)) else {
            continue;
        };
        seen += 1;
        if !maxima.iter().any(|h: &Hit| std::ptr::eq(h.run, top))
            && let Some(mean) = top.whole().and_then(|r| r.mean_ns())
        {
            let values = [("mean", ns(mean)), ("in_flight", Quantity::Number(most))];
            maxima.push(Hit::new(
                top,
                top.whole().map_or(top.at, |r| r.at),
                most,
                values,
            ));
        }
        let rate = |run: &Run| run.whole().and_then(|r| r.iops());
        let share = rate(run)
            .zip(rate(top))
            .map_or(0.0, |(rate, most)| rate / most);
        if more_than_needed(share, depth, most) {
            let values = [
                ("most", Quantity::Number(most)),
                ("in_flight", Quantity::Number(depth)),
                ("share", Quantity::Share(share)),
                ("point", Quantity::Text(run.name.clone())),
            ];
            enough.push(Hit::new(
                top,
                top.whole().map_or(top.at, |r| r.at),
                most / depth,
                values,
            ));
        }
        if depth >= CEILING * most {
            points.push(Hit::new(
                run,
                row.at,
                depth / most,
                [
                    ("in_flight", Quantity::Number(depth)),
                    ("maximum", Quantity::Number(most)),
                    ("share", Quantity::Share(depth / most)),
                ],
            ));
        }
    }
    answer(
        seen,
        "a curve: a maximum and points below it",
        [
            doubt(102, "points-on-ceiling", Severity::Suspect, points),
            doubt(102, "maximum-no-latency", Severity::Note, maxima),
            doubt(429, "more-threads-than-needed", Severity::Note, enough),
        ],
    )
}

/// Whether a run is a point of that maximum's curve: Vdbench calls it `rd1_(90%)`.
fn same_curve(maximum: &Run, point: &Run) -> bool {
    let limited = matches!(point.asked.load, Some(Load::Limited { .. }));
    let base = maximum.name.split(" (").next().unwrap_or(&maximum.name);
    limited
        && point
            .name
            .strip_prefix(base)
            .is_some_and(|rest| rest.starts_with("_("))
        && point.asked.depth == maximum.asked.depth
}
