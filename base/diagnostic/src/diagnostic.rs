//! A complaint about a definition: what is wrong, where it was written, and what to write instead.

use crate::Span;
use serde::{Deserialize, Serialize};

/// Severity of a diagnostic: whether the definition can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Defect; the definition cannot be used.
    Error,
    /// Doubt; the definition can be used, but it may not mean what was meant.
    Warning,
    /// Remark worth knowing; the definition can be used.
    Note,
}

/// One complaint. The first label is the place that matters; the others give it context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Severity: whether the definition can be used.
    pub severity: Severity,
    /// A short stable word for machines: `unknown-key`, `bad-size`.
    pub code: String,
    /// Message: what is wrong, one line.
    pub message: String,
    /// Places in the text.
    pub labels: Vec<Label>,
    /// Reasons or consequences, one a note.
    pub notes: Vec<String>,
    /// Remedy: what to do.
    pub help: Option<String>,
    /// The edit that does it.
    pub patch: Option<Patch>,
}

/// A place, and what is to be said of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// Text to show at the place; may be empty.
    pub text: String,
}

/// An edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patch {
    /// Place of the text that goes away.
    pub span: Span,
    /// Text that comes in its place.
    pub replacement: String,
}

impl Diagnostic {
    /// A complaint that makes the definition unusable.
    pub fn error(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code.into(), message.into())
    }

    /// A complaint that the definition survives.
    pub fn warning(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code.into(), message.into())
    }

    fn new(severity: Severity, code: String, message: String) -> Self {
        Diagnostic {
            severity,
            code,
            message,
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
            patch: None,
        }
    }

    /// Adds a place; the first is the one that matters.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Adds a place, where it is known.
    #[must_use]
    pub fn at_known(self, span: Option<Span>) -> Self {
        match span {
            Some(span) => self.at(span, ""),
            None => self,
        }
    }

    /// Adds a cause or a consequence.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Shows the edit that does it.
    #[must_use]
    pub fn patch(mut self, span: Span, replacement: impl Into<String>) -> Self {
        self.patch = Some(Patch {
            span,
            replacement: replacement.into(),
        });
        self
    }

    /// True for [`Severity::Error`].
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
