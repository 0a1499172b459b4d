//! What failed, with its place: while a step goes on, and after it.

use super::style::{Paint, Style};
use crate::human;
use plimsoll_evidence::{Counted, ErrorSample, StepEvidence};
use plimsoll_measure::Op;
use plimsoll_printable::Printable;

/// Number of steps that are named one by one.
const NAMED: usize = 3;

/// Number of failures of a step that are told with their place while it goes on.
const TOLD: usize = 3;

/// Failures of a step that have been told while it goes on: the first few with their place, then counts that are far apart, so that a
/// target which fails all the time leaves the other lines to be read.
#[derive(Debug, Clone, Copy, Default)]
pub struct FailuresTold {
    lines: usize,
    next_count: u64,
}

impl FailuresTold {
    /// The lines for what failed in one interval: those with their place, and how many failed in the step `so_far`.
    pub fn lines(&mut self, samples: &[ErrorSample], so_far: u64) -> Vec<String> {
        let left = TOLD.saturating_sub(self.lines);
        let mut lines: Vec<String> = samples
            .iter()
            .take(left)
            .map(|sample| format!("failed: {}", line(sample)))
            .collect();
        self.lines += lines.len();
        if so_far > self.lines as u64 && so_far >= self.next_count {
            lines.push(format!("failed: {} so far", human::count(so_far)));
            self.next_count = so_far.saturating_mul(10);
        }
        lines
    }
}

/// The failures that were kept, a line each, and below them their step's count; empty where none failed.
pub fn errors(steps: &[StepEvidence], style: &Style) -> String {
    let mut out = String::new();
    for step in failing(steps) {
        for sample in &step.error_samples {
            out.push_str(&format!("  {}\n", line(sample)));
        }
        let kept = step.error_samples.len() as u64;
        let which = if kept < step.errors {
            format!(", the first {kept} above")
        } else {
            String::new()
        };
        let count = format!(
            "{}: {} failed{which}",
            Printable(&step.name),
            counts(&[step])
        );
        out.push_str(&style.paint(Paint::Bad, &count));
        out.push('\n');
    }
    style.characters(out)
}

/// Failures of all steps, in one sentence without its stop; `None` where nothing did.
pub fn errors_line(steps: &[StepEvidence]) -> Option<String> {
    let failing: Vec<&StepEvidence> = failing(steps).collect();
    let first = failing.iter().find_map(|s| s.error_samples.first());
    let names: Vec<&str> = failing.iter().map(|s| s.name.as_str()).collect();
    let place = match names.len() {
        0 => return None,
        n if n <= NAMED => names.join(", "),
        n => format!("{n} steps"),
    };
    let how = first.map_or_else(String::new, |f| format!(", the first with {}", f.what));
    Some(format!("{} failed in {place}{how}", counts(&failing)))
}

fn failing(steps: &[StepEvidence]) -> impl Iterator<Item = &StepEvidence> {
    steps.iter().filter(|s| s.errors > 0)
}

/// `9 I/Os`, `1 fsync`, `9 I/Os and 1 fsync`.
fn counts(steps: &[&StepEvidence]) -> String {
    let all: u64 = steps.iter().map(|s| s.errors).sum();
    let fsyncs: u64 = steps.iter().map(|s| s.fsync_errors()).sum();
    let plural = |n: u64, what| {
        let s = if n == 1 { "" } else { "s" };
        format!("{} {what}{s}", human::count(n))
    };
    let one = Counted::of(steps.iter().map(|step| step.counted)).one();
    match (all.saturating_sub(fsyncs), fsyncs) {
        (ios, 0) => plural(ios, one),
        (0, fsyncs) => plural(fsyncs, "fsync"),
        (ios, fsyncs) => format!("{} and {}", plural(ios, one), plural(fsyncs, "fsync")),
    }
}

fn line(sample: &ErrorSample) -> String {
    let at = human::time(sample.at_ns as f64);
    let op = sample.op.name();
    let what = match (sample.op, sample.length) {
        (Op::Sync, _) | (_, 0) => op.to_owned(),
        (_, length) => format!("{op} of {length} bytes at offset {}", sample.offset),
    };
    format!(
        "{} {what}, {at} after the start: {}",
        Printable(&sample.target),
        Printable(&sample.what)
    )
}
