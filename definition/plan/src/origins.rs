//! Origins: where the parts of a plan were written.

use plimsoll_diagnostic::Span;
use serde::{Deserialize, Serialize};

/// Where the fields of an object were written: (field, place).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origins(pub Vec<(String, Span)>);

impl Origins {
    /// Notes where `field` was written.
    pub fn note(&mut self, field: impl Into<String>, span: Span) {
        self.0.push((field.into(), span));
    }

    /// Where `field` was written last.
    pub fn of(&self, field: &str) -> Option<Span> {
        self.0
            .iter()
            .rev()
            .find(|(f, _)| f == field)
            .map(|(_, s)| *s)
    }
}
