//! The soak: one load for a long time, and whether it was carried all the while.

mod course;
mod drop;
mod findings;
mod judged;
mod keeper;
mod pictures;
mod power;
mod shape;
mod still;
mod verdict;
mod wave;

use crate::method::{Method, Observer, ran_its_time};
use crate::next::Next;
use keeper::Keeper;
use plimsoll_evidence::{End, StepEvidence, Verdict};
use plimsoll_measure::snia_window;
use plimsoll_plan::{ROUNDS_MAX, SoakSpec, Step, method::precondition};

/// The state machine of a soak: what goes before, then its parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Soak {
    steps: Vec<Step>,
    spec: SoakSpec,
}

/// Less than this of all targets left to write is nothing left: the last I/O does not fit any more.
const NOTHING_LEFT: f64 = 1e-3;

impl Soak {
    /// A soak with these steps: the last is the soak as a whole, one before it fills.
    pub fn new(steps: &[Step], spec: &SoakSpec) -> Self {
        Soak {
            steps: steps.to_vec(),
            spec: spec.clone(),
        }
    }

    /// Step that is to run before the soak's own parts; else the number of completed steps that went before them.
    fn before(&self, soak: &Step, completed: &[&StepEvidence]) -> Result<Step, usize> {
        let mut done = 0;
        if let [filling, ..] = &self.steps[..self.steps.len() - 1] {
            let passes = self.spec.precondition.passes();
            done = (passes as usize).min(completed.len());
            if done < passes as usize {
                return Ok(precondition::numbered(filling, done as u32 + 1));
            }
        }
        if !self.spec.precondition.has_rounds() {
            return Err(done);
        }
        let mut levels = Vec::new();
        while levels.len() < ROUNDS_MAX as usize {
            let Some(round) = completed.get(done) else {
                return Ok(self.spec.round(soak, levels.len() as u32 + 1));
            };
            levels.push(level(round));
            done += 1;
            if snia_window(&levels).is_some_and(|w| w.steady) {
                break;
            }
        }
        Err(done)
    }

    /// The next part; `None`: the soak is through.
    fn part(&self, soak: &Step, parts: &[&StepEvidence]) -> Option<Step> {
        let (_, count) = self.spec.parts(soak);
        let number = parts.len() as u32 + 1;
        let overwritten = parts.iter().map(|p| overwrites(p)).sum();
        let left = self.spec.overwrites.map(|all| all - overwritten);
        let is_through = number > count || left.is_some_and(|left| left < NOTHING_LEFT);
        // A limit that ends it early is the overwrites': it may have been reached with an I/O to spare.
        let limited = parts.last().is_some_and(|p| p.end == End::Limit);
        (!is_through && !limited).then(|| self.spec.part(soak, number, overwritten))
    }

    fn verdict(&self, completed: &[&StepEvidence], before: usize) -> Option<Verdict> {
        let parts = &completed[before.min(completed.len())..];
        let conditioned = &completed[..before.min(completed.len())];
        let run = &completed.last()?.run;
        Some(Verdict::Method(verdict::verdict(run, conditioned, parts)))
    }
}

impl Method for Soak {
    fn next(&self, completed: &[&StepEvidence]) -> Next {
        let Some(soak) = self.steps.last() else {
            return Next::Done(None);
        };
        let cut = completed.iter().position(|s| !ran_its_time(s));
        let completed = &completed[..cut.map_or(completed.len(), |at| at + 1)];
        let before = match self.before(soak, completed) {
            Ok(_) if cut.is_some() => completed.len(),
            Ok(step) => return Next::Step(Box::new(step)),
            Err(before) => before,
        };
        let parts = &completed[before..];
        match self.part(soak, parts) {
            Some(part) if cut.is_none() => Next::Step(Box::new(part)),
            _ => Next::Done(self.verdict(completed, before)),
        }
    }

    fn observer(&self, completed: &[&StepEvidence], _: &Step) -> Option<Box<dyn Observer>> {
        let soak = self.steps.last()?;
        let is_part = self.before(soak, completed).is_err();
        is_part.then(|| Box::new(Keeper::default()) as Box<dyn Observer>)
    }

    /// A pause is what an array collects its garbage in.
    fn rests_before(&self, _: &[&StepEvidence], _: &Step) -> bool {
        false
    }
}

/// Level of a round: its rate, or, where a rate is asked for, how fast an I/O was answered.
fn level(round: &StepEvidence) -> f64 {
    match round.offered {
        Some(_) => 1e9 / round.response_mean_ns.mean.max(1.0),
        None => round.rate.mean,
    }
}

/// Number of times that a part wrote all of its targets.
fn overwrites(part: &StepEvidence) -> f64 {
    match part.targets_bytes {
        0 => 0.0,
        size => part.written_bytes() as f64 / size as f64,
    }
}
