//! Chart of a step's comparison: for each metric the change from A to B in percent, and its interval.

use super::element::text;
use plimsoll_record::compare::{MetricComparison, Outcome};

/// Widths and heights in the units of the drawing.
const NAMES: f64 = 150.0;
const PLOT: f64 = 520.0;
const ROW: f64 = 24.0;
const FOOT: f64 = 22.0;
/// Changes beyond this are drawn at the chart's edge, percent.
const WIDEST: f64 = 200.0;

/// The chart as SVG; nothing where no metric has a change.
pub fn of(metrics: &[MetricComparison]) -> String {
    let changes = metrics
        .iter()
        .filter_map(|m| Some((m, m.change_percent()?)));
    let changes: Vec<(&MetricComparison, f64)> = changes.collect();
    let reach = |(m, change): &(&MetricComparison, f64)| {
        change.abs() + m.half_width_percent().unwrap_or(0.0)
    };
    let widest = changes.iter().map(reach).fold(1.0, f64::max).min(WIDEST);
    if changes.is_empty() {
        return String::new();
    }
    let x = |percent: f64| NAMES + PLOT / 2.0 * (1.0 + percent.clamp(-widest, widest) / widest);
    let bottom = ROW * changes.len() as f64;
    let rows: String = changes
        .iter()
        .enumerate()
        .map(|(at, (metric, change))| row(metric, *change, ROW * (at as f64 + 0.5), &x))
        .collect();
    let ticks: String = [-widest, -widest / 2.0, 0.0, widest / 2.0, widest]
        .into_iter()
        .map(|percent| {
            let (x, below) = (x(percent), bottom + 15.0);
            let class = if percent == 0.0 { "zero" } else { "grid" };
            format!(
                "<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"0\" y2=\"{bottom}\"/>\
                 <text class=\"tick\" x=\"{x:.1}\" y=\"{below}\">{}</text>",
                tick(percent)
            )
        })
        .collect();
    format!(
        "<svg class=\"changes\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Change from A to B in percent of A, with its 95 % interval; \
         the numbers are in the table\">{ticks}{rows}</svg>\n",
        NAMES + PLOT + 30.0,
        bottom + FOOT
    )
}

fn row(metric: &MetricComparison, change: f64, y: f64, x: &impl Fn(f64) -> f64) -> String {
    let class = match metric.outcome {
        Outcome::Better => "better",
        Outcome::Worse => "worse",
        _ => "open",
    };
    let interval = metric.half_width_percent().map_or(String::new(), |half| {
        let (from, to) = (x(change - half), x(change + half));
        format!("<line x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"{y}\" y2=\"{y}\"/>")
    });
    format!(
        "<g class=\"{class}\"><text class=\"name\" x=\"{}\" y=\"{}\">{}</text>{interval}<circle cx=\"{:.1}\" cy=\"{y}\" r=\"4\"/></g>",
        NAMES - 12.0,
        y + 4.0,
        text(metric.metric.name()),
        x(change)
    )
}

/// `+50 %`
fn tick(percent: f64) -> String {
    let digits = if percent.abs() < 10.0 && percent != 0.0 {
        1
    } else {
        0
    };
    let sign = if percent > 0.0 { "+" } else { "" };
    format!("{sign}{percent:.digits$} %")
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_record::compare::{Basis, Metric};

    #[test]
    fn changes_lie_to_scale_about_zero_and_what_has_none_has_no_chart() {
        let metric = |mean_a: f64, difference: f64, outcome| MetricComparison {
            metric: Metric::Iops,
            runs_a: 5,
            runs_b: 5,
            mean_a,
            mean_b: mean_a + difference,
            difference,
            half_width: Some(20.0),
            basis: Basis::BetweenRuns,
            p: None,
            p_holm: None,
            outcome,
        };
        // +80 % +- 20 % reaches the right edge, at 670; -50 % is half as far from zero, at 410, to the left.
        let chart = of(&[
            metric(100.0, 80.0, Outcome::Better),
            metric(100.0, -50.0, Outcome::Worse),
        ]);
        for part in [
            "<g class=\"better\"",
            "<circle cx=\"618.0\"",
            "x1=\"566.0\" x2=\"670.0\"",
            "<g class=\"worse\"",
            "<circle cx=\"280.0\"",
            ">+100 %<",
        ] {
            assert!(chart.contains(part), "{part}: {chart}");
        }
        assert_eq!(of(&[metric(0.0, 5.0, Outcome::NoVerdict)]), "");
    }
}
