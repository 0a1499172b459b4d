//! How standard output is dressed, and what every front end says beside it.

use crate::out::{say, tell};
use plimsoll_evidence::Severity;
use plimsoll_printable::line_of;
use plimsoll_report::terminal::{self, Style};
use plimsoll_report::{AnswerLines, Measured};
use plimsoll_rig::RunResult;
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

/// Says beside what another tool prints what it has no word for: a record that is not whole, and what the rules find.
pub fn tell_beside(result: &RunResult) {
    if let Some(error) = &result.record_error {
        tell!("error: {UNRECORDED}: {}", line_of(&error.to_string()));
    }
    if result.audit.worst() > Some(Severity::Note) {
        let record = result.record.as_deref();
        let (style, answer) = (style(), answer(result));
        tell!("{}", terminal::audit(&result.audit, record, &style));
        tell!("\n{}", terminal::answer(&answer, &style).trim_end());
    }
}

/// Says an answer, the last of what is printed.
pub fn close(answer: &AnswerLines) {
    say!();
    say!("{}", terminal::answer(answer, &style()).trim_end());
}

/// The answer of a run of ours.
pub fn answer(result: &RunResult) -> AnswerLines {
    AnswerLines::of(&Measured {
        environment: &result.environment,
        steps: &result.steps,
        verdicts: &result.verdicts,
        findings: result.audit.findings.iter().map(|f| &f.finding).collect(),
        claim: result.audit.claim,
        status: &result.status,
        record: result.record.as_deref(),
    })
}

/// Reason why a run that was measured to its end does not end well.
pub const UNRECORDED: &str = "not all of the run is in its record";
