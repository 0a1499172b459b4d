//! Completed steps, one after the other: a method can be written down as if each step were measured the moment that it is
//! asked for.

use crate::method::ran_its_time;
use crate::next::Next;
use plimsoll_evidence::{StepEvidence, Verdict};
use plimsoll_plan::Step;

/// The completed steps of a method, taken one by one.
pub(crate) struct CompletedSteps<'a> {
    completed: &'a [&'a StepEvidence],
}

/// Reason why a method cannot go on with what it has.
pub(crate) enum Pause {
    /// Step that is to be measured first.
    Wanted(Box<Step>),
    /// The last step did not run its time; nothing after it would be measured on the same ground.
    Broken,
}

impl<'a> CompletedSteps<'a> {
    pub fn new(completed: &'a [&'a StepEvidence]) -> Self {
        CompletedSteps { completed }
    }

    /// Evidence of a step, or the wish that it be measured. The same calls in the same order get the same evidence.
    pub fn measure(&mut self, step: impl FnOnce() -> Step) -> Result<&'a StepEvidence, Pause> {
        let Some((done, rest)) = self.completed.split_first() else {
            return Err(Pause::Wanted(Box::new(step())));
        };
        if !ran_its_time(done) {
            return Err(Pause::Broken);
        }
        self.completed = rest;
        Ok(done)
    }
}

impl Pause {
    /// Answer of the method: the step that it wants, or its verdict so far.
    pub fn next(self, so_far: impl FnOnce() -> Option<Verdict>) -> Next {
        match self {
            Pause::Wanted(step) => Next::Step(step),
            Pause::Broken => Next::Done(so_far()),
        }
    }
}
