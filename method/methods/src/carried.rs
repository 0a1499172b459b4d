//! Whether a step's load was carried, by all its streams with a schedule and by each, and what held it up.

use crate::growth::{Flow, growth};
use crate::pieces::SAMPLE_NS;
use crate::saturation::{of_step, saturation};
use crate::series::Series;
use crate::slots::SlotWatch;
use crate::stalls::stalls;
use crate::standstill::absences;
use crate::step_facts::StepFacts;
use crate::streams::StreamJudge;
use crate::stretches::{bounded, overlap};
use plimsoll_evidence::{Saturation, Stretch};
use plimsoll_measure::Histogram;
use plimsoll_plan::{Load, Step};

/// A time is the host's where the process did not run for this share of it.
const ABSENT_SHARE: f64 = 0.10;

/// The judgement of a step.
#[derive(Debug)]
pub struct Carried {
    /// Of all streams with a schedule together; `None` where none has one or nothing was counted.
    pub step: Option<Saturation>,
    /// Of each stream.
    pub streams: Vec<Option<Saturation>>,
    /// Backlogs that came and went.
    pub stalls: Vec<Stretch>,
}

impl Carried {
    /// Of a step's counted time; `service` are all service times.
    pub fn of(
        step: &Step,
        series: &Series,
        streams: &[StreamJudge],
        service: &Histogram,
        facts: &StepFacts,
    ) -> Self {
        let scheduled: Vec<&StreamJudge> = streams.iter().filter(|s| s.is_scheduled()).collect();
        if scheduled.is_empty() || series.seconds.is_empty() {
            return Carried {
                step: None,
                streams: vec![None; streams.len()],
                stalls: Vec::new(),
            };
        }
        let absences = absences(series, &facts.standstills);
        let spoiled =
            |from: f64, to: f64| overlap((from, to), &absences) > ABSENT_SHARE * (to - from);
        let by_plan = matches!(step.load, Load::Schedule { .. });
        let service_s = service
            .quantile_ns(0.5)
            .filter(|_| by_plan)
            .map(|ns| ns as f64 / 1e9);
        let all_scheduled = scheduled.len() == streams.len();
        let samples = series.flows(spoiled);
        let by_stream = || together(&scheduled, series.start_ns, &spoiled);
        let grown = match all_scheduled {
            true => growth(&samples, service_s),
            false => growth(&by_stream(), service_s),
        };
        let mut slots = SlotWatch::default();
        scheduled.iter().for_each(|s| slots.merge(s.slots()));
        let of_all = Saturation {
            shortfall: shortfall(&scheduled),
            ..saturation(&grown, &slots)
        };
        let of_each: Vec<Option<Saturation>> = match streams {
            [only] if only.window().is_whole() => vec![Some(saturation(&grown, only.slots()))],
            _ => streams
                .iter()
                .map(|s| s.saturation(series.start_ns, &spoiled, service_s))
                .collect(),
        };
        let told: Vec<Saturation> = of_each.iter().flatten().copied().collect();
        let verdict = of_step(of_all, &told);
        let mut held_up = match (verdict.saturated, all_scheduled) {
            (true, _) => Vec::new(),
            (false, true) => stalls(series.start_ns, &samples),
            (false, false) => stalls_by_backlog(series, &samples),
        };
        held_up.retain(|stall| !was_given_up(stall, streams, &of_each));
        Carried {
            step: Some(verdict),
            streams: of_each,
            stalls: bounded(held_up),
        }
    }
}

/// Share of what came due that was not done, 0 where none was short. What a window's end left undone was not done.
fn shortfall(streams: &[&StreamJudge]) -> f64 {
    let totals = streams.iter().map(|s| s.totals());
    let (due, done) = totals.fold((0, 0), |(a, b), (due, done)| (a + due, b + done));
    (due.saturating_sub(done) as f64 / due.max(1) as f64).min(1.0)
}

/// True where a backlog went away because a stream's time was over, and not because the target came round: nobody can tell whether it would
/// have.
fn was_given_up(stall: &Stretch, streams: &[StreamJudge], judged: &[Option<Saturation>]) -> bool {
    let judged = streams.iter().zip(judged);
    let untold = judged.filter(|(_, s)| s.is_some_and(|s| s.undecided));
    let mut ends = untold.filter_map(|(stream, _)| stream.window().until);
    let to_ns = stall.start_ns + stall.length_ns;
    ends.any(|end| stall.start_ns < end.0 && end.0 <= to_ns.saturating_add(SAMPLE_NS))
}

/// Flows of all these streams together, by sample.
fn together(
    streams: &[&StreamJudge],
    start_ns: u64,
    spoiled: &impl Fn(f64, f64) -> bool,
) -> Vec<Flow> {
    let mut all: Vec<Flow> = Vec::new();
    for stream in streams {
        let flows = stream.flows(start_ns, spoiled);
        all.resize(all.len().max(flows.len()), Flow::default());
        for (sum, flow) in all.iter_mut().zip(flows) {
            sum.seconds = flow.seconds;
            sum.due += flow.due;
            sum.done += flow.done;
            sum.late += flow.late;
            sum.spoiled |= flow.spoiled;
            sum.absent |= flow.absent;
        }
    }
    all
}

/// Beside streams without a schedule what is in flight of the others is not known by sample: their backlog is.
fn by_backlog(series: &Series, samples: &[Flow]) -> Vec<Flow> {
    let mut before = 0.0;
    let asked = series.asked.iter().zip(samples);
    asked
        .map(|(asked, flow)| {
            let backlog = f64::from(asked.backlog);
            let done = flow.due + before - backlog;
            before = backlog;
            Flow { done, ..*flow }
        })
        .collect()
}

/// Stalls of scheduled streams beside others. By the backlog nobody knows what came back; at the end the samples of all tell whether
/// anything did.
fn stalls_by_backlog(series: &Series, samples: &[Flow]) -> Vec<Stretch> {
    let mut found = stalls(series.start_ns, &by_backlog(series, samples));
    let is_still = samples.iter().rev().take(2).all(|f| f.done == 0.0);
    let length_ns = (series.seconds.iter().sum::<f64>() * 1e9) as u64;
    let last_ns = (series.start_ns + length_ns).saturating_sub(SAMPLE_NS / 2);
    found.retain(|stall| is_still || stall.start_ns + stall.length_ns < last_ns);
    found
}

/// Times in which the generator itself was late, and the number of I/Os that it was late for.
pub fn late_by_host(series: &Series) -> Vec<Stretch> {
    let mut at_ns = series.start_ns;
    let mut late = Vec::new();
    for (asked, seconds) in series.asked.iter().zip(&series.seconds) {
        let length_ns = (seconds * 1e9).round() as u64;
        if asked.late_by_host > 0 {
            late.push(Stretch {
                start_ns: at_ns,
                length_ns,
                ios: asked.late_by_host.into(),
            });
        }
        at_ns += length_ns;
    }
    bounded(late)
}
