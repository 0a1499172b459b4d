//! Complaints collected while a definition is read.

use plimsoll_diagnostic::Diagnostic;

/// After so many of a kind the rest would only repeat them.
const MOST: usize = 40;

/// What was found wrong so far.
#[derive(Debug, Default)]
pub(super) struct Complaints {
    diagnostics: Vec<Diagnostic>,
    errors: usize,
}

impl Complaints {
    /// Keeps a complaint, each once.
    pub fn add(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.is_error());
        let alike = |d: &&Diagnostic| d.severity == diagnostic.severity;
        if self.diagnostics.iter().filter(alike).count() < MOST
            && !self.diagnostics.contains(&diagnostic)
        {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Whether the definition cannot be used.
    pub fn failed(&self) -> bool {
        self.errors > 0
    }

    /// All of them, in order.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }
}
