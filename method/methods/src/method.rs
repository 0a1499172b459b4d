//! What every method is: asked for the next step, and, while one runs, whether it has seen enough.

use crate::next::Next;
use plimsoll_evidence::{End, Interval, StepEvidence, Timeline};
use plimsoll_plan::{Action, Step};

/// A question, as a function of the steps that are done.
///
/// It has no state but its specification, so that to resume it is to ask it again. The same list always gives the same answer.
pub trait Method {
    /// The next step, or the verdict. `completed` are this method's steps in the order in which they ran, without fills that
    /// neither it nor the plan asked for; what follows the method's end is not looked at. After a step that did not run its time
    /// ([`ran_its_time`]) it concludes with what it has.
    fn next(&self, completed: &[&StepEvidence]) -> Next;

    /// Observer of the intervals of `step`, the next one after `completed`; `None`: nobody needs to.
    fn observer(&self, completed: &[&StepEvidence], step: &Step) -> Option<Box<dyn Observer>> {
        let _ = (completed, step);
        None
    }

    /// True where the targets come to rest before `step`, the next one after `completed`. It is not asked before the first.
    fn rests_before(&self, completed: &[&StepEvidence], step: &Step) -> bool {
        let _ = (completed, step);
        true
    }
}

/// Looks at a step's intervals as they come, and may end it or act on it. What it says follows from the intervals alone.
pub trait Observer {
    /// After an interval, one of the warm-up too.
    fn observe(&mut self, interval: &Interval) -> Observed;

    /// Timeline of a step that is over, to be kept with its evidence; `None` where that is not wanted.
    fn timeline(&mut self) -> Option<Timeline> {
        None
    }
}

/// Wish of an observer.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Observed {
    /// Nothing.
    #[default]
    Continue,
    /// The step has shown what it was to show: it ends with the running interval.
    End,
    /// Action that is to be done now.
    Act(Action),
}

/// Number of these completed steps that are the method's own: those up to its verdict.
pub fn consumed(method: &dyn Method, completed: &[&StepEvidence]) -> usize {
    (0..completed.len())
        .find(|n| !matches!(method.next(&completed[..*n]), Next::Step(_)))
        .unwrap_or(completed.len())
}

/// True where a step ended as it should: by its time, a limit, the end of a pass over the data, or because its method had seen enough.
pub fn ran_its_time(step: &StepEvidence) -> bool {
    matches!(step.end, End::Elapsed | End::Limit)
}
