//! Points of a curve that lie on the ceiling of its slots.

use super::{About, Answer, Check, Hit, answer, doubt, ns};
use crate::model::{ForeignResult, Load, Run};
use plimsoll_evidence::{Quantity, Severity};

const CEILING: About = About {
    id: "points-on-ceiling",
    threshold: "a mean depth of at least 2/3 of that of the maximum's run",
    source: "the limit that Plimsoll has for points of a curve; a published curve's points at 94 to 98 % lie above it",
    remedy: "Leave these points out of the latency curve. Where more is wanted of the knee, measure more points below them.",
};

const MAXIMUM: About = About {
    id: "maximum-no-latency",
    threshold: "the maximum's run of a curve",
    source: "Little 1961: in a closed loop the mean is the depth over the rate",
    remedy: "Show its rate, not its time.",
};

/// A curve's points against its maximum.
pub const CHECK: Check = Check {
    name: "saturated points",
    rules: &[CEILING, MAXIMUM],
    look,
};

/// Of the maximum's depth.
const CEILING_SHARE: f64 = 2.0 / 3.0;

fn look(result: &ForeignResult) -> Answer {
    let (mut seen, mut points, mut maxima) = (0, Vec::new(), Vec::new());
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
        if depth >= CEILING_SHARE * most {
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
            doubt(&CEILING, Severity::Suspect, points),
            doubt(&MAXIMUM, Severity::Note, maxima),
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
