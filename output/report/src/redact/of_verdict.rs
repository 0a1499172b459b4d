//! What a method concluded, redacted: its class, and the shapes of its charts.

use super::of_step::PARTS;
use super::{Relative, Wholes, words};
use plimsoll_evidence::{
    AxisUnit, Capacity, ChartAxis, ChartKind, ChartPoint, ChartSeries, CurveVerdict, MethodChart,
    MethodVerdict, SloStatistic, Verdict,
};
use serde::Serialize;

/// A conclusion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Concluded {
    /// The method; `None` of one that is not known.
    pub method: Option<&'static str>,
    /// Class of the answer, in a word; `None` of one that is not known.
    pub class: Option<&'static str>,
    /// True where its question could be answered.
    pub decided: bool,
    /// Of a curve: the rate at its knee, of the highest rate.
    pub knee: Option<Relative>,
    /// Of a curve: what it carries within each limit.
    pub capacities: Vec<Within>,
    /// The shapes of its charts.
    pub charts: Vec<Shape>,
}

/// Rate that is carried within a limit of response time. The limit is a round number that anybody guesses, so no ratio is made of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Within {
    /// Statistic that the limit is of.
    pub statistic: &'static str,
    /// The rate, of the highest rate; `None`: the lowest point breaks the limit already.
    pub rate: Option<Relative>,
    /// True where it holds at every point.
    pub at_least: bool,
}

/// A chart without its scales: both axes end at their largest number, which is 100 %.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shape {
    /// Quantity of the x axis.
    pub x: &'static str,
    /// Quantity of the y axis.
    pub y: &'static str,
    /// The points of each line, x and y.
    pub lines: Vec<Vec<(Relative, Relative)>>,
}

pub(super) fn concluded(verdict: &Verdict, wholes: &Wholes) -> Concluded {
    match verdict {
        Verdict::Curve(curve) => of_curve(curve, wholes),
        Verdict::Method(method) => of_method(method),
    }
}

fn of_curve(curve: &CurveVerdict, wholes: &Wholes) -> Concluded {
    let within = |capacity: &Capacity| Within {
        statistic: statistic(capacity.statistic),
        rate: capacity
            .rate
            .and_then(|rate| Relative::of(rate.mean, wholes.rate)),
        at_least: capacity.at_least,
    };
    Concluded {
        method: Some("curve"),
        class: Some(if curve.decided {
            "decided"
        } else {
            "undecided"
        }),
        decided: curve.decided,
        knee: curve
            .knee
            .and_then(|knee| Relative::of(knee.mean, wholes.rate)),
        capacities: curve.capacities.iter().map(within).collect(),
        charts: Vec::new(),
    }
}

fn of_method(method: &MethodVerdict) -> Concluded {
    Concluded {
        method: words::known(words::METHODS, &method.method),
        class: words::known(words::CLASSES, &method.class),
        decided: method.decided,
        knee: None,
        capacities: Vec::new(),
        charts: method.charts.iter().filter_map(shape).collect(),
    }
}

fn statistic(of: SloStatistic) -> &'static str {
    match of {
        SloStatistic::Mean => "mean",
        SloStatistic::Quantile(0.5) => "p50",
        SloStatistic::Quantile(0.9) => "p90",
        SloStatistic::Quantile(0.95) => "p95",
        SloStatistic::Quantile(0.99) => "p99",
        SloStatistic::Quantile(0.999) => "p99.9",
        SloStatistic::Quantile(_) => "a percentile",
    }
}

/// A chart whose axes are numbers. One with names on an axis, or with cells, is of the configuration.
fn shape(chart: &MethodChart) -> Option<Shape> {
    if chart.kind == ChartKind::Heat {
        return None;
    }
    let (x, y) = (kind(&chart.x)?, kind(&chart.y)?);
    let along = Along::of(chart, &chart.x, |p| p.x);
    let up = Along::of(chart, &chart.y, |p| p.y);
    let line = |series: &ChartSeries| {
        let places = series.points.iter();
        let places = places.filter_map(|p| Some((along.place(p.x)?, up.place(p.y)?)));
        merged(&places.collect::<Vec<_>>())
    };
    Some(Shape {
        x,
        y,
        lines: chart.series.iter().map(line).collect(),
    })
}

/// At most [`PARTS`] points, each the mean of those that it stands for: how many there were tells how long it took.
fn merged(points: &[(f64, f64)]) -> Vec<(Relative, Relative)> {
    let each = points.len().div_ceil(PARTS).max(1);
    let mean = |some: &[(f64, f64)], of: fn(&(f64, f64)) -> f64| {
        let all: f64 = some.iter().map(of).sum();
        Relative::of(all, some.len() as f64).map(Relative::coarse)
    };
    let chunks = points.chunks(each);
    chunks
        .filter_map(|some| Some((mean(some, |p| p.0)?, mean(some, |p| p.1)?)))
        .collect()
}

fn kind(axis: &ChartAxis) -> Option<&'static str> {
    Some(match axis.unit {
        AxisUnit::Seconds | AxisUnit::Ns => "time",
        AxisUnit::Share => "share",
        AxisUnit::PerSecond | AxisUnit::BytesPerSecond => "rate",
        AxisUnit::Bytes => "bytes",
        AxisUnit::Number => "number",
        AxisUnit::Name => return None,
    })
}

/// Places of numbers on an axis that has lost its scale.
enum Along {
    /// By their size; this is the largest.
    BySize(f64),
    /// By their order, evenly: depths and sizes are configuration, and few enough for their ratios to give them away.
    ByOrder(Vec<f64>),
}

impl Along {
    fn of(chart: &MethodChart, axis: &ChartAxis, of: fn(&ChartPoint) -> f64) -> Self {
        let points = chart.series.iter().flat_map(|s| &s.points);
        let mut all: Vec<f64> = points.map(of).filter(|n| n.is_finite()).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        match axis.unit {
            AxisUnit::Number | AxisUnit::Bytes => Along::ByOrder(all),
            _ => Along::BySize(all.last().copied().unwrap_or(0.0)),
        }
    }

    /// Place of a number, as a share of the axis.
    fn place(&self, number: f64) -> Option<f64> {
        match self {
            Along::BySize(most) => (*most > 0.0 && number.is_finite()).then(|| number / most),
            Along::ByOrder(all) => {
                let at = all.iter().position(|n| *n == number)?;
                Some(at as f64 / (all.len() - 1).max(1) as f64)
            }
        }
    }
}
