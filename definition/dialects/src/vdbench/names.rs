//! Finding definitions by name or by the start of their names.

use super::codes;
use super::model::Reference;
use super::report::{Report, Stop};
use plimsoll_diagnostic::{Diagnostic, Span, nearest};
use std::collections::HashMap;

/// Definitions by index, and one of them with the place that names it again.
type Found = (Vec<usize>, Option<(usize, Span)>);

/// The names of all definitions of one kind.
pub(crate) struct Names<'a> {
    names: Vec<&'a str>,
    index: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    pub fn new(names: impl Iterator<Item = &'a str>) -> Self {
        let names: Vec<&str> = names.collect();
        let index = names
            .iter()
            .enumerate()
            .map(|(at, name)| (*name, at))
            .collect();
        Names { names, index }
    }

    /// Definitions that `references` mean, in the order of reference and then of definition, each once. What finds
    /// nothing is reported.
    pub fn find(
        &self,
        references: &[Reference],
        opener: &str,
        what: &str,
        report: &mut Report,
    ) -> Result<Vec<usize>, Stop> {
        self.search(references, opener, what, report)
            .map(|(found, _)| found)
    }

    /// Definitions that `references` mean; what is named twice is reported too.
    pub fn find_once(
        &self,
        references: &[Reference],
        opener: &str,
        what: &str,
        report: &mut Report,
    ) -> Result<Vec<usize>, Stop> {
        let (found, twice) = self.search(references, opener, what, report)?;
        if let Some((at, span)) = twice {
            report.add(
                Diagnostic::error(
                    codes::DUPLICATE,
                    format!("{opener}={} is named twice", self.names[at]),
                )
                .at(span, "for the second time"),
            );
        }
        Ok(found)
    }

    /// What `references` mean, and the first that they name a second time.
    fn search(
        &self,
        references: &[Reference],
        opener: &str,
        what: &str,
        report: &mut Report,
    ) -> Result<Found, Stop> {
        let mut found = Vec::new();
        let mut twice = None;
        let mut taken = vec![false; self.names.len()];
        if let Some(first) = references.first() {
            report.charge(1 + self.names.len() as u64 / 16, first.span)?;
        }
        for reference in references {
            let before = found.len();
            let mut known = false;
            let mut take = |at: usize| {
                known = true;
                match std::mem::replace(&mut taken[at], true) {
                    false => found.push(at),
                    true => twice = twice.or(Some((at, reference.span))),
                }
            };
            if reference.pattern.ends_with('*') {
                report.charge(1 + self.names.len() as u64 / 16, reference.span)?;
                (0..self.names.len())
                    .filter(|at| reference.matches(self.names[*at]))
                    .for_each(&mut take);
            } else if let Some(at) = self.index.get(reference.pattern.as_str()) {
                take(*at);
            }
            report.charge((found.len() - before) as u64, reference.span)?;
            if !known {
                report.add(unknown(opener, what, reference, self.names.iter().copied()));
            }
        }
        Ok((found, twice))
    }
}

/// Complains about a reference that finds nothing.
pub(crate) fn unknown<'a>(
    opener: &str,
    what: &str,
    reference: &Reference,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Diagnostic {
    let pattern = &reference.pattern;
    let shown = super::reader::shorten(pattern);
    let diagnostic =
        Diagnostic::error(codes::UNKNOWN_NAME, format!("there is no {what} `{shown}`"))
            .at(reference.span, format!("no {opener}= fits this"));
    if pattern.contains('\\') {
        let meant = pattern.replace('\\', "");
        return diagnostic
            .help("`*` needs no backslash")
            .patch(reference.span, meant);
    }
    // Names by the thousand make no suggestion better.
    if let Some(meant) = nearest(pattern.trim_end_matches('*'), names.clone().take(2000)) {
        return diagnostic.help(format!("did you mean `{meant}`?"));
    }
    let known: Vec<&str> = names.take(8).collect();
    match known.is_empty() {
        true => diagnostic.note(format!("the file defines no {opener}=")),
        false => diagnostic.note(format!("defined are {}", known.join(", "))),
    }
}
