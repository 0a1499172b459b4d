//! The curve: perhaps a search for the depth, then the maximum, then fixed percentages of it.

use crate::doubts::{named, note, suspect};
use crate::method::ran_its_time;
use crate::next::Next;
use crate::search::{Searched, searched};
use crate::unanswered::{self, Open};
use crate::verdict::{curve_verdict, limits};
use plimsoll_evidence::{Finding, Quantity, StepEvidence, StreamSummary, Verdict};
use plimsoll_plan::depth::WORTH;
use plimsoll_plan::{
    Arrival, CurveSpec, DepthSearch, Load, Nanos, Rate, Step, curve_target, depth,
};
use std::borrow::Borrow;

/// The state machine of one curve. It has no state but its specification: everything follows from the completed steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    spec: CurveSpec,
}

/// Completed steps that are a curve's.
#[derive(Default)]
struct CurveSteps<'a> {
    /// The steps of its search.
    probes: Vec<&'a StepEvidence>,
    /// Progress of the search for the depth; `None` where there is none.
    search: Option<Searched>,
    /// The maximum and the points.
    measured: Vec<&'a StepEvidence>,
    /// Reason why no step follows, if none does.
    ending: Option<Ending>,
}

/// The maximum may differ from the same depth in the search by this share.
const MAX_CHANGE: f64 = 0.05;

/// By more than this it does so whatever its scatter: a cliff inside the maximum is scatter, too.
const SURE_CHANGE: f64 = 0.2;

/// A saturated point that carries less than this part of what was asked for, which is no more than the maximum, says that the
/// target does not carry the maximum any more.
const HELD: f64 = 0.9;

/// Reason why a curve has no further step.
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
        let curve_steps = self.curve_steps(completed);
        match (&curve_steps.ending, curve_steps.measured.split_first()) {
            (Some(Ending::Stopped), Some((maximum, points))) => {
                Next::StopAll(self.judged(&curve_steps, maximum, points))
            }
            (Some(_), _) => Next::Done(self.verdict(completed)),
            (None, None) => Next::Step(Box::new(match curve_steps.search {
                Some(Searched::Try(depth)) => self.probe(depth),
                _ => self.maximum(curve_steps.search),
            })),
            (None, Some((maximum, points))) => {
                let percent = self.spec.percents[points.len()];
                let mut step = self.point(maximum, percent);
                if let (Some(search), Some(Searched::Found { depth, .. })) =
                    (&self.spec.search, curve_steps.search)
                {
                    depth::set(&mut step.depths, search.point_slots(depth));
                }
                Next::Step(Box::new(step))
            }
        }
    }

    /// Number of these completed steps that are the curve's own.
    pub fn consumed<E: Borrow<StepEvidence>>(&self, completed: &[E]) -> usize {
        let curve_steps = self.curve_steps(completed);
        curve_steps.probes.len() + curve_steps.measured.len()
    }

    /// Verdict on the completed steps so far, for a curve that is cut short; `None` before the maximum is known. A step that did not run
    /// its time says nothing.
    pub fn verdict<E: Borrow<StepEvidence>>(&self, completed: &[E]) -> Option<Verdict> {
        let mut curve_steps = self.curve_steps(completed);
        curve_steps.measured.retain(|s| ran_its_time(s));
        let (maximum, points) = curve_steps.measured.split_first()?;
        Some(self.judged(&curve_steps, maximum, points))
    }

    fn judged(
        &self,
        curve_steps: &CurveSteps,
        maximum: &StepEvidence,
        points: &[&StepEvidence],
    ) -> Verdict {
        let percents = self.spec.percents.iter().copied();
        let measured: Vec<(u32, &StepEvidence)> = percents.zip(points.iter().copied()).collect();
        let mut verdict = curve_verdict(maximum, &measured, &limits(&self.spec.slos));
        let found = &mut verdict.findings;
        found.push(about_depth(
            (&self.spec.base, self.spec.search.as_ref()),
            curve_steps.search,
            &curve_steps.probes,
        ));
        found.extend(self.against_search(curve_steps, maximum));
        found.extend(against_points(maximum, &measured));
        let missing = self.spec.percents.len() - points.len();
        let last = named(points.last().unwrap_or(&maximum));
        let count = |n: usize| Quantity::Count(n as u64);
        let mut cut_short = false;
        if let (Some(Ending::Stopped), Some(limit)) = (&curve_steps.ending, self.spec.stop_service)
        {
            let limit = Quantity::Ns(limit.0 as f64);
            let values = [last, ("limit", limit), ("missing", count(missing))];
            found.push(note("curve-stopped", values));
        } else if missing > 0 {
            let all = count(self.spec.percents.len());
            let values = [last, ("missing", count(missing)), ("points", all)];
            found.push(suspect("curve-cut-short", values));
            // What no point holds so far, one that did not run might.
            verdict.capacities.retain(|c| c.rate.is_some());
            cut_short = true;
        }
        let open = match cut_short {
            true => vec![Open::CutShort],
            false => {
                let done = &self.spec.percents[..points.len()];
                let greatest = done.iter().copied().max().unwrap_or(0);
                unanswered::of_fixed(&verdict, points, &self.spec.slos, greatest)
            }
        };
        unanswered::conclude(&mut verdict, open);
        Verdict::Curve(verdict)
    }

    /// The leading steps that are this curve's: those of its search first.
    fn curve_steps<'a, E: Borrow<StepEvidence>>(&self, completed: &'a [E]) -> CurveSteps<'a> {
        let mut curve_steps = CurveSteps {
            search: self.spec.search.as_ref().map(|s| searched(s, &[])),
            ..CurveSteps::default()
        };
        for step in completed.iter().map(Borrow::borrow) {
            match (&self.spec.search, curve_steps.search) {
                (Some(search), Some(Searched::Try(_))) => {
                    curve_steps.probes.push(step);
                    curve_steps.ending = (!ran_its_time(step)).then_some(Ending::Broken);
                    let rates: Vec<f64> = curve_steps.probes.iter().map(|p| p.rate.mean).collect();
                    curve_steps.search = Some(searched(search, &rates));
                }
                _ => {
                    curve_steps.measured.push(step);
                    curve_steps.ending = self.ending(step, curve_steps.measured.len() - 1);
                }
            }
            if curve_steps.ending.is_some() {
                break;
            }
        }
        curve_steps
    }

    /// A step of the search.
    fn probe(&self, depth: u32) -> Step {
        let base = &self.spec.base;
        match &self.spec.search {
            Some(search) => search.probe(base, depth),
            None => base.clone(),
        }
    }

    /// The maximum, at the depth that was found.
    fn maximum(&self, search: Option<Searched>) -> Step {
        let mut step = self.spec.base.clone();
        if let Some(Searched::Found { depth, .. }) = search {
            depth::set(&mut step.depths, depth);
        }
        step
    }

    /// The maximum is a step of the kind that the search's best was. Where it reached another rate, the target has changed.
    fn against_search(&self, curve_steps: &CurveSteps, maximum: &StepEvidence) -> Option<Finding> {
        let Some(Searched::Found { depth, .. }) = curve_steps.search else {
            return None;
        };
        let at = self
            .spec
            .search
            .as_ref()?
            .depths()
            .position(|d| d == depth)?;
        let (was, is) = (curve_steps.probes.get(at)?.rate, maximum.rate);
        let unsure = was.half_width.unwrap_or(0.0) + is.half_width.unwrap_or(0.0);
        let off = (was.mean - is.mean).abs();
        let more = was.mean.max(is.mean);
        let sure = off > unsure || off > SURE_CHANGE * more;
        (off > MAX_CHANGE * more && sure).then(|| {
            suspect(
                "maximum-unlike-search",
                [
                    ("search", Quantity::PerSecond(was.mean)),
                    ("maximum", Quantity::PerSecond(is.mean)),
                ],
            )
        })
    }

    /// Reason why no step follows this one, the `index`-th of the curve; `None`: one does.
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
        let rate = curve_target(shared_rate(base, maximum), f64::from(percent)) as f64;
        let mut step = at_rate(base, maximum, Rate(rate), self.spec.arrival);
        step.name = format!("{}_({percent}%)", base.name);
        step
    }
}

/// A point cannot carry what the maximum did: what the percentages are of is not there any more.
fn against_points(maximum: &StepEvidence, points: &[(u32, &StepEvidence)]) -> Option<Finding> {
    let most = maximum.rate.mean;
    let fell = points.iter().find(|(_, point)| {
        let asked = point.offered.unwrap_or(most).min(most);
        point.saturation.is_some_and(|s| s.saturated) && point.rate.mean < HELD * asked
    });
    let (_, point) = fell?;
    let values = [
        named(point),
        ("maximum", Quantity::PerSecond(most)),
        ("reached", Quantity::PerSecond(point.rate.mean)),
    ];
    Some(suspect("maximum-not-held", values))
}

/// A step like `base`, at a rate of all streams that have none of their own.
pub(crate) fn at_rate(base: &Step, maximum: &StepEvidence, rate: Rate, arrival: Arrival) -> Step {
    let mut step = base.clone();
    step.load = Load::Rate { rate, arrival };
    if base.load == Load::Max && maximum.streams.len() == base.streams.len() {
        keep_observed_shares(&mut step, &maximum.streams);
    }
    step
}

/// Source of the maximum's depth, and what that says.
pub(crate) fn about_depth(
    (base, search): (&Step, Option<&DepthSearch>),
    found: Option<Searched>,
    probes: &[&StepEvidence],
) -> Finding {
    let (Some(search), Some(Searched::Found { depth, at_limit })) = (search, found) else {
        let slots = Quantity::Count(base.total_depth());
        return note("curve-depth-given", [("slots", slots)]);
    };
    let tried = search.depths().zip(probes).flat_map(|(depth, probe)| {
        [
            ("tried_depth", Quantity::Count(depth.into())),
            ("tried_rate", Quantity::PerSecond(probe.rate.mean)),
        ]
    });
    let depth = ("depth", Quantity::Count(depth.into()));
    match at_limit {
        true => suspect("curve-depth-at-limit", std::iter::once(depth).chain(tried)),
        false => {
            let worth = ("worth", Quantity::Share(WORTH));
            note("curve-depth-found", [depth, worth].into_iter().chain(tried))
        }
    }
}

/// Rate that the streams without a rate of their own reached, I/Os per second.
pub(crate) fn shared_rate(base: &Step, maximum: &StepEvidence) -> f64 {
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
