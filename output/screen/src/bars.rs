//! A chart of bars, a column of the terminal each: nothing where nothing was measured.

use plimsoll_evidence::Phase;
use plimsoll_live::Point;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

/// Columns left of a chart for its labels.
pub(crate) const GUTTER: u16 = 10;

const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Content of one column.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Column {
    /// The bar.
    pub bar: Option<f64>,
    /// A mark above it.
    pub mark: Option<f64>,
    /// True where a part of it counts for the result: no warm-up.
    pub counts: bool,
    /// True where I/Os failed.
    pub failed: bool,
    /// Weight of all that the bar is the mean of.
    weight: f64,
}

/// Columns for a stretch of time. `bar` is what a point's bar shows, and its weight in the mean that a column shows: seconds for a
/// rate, I/Os for their mean. `mark` is what its mark shows, of which a column shows the greatest.
pub(crate) fn columns(
    points: &[Point],
    (from_s, to_s): (f64, f64),
    many: u16,
    bar: impl Fn(&Point) -> Option<(f64, f64)>,
    mark: impl Fn(&Point) -> Option<f64>,
) -> Vec<Column> {
    let mut columns = vec![Column::default(); usize::from(many)];
    let wide_s = (to_s - from_s) / f64::from(many.max(1));
    if wide_s <= 0.0 {
        return columns;
    }
    for point in points
        .iter()
        .filter(|p| p.end_s > from_s && p.start_s < to_s)
    {
        // The columns whose middles it covers; a short point the one in which its own middle is.
        let place = |s: f64| (s - from_s) / wide_s;
        let first = (place(point.start_s) + 0.5).floor().max(0.0) as usize;
        let past = (place(point.end_s) + 0.5).floor().max(0.0) as usize;
        let middle = place((point.start_s + point.end_s) / 2.0).max(0.0) as usize;
        let covered = if first < past {
            first..past
        } else {
            middle..middle + 1
        };
        let covered = covered.start.min(columns.len())..covered.end.min(columns.len());
        for column in &mut columns[covered] {
            column.add(point, bar(point), mark(point));
        }
    }
    columns
}

impl Column {
    fn add(&mut self, point: &Point, bar: Option<(f64, f64)>, mark: Option<f64>) {
        if let Some((bar, weight)) = bar {
            let sum = self.bar.unwrap_or(0.0) * self.weight + bar * weight;
            self.weight += weight;
            self.bar = Some(if self.weight > 0.0 {
                sum / self.weight
            } else {
                bar
            });
        }
        self.mark = self.mark.into_iter().chain(mark).reduce(f64::max);
        self.counts |= point.phase == Phase::Counted;
        self.failed |= point.errors > 0;
    }
}

/// A scale from the chart's lower edge to its upper one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    pub low: f64,
    pub high: f64,
    pub is_log: bool,
}

impl Scale {
    /// From nothing to a round number above all values.
    pub(crate) fn linear(values: impl Iterator<Item = f64>) -> Self {
        let high = values.fold(0.0, f64::max);
        Scale {
            low: 0.0,
            high: round_up(if high > 0.0 { high } else { 1.0 }, MANY),
            is_log: false,
        }
    }

    /// Between round numbers around all values: times differ by orders of magnitude.
    pub(crate) fn log(values: impl Iterator<Item = f64> + Clone) -> Self {
        let above_0 = values.filter(|v| *v > 0.0);
        let high = round_up(above_0.clone().fold(0.0, f64::max).max(1e-3), FEW);
        let low = above_0.fold(high, f64::min).min(high / 4.0);
        Scale {
            // Room below, so that the least is a bar, too.
            low: round_up(low / 4.0, FEW),
            high,
            is_log: true,
        }
    }

    /// Position of a value, 0 at the lower edge and 1 at the upper.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let share = match self.is_log {
            true => (value.max(self.low) / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        share.clamp(0.0, 1.0)
    }
}

/// Steps between two powers of ten: of times, which differ by orders of magnitude, and of amounts.
const FEW: &[f64] = &[1.0, 2.0, 5.0];
const MANY: &[f64] = &[1.0, 1.2, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0];

/// The next of these steps times a power of ten.
fn round_up(value: f64, steps: &[f64]) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    // What is a hair above is rounding.
    let fits = |step: &&f64| value <= **step * power * (1.0 + 1e-9);
    steps.iter().find(fits).unwrap_or(&10.0) * power
}

/// A line across the chart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub at: f64,
    pub label: String,
}

/// A chart.
pub(crate) struct Chart<'a> {
    pub columns: &'a [Column],
    pub scale: Scale,
    pub lines: &'a [Line],
    /// Label of a value of the scale.
    pub label: &'a dyn Fn(f64) -> String,
}

impl Chart<'_> {
    /// Draws it; the first columns of the area are for labels.
    pub(crate) fn draw(&self, area: Rect, buffer: &mut Buffer) {
        if area.height == 0 || area.width <= GUTTER {
            return;
        }
        let dim = Style::new().fg(Color::DarkGray);
        let bottom = area.bottom() - 1;
        let label = |buffer: &mut Buffer, y, text: &str, style| {
            let text = crate::text::right(text, usize::from(GUTTER) - 1);
            buffer.set_string(area.x, y, text, style);
        };
        label(buffer, area.y, &(self.label)(self.scale.high), dim);
        if bottom > area.y {
            label(buffer, bottom, &(self.label)(self.scale.low), dim);
        }
        for line in self.lines {
            let y = self.row(area, line.at);
            let style = Style::new().fg(Color::Yellow);
            label(buffer, y, &line.label, style);
            for x in area.x + GUTTER..area.right() {
                buffer.set_string(x, y, "─", style);
            }
        }
        for (x, column) in (area.x + GUTTER..area.right()).zip(self.columns) {
            self.draw_column(area, x, column, buffer);
        }
    }

    fn draw_column(&self, area: Rect, x: u16, column: &Column, buffer: &mut Buffer) {
        let color = match (column.failed, column.counts) {
            (true, _) => Color::Red,
            (false, true) => Color::Cyan,
            (false, false) => Color::DarkGray,
        };
        if let Some(bar) = column.bar {
            let rows = f64::from(area.height);
            let eighths = (self.scale.place(bar) * rows * 8.0).round() as u16;
            let bottom = area.bottom() - 1;
            // Nothing done in a time that was measured is not the same as no measurement.
            if bar <= 0.0 {
                buffer.set_string(x, bottom, "_", Style::new().fg(Color::Red));
            }
            let eighths = eighths.max(u16::from(bar > 0.0));
            for row in 0..eighths.div_ceil(8) {
                let filled = (eighths - row * 8).min(8);
                let symbol = EIGHTHS[usize::from(filled)].to_string();
                buffer.set_string(x, bottom - row, symbol, Style::new().fg(color));
            }
        }
        if let Some(mark) = column.mark {
            let color = if column.counts {
                Color::Magenta
            } else {
                Color::DarkGray
            };
            buffer.set_string(x, self.row(area, mark), "○", Style::new().fg(color));
        }
    }

    /// The row of a value.
    fn row(&self, area: Rect, value: f64) -> u16 {
        let rows = f64::from(area.height);
        let above = (self.scale.place(value) * rows).ceil().max(1.0) as u16;
        area.bottom() - above.min(area.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_weighs_response_times_by_their_i_os() {
        let point = |start_s: f64, rate, mean_us| Point {
            step: 1,
            phase: Phase::Counted,
            start_s,
            end_s: start_s + 1.0,
            rate,
            bytes_per_s: 0.0,
            errors: 0,
            mean_us: Some(mean_us),
            p50_us: None,
            p99_us: None,
            max_us: None,
            depth: None,
            backlog: 0,
            cpu_busy: None,
            own_cpus: None,
        };
        let points = [point(0.0, 900.0, 100.0), point(1.0, 100.0, 1100.0)];
        let bar = |bar: &dyn Fn(&Point) -> Option<(f64, f64)>| {
            columns(&points, (0.0, 2.0), 1, bar, |_| None)[0].bar
        };
        let by_ios = bar(&|p| Some((p.mean_us?, p.rate * p.length_s())));
        assert_eq!(by_ios, Some(200.0));
        let by_time = bar(&|p| Some((p.rate, p.length_s())));
        assert_eq!(by_time, Some(500.0));
    }

    #[test]
    fn round_numbers_are_at_or_above() {
        for (value, rounded) in [
            (1.0, 1.0),
            (1.2, 2.0),
            (2.0, 2.0),
            (3.0, 5.0),
            (7.0, 10.0),
            (1234.0, 2000.0),
            (0.03, 0.05),
        ] {
            assert!(
                (round_up(value, FEW) - rounded).abs() < rounded * 1e-9,
                "{value} {}",
                round_up(value, FEW)
            );
        }
    }

    #[test]
    fn a_logarithmic_scale_has_its_middle_at_the_geometric_mean() {
        let scale = Scale {
            low: 10.0,
            high: 1000.0,
            is_log: true,
        };
        assert!((scale.place(100.0) - 0.5).abs() < 1e-9);
        assert_eq!((scale.place(1.0), scale.place(5000.0)), (0.0, 1.0));
    }
}
