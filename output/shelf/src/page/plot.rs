//! Points and lines over time, as SVG: without a script, and in the page's colours by their classes.

use super::text;
use std::fmt::Write;

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 280.0;
/// Room for the axes.
const LEFT: f64 = 76.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 26.0;

/// A chart that is being drawn.
pub(crate) struct Plot {
    x: (f64, f64),
    y: (f64, f64),
    logarithmic: bool,
    /// End of the words below the chart so far.
    words_to: f64,
    svg: String,
}

/// Width of a letter below the chart, about.
const LETTER: f64 = 7.0;

impl Plot {
    /// A chart of these ranges, with the values at the lines across it shown so.
    pub(crate) fn new(
        x: (f64, f64),
        y: (f64, f64),
        label: &str,
        show: impl Fn(f64) -> String,
    ) -> Self {
        Plot::of(x, widened(y), false, label, show)
    }

    /// The same with a logarithmic axis; `y` begins above 0.
    pub(crate) fn logarithmic(
        x: (f64, f64),
        y: (f64, f64),
        label: &str,
        show: impl Fn(f64) -> String,
    ) -> Self {
        let is_real = |v: f64| v > 0.0 && v.is_finite();
        let low = if is_real(y.0) { y.0 } else { 1.0 };
        let high = if is_real(y.1) && y.1 > low {
            y.1
        } else {
            low * 10.0
        };
        Plot::of(x, (low, high), true, label, show)
    }

    fn of(
        x: (f64, f64),
        y: (f64, f64),
        logarithmic: bool,
        label: &str,
        show: impl Fn(f64) -> String,
    ) -> Self {
        let mut plot = Plot {
            x: widened(x),
            y,
            logarithmic,
            words_to: 0.0,
            svg: format!(
                "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n",
                text(label)
            ),
        };
        let (low, high) = plot.y;
        let values = match logarithmic {
            true => decades(low, high),
            false => ticks(low, high),
        };
        for value in values {
            let y = plot.at_y(value);
            let _ = writeln!(
                plot.svg,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text class=\"of-y\" x=\"{}\" y=\"{:.1}\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 8.0,
                y + 4.0,
                text(&show(value))
            );
        }
        plot
    }

    /// Words below the chart at a place, from left to right; those that would be written over others are left out.
    pub(crate) fn below(&mut self, x: f64, words: &str) {
        let x = self.at_x(x);
        let width = words.chars().count() as f64 * LETTER;
        let (anchor, from) = match x {
            x if x < LEFT + width / 2.0 => ("start", x),
            x if x > WIDTH - RIGHT - width / 2.0 => ("end", x - width),
            _ => ("middle", x - width / 2.0),
        };
        if from < self.words_to {
            return;
        }
        self.words_to = from + width + 2.0 * LETTER;
        let _ = writeln!(
            self.svg,
            "<text class=\"of-x\" text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{}\">{}</text>",
            HEIGHT - 6.0,
            text(words)
        );
    }

    /// A line through points; it is broken where one is missing.
    pub(crate) fn line(
        &mut self,
        class: &str,
        points: impl IntoIterator<Item = (f64, Option<f64>)>,
    ) {
        let mut path = String::new();
        let mut pen = 'M';
        for (x, y) in points {
            let Some(y) = y else {
                pen = 'M';
                continue;
            };
            let _ = write!(path, "{pen}{:.1} {:.1}", self.at_x(x), self.at_y(y));
            pen = 'L';
        }
        let _ = writeln!(self.svg, "<path class=\"{class}\" d=\"{path}\"/>");
    }

    /// A line from the bottom to the top.
    pub(crate) fn mark(&mut self, class: &str, x: f64, words: &str) {
        let x = self.at_x(x);
        let _ = writeln!(
            self.svg,
            "<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{}\"><title>{}</title></line>",
            HEIGHT - BOTTOM,
            text(words)
        );
    }

    /// A line from left to right, with its words at the right.
    pub(crate) fn across(&mut self, class: &str, y: f64, words: &str) {
        if y > self.y.1 {
            return;
        }
        let y = self.at_y(y);
        let end = WIDTH - RIGHT;
        let _ = writeln!(
            self.svg,
            "<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{end}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text class=\"of-x\" text-anchor=\"end\" x=\"{end}\" y=\"{:.1}\">{}</text>",
            y - 5.0,
            text(words)
        );
    }

    /// A point that leads to a place, with its interval.
    pub(crate) fn point(&mut self, (x, y): (f64, f64), half: Option<f64>, link: &str, words: &str) {
        let at = self.at_x(x);
        if let Some(half) = half {
            let (low, high) = (self.at_y(y - half), self.at_y(y + half));
            let _ = writeln!(
                self.svg,
                "<line class=\"interval\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{low:.1}\" y2=\"{high:.1}\"/>"
            );
        }
        let _ = writeln!(
            self.svg,
            "<a href=\"{}\"><circle class=\"point\" cx=\"{at:.1}\" cy=\"{:.1}\" r=\"4\"><title>{}</title></circle></a>",
            text(link),
            self.at_y(y),
            text(words)
        );
    }

    /// The chart; it is wider than a narrow window, and moves in it.
    pub(crate) fn finish(self) -> String {
        format!("<div class=\"wide latest\">{}</svg></div>\n", self.svg)
    }

    fn at_x(&self, x: f64) -> f64 {
        LEFT + (x - self.x.0) / (self.x.1 - self.x.0) * (WIDTH - LEFT - RIGHT)
    }

    fn at_y(&self, y: f64) -> f64 {
        let scale = |y: f64| if self.logarithmic { y.ln() } else { y };
        let (low, high) = self.y;
        let y = scale(y.clamp(low, high));
        let (low, high) = (scale(low), scale(high));
        HEIGHT - BOTTOM - (y - low) / (high - low) * (HEIGHT - TOP - BOTTOM)
    }
}

/// A range that is not empty.
fn widened((low, high): (f64, f64)) -> (f64, f64) {
    match high > low && (high - low).is_finite() {
        true => (low, high),
        false if low.is_finite() => (low - 0.5, low + 0.5),
        false => (0.0, 1.0),
    }
}

/// Values of a logarithmic axis between two: 1, 2 and 5 of each decade, or only 1 of many; where that leaves less than two, round ones.
fn decades(low: f64, high: f64) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let parts: &[f64] = if last - first > 3 {
        &[1.0]
    } else {
        &[1.0, 2.0, 5.0]
    };
    let all = (first..=last)
        .take(40)
        .flat_map(|decade| parts.iter().map(move |p| p * 10f64.powi(decade)));
    let within: Vec<f64> = all.filter(|value| (low..=high).contains(value)).collect();
    match within.len() {
        0 | 1 => ticks(low, high),
        _ => within,
    }
}

/// Round values between two, four to ten of them.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let unit = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0]
        .map(|f| f * unit)
        .into_iter()
        .find(|s| *s >= rough);
    let step = step.unwrap_or(10.0 * unit);
    let first = (low / step).ceil() as i64;
    let all = (first..first.saturating_add(12)).map(|n| n as f64 * step);
    all.take_while(|value| *value <= high).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(0.0, 10.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(
            ticks(17_900.0, 20_300.0),
            [18_000.0, 18_500.0, 19_000.0, 19_500.0, 20_000.0]
        );
        for (low, high) in [(0.0, 1e-9), (-3.0, 1e15), (99.0, 100.0)] {
            assert!(
                (2..=12).contains(&ticks(low, high).len()),
                "{low} to {high}"
            );
        }
    }

    #[test]
    fn a_logarithmic_axis_has_its_decades_and_equal_factors_are_equally_far_apart() {
        assert_eq!(decades(30.0, 700.0), [50.0, 100.0, 200.0, 500.0]);
        assert_eq!(decades(0.5, 90_000.0), [1.0, 10.0, 100.0, 1000.0, 10_000.0]);
        assert_eq!(decades(110.0, 190.0), [120.0, 140.0, 160.0, 180.0]);
        let plot = Plot::logarithmic((0.0, 1.0), (1.0, 100.0), "", |v| v.to_string());
        let middle = (plot.at_y(1.0) + plot.at_y(100.0)) / 2.0;
        assert!((plot.at_y(10.0) - middle).abs() < 1e-9);
        for nothing in [(0.0, 0.0), (f64::INFINITY, 0.0)] {
            let empty = Plot::logarithmic((0.0, 1.0), nothing, "", |v| v.to_string());
            assert!(!empty.finish().contains("NaN"));
        }
    }

    #[test]
    fn words_below_are_not_written_over_each_other() {
        let mut plot = Plot::new((0.0, 100.0), (0.0, 1.0), "", |v| v.to_string());
        (0..=100).for_each(|x| plot.below(f64::from(x), "2026-11-27"));
        let shown = plot.finish().matches("2026-11-27").count();
        assert!((5..=12).contains(&shown), "{shown}");
    }

    #[test]
    fn a_chart_of_one_point_and_of_no_number_is_drawn_all_the_same() {
        for range in [(5.0, 5.0), (f64::NAN, f64::NAN), (0.0, f64::INFINITY)] {
            let mut plot = Plot::new(range, range, "<x>", |v| v.to_string());
            plot.point((5.0, 5.0), Some(1.0), "/record/1", "<script>");
            let svg = plot.finish();
            assert!(!svg.contains("<script") && !svg.contains("NaN"), "{svg}");
        }
    }
}
