//! A method's heat chart as a grid of shades with numbers.

use super::style::Style;
use crate::quantity::on_axis;
use plimsoll_evidence::{ChartAxis, ChartPoint, MethodChart};
use plimsoll_printable::Printable;

/// From little to much.
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];
/// Rows and columns of a grid that is drawn, at most.
const MOST: usize = 64;

/// The grid, y upwards; with numbers where there is room for them. Empty where there is nothing, or no room for shades.
pub(super) fn cells(chart: &MethodChart, style: &Style) -> String {
    let points: Vec<&ChartPoint> = chart.series.iter().flat_map(|s| &s.points).collect();
    let places = |of: fn(&ChartPoint) -> f64| {
        let mut all: Vec<f64> = points
            .iter()
            .map(|p| of(p))
            .filter(|v| v.is_finite())
            .collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    };
    let (across, up) = (places(|p| p.x), places(|p| p.y));
    let known = points.iter().filter_map(|p| p.z).filter(|z| z.is_finite());
    let (Some(least), Some(most)) = (known.clone().reduce(f64::min), known.reduce(f64::max)) else {
        return String::new();
    };
    if across.len() > MOST || up.len() > MOST {
        return String::new();
    }
    let fallback = ChartAxis::of("", plimsoll_evidence::AxisUnit::Number);
    let z = chart.z.as_ref().unwrap_or(&fallback);
    let shade = |value: f64| SHADES[level(value, least, most, z.logarithmic)];
    let at = |x: f64, y: f64| points.iter().find(|p| p.x == x && p.y == y)?.z;
    let cell = |x: f64, y: f64, numbers: bool| match at(x, y) {
        None => String::new(),
        Some(value) if numbers => format!("{} {}", shade(value), on_axis(z, value)),
        Some(value) => shade(value).to_string().repeat(2),
    };
    for numbers in [true, false] {
        let row = |y: f64| -> Vec<String> { across.iter().map(|x| cell(*x, y, numbers)).collect() };
        let mut rows: Vec<(String, Vec<String>)> = up
            .iter()
            .rev()
            .map(|y| (on_axis(&chart.y, *y), row(*y)))
            .collect();
        if numbers {
            let names = across.iter().map(|x| on_axis(&chart.x, *x)).collect();
            rows.push((String::new(), names));
        }
        let grid = aligned(&rows);
        if grid.lines().all(|line| line.chars().count() <= style.width) {
            let ends = (on_axis(z, least), on_axis(z, most));
            return grid + &style.sentence(0, &caption(chart, z, &across, &ends)) + "\n";
        }
    }
    String::new()
}

/// Level of a value from the least to the most, as an index of the shades.
fn level(value: f64, least: f64, most: f64, logarithmic: bool) -> usize {
    let share = match logarithmic && least > 0.0 {
        true => (value / least).ln() / (most / least).ln(),
        false => (value - least) / (most - least),
    };
    // All alike are all the most.
    let share = if share.is_finite() { share } else { 1.0 };
    (share.clamp(0.0, 1.0) * (SHADES.len() - 1) as f64).round() as usize
}

/// Rows with a name before each, in columns.
fn aligned(rows: &[(String, Vec<String>)]) -> String {
    let width = |texts: &mut dyn Iterator<Item = &String>| {
        texts.map(|t| t.chars().count()).max().unwrap_or(0)
    };
    let name = width(&mut rows.iter().map(|(name, _)| name));
    let columns = rows.first().map_or(0, |(_, cells)| cells.len());
    let widths: Vec<usize> = (0..columns)
        .map(|c| width(&mut rows.iter().filter_map(|(_, cells)| cells.get(c))))
        .collect();
    let mut out = String::new();
    for (title, cells) in rows {
        let mut line = format!("{title:>name$} │");
        for (cell, width) in cells.iter().zip(&widths) {
            line.push_str(&format!(" {cell:<width$}"));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

fn caption(
    chart: &MethodChart,
    z: &ChartAxis,
    across: &[f64],
    (least, most): &(String, String),
) -> String {
    let ends = match across {
        [] => String::new(),
        [only] => format!(" at {}", on_axis(&chart.x, *only)),
        [first, .., last] => format!(
            " from {} to {}",
            on_axis(&chart.x, *first),
            on_axis(&chart.x, *last)
        ),
    };
    format!(
        "{} against {}{ends}; shades are {}, from {least} (blank) to {most} (█)",
        Printable(&chart.y.label),
        Printable(&chart.x.label),
        Printable(&z.label),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::{AxisUnit, ChartKind, ChartSeries};

    fn grid(side: u32) -> MethodChart {
        let point = |n: u32| ChartPoint {
            x: f64::from(n % side),
            y: f64::from(n / side),
            z: Some(f64::from(n)),
            interval: None,
        };
        MethodChart {
            title: "t".into(),
            kind: ChartKind::Heat,
            x: ChartAxis::of("block", AxisUnit::Number),
            y: ChartAxis::of("depth", AxisUnit::Number),
            z: Some(ChartAxis::of("rate", AxisUnit::PerSecond)),
            series: vec![ChartSeries {
                name: String::new(),
                points: (0..side * side).map(point).collect(),
            }],
            marks: Vec::new(),
        }
    }

    #[test]
    fn the_least_is_blank_and_the_most_is_full_and_y_goes_up() {
        let text = cells(&grid(3), &Style::plain(80));
        let rows: Vec<&str> = text.lines().collect();
        assert!(rows[0].ends_with("█ 8.00/s"), "{text}");
        assert!(rows[2].contains("│   0 "), "{text}");
        assert_eq!(rows.len(), 5, "{text}");
    }

    #[test]
    fn a_narrow_terminal_has_shades_alone_and_a_very_narrow_one_nothing() {
        let narrow = cells(&grid(8), &Style::plain(40));
        let wide = |text: &str| text.lines().take(8).map(|l| l.chars().count()).max();
        assert!(wide(&narrow) <= Some(40), "{narrow}");
        assert!(
            narrow.contains("██") && !narrow.contains("63.0/s │"),
            "{narrow}"
        );
        assert_eq!(cells(&grid(20), &Style::plain(40)), "");
        assert_eq!(cells(&grid(0), &Style::plain(40)), "");
    }
}
