//! A curve's verdict as figures, a table and a chart, in the form in which other methods' verdicts have theirs.

use plimsoll_evidence::{
    AxisUnit, Capacity, ChartAxis, ChartKind, ChartPoint, ChartSeries, CurvePoint, CurveVerdict,
    Estimate, Figure, MethodChart, MethodTable, MethodVerdict, Quantity, TableCell, TableColumn,
};

/// The columns of the table of points: the points' fields in the record's JSON, with no unit in the name.
const COLUMNS: [&str; 11] = [
    "point",
    "offered",
    "achieved",
    "saturated",
    "response_mean",
    "response_p50",
    "response_p99",
    "response_p999",
    "service_mean",
    "depth_mean",
    "backlog_growth",
];

/// The numbers of a curve's verdict; its sentence and findings are not repeated.
pub(super) fn numbers(curve: &CurveVerdict) -> MethodVerdict {
    let maximum = figure("maximum", &curve.maximum);
    let knee = match &curve.knee {
        Some(knee) => figure("knee", knee),
        None => Figure::unknown("knee", "knee", "the points show none"),
    };
    let capacities = curve.capacities.iter().map(capacity);
    let column = |name: &str| TableColumn {
        name: name.to_string(),
        label: name.to_string(),
    };
    MethodVerdict {
        method: "curve".into(),
        run: curve.run.clone(),
        class: match curve.decided {
            true => "decided".into(),
            false => "undecided".into(),
        },
        decided: curve.decided,
        sentence: String::new(),
        figures: [maximum, knee].into_iter().chain(capacities).collect(),
        tables: vec![MethodTable {
            title: "points".into(),
            columns: COLUMNS.iter().map(|name| column(name)).collect(),
            rows: curve.points.iter().map(row).collect(),
        }],
        charts: vec![MethodChart {
            title: "response against load".into(),
            kind: ChartKind::Lines,
            x: ChartAxis::of("achieved", AxisUnit::PerSecond),
            y: ChartAxis::of("response", AxisUnit::Ns),
            z: None,
            series: series(&curve.points),
            marks: Vec::new(),
        }],
        findings: Vec::new(),
    }
}

fn interval(estimate: &Estimate) -> Option<(f64, f64)> {
    let half = estimate.half_width?;
    Some((estimate.mean - half, estimate.mean + half))
}

fn figure(name: &str, rate: &Estimate) -> Figure {
    Figure {
        interval: interval(rate),
        ..Figure::new(name, name, Quantity::PerSecond(rate.mean))
    }
}

/// The capacity at one response limit, named as `--slo` has it, the limit in ns.
fn capacity(capacity: &Capacity) -> Figure {
    let name = format!("capacity {}={}ns", capacity.statistic, capacity.limit_ns);
    match &capacity.rate {
        None => Figure::unknown(
            &name,
            &name,
            "the limit is broken at the lowest point already",
        ),
        Some(rate) if capacity.at_least => {
            figure(&name, rate).remarked("at least: the limit holds at every point")
        }
        Some(rate) => figure(&name, rate),
    }
}

fn row(point: &CurvePoint) -> Vec<TableCell> {
    let cell = |quantity: Option<Quantity>| TableCell {
        quantity,
        interval: None,
    };
    let estimated = |of: &Estimate, quantity: Quantity| TableCell {
        quantity: Some(quantity),
        interval: interval(of),
    };
    let ns = |ns: Option<u64>| cell(ns.map(|ns| Quantity::Ns(ns as f64)));
    let yes_or_no = match point.saturated {
        true => "yes",
        false => "no",
    };
    vec![
        cell(Some(Quantity::Text(point.name.clone()))),
        cell(point.offered.map(Quantity::PerSecond)),
        estimated(&point.achieved, Quantity::PerSecond(point.achieved.mean)),
        cell(Some(Quantity::Text(yes_or_no.into()))),
        estimated(
            &point.response_mean_ns,
            Quantity::Ns(point.response_mean_ns.mean),
        ),
        ns(point.response_p50_ns),
        ns(point.response_p99_ns),
        ns(point.response_p999_ns),
        estimated(
            &point.service_mean_ns,
            Quantity::Ns(point.service_mean_ns.mean),
        ),
        cell(Some(Quantity::Number(point.depth_mean))),
        cell(point.backlog_growth.map(Quantity::PerSecond)),
    ]
}

/// A line for each statistic; the points of the saturated ones are left out, whose response is none.
fn series(points: &[CurvePoint]) -> Vec<ChartSeries> {
    let line = |name: &str, of: fn(&CurvePoint) -> Option<f64>| ChartSeries {
        name: name.into(),
        points: points
            .iter()
            .filter(|p| !p.saturated)
            .filter_map(|point| {
                Some(ChartPoint {
                    x: point.achieved.mean,
                    y: of(point)?,
                    interval: (name == "mean")
                        .then(|| interval(&point.response_mean_ns))
                        .flatten(),
                    z: None,
                })
            })
            .collect(),
    };
    vec![
        line("mean", |p| Some(p.response_mean_ns.mean)),
        line("p50", |p| p.response_p50_ns.map(|ns| ns as f64)),
        line("p99", |p| p.response_p99_ns.map(|ns| ns as f64)),
        line("p99.9", |p| p.response_p999_ns.map(|ns| ns as f64)),
    ]
}
