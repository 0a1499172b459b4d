//! The charts: rate and response time over the time of the run.

use crate::bars::{Chart, Column, GUTTER, Line, Scale, columns};
use crate::text::{cut, left, width};
use crate::{View, figures};
use plimsoll_evidence::Phase;
use plimsoll_live::{Limit, Live};
use plimsoll_report::human;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

/// Draws the rate over time.
pub(crate) fn rate(area: Rect, buffer: &mut Buffer, live: &Live, view: &View) {
    let span = view.span(live);
    let columns = columns(
        &live.history.points,
        span,
        room(area),
        // What is only waited for has no rate.
        |p| (p.phase != Phase::Drain).then_some((p.rate, p.length_s())),
        |_| None,
    );
    let scale = Scale::linear(columns.iter().filter_map(|c| c.bar));
    let label = |value: f64| format!("{}/s", human::rate(value));
    title(area, buffer, "Rate", "_ nothing done");
    chart(
        area,
        buffer,
        span,
        &Chart {
            columns: &columns,
            scale,
            lines: &[],
            label: &label,
        },
    );
}

/// Draws the response time over time: its mean, the worst 99th percentile, and the limits.
pub(crate) fn response(area: Rect, buffer: &mut Buffer, live: &Live, view: &View) {
    let span = view.span(live);
    let columns = columns(
        &live.history.points,
        span,
        room(area),
        |p| Some((p.mean_us?, p.rate * p.length_s())),
        |p| p.p99_us,
    );
    let limits = limits(live);
    let values = |c: &Column| [c.bar, c.mark].into_iter().flatten();
    let asked = limits.iter().map(|l| l.us);
    let scale = Scale::log(columns.iter().flat_map(values).chain(asked));
    let line = |limit: &&Limit| Line {
        at: limit.us,
        label: format!("{}={}", limit.statistic, short_time(limit.us)),
    };
    let lines: Vec<Line> = limits.iter().map(line).collect();
    let limited = if lines.is_empty() { "" } else { ", ─ limit" };
    title(
        area,
        buffer,
        "Response time",
        &format!("█ mean, ○ p99{limited}; logarithmic"),
    );
    chart(
        area,
        buffer,
        span,
        &Chart {
            columns: &columns,
            scale,
            lines: &lines,
            label: &short_time,
        },
    );
}

/// The limits to draw: those that were asked for, else the lowest of the common ones that is kept.
fn limits(live: &Live) -> Vec<&Limit> {
    let all = live.current.iter().flat_map(|c| &c.limits);
    let (asked, common): (Vec<&Limit>, Vec<&Limit>) = all.partition(|l| l.asked);
    if !asked.is_empty() {
        return asked;
    }
    let newest = live.now.as_ref().and_then(|n| n.p99_us);
    let kept = common
        .into_iter()
        .filter(|l| newest.is_some_and(|p99| p99 <= l.us));
    kept.min_by(|a, b| a.us.total_cmp(&b.us))
        .into_iter()
        .collect()
}

/// A time without the digits that a round number doesn't need.
fn short_time(us: f64) -> String {
    human::time_in_text(us * 1e3)
        .replace('\u{a0}', "")
        .replace('µ', "u")
}

fn room(area: Rect) -> u16 {
    area.width.saturating_sub(GUTTER)
}

fn title(area: Rect, buffer: &mut Buffer, name: &str, legend: &str) {
    if area.height == 0 {
        return;
    }
    let bold = Style::new().add_modifier(Modifier::BOLD);
    buffer.set_stringn(area.x, area.y, name, usize::from(area.width), bold);
    let from = width(name) + 2;
    let rest = usize::from(area.width).saturating_sub(from);
    let legend = cut(legend, rest);
    buffer.set_string(
        area.x + from as u16,
        area.y,
        legend,
        Style::new().fg(Color::DarkGray),
    );
}

/// Draws a chart between its title and the axis of time.
fn chart(area: Rect, buffer: &mut Buffer, (from_s, to_s): (f64, f64), chart: &Chart) {
    if area.height < 3 {
        return;
    }
    let plot = Rect {
        y: area.y + 1,
        height: area.height - 2,
        ..area
    };
    chart.draw(plot, buffer);
    let many = usize::from(room(area));
    let (start, end) = (
        human::duration(from_s.round()),
        human::duration(to_s.round()),
    );
    let axis = left(&start, many.saturating_sub(width(&end))) + &end;
    let dim = Style::new().fg(Color::DarkGray);
    buffer.set_string(area.x + GUTTER, area.bottom() - 1, axis, dim);
}

/// A line of small bars for the last rates; blank where nothing was told.
pub(crate) fn small(recent: &[Option<f64>], columns: usize) -> String {
    let most = recent.iter().flatten().copied().fold(0.0, f64::max);
    let bar = |rate: &Option<f64>| match rate {
        None => ' ',
        Some(rate) if *rate <= 0.0 => '_',
        Some(rate) => ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
            [((rate / most * 8.0).ceil() as usize).clamp(1, 8) - 1],
    };
    let from = recent.len().saturating_sub(columns);
    recent[from..].iter().map(bar).collect()
}

/// Figures of the newest interval, in two lines.
pub(crate) fn newest(live: &Live) -> [String; 2] {
    let Some(now) = &live.now else {
        let word = if live.current.is_some() {
            "no interval yet"
        } else {
            "no step yet"
        };
        return [word.to_owned(), String::new()];
    };
    let own = now.own_cpus.map_or_else(String::new, |cpus| {
        format!(", of it Plimsoll {cpus:.2} CPUs")
    });
    let backlog = match now.backlog {
        0 => String::new(),
        waiting => format!("   {} I/Os due and waiting", human::count(waiting)),
    };
    [
        format!(
            "{}/s  {}  response mean {}  p50 {}  p99 {}  max {}",
            human::rate(now.rate),
            figures::bandwidth(Some(now.bytes_per_s)),
            figures::time(now.mean_us),
            figures::time(now.p50_us),
            figures::time(now.p99_us),
            figures::time(now.max_us)
        ),
        format!(
            "depth {}   CPU {}{own}   {} errors{backlog}",
            figures::depth(now.depth),
            figures::share(now.cpu_busy),
            human::count(live.history.errors)
        ),
    ]
}
