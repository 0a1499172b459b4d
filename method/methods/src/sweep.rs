//! The sweep: any parameters as a matrix, each cell several times, in an order that time cannot favour.
//!
//! The interval of a cell is that of the means of its repeats (Student's t), not of what happened inside one: two runs of the
//! same thing lie further apart than the parts of one.

mod alike;
mod charts;
mod measured;
mod verdict;

use crate::completed_steps::CompletedSteps;
use crate::method::Method;
use crate::next::Next;
use plimsoll_evidence::{StepEvidence, Verdict};
use plimsoll_plan::{Step, SweepSpec};

/// The state machine of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    cells: Vec<Step>,
    spec: SweepSpec,
}

impl Sweep {
    /// A sweep over these cells.
    pub fn new(cells: &[Step], spec: &SweepSpec) -> Self {
        Sweep {
            cells: cells.to_vec(),
            spec: spec.clone(),
        }
    }
}

impl Method for Sweep {
    fn next(&self, completed: &[&StepEvidence]) -> Next {
        let mut completed_steps = CompletedSteps::new(completed);
        let mut repeats: Vec<Vec<&StepEvidence>> = vec![Vec::new(); self.cells.len()];
        for cell in self.spec.sequence(self.cells.len()) {
            match completed_steps.measure(|| self.cells[cell].clone()) {
                Ok(evidence) => repeats[cell].push(evidence),
                Err(pause) => {
                    return pause.next(|| self.verdict(&repeats, false).map(Verdict::Method));
                }
            }
        }
        Next::Done(self.verdict(&repeats, true).map(Verdict::Method))
    }
}
