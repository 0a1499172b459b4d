//! How standard output is dressed.

use plimsoll_report::terminal::Style;
use std::io::IsTerminal;

/// Columns where nothing says how many there are.
const DEFAULT_WIDTH: usize = 120;

/// The style for standard output.
pub fn style() -> Style {
    let terminal = std::io::stdout().is_terminal();
    Style::detect(terminal, width(terminal), |name| std::env::var(name).ok())
}

/// Columns of standard output.
pub fn columns() -> usize {
    width(std::io::stdout().is_terminal())
}

/// Columns of standard error, where that is a terminal.
pub fn error_columns() -> Option<usize> {
    let stream = std::io::stderr();
    if !stream.is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(&stream).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

fn width(terminal: bool) -> usize {
    let given = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    if let Some(columns) = given {
        return columns;
    }
    if !terminal {
        return DEFAULT_WIDTH;
    }
    rustix::termios::tcgetwinsize(std::io::stdout())
        .map(|size| usize::from(size.ws_col))
        .ok()
        .filter(|columns| *columns > 0)
        .unwrap_or(DEFAULT_WIDTH)
}
