//! The next step of a method, or its verdict.

use plimsoll_evidence::Verdict;
use plimsoll_plan::Step;

/// Wish of a method after its completed steps.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// Step that is to run.
    Step(Box<Step>),
    /// The method is done; the plan goes on. No verdict where not even the maximum ran its time.
    Done(Option<Verdict>),
    /// The method is done, and nothing of the plan is to run after it (Vdbench's `stopcurve`).
    StopAll(Verdict),
}
