//! A method's lines as a chart of characters.

use super::frame;
use super::style::Style;
use crate::quantity::on_axis;
use plimsoll_evidence::{ChartAxis, ChartPoint, MethodChart};
use plimsoll_printable::Printable;
use std::borrow::Cow;

const ROWS: usize = 12;
/// A sign for each series.
const SIGNS: [char; 6] = ['●', '○', '×', '+', '■', '□'];
/// Places on the x axis that have a pointer; the others are in the page.
const MARKS: usize = 8;

/// The values between the two ends of an axis.
struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Scale {
    /// Around these values; `None` where none of them has a place on the axis. One that has no factors and no values below
    /// zero begins at zero, but where that would leave most of it empty and it is not asked to.
    fn around(
        values: impl Iterator<Item = f64>,
        logarithmic: bool,
        from_zero: bool,
    ) -> Option<Self> {
        let placed: Vec<f64> = values
            .filter(|v| v.is_finite() && (!logarithmic || *v > 0.0))
            .collect();
        let low = placed.iter().copied().reduce(f64::min)?;
        let high = placed.iter().copied().reduce(f64::max)?;
        let zero = !logarithmic && low >= 0.0 && (from_zero || low < high / 2.0);
        Some(Scale {
            low: if zero { 0.0 } else { low },
            high,
            logarithmic,
        })
    }

    /// Place of a value, 0..=1; `None` outside.
    fn share(&self, value: f64) -> Option<f64> {
        let share = if self.high <= self.low {
            0.5
        } else if self.logarithmic {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        (share.is_finite() && (-1e-9..=1.0 + 1e-9).contains(&share))
            .then_some(share.clamp(0.0, 1.0))
    }

    /// The value at a share of it.
    fn at(&self, share: f64) -> f64 {
        match self.logarithmic {
            true => self.low * (self.high / self.low).powf(share),
            false => self.low + (self.high - self.low) * share,
        }
    }

    /// The cell of a value among so many.
    fn cell(&self, value: f64, cells: usize) -> Option<usize> {
        let last = cells.saturating_sub(1) as f64;
        Some((self.share(value)? * last).round() as usize)
    }
}

/// The lines as signs, with their 95 % intervals as bars; empty where nothing is to be drawn, or no room.
pub(super) fn plot(chart: &MethodChart, style: &Style) -> String {
    let chart = &cut(chart);
    let points = || chart.series.iter().flat_map(|s| &s.points);
    let ends = |p: &ChartPoint| {
        let (low, high) = p.interval.unwrap_or((p.y, p.y));
        [p.y, low, high]
    };
    let marks = chart.marks.iter().map(|m| m.x);
    let across = points().map(|p| p.x).chain(marks);
    let (Some(x), Some(y)) = (
        Scale::around(across, chart.x.logarithmic, false),
        Scale::around(points().flat_map(ends), chart.y.logarithmic, true),
    ) else {
        return String::new();
    };
    let of_middle = (ROWS / 2) as f64 / (ROWS - 1) as f64;
    let labels = [1.0, of_middle, 0.0].map(|share| on_axis(&chart.y, y.at(share)));
    let label = labels.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    let columns = frame::columns(style.width, label);
    if columns < frame::LEAST_COLUMNS {
        return String::new();
    }
    let grid = grid(chart, &x, &y, columns);
    let [top, middle, bottom] = &labels;
    let of_row = |row| match row {
        r if r == ROWS - 1 => top.clone(),
        r if r == ROWS / 2 => middle.clone(),
        0 => bottom.clone(),
        _ => String::new(),
    };
    let mut out = frame::framed(&grid, label, of_row, "");
    let below = [0.0, 0.5, 1.0].map(|share| on_axis(&chart.x, named(&chart.x, x.at(share))));
    out.push_str(&frame::scale(
        columns,
        label,
        [&below[0], &below[1], &below[2]],
    ));
    for mark in chart.marks.iter().take(MARKS) {
        if let Some(column) = x.cell(mark.x, columns) {
            let what = Printable(&mark.label).to_string();
            out.push_str(&frame::pointer(column, label, &what));
        }
    }
    out.push_str(&" ".repeat(label + 2));
    out.push_str(&style.sentence(label + 2, &caption(chart)));
    out.push('\n');
    out
}

/// The chart with what lies beyond its axis at the axis's end.
fn cut(chart: &MethodChart) -> Cow<'_, MethodChart> {
    let Some(most) = chart.y.cut else {
        return Cow::Borrowed(chart);
    };
    let mut chart = chart.clone();
    for point in chart.series.iter_mut().flat_map(|s| &mut s.points) {
        point.y = point.y.min(most);
        point.interval = point.interval.map(|(a, b)| (a.min(most), b.min(most)));
    }
    Cow::Owned(chart)
}

/// The nearest place that has a name, on an axis of names.
fn named(axis: &ChartAxis, at: f64) -> f64 {
    match axis.categories.is_empty() {
        true => at,
        false => at.round(),
    }
}

fn grid(chart: &MethodChart, x: &Scale, y: &Scale, columns: usize) -> Vec<Vec<char>> {
    let mut grid = vec![vec![' '; columns]; ROWS];
    for point in chart.series.iter().flat_map(|s| &s.points) {
        let rows = point
            .interval
            .and_then(|(low, high)| Some((y.cell(low, ROWS)?, y.cell(high, ROWS)?)));
        if let (Some(column), Some((low, high))) = (x.cell(point.x, columns), rows) {
            for cells in grid.iter_mut().take(high + 1).skip(low) {
                cells[column] = '│';
            }
        }
    }
    // After the bars, so that none hides a point.
    for (series, sign) in chart.series.iter().zip(SIGNS) {
        for point in &series.points {
            if let (Some(column), Some(row)) = (x.cell(point.x, columns), y.cell(point.y, ROWS)) {
                grid[row][column] = sign;
            }
        }
    }
    grid
}

/// Caption that says what is drawn, and what is not.
fn caption(chart: &MethodChart) -> String {
    let scale = |axis: &ChartAxis| {
        let factors = if axis.logarithmic {
            " (logarithmic)"
        } else {
            ""
        };
        format!("{}{factors}", Printable(&axis.label))
    };
    let named = |name: &str, sign: char| format!("{sign} {}", Printable(name));
    let mut parts: Vec<String> = chart
        .series
        .iter()
        .zip(SIGNS)
        .filter(|(series, _)| !series.name.is_empty())
        .map(|(series, sign)| named(&series.name, sign))
        .collect();
    let drawn = |p: &ChartPoint| p.interval.is_some();
    let any = chart.series.iter().flat_map(|s| &s.points).any(drawn);
    match (any, &chart.y.intervals) {
        (true, Some(of)) => parts.push(format!("│ {}", Printable(of))),
        (true, None) => parts.push("│ 95 % interval".into()),
        (false, Some(none)) => parts.push(Printable(none).to_string()),
        (false, None) => {}
    }
    let beyond = chart.series.len().saturating_sub(SIGNS.len());
    if beyond > 0 {
        parts.push(format!("{beyond} more lines are in the page"));
    }
    if let Some(most) = chart.y.cut {
        parts.push(format!("cut at {}", on_axis(&chart.y, most)));
    }
    let axes = format!("{} against {}", scale(&chart.y), scale(&chart.x));
    match parts.is_empty() {
        true => axes,
        false => format!("{axes}: {}", parts.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::{AxisUnit, ChartKind, ChartSeries};

    fn lines(points: &[(f64, f64)], logarithmic: bool) -> MethodChart {
        let axis = |label: &str| ChartAxis {
            logarithmic,
            ..ChartAxis::of(label, AxisUnit::Number)
        };
        MethodChart {
            title: "t".into(),
            kind: ChartKind::Lines,
            x: axis("x"),
            y: axis("y"),
            z: None,
            series: vec![ChartSeries {
                name: String::new(),
                points: points
                    .iter()
                    .map(|(x, y)| ChartPoint {
                        x: *x,
                        y: *y,
                        ..ChartPoint::default()
                    })
                    .collect(),
            }],
            marks: Vec::new(),
        }
    }

    /// (column, row from the bottom) of every sign.
    fn signs(text: &str) -> Vec<(usize, usize)> {
        let rows: Vec<&str> = text.lines().take(ROWS).collect();
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (row, line) in rows.iter().rev().enumerate() {
            let edge = line.chars().position(|c| c == '│').expect("an edge");
            let cells = line.chars().skip(edge + 1).enumerate();
            found.extend(
                cells
                    .filter(|(_, c)| *c == '●')
                    .map(|(column, _)| (column, row)),
            );
        }
        found.sort_unstable();
        found
    }

    #[test]
    fn what_lies_beyond_a_cut_axis_is_at_its_end_and_flattens_nothing() {
        let mut chart = lines(&[(0.0, 400.0), (1.0, 0.0), (2.0, 11_400.0)], false);
        let flat = signs(&plot(&chart, &Style::plain(80)));
        assert_eq!([flat[0].1, flat[1].1, flat[2].1], [0, 0, ROWS - 1]);
        chart.y.cut = Some(800.0);
        let text = plot(&chart, &Style::plain(80));
        let at = signs(&text);
        assert!((5..=6).contains(&at[0].1), "{at:?}");
        assert_eq!([at[1].1, at[2].1], [0, ROWS - 1]);
        assert!(text.contains("cut at 800"), "{text}");
    }

    #[test]
    fn factors_are_equal_steps_on_a_logarithmic_axis() {
        let decades = [(1.0, 1.0), (10.0, 100.0), (100.0, 10_000.0)];
        let at = signs(&plot(&lines(&decades, true), &Style::plain(80)));
        let [(x0, y0), (x1, y1), (x2, y2)] = at[..] else {
            panic!("{at:?}");
        };
        assert!(x1.abs_diff(x0).abs_diff(x2.abs_diff(x1)) <= 1, "{at:?}");
        assert!((y0, y2) == (0, ROWS - 1) && (y1 == 5 || y1 == 6), "{at:?}");
        let linear = signs(&plot(&lines(&decades, false), &Style::plain(80)));
        assert_eq!((linear[0].1, linear[1].1), (0, 0));
    }

    #[test]
    fn what_has_no_place_is_left_out_and_nothing_is_no_chart() {
        let strange = [
            (1.0, f64::NAN),
            (0.0, 5.0),
            (-1.0, -5.0),
            (f64::INFINITY, 1.0),
            (2.0, 3.0),
        ];
        let at = signs(&plot(&lines(&strange, true), &Style::plain(80)));
        assert_eq!(at.len(), 1, "{at:?}");
        assert_eq!(plot(&lines(&[], false), &Style::plain(80)), "");
        assert_eq!(plot(&lines(&[(0.0, 1.0)], true), &Style::plain(80)), "");
        assert_eq!(plot(&lines(&[(1.0, 1.0)], false), &Style::plain(20)), "");
    }
}
