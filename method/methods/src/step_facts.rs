//! Facts of a step's course that its intervals do not hold.

use plimsoll_evidence::{End, ErrorSample, Finding};

/// A time in which the process did not run: it was stopped, or its CPUs were taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standstill {
    /// From the step's start, ns.
    pub at_ns: u64,
    /// Length, ns.
    pub length_ns: u64,
}

/// Facts about a step's course beside its intervals.
#[derive(Debug, Clone, PartialEq)]
pub struct StepFacts {
    /// Worker threads.
    pub workers: u32,
    /// Reason for the end of the step.
    pub end: End,
    /// The first errors, with their place.
    pub error_samples: Vec<ErrorSample>,
    /// Failures outside of every interval: I/Os while the last ones were waited for, those that never came back, and fsyncs at the end.
    pub errors_after: u64,
    /// The fsyncs among them.
    pub fsync_errors_after: u64,
    /// Times in which the process itself did not run, in order.
    pub standstills: Vec<Standstill>,
    /// Findings of whoever carried the step out.
    pub findings: Vec<Finding>,
}

impl StepFacts {
    /// A step that ran its time without an error.
    pub fn clean(workers: u32) -> Self {
        StepFacts {
            workers,
            end: End::Elapsed,
            error_samples: Vec::new(),
            errors_after: 0,
            fsync_errors_after: 0,
            standstills: Vec::new(),
            findings: Vec::new(),
        }
    }
}
