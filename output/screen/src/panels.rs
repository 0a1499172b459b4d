//! The panels below the charts: answer, steps, parts, findings.

use crate::text::{foreign, left, right};
use crate::view::{Panel, panels};
use crate::{View, charts, figures};
use plimsoll_evidence::Severity;
use plimsoll_live::{Live, Part, StepResult};
use plimsoll_printable::line_of;
use plimsoll_report::human;
use plimsoll_report::terminal::wrap;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

/// A line and how it looks.
type Shown = (String, Style);

/// Draws a panel with its name.
pub(crate) fn draw(area: Rect, buffer: &mut Buffer, live: &Live, view: &View, panel: Panel) {
    if area.height == 0 {
        return;
    }
    let columns = usize::from(area.width);
    let bold = Style::new().add_modifier(Modifier::BOLD);
    buffer.set_stringn(area.x, area.y, name(panel, live), columns, bold);
    body(area, buffer, live, view, panel);
}

/// Draws a panel under the names of all of them.
pub(crate) fn draw_one(area: Rect, buffer: &mut Buffer, live: &Live, view: &View) {
    if area.height == 0 {
        return;
    }
    let shown = view.shown(live);
    let mut x = area.x;
    for panel in panels(live) {
        let style = match panel == shown {
            true => Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            false => Style::new().fg(Color::DarkGray),
        };
        let room = usize::from(area.right().saturating_sub(x));
        let (after, _) = buffer.set_stringn(x, area.y, name(panel, live), room, style);
        x = (after + 2).min(area.right());
    }
    body(area, buffer, live, view, shown);
}

fn name(panel: Panel, live: &Live) -> String {
    match panel {
        Panel::Answer => "Answer".into(),
        Panel::Steps => format!("Steps done ({})", live.steps.len()),
        Panel::Parts if live.parts_of_hosts.is_empty() => "Targets and streams".into(),
        Panel::Parts => "Targets, streams, hosts".into(),
        Panel::Findings => format!("Findings so far ({})", live.doubts.len()),
    }
}

fn body(area: Rect, buffer: &mut Buffer, live: &Live, view: &View, panel: Panel) {
    let columns = usize::from(area.width);
    let rows = usize::from(area.height) - 1;
    let (head, lines) = match panel {
        Panel::Answer => (None, answer(live, columns)),
        Panel::Steps => (Some(step_head(columns)), steps(live, columns)),
        Panel::Parts => (Some(part_head(columns)), parts(live, columns)),
        Panel::Findings => (None, findings(live, columns)),
    };
    let room = rows.saturating_sub(usize::from(head.is_some()));
    // Of steps the newest are shown, of all else the first.
    let last = lines.len().saturating_sub(room);
    let scrolled = if panel == view.shown(live) {
        view.offset
    } else {
        0
    };
    let offset = scrolled.min(last);
    let from = if panel == Panel::Steps {
        last - offset
    } else {
        offset
    };
    let head = head.map(|text| (text, Style::new().fg(Color::DarkGray)));
    let shown = head
        .into_iter()
        .chain(lines.into_iter().skip(from).take(room));
    for (y, (text, style)) in (area.y + 1..area.bottom()).zip(shown) {
        buffer.set_stringn(area.x, y, text, columns, style);
    }
}

fn answer(live: &Live, columns: usize) -> Vec<Shown> {
    let Some(answer) = &live.answer else {
        return Vec::new();
    };
    let lines = [
        ("answer", Some(&answer.answer)),
        ("limit", answer.limit.as_ref()),
        ("trust", Some(&answer.trust)),
        ("next", answer.next.as_ref()),
    ];
    let said = lines
        .into_iter()
        .filter_map(|(label, text)| Some((label, text?)));
    let wrapped = said.flat_map(|(label, text)| {
        let text = wrap(&line_of(text), columns, 8);
        let lines = format!("{}{text}", left(label, 8));
        lines
            .lines()
            .map(|l| (l.to_owned(), Style::new()))
            .collect::<Vec<_>>()
    });
    wrapped.collect()
}

/// Columns of a name, which is as wide as there is room beside the figures.
fn name_columns(columns: usize, figures: usize) -> usize {
    columns.saturating_sub(figures).clamp(8, 40)
}

/// True where a table has room for all its columns; else it leaves one out.
fn is_wide(columns: usize) -> bool {
    columns >= 68
}

fn step_name(columns: usize) -> usize {
    name_columns(columns, if is_wide(columns) { 59 } else { 48 })
}

fn step_head(columns: usize) -> String {
    let name = left("step", step_name(columns));
    let offered = if is_wide(columns) { "  offered/s" } else { "" };
    format!(
        "{name}{offered} {:>10} {:>8} {:>8} {:>8}",
        "rate/s", "mean", "p99", "depth"
    )
}

fn steps(live: &Live, columns: usize) -> Vec<Shown> {
    let name = step_name(columns);
    let line = |step: &StepResult| {
        let (word, color) = match step {
            s if s.set_aside => ("set aside", Color::Yellow),
            s if s.errors > 0 => ("errors", Color::Red),
            s if s.fill => ("fill", Color::DarkGray),
            s if s.saturated => ("too much", Color::Yellow),
            _ => ("", Color::Reset),
        };
        let offered = match is_wide(columns) {
            true => right(&figures::rate(step.offered), 11),
            false => String::new(),
        };
        let text = format!(
            "{}{offered} {} {} {} {} {word}",
            left(&foreign(&step.name, name), name),
            right(&human::rate(step.rate), 10),
            right(&figures::time(step.mean_us), 8),
            right(&figures::time(step.p99_us), 8),
            right(&figures::depth(Some(step.depth)), 8),
        );
        (text, Style::new().fg(color))
    };
    live.steps.iter().map(line).collect()
}

fn part_name(columns: usize) -> usize {
    name_columns(columns, if is_wide(columns) { 58 } else { 44 })
}

fn part_head(columns: usize) -> String {
    let name = left("part", part_name(columns));
    let bytes = if is_wide(columns) {
        "      bytes/s"
    } else {
        ""
    };
    format!(
        "{name} {:>10}{bytes} {:>8} {:>8}  last minute",
        "rate/s", "mean", "max"
    )
}

fn parts(live: &Live, columns: usize) -> Vec<Shown> {
    let name = part_name(columns);
    let figures = if is_wide(columns) { 44 } else { 31 };
    let small = columns.saturating_sub(name + figures).min(60);
    let line = |part: &Part| {
        let failed = match part.errors {
            0 => Style::new(),
            _ => Style::new().fg(Color::Red),
        };
        let bytes = match is_wide(columns) {
            true => right(&figures::bandwidth(part.bytes_per_s), 13),
            false => String::new(),
        };
        let text = format!(
            "{} {}{bytes} {} {}  {}",
            left(&foreign(&part.name, name), name),
            right(&figures::rate(part.rate), 10),
            right(&figures::time(part.mean_us), 8),
            right(&figures::time(part.max_us), 8),
            charts::small(&part.recent, small)
        );
        (text, failed)
    };
    // Where each target has one stream, the two say the same.
    let streams = match live.streams.len() == live.targets.len() {
        true => &[][..],
        false => &live.streams,
    };
    let all = live
        .parts_of_hosts
        .iter()
        .chain(&live.targets)
        .chain(streams);
    all.map(line).collect()
}

fn findings(live: &Live, columns: usize) -> Vec<Shown> {
    if live.doubts.is_empty() {
        let none = "none so far; most rules judge a run when it has ended";
        return vec![(none.into(), Style::new().fg(Color::DarkGray))];
    }
    let lines = live.doubts.iter().flat_map(|doubt| {
        let (word, color) = match doubt.severity {
            Severity::Invalid => ("invalid", Color::Red),
            Severity::Suspect => ("suspect", Color::Yellow),
            Severity::Note => ("note", Color::Reset),
        };
        let many = match doubt.count {
            1 => String::new(),
            many => format!(" ({} times)", human::count(u64::from(many))),
        };
        let text = format!(
            "{}{many} [{}]",
            line_of(&doubt.message),
            line_of(&doubt.rule)
        );
        let text = format!("{}{}", left(word, 8), wrap(&text, columns, 8));
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines
            .into_iter()
            .map(move |line| (line, Style::new().fg(color)))
    });
    lines.collect()
}
