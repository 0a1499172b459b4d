//! A whole plan as one function of the completed steps.

use crate::adaptive::Adaptive;
use crate::amount::Amount;
use crate::curve::Curve;
use crate::disturb::Disturb;
use crate::fingerprint::Fingerprint;
use crate::method::{Method, Observer, consumed};
use crate::next::Next;
use crate::pts::Pts;
use crate::repeats;
use crate::saturate::Saturate;
use crate::soak::Soak;
use crate::sweep::Sweep;
use plimsoll_evidence::{StepEvidence, Verdict};
use plimsoll_plan::{Item, Load, MethodSpec, Plan, Purpose, Question, Step, percent_of_last};

/// Progress of a plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    /// The step to run now; `None`: all is done.
    pub next: Option<Step>,
    /// The index in [`Plan::items`] that it belongs to; the number of items where all is done.
    pub item: usize,
    /// The verdicts of the methods that are done, in the plan's order.
    pub verdicts: Vec<Verdict>,
    /// True where a method ended everything before the plan's end.
    pub stopped: bool,
    /// The next step follows the last at once: its method does not want the targets to come to rest.
    pub at_once: bool,
}

/// Progress of `plan` with these completed steps, in the order in which they ran. Fills that the plan doesn't ask for (a rig fills what was
/// never written) are passed over. The same list always gives the same answer: to resume a run is to call this with what its record holds,
/// less an interrupted step that is to be repeated.
///
/// A step at a percentage of the last rate comes out with its rate resolved.
pub fn progress(plan: &Plan, completed: &[StepEvidence]) -> Progress {
    observed(plan, completed).0
}

/// The same, with whoever is to look at the intervals of the next step; `None`: nobody needs to.
pub fn observed(plan: &Plan, completed: &[StepEvidence]) -> (Progress, Option<Box<dyn Observer>>) {
    let mut observer = None;
    let mut so_far = Progress::default();
    let mut rest = completed;
    let mut last_rate = None;
    for item in &plan.items {
        let next = match item {
            Item::Step(step) => match take(step, &mut rest) {
                Some(done) => {
                    if !done.fill {
                        last_rate = Some(done.rate.mean);
                    }
                    None
                }
                None => {
                    observer = Amount::of(plan, step).map(|a| Box::new(a) as Box<dyn Observer>);
                    Some(resolved(step, last_rate))
                }
            },
            Item::Curve(spec) => {
                let curve = Curve::new(spec);
                let own = take_own(&mut rest, |e| !e.fill, |steps| curve.consumed(steps));
                last_rate = own.last().map(|s| s.rate.mean).or(last_rate);
                let Some(next) = so_far.take(curve.next(&own)) else {
                    return (so_far, None);
                };
                next
            }
            Item::Method(spec) => {
                let method = method(spec);
                // Its own fills are its steps; others belong to nobody.
                let is_own = |e: &StepEvidence| !e.fill || e.run == spec.run();
                // Nothing runs after the last item, so all that is left is its own: asking the method for each prefix is for the others.
                let is_last = so_far.item + 1 == plan.items.len();
                let count = |steps: &[&StepEvidence]| match is_last {
                    true => steps.len(),
                    false => consumed(method.as_ref(), steps),
                };
                let own = take_own(&mut rest, is_own, count);
                last_rate = own.last().map(|s| s.rate.mean).or(last_rate);
                let Some(next) = so_far.take(method.next(&own)) else {
                    return (so_far, None);
                };
                if let Some(step) = &next {
                    observer = method.observer(&own, step);
                    so_far.at_once = !method.rests_before(&own, step);
                }
                next
            }
        };
        if next.is_some() {
            so_far.next = next;
            return (so_far, observer);
        }
        so_far.item += 1;
    }
    let over_all = repeats::verdict(plan, completed, &so_far.verdicts);
    so_far.verdicts.extend(over_all);
    (so_far, None)
}

impl Progress {
    /// Takes in what a method wants next: its step, or nothing where it is done. `None`: nothing is to run after it.
    fn take(&mut self, next: Next) -> Option<Option<Step>> {
        match next {
            Next::Step(step) => Some(Some(*step)),
            Next::Done(verdict) => {
                self.verdicts.extend(verdict);
                Some(None)
            }
            Next::StopAll(verdict) => {
                self.verdicts.push(verdict);
                self.stopped = true;
                None
            }
        }
    }
}

/// The method of a specification.
fn method(spec: &MethodSpec) -> Box<dyn Method> {
    match &spec.question {
        Question::Fingerprint(fingerprint) => Box::new(Fingerprint::new(&spec.steps, fingerprint)),
        Question::Adaptive(adaptive) => Box::new(Adaptive::new(&spec.steps, adaptive)),
        Question::Saturate(saturate) => Box::new(Saturate::new(&spec.steps, saturate)),
        Question::Sweep(sweep) => Box::new(Sweep::new(&spec.steps, sweep)),
        Question::Soak(soak) => Box::new(Soak::new(&spec.steps, soak)),
        Question::Disturb(disturb) => Box::new(Disturb::new(&spec.steps, disturb)),
        Question::Pts(pts) => Box::new(Pts::new(&spec.steps, pts)),
    }
}

/// Takes the evidence of a plain step off the front, with the unasked fills before it.
fn take<'a>(step: &Step, rest: &mut &'a [StepEvidence]) -> Option<&'a StepEvidence> {
    let fill = step.purpose == Purpose::Fill;
    let at = rest
        .iter()
        .position(|e| !e.fill || (fill && e.name == step.name && e.run == step.run))?;
    if rest[at].fill != fill {
        return None;
    }
    let found = &rest[at];
    *rest = &rest[at + 1..];
    Some(found)
}

/// Takes as many of a method's own steps off the front as `count` says of them, with the fills before each.
fn take_own<'a>(
    rest: &mut &'a [StepEvidence],
    is_own: impl Fn(&StepEvidence) -> bool,
    count: impl Fn(&[&StepEvidence]) -> usize,
) -> Vec<&'a StepEvidence> {
    let (places, mut own): (Vec<usize>, Vec<&StepEvidence>) =
        rest.iter().enumerate().filter(|(_, e)| is_own(e)).unzip();
    own.truncate(count(&own));
    if let Some(last) = own.len().checked_sub(1) {
        *rest = &rest[places[last] + 1..];
    }
    own
}

fn resolved(step: &Step, last_rate: Option<f64>) -> Step {
    let mut step = step.clone();
    if let Load::PercentOfLast { percent, arrival } = step.load {
        step.load = Load::rate(percent_of_last(last_rate, percent), arrival);
    }
    step
}
