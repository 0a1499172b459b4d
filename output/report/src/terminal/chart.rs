//! The curve as a small chart of characters: response against achieved rate.

use super::frame;
use super::style::Style;
use crate::human;
use plimsoll_evidence::CurvePoint;

const ROWS: usize = 10;
const LABEL: usize = 8;
const BAR: usize = 2;
const EIGHTHS: [char; 8] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇'];

/// Bars at each point's achieved rate, to scale from 0: full blocks up to the mean response, shaded to p99. A saturated
/// point is a cross on the axis, the knee a triangle below it. The closed loop at the maximum is in no latency curve: a
/// diamond at its mean response, in the top row where that lies above the scale. Empty where no point has a latency.
pub(super) fn chart(points: &[CurvePoint], knee: Option<f64>, style: &Style) -> String {
    let top_ns = points
        .iter()
        .filter(|p| !p.saturated && p.percent.is_some())
        .map(height_ns)
        .fold(0.0, f64::max);
    let top_rate = points.iter().map(|p| p.achieved.mean).fold(0.0, f64::max);
    let columns = frame::columns(style.width, LABEL);
    if top_ns <= 0.0 || top_rate <= 0.0 || columns < frame::LEAST_COLUMNS {
        return String::new();
    }
    let column =
        |rate: f64| ((rate / top_rate).clamp(0.0, 1.0) * (columns - BAR) as f64).round() as usize;
    let mut grid = vec![vec![' '; columns]; ROWS];
    let mut closed = None;
    for point in points {
        let left = column(point.achieved.mean);
        if point.saturated {
            grid[0][left] = '×';
            continue;
        }
        let scale = |ns: f64| (ns / top_ns * (ROWS * 8) as f64).round() as usize;
        if point.percent.is_none() {
            closed = Some((scale(point.response_mean_ns.mean) / 8, left));
            continue;
        }
        let (mean, p99) = (
            scale(point.response_mean_ns.mean).max(1),
            scale(height_ns(point)),
        );
        for (row, cells) in grid.iter_mut().enumerate() {
            cells[left..left + BAR].fill(bar_cell(row, mean, p99));
        }
    }
    // Last, so that no bar hides it.
    if let Some((row, left)) = closed {
        grid[row.min(ROWS - 1)][left] = '◇';
    }
    let label = |row| match row {
        r if r == ROWS - 1 => human::time(top_ns),
        r if r == ROWS / 2 => human::time(top_ns * (r as f64 + 0.5) / ROWS as f64),
        _ => String::new(),
    };
    let mut out = frame::framed(&grid, LABEL, label, "0");
    let (middle, right) = (
        human::rate(top_rate / 2.0),
        format!("{}/s", human::rate(top_rate)),
    );
    out.push_str(&frame::scale(columns, LABEL, ["0", &middle, &right]));
    if let Some(knee) = knee {
        out.push_str(&frame::pointer(column(knee), LABEL, "knee"));
    }
    let crossed = if points.iter().any(|p| p.saturated) {
        ", × saturated"
    } else {
        ""
    };
    let diamond = closed.map_or("", |_| ", ◇ closed loop's mean");
    let caption = format!("response against achieved rate: █ mean, ░ to p99{crossed}{diamond}");
    out.push_str(&" ".repeat(LABEL + 2));
    out.push_str(&style.sentence(LABEL + 2, &caption));
    out.push('\n');
    out
}

/// The largest latency that the chart shows of a point.
fn height_ns(point: &CurvePoint) -> f64 {
    let p99 = point.response_p99_ns.unwrap_or(0) as f64;
    p99.max(point.response_mean_ns.mean)
}

/// Character of a bar in a row, with mean and p99 in eighths of a row.
fn bar_cell(row: usize, mean: usize, p99: usize) -> char {
    let low = row * 8;
    if mean >= low + 8 {
        '█'
    } else if mean > low {
        EIGHTHS[mean - low]
    } else if p99 >= low + 4 {
        '░'
    } else {
        ' '
    }
}
