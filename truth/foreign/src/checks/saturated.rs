//! Points of a curve that lie on the ceiling of its slots.

use super::{Check, CheckAnswer, Hit, answer, doubt, ns};
use crate::model::{ForeignResult, Load, Run};
use plimsoll_evidence::{CEILING, Quantity, Severity, more_than_needed};

/// A curve's points against its maximum.
pub const CHECK: Check = Check {
    rules: &[102, 156, 429, 439],
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
    let falls: Vec<Hit> = result.runs.windows(2).filter_map(falling).collect();
    let (mut untried, mut untried_beside_least) = (Vec::new(), Vec::new());
    for hit in result.runs.iter().filter_map(|run| deep(result, run)) {
        match hit.1 {
            true => untried_beside_least.push(hit.0),
            false => untried.push(hit.0),
        }
    }
    answer(
        seen + falls.len() + untried.len() + untried_beside_least.len(),
        "a curve: a maximum and points below it",
        [
            doubt(156, "depth-untried", Severity::Note, untried),
            doubt(
                156,
                "depth-untried-beside-least",
                Severity::Note,
                untried_beside_least,
            ),
            doubt(439, "response-falls-with-rate", Severity::Suspect, falls),
            doubt(102, "points-on-ceiling", Severity::Suspect, points),
            doubt(102, "maximum-no-latency", Severity::Note, maxima),
            doubt(429, "more-threads-than-needed", Severity::Note, enough),
        ],
    )
}

/// Fewer in flight are few for an array's ports.
const DEEP: f64 = 256.0;
/// Fewer in flight on each of several targets are few for a disk, whose own queue has as many (NCQ).
const DEEP_EACH: f64 = 32.0;

/// A maximum of its own with very many in flight, and nothing beside it that had far fewer; and whether the shortest time is known.
fn deep<'r>(result: &ForeignResult, run: &'r Run) -> Option<(Hit<'r>, bool)> {
    let in_flight = |run: &Run| run.whole().and_then(|r| r.queue_depth.or(r.in_flight()));
    let row = run.whole()?;
    let (most, rate, mean) = (in_flight(run)?, row.iops()?, row.mean_ns()?);
    // More than can have been in flight is another rule's finding.
    let may_be = |asked: u64| most <= 1.1 * asked as f64;
    let targets = run.asked.targets.unwrap_or(1).max(1) as f64;
    let is_deep = most >= DEEP && most / targets >= DEEP_EACH;
    let alone = matches!(run.asked.load, Some(Load::Max))
        && is_deep
        && run.asked.in_flight.is_none_or(may_be);
    let has_fewer = |other: &Run| in_flight(other).is_some_and(|n| n > 0.0 && n <= most / 3.0);
    if !alone || result.runs.iter().any(has_fewer) {
        return None;
    }
    let mut values = vec![
        ("in_flight", Quantity::Number(most)),
        ("rate", Quantity::PerSecond(rate)),
        ("mean", ns(mean)),
    ];
    let least = [&row.all, &row.reads, &row.writes]
        .into_iter()
        .find_map(|side| side.latency.min);
    if let Some(least) = least {
        values.push(("least", ns(least.0 as f64)));
        values.push((
            "few",
            Quantity::Number((rate * least.0 as f64 / 1e9).max(1.0)),
        ));
    }
    Some((Hit::new(run, row.at, most, values), least.is_some()))
}

/// Two points of a curve, the second with more load and less than half of the mean.
fn falling(points: &[Run]) -> Option<Hit<'_>> {
    let [one, other] = points else { return None };
    // Vdbench calls them `rd1_(10%)` and `rd1_(50%)`.
    let curve = |run: &Run| run.name.split_once("_(").map(|(name, _)| name.to_owned());
    let (row, next) = (one.whole()?, other.whole()?);
    let (rate, more_rate) = (row.iops()?, next.iops()?);
    let (mean, less) = (row.mean_ns()?, next.mean_ns()?);
    let same = curve(one)? == curve(other)? && one.asked.depth == other.asked.depth;
    (same && more_rate > 1.2 * rate && less < 0.5 * mean).then(|| {
        let values = [
            ("time", ns(mean)),
            ("rate", Quantity::PerSecond(rate)),
            ("less_time", ns(less)),
            ("more_rate", Quantity::PerSecond(more_rate)),
        ];
        Hit::new(one, row.at, mean / less.max(1.0), values)
    })
}

/// True where a run is a point of that maximum's curve: Vdbench calls it `rd1_(90%)`.
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
