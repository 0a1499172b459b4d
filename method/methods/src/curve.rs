//! The curve: the maximum first, then fixed percentages of it.

use crate::verdict::{curve_verdict, limits};
use plimsoll_evidence::{End, StepEvidence, StreamSummary, Verdict};
use plimsoll_plan::{CurveSpec, Load, Nanos, Rate, Step, curve_target};
use std::borrow::Borrow;

/// What a method wants next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// This step is to run.
    Step(Box<Step>),
    /// The method is done; the plan goes on. No verdict where not even the maximum ran its time.
    Done(Option<Verdict>),
    /// The method is done, and nothing of the plan is to run after it (Vdbench's `stopcurve`).
    StopAll(Verdict),
}

/// The state machine of one curve. It has no state but its specification: everything follows from the completed steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    spec: CurveSpec,
}

/// Why a curve has no further step.
enum Ending {
    /// All points are done.
    Complete,
    /// The named step did not run its time; no point after it would be measured on the same ground.
    Broken,
    /// The mean service time of the last point is past the limit.
    Stopped,
}

impl Curve {
    /// A curve of this specification.
    pub fn new(spec: &CurveSpec) -> Self {
        Curve { spec: spec.clone() }
    }

    /// The next step, or the verdict. `completed` are this curve's steps in the order in which they ran: the maximum,
    /// then the points; what follows the curve's end is not looked at. The same list always gives the same answer, so
    /// that a resumed run goes on where it was. To repeat a step that was interrupted, leave it out.
    pub fn next<E: Borrow<StepEvidence>>(&self, completed: &[E]) -> Next {
        let (done, ending) = self.own(completed);
        let Some((maximum, points)) = done.split_first() else {
            return Next::Step(Box::new(self.spec.base.clone()));
        };
        match ending {
            None => {
                let percent = self.spec.percents[points.len()];
                Next::Step(Box::new(self.point(maximum, percent)))
            }
            Some(Ending::Stopped) => Next::StopAll(self.judged(maximum, points, ending)),
            Some(_) => Next::Done(self.verdict(completed)),
        }
    }

    /// How many of these completed steps are the curve's own.
    pub fn consumed<E: Borrow<StepEvidence>>(&self, completed: &[E]) -> usize {
        self.own(completed).0.len()
    }

    /// What the completed steps say so far, for a curve that is cut short; `None` before the maximum is known. A step
    /// that did not run its time says nothing.
    pub fn verdict<E: Borrow<StepEvidence>>(&self, completed: &[E]) -> Option<Verdict> {
        let (mut done, ending) = self.own(completed);
        done.retain(|s| ran_its_time(s));
        let (maximum, points) = done.split_first()?;
        Some(self.judged(maximum, points, ending))
    }

    fn judged(
        &self,
        maximum: &StepEvidence,
        points: &[&StepEvidence],
        ending: Option<Ending>,
    ) -> Verdict {
        let percents = self.spec.percents.iter().copied();
        let measured: Vec<(u32, &StepEvidence)> = percents.zip(points.iter().copied()).collect();
        let mut verdict = curve_verdict(maximum, &measured, &limits(&self.spec.slos));
        let missing = self.spec.percents.len() - points.len();
        let last = &points.last().unwrap_or(&maximum).name;
        if let (Some(Ending::Stopped), Some(limit)) = (&ending, self.spec.stop_service) {
            verdict.notes.push(format!(
                "Stopped after {last}: its mean service time is past the curve's limit of {limit}; {missing} points \
                 did not run."
            ));
        } else if missing > 0 {
            // What no point holds so far, one that did not run might.
            verdict.capacities.retain(|c| c.rate.is_some());
            verdict.notes.push(format!(
                "The curve ended early, after {last}: {missing} of {} points were not measured. Limits that none of the \
                 others holds are left out.",
                self.spec.percents.len()
            ));
        }
        Verdict::Curve(verdict)
    }

    /// The leading steps that are this curve's, and its end if it's among them.
    fn own<'a, E: Borrow<StepEvidence>>(
        &self,
        completed: &'a [E],
    ) -> (Vec<&'a StepEvidence>, Option<Ending>) {
        let mut own = Vec::new();
        for step in completed.iter().map(Borrow::borrow) {
            own.push(step);
            let ending = self.ending(step, own.len() - 1);
            if ending.is_some() {
                return (own, ending);
            }
        }
        (own, None)
    }

    /// Why no step follows this one, the `index`-th of the curve; `None`: one does.
    fn ending(&self, step: &StepEvidence, index: usize) -> Option<Ending> {
        let past = |limit: Nanos| step.service_mean_ns.mean > limit.0 as f64;
        if !ran_its_time(step) {
            Some(Ending::Broken)
        } else if index > 0 && self.spec.stop_service.is_some_and(past) {
            Some(Ending::Stopped)
        } else {
            (index == self.spec.percents.len()).then_some(Ending::Complete)
        }
    }

    /// The step of one point: the base, at a percentage of the rate that the maximum reached.
    ///
    /// After an uncontrolled maximum (every stream as fast as it goes) the points keep the shares of I/Os that the
    /// streams had in it, as Vdbench's do. Streams of a fixed rate are apart: the percentage is of the others' rate.
    fn point(&self, maximum: &StepEvidence, percent: u32) -> Step {
        let base = &self.spec.base;
        let mut step = base.clone();
        step.name = format!("{}_({percent}%)", base.name);
        step.load = Load::Rate {
            rate: Rate(curve_target(shared_rate(base, maximum), f64::from(percent)) as f64),
            arrival: self.spec.arrival,
        };
        if base.load == Load::Max && maximum.streams.len() == base.streams.len() {
            keep_observed_shares(&mut step, &maximum.streams);
        }
        step
    }
}

/// Whether a step ended as it should: by its time, a limit, or the end of a pass over the data.
fn ran_its_time(step: &StepEvidence) -> bool {
    matches!(step.end, End::Elapsed | End::Limit)
}

/// What the streams without a rate of their own reached, I/Os per second.
fn shared_rate(base: &Step, maximum: &StepEvidence) -> f64 {
    let fixed: u64 = base
        .streams
        .iter()
        .zip(&maximum.streams)
        .filter(|(s, _)| s.fixed_rate.is_some())
        .map(|(_, reached)| reached.ios)
        .sum();
    if fixed == 0 || maximum.counted_s <= 0.0 {
        return maximum.rate.mean;
    }
    (maximum.rate.mean - fixed as f64 / maximum.counted_s).max(0.0)
}

/// Shares in percent of the I/Os of the streams that share the load; as they were where none of them did any.
fn keep_observed_shares(step: &mut Step, streams: &[StreamSummary]) {
    let sharing = || streams.iter().map(|s| s.ios).enumerate();
    let total: u64 = sharing()
        .filter(|(i, _)| step.streams[*i].fixed_rate.is_none())
        .map(|(_, ios)| ios)
        .sum();
    if total == 0 {
        return;
    }
    for (i, ios) in sharing() {
        if step.streams[i].fixed_rate.is_none() {
            step.streams[i].share = ios as f64 * 100.0 / total as f64;
        }
    }
}
