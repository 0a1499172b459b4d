//! Text in cells: cut and padded to columns of a terminal, and fit to be shown.

use plimsoll_printable::Printable;
use ratatui::text::Span;

/// Columns of a text.
pub(crate) fn width(text: &str) -> usize {
    Span::raw(text).width()
}

/// Foreign text that gives a terminal no orders, in at most so many columns.
pub(crate) fn foreign(text: &str, columns: usize) -> String {
    // What is cut off anyway need not be made fit.
    let beginning: String = text.chars().take(columns + 1).collect();
    cut(&Printable(&beginning).to_string(), columns)
}

/// The text in at most so many columns.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut used = 0;
    for c in text.chars() {
        let wide = width(c.encode_utf8(&mut [0; 4]));
        if used + wide + 1 > columns {
            break;
        }
        used += wide;
        short.push(c);
    }
    if columns > 0 {
        short.push('…');
    }
    short
}

/// Padded on the right.
pub(crate) fn left(text: &str, columns: usize) -> String {
    let text = cut(text, columns);
    let pad = columns.saturating_sub(width(&text));
    text + &" ".repeat(pad)
}

/// Padded on the left.
pub(crate) fn right(text: &str, columns: usize) -> String {
    let text = cut(text, columns);
    " ".repeat(columns.saturating_sub(width(&text))) + &text
}
