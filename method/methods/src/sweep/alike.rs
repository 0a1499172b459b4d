//! What is added to a sweep's chart: what its intervals are of, and which cells cannot be told from the best.

use super::measured::Measured;
use plimsoll_evidence::{ChartAxis, ChartKind, ChartPoint, ChartSeries, MethodChart};

/// The series of those that cannot be told from the best.
const ALIKE: &str = "cannot be told from the most";

/// The charts with what their intervals are of; in a heat chart the cells that are like the best are a series of their own.
pub(super) fn with_intervals(
    charts: Vec<MethodChart>,
    alike: &[&Measured<'_>],
) -> Vec<MethodChart> {
    charts.into_iter().map(|c| marked(c, alike)).collect()
}

fn marked(mut chart: MethodChart, alike: &[&Measured<'_>]) -> MethodChart {
    let all = chart.series.iter().flat_map(|s| &s.points);
    let of = match all.clone().any(|p| p.interval.is_some()) {
        true => {
            "95 % interval of the mean over the repeats; a cell that was measured once has none"
        }
        false => "No intervals: each cell was measured once",
    };
    let said = |axis: ChartAxis| axis.with_intervals(of);
    if chart.kind != ChartKind::Heat {
        chart.y = said(chart.y);
        return chart;
    }
    chart.z = chart.z.map(said);
    let is_alike = |p: &ChartPoint| alike.iter().any(|m| Some(m.rate.mean) == p.z);
    // One of each tells nothing from anything: then there is nothing to mark.
    let compared = all.clone().any(|p| p.interval.is_some());
    let (like, others): (Vec<ChartPoint>, Vec<ChartPoint>) =
        all.copied().partition(|p| compared && is_alike(p));
    let series = |name: &str, points| ChartSeries::new(name, points);
    chart.series = vec![series("", others)];
    if !like.is_empty() {
        chart.series.push(series(ALIKE, like));
    }
    chart
}
