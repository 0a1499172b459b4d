//! The first lines: which run, how far it is, what it does just now.

use crate::text::{cut, foreign, left, right, width};
use crate::{View, charts};
use plimsoll_evidence::Phase;
use plimsoll_live::{Live, State};
use plimsoll_printable::Printable;
use plimsoll_report::human;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

/// Lines that it takes.
pub(crate) const LINES: u16 = 5;

/// Draws it.
pub(crate) fn draw(area: Rect, buffer: &mut Buffer, live: &Live, view: &View) {
    let columns = usize::from(area.width);
    let mut line = |at: u16, text: &str, style: Style| {
        if at < area.height {
            buffer.set_string(area.x, area.y + at, left(text, columns), style);
        }
    };
    let (state, color) = state(live, view);
    let state = cut(&state, columns * 3 / 4);
    let which = which(live, columns.saturating_sub(width(&state) + 2));
    let bold = Style::new().add_modifier(Modifier::BOLD);
    line(0, &which, bold);
    line(1, &progress(live, columns), Style::new());
    line(2, &step(live, columns), Style::new());
    let [rate, depth] = charts::newest(live);
    line(3, &rate, bold);
    line(4, &depth, Style::new());
    let from = columns.saturating_sub(width(&state));
    buffer.set_string(area.x + from as u16, area.y, state, bold.fg(color));
}

/// The method, the title and the targets.
fn which(live: &Live, columns: usize) -> String {
    let title = live.title.iter().map(|t| format!(" {}", Printable(t)));
    let title: String = title.collect();
    let targets = match live.locations.len() {
        many @ 4.. => format!("{many} targets"),
        _ => live.locations.join(", "),
    };
    let hosts = match live.hosts.len() {
        many @ 2.. => format!(" from {many} hosts"),
        _ => String::new(),
    };
    cut(
        &format!(
            "{}{title} on {}{hosts}",
            live.method,
            foreign(&targets, columns)
        ),
        columns,
    )
}

fn state(live: &Live, view: &View) -> (String, Color) {
    if let Some(trouble) = &view.trouble {
        return (
            format!("cannot be read: {}", Printable(trouble)),
            Color::Red,
        );
    }
    match &live.state {
        State::Running if view.silent_s >= 5.0 => {
            let silent = human::duration(view.silent_s.floor());
            (format!("running, nothing new for {silent}"), Color::Yellow)
        }
        State::Running => ("running".into(), Color::Green),
        State::Killed => ("killed; plimsoll resume goes on".into(), Color::Red),
        State::Completed => ("completed".into(), Color::Green),
        State::Interrupted => ("interrupted".into(), Color::Yellow),
        State::Failed { why } => (format!("failed: {}", Printable(why)), Color::Red),
    }
}

/// A bar, the share that is done, and the time that is left.
fn progress(live: &Live, columns: usize) -> String {
    let progress = &live.progress;
    let gone = human::duration(progress.elapsed_s.round());
    let simulated = if live.simulated { " simulated" } else { "" };
    let (Some(done), Some(left_s)) = (progress.done, progress.left_s) else {
        return format!("{gone}{simulated}");
    };
    let goes_on = live.state == State::Running;
    let rest = match goes_on {
        true => format!(", at most {} left", human::duration(left_s.ceil())),
        false => String::new(),
    };
    let words = format!(
        " {} in {gone}{simulated}{rest}",
        right(&human::percent(done), 4)
    );
    let room = columns.saturating_sub(width(&words)).min(60);
    let filled = (done.clamp(0.0, 1.0) * room as f64).round() as usize;
    "█".repeat(filled) + &"░".repeat(room - filled) + &words
}

/// The step that is under way.
fn step(live: &Live, columns: usize) -> String {
    let Some(current) = &live.current else {
        return String::new();
    };
    let of = live
        .progress
        .steps
        .map_or_else(String::new, |n| format!(" of {n}"));
    let into = human::duration(current.into_s.round());
    let phase = match (current.fill, current.phase) {
        (true, _) => format!("filling for {into}"),
        (false, None) => "beginning".into(),
        (false, Some(Phase::WarmUp)) if current.length_s == 0.0 => format!("warm-up, {into}"),
        (false, Some(Phase::WarmUp)) => {
            format!("warm-up, {into} of {}", human::duration(current.length_s))
        }
        (false, Some(_)) if current.length_s == 0.0 => into,
        (false, Some(_)) => format!("{into} of {}", human::duration(current.length_s)),
    };
    let is_over = live
        .steps
        .last()
        .is_some_and(|s| s.number == current.number);
    let phase = if is_over { "done".to_owned() } else { phase };
    let load = match current.load.is_empty() {
        true => String::new(),
        false => format!(", {}", current.load),
    };
    let words = format!("   {phase}");
    let name = format!(
        "step {}{of}: {}{load}",
        current.number,
        Printable(&current.name)
    );
    cut(&name, columns.saturating_sub(width(&words))) + &words
}
