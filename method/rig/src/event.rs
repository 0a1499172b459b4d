//! What the rig tells whoever watches.

use plimsoll_evidence::{Environment, ErrorSample, Interval, StepEvidence, Verdict};
use plimsoll_plan::Step;
use std::path::Path;

/// One thing that happened, in order.
#[derive(Debug)]
pub enum Event<'a> {
    /// Everything is open and checked; the first step follows.
    Ready {
        /// What was found.
        environment: &'a Environment,
        /// Where the record lies.
        record: Option<&'a Path>,
    },
    /// A step begins.
    StepStarting {
        /// Its number in the record, from 1.
        number: u32,
        /// What it does.
        step: &'a Step,
        /// Worker threads; 0 where other hosts carry it out, who know.
        workers: u32,
    },
    /// I/Os or fsyncs have failed; their interval's own event follows.
    Failed {
        /// Their step.
        step: &'a Step,
        /// Those with their place: the first of the step, which its evidence lists too.
        samples: &'a [ErrorSample],
        /// When their interval ended, ns from the step's start.
        by_ns: u64,
        /// How many failed in the step so far, these too.
        so_far: u64,
    },
    /// An interval has ended.
    Interval {
        /// Its step.
        step: &'a Step,
        /// What was counted.
        interval: &'a Interval,
    },
    /// A step has ended.
    StepDone {
        /// What it did.
        step: &'a Step,
        /// What it came to.
        evidence: &'a StepEvidence,
    },
    /// A method has concluded.
    Verdict(&'a Verdict),
    /// Something worth a line: a pause, a fall-back, a record that cannot be written any more.
    Note(String),
    /// Output of a command from the definition.
    CommandOutput {
        /// The command.
        line: &'a str,
        /// What it wrote, both streams.
        output: String,
        /// Where the definition wants it: `console`, `log`, `summary`.
        to: &'a str,
    },
}
