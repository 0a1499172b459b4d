//! Lines and points between 0 and 100 %, as a picture.

use crate::html::comparison::element::text;
use crate::redact::Relative;
use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 180.0;
const LEFT: f64 = 46.0;
const BELOW: f64 = 26.0;

/// A point, percent to the right and upwards.
type Point = (f64, f64);

/// Line to draw.
pub(super) struct Line {
    /// Points of the line.
    pub points: Vec<Point>,
    /// True where the points are joined.
    pub joined: bool,
    /// Drawn in the second colour: another quantity, or points that are no measurement.
    pub second: bool,
}

impl Line {
    pub fn joined(points: Vec<Point>) -> Self {
        Line {
            points,
            joined: true,
            second: false,
        }
    }

    pub fn loose(points: Vec<Point>, second: bool) -> Self {
        Line {
            points,
            joined: false,
            second,
        }
    }

    pub fn in_second_colour(self) -> Self {
        Line {
            second: true,
            ..self
        }
    }
}

/// A percent for a coordinate.
pub(super) fn at(relative: Relative) -> f64 {
    relative.percent()
}

/// The picture, with what its axes are of.
pub(super) fn shape(x: &str, y: &str, lines: &[Line]) -> String {
    let top = lines.iter().flat_map(|l| &l.points).map(|p| p.1);
    let top = top.fold(100.0, f64::max);
    let place = |(px, py): Point| {
        let across = LEFT + px.clamp(0.0, 100.0) / 100.0 * (WIDTH - LEFT);
        (across, HEIGHT - py.clamp(0.0, top) / top * (HEIGHT - 8.0))
    };
    let mut svg = format!(
        "<svg class=\"shape\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{} against {}\">",
        HEIGHT + BELOW,
        text(y),
        text(x)
    );
    for percent in [0.0, 50.0, 100.0] {
        let (left, level) = place((0.0, percent));
        let (across, floor) = place((percent, 0.0));
        let _ = write!(
            svg,
            "<line x1=\"{left:.1}\" y1=\"{level:.1}\" x2=\"{WIDTH}\" y2=\"{level:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{percent} %</text>\
             <text x=\"{across:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{percent} %</text>",
            left - 5.0,
            level + 4.0,
            floor + 15.0
        );
    }
    for line in lines {
        svg += &drawn(line, &place);
    }
    let _ = write!(
        svg,
        "</svg>\n<p class=\"basis\">{} to the right, {} upwards</p>\n",
        text(x),
        text(y)
    );
    svg
}

fn drawn(line: &Line, place: &impl Fn(Point) -> Point) -> String {
    let class = if line.second { "second" } else { "" };
    let points: Vec<Point> = line.points.iter().map(|p| place(*p)).collect();
    if line.joined {
        let all: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        return format!("<polyline class=\"{class}\" points=\"{}\"/>", all.join(" "));
    }
    let one =
        |(x, y): &Point| format!("<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>");
    points.iter().map(one).collect()
}
