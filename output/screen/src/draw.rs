//! A whole screen.

use crate::view::Panel;
use crate::{View, charts, header, panels, text};
use plimsoll_live::{Live, State};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

/// From so many columns on there is room for two panels side by side, and from so many rows on for one below them.
const WIDE: u16 = 110;
const HIGH: u16 = 34;

/// Draws all that is known of a run.
pub fn draw(area: Rect, buffer: &mut Buffer, live: &Live, view: &View) {
    if area.width < 40 || area.height < 10 {
        buffer.set_stringn(
            area.x,
            area.y,
            "the terminal is too small",
            usize::from(area.width),
            Style::new(),
        );
        return;
    }
    let mut above = area.y;
    let mut take = |rows: u16| {
        // The last row is the footer's.
        let rows = rows.min(area.bottom() - 1 - above);
        let part = Rect {
            y: above,
            height: rows,
            ..area
        };
        above += rows;
        part
    };
    header::draw(take(header::LINES), buffer, live, view);
    let rest = area.height.saturating_sub(header::LINES + 1);
    let chart = (rest / 3).clamp(3, 12).min(rest / 2);
    charts::rate(take(chart), buffer, live, view);
    charts::response(take(chart), buffer, live, view);
    let below = take(rest.saturating_sub(2 * chart));
    if area.width >= WIDE && area.height >= HIGH {
        all_panels(below, buffer, live, view);
    } else {
        panels::draw_one(below, buffer, live, view);
    }
    footer(area, buffer, live);
    dress(area, buffer, view);
}

/// Steps and parts side by side, and below them findings, or the answer.
fn all_panels(area: Rect, buffer: &mut Buffer, live: &Live, view: &View) {
    let upper = area.height / 2;
    let half = area.width / 2;
    let top = Rect {
        height: upper,
        ..area
    };
    let left = Rect {
        width: half - 1,
        ..top
    };
    let right = Rect {
        x: area.x + half + 1,
        width: area.width - half - 1,
        ..top
    };
    let below = Rect {
        y: area.y + upper,
        height: area.height - upper,
        ..area
    };
    panels::draw(left, buffer, live, view, Panel::Steps);
    panels::draw(right, buffer, live, view, Panel::Parts);
    let last = match (&live.answer, view.panel) {
        (Some(_), None | Some(Panel::Answer)) => Panel::Answer,
        _ => Panel::Findings,
    };
    panels::draw(below, buffer, live, view, last);
}

fn footer(area: Rect, buffer: &mut Buffer, live: &Live) {
    let leave = match live.state {
        State::Running => "q leave; the run goes on",
        _ => "q leave",
    };
    let keys = format!("{leave}   Tab panel   + - time   ↑ ↓ scroll");
    let dim = Style::new().fg(Color::DarkGray);
    buffer.set_string(
        area.x,
        area.bottom() - 1,
        text::cut(&keys, usize::from(area.width)),
        dim,
    );
}

/// Takes away the colours and the characters that the terminal has not.
fn dress(area: Rect, buffer: &mut Buffer, view: &View) {
    if view.style.color && view.style.unicode {
        return;
    }
    for position in area.positions() {
        let Some(cell) = buffer.cell_mut(position) else {
            continue;
        };
        if !view.style.color {
            cell.set_fg(Color::Reset);
        }
        if !view.style.unicode && !cell.symbol().is_ascii() {
            let shown = view.style.characters(cell.symbol().to_owned());
            cell.set_symbol(&shown);
        }
    }
}
