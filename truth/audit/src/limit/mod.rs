//! What limited a step: of every closed loop, and of every load that was past what its targets carry, one cause is named, or
//! none where what was seen does not tell.
//!
//! All causes are weighed in one currency. What a cause *explains* is the share of what is in flight that is there because of
//! it, on average: by Little's law the share of an I/O's time. If the cause was gone, and nothing else in the way, 1/(1 − share)
//! times as much would be done. A cause is named where that is at least [`LEAST_GAIN`], and at least [`LEAD`] times what the next one
//! would give. Being busy is no cause; being what I/Os wait for is.

mod array;
mod blocks;
mod device;
mod foreign;
mod host;
mod network;
mod said;
mod set;
mod slots;

pub(crate) use host::{busy, throttled};
pub(crate) use slots::busy_with;

use plimsoll_evidence::{End, Environment, EnvironmentTarget, Limit, LimitCause, StepEvidence};
use plimsoll_plan::{Pattern, Stream, Target};

/// Without the cause it would be at least so much more. Below that nothing stands out: the sum of small things is the limit.
pub const LEAST_GAIN: f64 = 1.5;

/// And so many times what it would be without the next one. Estimates of queues from utilisations are no better than that.
pub const LEAD: f64 = 1.25;

/// View of a step and of what is known about it.
#[derive(Debug, Clone, Copy)]
pub struct LimitView<'a> {
    /// The step.
    pub step: &'a StepEvidence,
    /// Environment that the step ran in.
    pub environment: &'a Environment,
    /// Targets as they were planned; none where that is not known.
    pub planned: &'a [Target],
    /// Other steps of the same run, before or after it. Those that did the same with more or less in flight tell whether more
    /// would have come of more.
    pub others: &'a [StepEvidence],
    /// Workloads as they were planned; none where that is not known.
    pub streams: &'a [Stream],
}

impl<'a> LimitView<'a> {
    /// Whether its addresses follow each other, so that as few as one owner of slices may be met at a time.
    fn is_in_turn(&self) -> bool {
        let drawn = |s: &Stream| matches!(s.address.pattern, Pattern::Random { .. });
        !self.streams.is_empty() && !self.streams.iter().any(drawn)
    }

    /// The targets that the step's streams use; all where it tells of none.
    fn targets(&self) -> impl Iterator<Item = &'a EnvironmentTarget> {
        let streams = &self.step.streams;
        let used =
            move |n: usize| streams.is_empty() || streams.iter().any(|s| s.target as usize == n);
        let all = self.environment.targets.iter().enumerate();
        all.filter(move |(n, _)| used(*n)).map(|(_, target)| target)
    }
}

/// A cause, and how much of the time it explains.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    pub cause: LimitCause,
    /// Of what was in flight, the share that was there because of it, 0..=1.
    pub explains: f64,
    /// Observation that speaks for it, as a clause: `core 3 of lab:x was 97 % busy`.
    pub seen: String,
    /// Doubt, as a clause: why it may be the cause and is not known to be. Others are weighed against it, and it is never named.
    pub doubt: Option<&'static str>,
}

/// What looking for some causes came to.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    pub candidates: Vec<Candidate>,
    /// Causes for which there was nothing to look at.
    pub unseen: Vec<LimitCause>,
}

impl Looked {
    fn unseen(causes: &[LimitCause]) -> Self {
        Looked {
            candidates: Vec::new(),
            unseen: causes.to_vec(),
        }
    }

    fn add(&mut self, cause: LimitCause, explains: f64, seen: impl Into<String>) {
        if explains > 0.0 {
            self.candidates.push(Candidate {
                cause,
                explains: explains.min(1.0),
                seen: seen.into(),
                doubt: None,
            });
        }
    }

    /// Adds what cannot be ruled out, and why it is not known.
    fn add_possible(
        &mut self,
        cause: LimitCause,
        explains: f64,
        seen: impl Into<String>,
        doubt: &'static str,
    ) {
        let known = self.candidates.len();
        self.add(cause, explains, seen);
        let added = self.candidates[known..].iter_mut();
        added.for_each(|c| c.doubt = Some(doubt));
    }
}

impl Candidate {
    /// How many times as much would be done without it.
    fn gain(&self) -> f64 {
        1.0 / (1.0 - self.explains).max(1e-3)
    }
}

/// Limit of a step; `None` where that is no question: a load that was carried, a fill, a step that did not come to its end.
pub fn limit(view: &LimitView<'_>) -> Option<Limit> {
    let step = view.step;
    let saturated = step.saturation.is_some_and(|s| s.saturated);
    let counted = !step.fill && step.ios > 0 && step.counted_s > 0.0 && step.depth_mean > 0.0;
    let ended = matches!(step.end, End::Elapsed | End::Limit);
    if !counted || !ended || !(step.offered.is_none() || saturated) || engine_alone(view) {
        return None;
    }
    let families: [fn(&LimitView<'_>) -> Looked; 6] = [
        set::look,
        array::look,
        host::look,
        blocks::look,
        network::look,
        foreign::look,
    ];
    let mut all = Looked::default();
    for looked in families.iter().map(|look| look(view)) {
        all.candidates.extend(looked.candidates);
        all.unseen.extend(looked.unseen);
    }
    // Last, because the whole target, and slots, are the limit where nothing else is.
    for look in [device::look, slots::look] {
        let looked = look(view, &all);
        all.candidates.extend(looked.candidates);
        all.unseen.extend(looked.unseen);
    }
    all.candidates
        .sort_by(|a, b| b.explains.total_cmp(&a.explains));
    // A cause that was seen in several places is no runner-up of itself.
    let mut reported = Vec::new();
    all.candidates.retain(|c| {
        let is_new = !reported.contains(&c.cause);
        reported.push(c.cause);
        is_new
    });
    all.unseen.sort_by_key(|c| *c as u8);
    all.unseen.dedup();
    Some(decide(all))
}

/// Against no storage there is nothing to name: it is the engine that is measured.
fn engine_alone(view: &LimitView<'_>) -> bool {
    let mut targets = view.targets().peekable();
    targets.peek().is_some() && targets.all(|t| t.kind == "null")
}

fn decide(all: Looked) -> Limit {
    let mut ranked = all.candidates.iter();
    let (top, next) = (ranked.next(), ranked.next());
    let clear = top.filter(|top| {
        let other = next.map_or(1.0, Candidate::gain);
        top.doubt.is_none() && top.gain() >= LEAST_GAIN && top.gain() >= LEAD * other
    });
    match clear {
        Some(top) => said::named(top, next, all.unseen),
        None => said::not_attributable(top, next, all.unseen),
    }
}

/// I/Os that wait at a station which is busy for `utilisation` of the time, on average: U² / (1 − U), as in a queue with
/// exponential times, to which closed networks come as they grow (Lazowska et al., *Quantitative System Performance*, chapters 6
/// and 7). What is being served is not counted: an I/O that nobody is in the way of takes its time, and that limits nothing
/// but a slot. Of `depth` in flight nobody waits for itself.
fn waiting(utilisation: f64, depth: f64) -> f64 {
    let u = utilisation.clamp(0.0, 0.9999);
    u * u / (1.0 - u) * (1.0 - 1.0 / depth.max(1.0))
}

/// A share that rises from 0 at `from` to `most` at `to`.
fn ramp(value: f64, from: f64, to: f64, most: f64) -> f64 {
    ((value - from) / (to - from)).clamp(0.0, 1.0) * most
}

#[cfg(test)]
mod tests;
