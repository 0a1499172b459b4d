//! One good message for whatever went wrong.

use plimsoll_audit::format::{Complaint, FilePlace};
use plimsoll_diagnostic::{Diagnostic, Sources, render};
use plimsoll_report::terminal::wrap;
use std::fmt;

/// Message that is printed on standard error before the program exits with 2.
#[derive(Debug)]
pub struct Failure {
    text: String,
    rendered: bool,
    complaints: Vec<Complaint>,
}

impl Failure {
    /// A plain sentence.
    pub fn usage(text: impl Into<String>) -> Self {
        Failure {
            text: text.into(),
            rendered: false,
            complaints: Vec::new(),
        }
    }

    /// Failure of a definition, with the lines that are to blame.
    pub fn of(diagnostics: &[Diagnostic], sources: &Sources, color: bool) -> Self {
        let texts: Vec<String> = diagnostics
            .iter()
            .map(|d| render(d, sources, color))
            .collect();
        let complaint = |d: &Diagnostic| Complaint {
            code: Some(d.code.clone()),
            message: d.message.clone(),
            help: d.help.clone(),
            place: FilePlace::of(d.labels.first().map(|l| l.span), sources),
        };
        Failure {
            text: texts.join("\n\n"),
            rendered: true,
            complaints: diagnostics.iter().map(complaint).collect(),
        }
    }

    /// Message of the failure.
    pub fn message(&self) -> &str {
        &self.text
    }

    /// The same for programs.
    pub fn complaints(&self) -> Vec<Complaint> {
        match self.complaints.is_empty() {
            false => self.complaints.clone(),
            true => vec![Complaint {
                message: self.text.clone(),
                ..Complaint::default()
            }],
        }
    }
}

impl Failure {
    /// Message as it is printed on a terminal of so many columns: sentences are wrapped, and excerpts stay as they are.
    pub fn on(&self, columns: usize) -> String {
        let text = self.to_string();
        if self.rendered {
            return text;
        }
        let lines: Vec<String> = text.lines().map(|l| wrap(l, columns, 0)).collect();
        lines.join("\n")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.rendered {
            f.write_str(&self.text)
        } else {
            write!(f, "error: {}", self.text)
        }
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::usage(error.to_string())
    }
}
