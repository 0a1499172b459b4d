//! A curve's verdict: its points, its chart, and what it says in words.

use super::amounts::{mean_time, time_or_dash};
use super::chart::chart;
use super::method::findings;
use super::style::{Paint, Style};
use super::table::{Column, Table};
use crate::human;
use crate::saturation::Cause;
use plimsoll_evidence::{Capacity, CurvePoint, CurveVerdict, SloStatistic};
use plimsoll_printable::{Printable, printable};

/// The curve as a table, a chart, and sentences: maximum, knee, capacity at each limit, saturated points, notes.
pub fn curve(verdict: &CurveVerdict, style: &Style) -> String {
    let heading = match name(verdict) {
        // The name of a run that nobody named.
        "curve" => "Curve".to_owned(),
        name => format!("Curve of {}", Printable(name)),
    };
    let mut out = style.paint(Paint::Heading, &heading);
    if !verdict.decided {
        out.push(' ');
        out.push_str(&style.paint(Paint::Warn, "(not decided)"));
    }
    out.push('\n');
    if !verdict.points.is_empty() {
        out.push_str(&points(&verdict.points, style));
        out.push('\n');
    }
    let picture = chart(&verdict.points, verdict.knee.map(|k| k.mean), style);
    if !picture.is_empty() {
        out.push_str(&picture);
        out.push('\n');
    }
    out.push_str(&words(verdict, style));
    style.characters(out)
}

/// The maximum's name, which has the loop values that the run's lacks.
fn name(verdict: &CurveVerdict) -> &str {
    let maximum = verdict.points.iter().find(|p| p.percent.is_none());
    maximum.map_or(&verdict.run, |p| &p.name)
}

fn points(points: &[CurvePoint], style: &Style) -> String {
    let mut table = Table::new(vec![
        Column::text("point"),
        Column::number("offered"),
        Column::number("achieved"),
        Column::text("±").droppable(3),
        Column::number("response"),
        Column::text("±").droppable(4),
        Column::number("p50").droppable(5),
        Column::number("p99"),
        Column::number("p99.9").droppable(2),
        Column::number("service").droppable(1),
        Column::number("depth").droppable(6),
        Column::text(""),
    ]);
    for point in points {
        let mut cells = vec![
            point
                .percent
                .map_or_else(|| "maximum".into(), |p| format!("{p}%")),
            point.offered.map_or_else(|| "max".into(), human::rate),
            human::rate(point.achieved.mean),
            human::plus_minus(&point.achieved),
        ];
        if let Some(cause) = Cause::of_point(point) {
            cells.push(cause.cell());
            cells.push(String::new());
            cells.extend((0..4).map(|_| "—".to_owned()));
        } else {
            cells.extend([
                mean_time(&point.response_mean_ns),
                human::plus_minus(&point.response_mean_ns),
                time_or_dash(point.response_p50_ns),
                time_or_dash(point.response_p99_ns),
                time_or_dash(point.response_p999_ns),
                mean_time(&point.service_mean_ns),
            ]);
        }
        cells.push(human::rate(point.depth_mean));
        cells.push(state(point).into());
        table.row(cells, point.saturated.then_some(Paint::Warn));
    }
    table.render(style)
}

fn state(point: &CurvePoint) -> &'static str {
    match (point.saturated, point.percent) {
        (true, _) => "saturated",
        (false, None) => "closed loop",
        (false, Some(_)) => "",
    }
}

fn words(verdict: &CurveVerdict, style: &Style) -> String {
    let mut lines = vec![(
        "Maximum",
        format!(
            "{}/s {}, closed loop",
            human::rate(verdict.maximum.mean),
            human::plus_minus(&verdict.maximum)
        ),
    )];
    if let Some(limit) = &verdict.limit {
        lines.push(("Limit", limit.sentence.clone()));
    }
    lines.push((
        "Knee",
        match &verdict.knee {
            Some(knee) if !verdict.knee_is_a_point() => format!(
                "{}/s {}, 95 % interval of the curves that agree with the points",
                human::rate(knee.mean),
                human::plus_minus(knee)
            ),
            // No 95 % interval, as the others are, and so it is not written like one.
            Some(knee) => format!(
                "{}/s, give or take {}: the distance to the points beside it",
                human::rate(knee.mean),
                human::plus_minus(knee).trim_start_matches('±')
            ),
            // Why is in the notes.
            None => "none".into(),
        },
    ));
    for (i, c) in verdict.capacities.iter().enumerate() {
        lines.push((if i == 0 { "Capacity" } else { "" }, capacity(c)));
    }
    let saturated: Vec<&CurvePoint> = verdict.points.iter().filter(|p| p.saturated).collect();
    for (i, p) in saturated.iter().enumerate() {
        lines.push((if i == 0 { "Saturated" } else { "" }, saturation(p)));
    }
    let mut out = String::new();
    for (label, text) in lines {
        let paint = match label {
            "Saturated" => Paint::Warn,
            _ => Paint::Good,
        };
        out.push_str(&style.paint(paint, label));
        out.push_str(&" ".repeat(11 - label.len()));
        out.push_str(&style.sentence(11, &printable(&text)));
        out.push('\n');
    }
    out.push_str(&findings(&verdict.findings, style));
    out
}

fn capacity(capacity: &Capacity) -> String {
    let limit = human::time(capacity.limit_ns as f64);
    let limit = format!("{} ≤ {limit}:", capacity.statistic);
    let Some(rate) = &capacity.rate else {
        return format!("{limit:<14} none, broken at the lowest point already");
    };
    let bound = if capacity.at_least { "at least " } else { "" };
    let mean = match (capacity.statistic, capacity.response_mean_ns) {
        (SloStatistic::Quantile(_), Some(ns)) => format!(", mean {} there", human::time(ns)),
        _ => String::new(),
    };
    format!(
        "{limit:<14} {bound}{}/s {}{mean}",
        human::rate(rate.mean),
        human::plus_minus(rate)
    )
}

fn saturation(point: &CurvePoint) -> String {
    let offered = point
        .offered
        .map(|o| format!("offered {}/s, ", human::rate(o)))
        .unwrap_or_default();
    let cause = Cause::of_point(point)
        .map(|cause| format!("; {}, so it has no latency", cause.clause()))
        .unwrap_or_default();
    format!(
        "{}: {offered}reached {}/s {}{cause}",
        point.name,
        human::rate(point.achieved.mean),
        human::plus_minus(&point.achieved),
    )
}
