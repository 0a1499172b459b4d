//! The picture of a sweep: bars of one parameter, a heat chart of two or more.

use super::measured::{Measured, counted};
use plimsoll_evidence::{AxisUnit, ChartAxis, ChartKind, ChartPoint, ChartSeries, MethodChart};
use plimsoll_plan::LoopValue;

/// More rows than these nobody tells apart: then there is only the table.
const ROWS_MAX: usize = 64;

/// Bars of one parameter, a heat chart of more: the first to the right, and a row for each combination of the others, all in
/// one scale of colours.
pub(super) fn charts(measured: &[Measured]) -> Vec<MethodChart> {
    let Some((first, others)) = measured.first().and_then(|m| m.loops.split_first()) else {
        return Vec::new();
    };
    let xs = distinct(measured.iter().map(|m| m.loops[0].value.clone()));
    let place =
        |all: &[String], value: &str| all.iter().position(|v| v == value).unwrap_or(0) as f64;
    let counted = counted(measured);
    let rates = || ChartAxis::of(counted.per_second(), AxisUnit::PerSecond);
    let x = |m: &Measured| place(&xs, &m.loops[0].value);
    let (kind, y, z, points): (_, _, _, Vec<ChartPoint>) = if others.is_empty() {
        let bar = |m: &Measured| ChartPoint::new(x(m), m.rate.mean, m.rate.interval());
        (
            ChartKind::Bars,
            rates(),
            None,
            measured.iter().map(bar).collect(),
        )
    } else {
        let ys = distinct(measured.iter().map(|m| row_name(&m.loops[1..])));
        if ys.len() > ROWS_MAX {
            return Vec::new();
        }
        let cell = |m: &Measured| ChartPoint {
            x: x(m),
            y: place(&ys, &row_name(&m.loops[1..])),
            interval: m.rate.interval(),
            z: Some(m.rate.mean),
        };
        let points = measured.iter().map(cell).collect();
        let keys: Vec<&str> = others.iter().map(|l| l.key.as_str()).collect();
        let y = ChartAxis::names(&keys.join(", "), ys.clone());
        (ChartKind::Heat, y, Some(rates()), points)
    };
    vec![MethodChart {
        title: counted.per_second().into(),
        kind,
        x: ChartAxis::names(&first.key, xs.clone()),
        y,
        z,
        series: vec![ChartSeries::new(String::new(), points)],
        marks: Vec::new(),
    }]
}

/// Each once, in the order in which they come.
fn distinct(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = Vec::new();
    for one in all {
        if !seen.contains(&one) {
            seen.push(one);
        }
    }
    seen
}

/// Name of a row: the value of its one parameter, or the values of several.
fn row_name(loops: &[LoopValue]) -> String {
    match loops {
        [one] => one.value.clone(),
        all => {
            let values: Vec<&str> = all.iter().map(|l| l.value.as_str()).collect();
            values.join(", ")
        }
    }
}
