//! What the rig tells whoever watches.

use plimsoll_evidence::{Environment, ErrorSample, Interval, StepEvidence, Verdict};
use plimsoll_plan::Step;
use std::path::Path;

/// One thing that happened, in order.
#[derive(Debug)]
pub enum Event<'a> {
    /// Everything is open and checked; the first step follows.
    Ready {
        /// Environment that was found.
        environment: &'a Environment,
        /// Path of the record.
        record: Option<&'a Path>,
    },
    /// A step begins.
    StepStarting {
        /// Number of the step in the record, from 1.
        number: u32,
        /// Step that runs.
        step: &'a Step,
        /// Worker threads; 0 where other hosts carry it out, who know.
        workers: u32,
    },
    /// I/Os or fsyncs have failed; their interval's own event follows.
    Failed {
        /// Their step.
        step: &'a Step,
        /// Failures with their place: the first of the step, which its evidence lists too.
        samples: &'a [ErrorSample],
        /// End of their interval, ns from the step's start.
        by_ns: u64,
        /// Number of failures in the step so far, with these.
        so_far: u64,
    },
    /// An interval has ended.
    Interval {
        /// Step of the interval.
        step: &'a Step,
        /// Counters of the interval.
        interval: &'a Interval,
    },
    /// A step has ended.
    StepDone {
        /// Step that ran.
        step: &'a Step,
        /// Evidence of the step.
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
        /// Output of the command, both streams.
        output: String,
        /// Destination in the definition: `console`, `log`, `summary`.
        to: &'a str,
    },
}
