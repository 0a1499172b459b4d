//! A method's bars as lines of characters: a name, a bar, a number.

use super::style::Style;
use crate::quantity::{on_axis, word};
use plimsoll_evidence::{ChartPoint, MethodChart};

/// Bars that are drawn; the others are counted.
const MOST: usize = 48;
/// The longest bar.
const LONGEST: usize = 40;
/// The longest name of a bar; what is longer is cut.
const NAME: usize = 32;

/// A bar for each point, place by place; empty where there is none.
pub(super) fn bars(chart: &MethodChart, style: &Style) -> String {
    let mut places: Vec<f64> = chart
        .series
        .iter()
        .flat_map(|s| s.points.iter().map(|p| p.x))
        .filter(|x| x.is_finite())
        .collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let mut lines: Vec<(String, &ChartPoint)> = Vec::new();
    for at in places {
        let mut name = on_axis(&chart.x, at);
        for series in &chart.series {
            for point in series.points.iter().filter(|p| p.x == at) {
                let own = word(&series.name);
                lines.push((format!("{name} {own}").trim_end().to_owned(), point));
                // Said once, with the first of its bars.
                name = " ".repeat(name.chars().count());
            }
        }
    }
    let drawn = &lines[..lines.len().min(MOST)];
    let highest = drawn.iter().map(|(_, p)| p.y).fold(0.0, f64::max);
    let names = drawn.iter().map(|(name, _)| name.chars().count().min(NAME));
    let name_width = names.max().unwrap_or(0);
    let values: Vec<String> = drawn.iter().map(|(_, p)| value(chart, p)).collect();
    let value_width = values.iter().map(|v| v.chars().count()).max().unwrap_or(0);
    let room = style.width.saturating_sub(name_width + value_width + 4);
    let mut out = String::new();
    for ((name, point), value) in drawn.iter().zip(&values) {
        let name: String = name.chars().take(NAME).collect();
        let bar = bar(point.y / highest, room.min(LONGEST));
        let line = format!("{name:<name_width$}  {bar} {value}");
        out.push_str(line.trim_end());
        out.push('\n');
    }
    if lines.len() > MOST {
        out.push_str(&format!(
            "({} more bars are in the page)\n",
            lines.len() - MOST
        ));
    }
    out
}

/// A share of the longest bar, in half columns.
fn bar(share: f64, room: usize) -> String {
    if !share.is_finite() || share <= 0.0 {
        return String::new();
    }
    let halves = (share.min(1.0) * room as f64 * 2.0).round() as usize;
    let end = if halves % 2 == 1 { "▌" } else { "" };
    format!("{}{end}", "█".repeat(halves / 2))
}

fn value(chart: &MethodChart, point: &ChartPoint) -> String {
    let of = |y: f64| on_axis(&chart.y, y);
    match point.interval {
        Some((low, high)) => format!("{} ({} to {})", of(point.y), of(low), of(high)),
        None => of(point.y),
    }
}
