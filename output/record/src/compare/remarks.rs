//! What the runs of a comparison said of themselves, gathered.

use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// Remarks on one thing that are shown to people; the rest is counted, and in JSON.
const SHOWN: usize = 20;

/// A sentence that runs said: that the generator was late, that a run never got steady.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// Text of the remark, as the first run of A said it, and as that of B did where its numbers are others. Further runs' may differ.
    pub text: String,
    /// Runs of A that said it.
    pub runs_a: usize,
    /// Runs of A.
    pub of_a: usize,
    /// Runs of B that said it.
    pub runs_b: usize,
    /// Runs of B.
    pub of_b: usize,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides = [("A", self.runs_a, self.of_a), ("B", self.runs_b, self.of_b)];
        let said: Vec<String> = sides
            .iter()
            .filter(|(_, runs, _)| *runs > 0)
            .map(|(side, runs, of)| format!("{side} in {runs} of {of}"))
            .collect();
        write!(f, "{}: {}", said.join(", "), self.text)
    }
}

/// Remarks as lines for people.
pub fn lines(remarks: &[Remark]) -> Vec<String> {
    let mut lines: Vec<String> = remarks
        .iter()
        .take(SHOWN)
        .map(ToString::to_string)
        .collect();
    if remarks.len() > SHOWN {
        lines.push(format!(
            "{} more remarks are in --json",
            remarks.len() - SHOWN
        ));
    }
    lines
}

/// The sentences of each run, each once with the number of runs that said it. Sentences that differ in their numbers alone
/// are one.
pub(super) fn grouped(a: &[Vec<String>], b: &[Vec<String>]) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let of_a = a.iter().map(|run| (true, run));
    for (is_a, run) in of_a.chain(b.iter().map(|run| (false, run))) {
        let mut said = HashSet::new();
        for text in run {
            let shape = shape(text);
            if !said.insert(shape.clone()) {
                continue;
            }
            let at = *places.entry(shape).or_insert_with(|| {
                remarks.push(Remark {
                    text: text.clone(),
                    runs_a: 0,
                    of_a: a.len(),
                    runs_b: 0,
                    of_b: b.len(),
                });
                remarks.len() - 1
            });
            let remark = &mut remarks[at];
            if !is_a && remark.runs_b == 0 && remark.text != *text {
                remark.text = format!("{}; in B: {text}", remark.text.trim_end_matches('.'));
            }
            match is_a {
                true => remark.runs_a += 1,
                false => remark.runs_b += 1,
            }
        }
    }
    remarks
}

/// A sentence without its numbers.
fn shape(text: &str) -> String {
    let mut shape = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '0'..='9' | '.' | ',' if shape.ends_with('#') => {}
            '0'..='9' => shape.push('#'),
            other => shape.push(other),
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_that_differ_in_their_numbers_are_one_remark() {
        let run = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
        let a = [run(&["late by 1.20ms, in 3 I/Os"]), run(&[])];
        let b = [run(&["late by 7ms, in 1,234 I/Os", "never steady"])];
        let remarks: Vec<String> = grouped(&a, &b).iter().map(ToString::to_string).collect();
        assert_eq!(
            remarks,
            [
                "A in 1 of 2, B in 1 of 1: late by 1.20ms, in 3 I/Os; in B: late by 7ms, in 1,234 I/Os",
                "B in 1 of 1: never steady"
            ]
        );
    }

    #[test]
    fn a_thousand_different_remarks_are_counted_and_not_shown() {
        let run: Vec<String> = (1..=1000).map(|n| "x".repeat(n)).collect();
        let lines = lines(&grouped(&[run], &[]));
        assert_eq!(lines.len(), SHOWN + 1);
        assert_eq!(lines[SHOWN], "980 more remarks are in --json");
    }
}
