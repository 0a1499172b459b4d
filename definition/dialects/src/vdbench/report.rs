//! Complaints collected while a definition is read, and the budget that bounds the work.

use super::codes;
use plimsoll_diagnostic::{Diagnostic, Sources, Span, render_all};
use std::collections::HashMap;

/// After this many errors reading stops: the rest would only repeat them.
const MAX_ERRORS: usize = 40;
/// Warnings past this number are dropped; they repeat themselves.
const MAX_WARNINGS: usize = 200;
/// Complaints of one code that are shown.
const MAX_ALIKE: usize = 8;
/// The most items (list members, references, runs) that one definition may expand to.
const BUDGET: u64 = 4_000_000;

/// A definition that was not accepted.
#[derive(Debug, thiserror::Error)]
#[error("{}", render_all(.diagnostics, .sources))]
pub struct Refusal {
    /// All texts.
    pub sources: Sources,
    /// What is wrong with them, warnings among it.
    pub diagnostics: Vec<Diagnostic>,
}

/// What was found wrong so far.
#[derive(Debug)]
pub(crate) struct Report {
    diagnostics: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    left: u64,
}

/// Reading stops here; the reason is in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stop;

impl Report {
    pub fn new() -> Self {
        Report {
            diagnostics: Vec::new(),
            errors: 0,
            warnings: 0,
            left: BUDGET,
        }
    }

    /// Keeps a complaint.
    pub fn add(&mut self, diagnostic: Diagnostic) {
        if diagnostic.is_error() {
            if self.errors < MAX_ERRORS {
                self.diagnostics.push(diagnostic);
            }
            self.errors += 1;
        } else {
            if self.warnings < MAX_WARNINGS {
                self.diagnostics.push(diagnostic);
            }
            self.warnings += 1;
        }
    }

    /// True when there is an error.
    pub fn failed(&self) -> bool {
        self.errors > 0
    }

    /// How many errors there are.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Stops where there are so many errors that going on helps nobody.
    pub fn bounded(&self) -> Result<(), Stop> {
        match self.errors >= MAX_ERRORS {
            true => Err(Stop),
            false => Ok(()),
        }
    }

    /// Stops at the first error.
    pub fn clean(&self) -> Result<(), Stop> {
        match self.failed() {
            true => Err(Stop),
            false => Ok(()),
        }
    }

    /// Takes `items` from the budget.
    pub fn charge(&mut self, items: u64, place: Span) -> Result<(), Stop> {
        if items > self.left {
            self.left = 0;
            self.add(
                Diagnostic::error(
                    codes::TOO_LARGE,
                    "the definition expands to more than can be held",
                )
                .at(place, "it passes the limit here")
                .note(format!(
                    "lists, references and runs may come to {BUDGET} items together"
                )),
            );
            return Err(Stop);
        }
        self.left -= items;
        Ok(())
    }

    /// What was read and the warnings about it; refused where there is an error.
    pub fn accept<T>(
        self,
        sources: Sources,
        read: Result<T, Stop>,
    ) -> Result<(T, Sources, Vec<Diagnostic>), Box<Refusal>> {
        let failed = self.failed();
        let diagnostics = self.into_diagnostics();
        match read {
            Ok(read) if !failed => Ok((read, sources, diagnostics)),
            _ => Err(Box::new(Refusal {
                sources,
                diagnostics,
            })),
        }
    }

    /// All complaints, in the order in which they were found. Of one code with one message only the first is kept,
    /// and of one code [`MAX_ALIKE`]; the last that is kept says how many more there are.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut kept: Vec<Diagnostic> = Vec::new();
        let mut hidden: HashMap<usize, usize> = HashMap::new();
        for diagnostic in self.diagnostics {
            let alike =
                |d: &Diagnostic| d.severity == diagnostic.severity && d.code == diagnostic.code;
            let same = kept
                .iter()
                .position(|d| alike(d) && d.message == diagnostic.message);
            let crowd = kept.iter().filter(|d| alike(d)).count() >= MAX_ALIKE;
            let last = kept.iter().rposition(alike).filter(|_| crowd);
            match same.or(last) {
                Some(at) if kept[at] == diagnostic => {}
                Some(at) => *hidden.entry(at).or_default() += 1,
                None => kept.push(diagnostic),
            }
        }
        for (at, more) in hidden {
            let places = if more == 1 { "place" } else { "places" };
            kept[at]
                .notes
                .push(format!("the same in {more} more {places}"));
        }
        kept
    }
}
