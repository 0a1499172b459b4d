//! Options of a step: how it is carried out, apart from what the plan says.

use crate::backend::choose::BackendKind;
use crate::ranks::Ranks;
use crate::trace::StepTrace;
use plimsoll_plan::Nanos;

/// Options of a step.
#[derive(Debug, Clone)]
pub struct Options {
    /// Seed of every random choice of the step.
    pub seed: u64,
    /// Seed of what stays the same over all steps of a run: which blocks are duplicates of which.
    pub run_seed: u64,
    /// I/Os handed to the kernel at once, at most.
    pub submit_batch: usize,
    /// Completions that a closed loop waits for at once, where so many are out.
    pub reap_batch: u32,
    /// Failed I/Os after which the step ends.
    pub max_errors: u64,
    /// Time after the end that I/Os may stay out.
    pub drain: Nanos,
    /// Without a warm-up the first interval is not counted, as Vdbench has it: what was due in it is in no counted
    /// interval's times.
    pub leaves_out_first: bool,
    /// CPUs that this process may use.
    pub cpus: u32,
    /// The backend of each plan target.
    pub kinds: Vec<BackendKind>,
    /// Start of the I/O on CLOCK_MONOTONIC (in virtual time on its clock), ns; `None`: as soon as all workers are ready. A start that is
    /// past is now, and [`Outcome::late_start`] says by how much.
    pub start_at: Option<u64>,
    /// The place of this host's workers among those of all hosts that carry out the step; `None`: there is no other.
    pub ranks: Option<Ranks>,
    /// Trace that keeps the issued I/Os one by one, for whoever wants a log of them.
    pub trace: Option<StepTrace>,
}

impl Options {
    /// A step of a run of this seed on one CPU, alone and at once, in small batches. Whoever wants another backend writes
    /// `Options { kinds, ..Options::new(…) }`.
    pub fn new(seed: u64) -> Options {
        Options {
            seed,
            run_seed: seed,
            submit_batch: 4,
            reap_batch: 1,
            max_errors: plimsoll_plan::DEFAULT_MAX_ERRORS,
            drain: Nanos::secs(30),
            leaves_out_first: false,
            cpus: 1,
            kinds: Vec::new(),
            start_at: None,
            ranks: None,
            trace: None,
        }
    }
}
