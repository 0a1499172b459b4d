//! From a step's intervals to what it came to.

use crate::remarks::remarks;
use crate::saturation::saturation;
use crate::series::Series;
use plimsoll_evidence::{End, ErrorSample, Interval, OpSummary, StepEvidence};
use plimsoll_measure::{Histogram, Op};
use plimsoll_plan::{Arrival, Load, Purpose, Step};

/// What is known of a step's course beside its intervals.
#[derive(Debug, Clone, PartialEq)]
pub struct StepFacts {
    /// Worker threads.
    pub workers: u32,
    /// Why it ended.
    pub end: End,
    /// The first errors, with their place.
    pub error_samples: Vec<ErrorSample>,
    /// I/Os that failed outside of every interval: while the last ones were waited for.
    pub errors_after: u64,
    /// Things that the rig has to say beside the result, one sentence each.
    pub notes: Vec<String>,
}

impl StepFacts {
    /// A step that ran its time without an error.
    pub fn clean(workers: u32) -> Self {
        StepFacts {
            workers,
            end: End::Elapsed,
            error_samples: Vec::new(),
            errors_after: 0,
            notes: Vec::new(),
        }
    }
}

/// Merges a step's counted intervals and judges them; those marked [`Interval::warmup`] are left out. `number` is the
/// step's in the record. `intervals` are all of the step, in order; there may be none, and then nothing was reached.
///
/// Rates and means carry 95 % intervals from batch means of the 100 ms samples.
pub fn judge(step: &Step, number: u32, intervals: &[Interval], facts: &StepFacts) -> StepEvidence {
    let counted: Vec<&Interval> = intervals.iter().filter(|i| !i.warmup).collect();
    let series = Series::of(&counted);
    let ops = operations(&counted);
    let counted_ns: u64 = counted.iter().map(|i| i.length_ns).sum();
    let warmup_ns: u64 = intervals
        .iter()
        .filter(|i| i.warmup)
        .map(|i| i.length_ns)
        .sum();
    let ios = ops.iter().map(|o| o.ios).sum();
    let offered = offered_rate(step);
    let mut evidence = StepEvidence {
        number,
        name: step.name.clone(),
        run: step.run.clone(),
        loops: step
            .loops
            .iter()
            .map(|l| (l.key.clone(), l.value.clone()))
            .collect(),
        fill: step.purpose == Purpose::Fill,
        offered,
        load: load_words(&step.load),
        slots: step.total_depth(),
        workers: facts.workers,
        warmup_s: warmup_ns as f64 / 1e9,
        counted_s: counted_ns as f64 / 1e9,
        counted_intervals: (
            counted.first().map_or(0, |i| i.number),
            counted.last().map_or(0, |i| i.number),
        ),
        ios,
        bytes: ops.iter().map(|o| o.bytes).sum(),
        errors: intervals.iter().map(|i| i.stats.errors()).sum::<u64>() + facts.errors_after,
        rate: series.rate(),
        response_mean_ns: series.response_mean(),
        service_mean_ns: series.service_mean(),
        response: merged(ops.iter().map(|o| &o.response)),
        service: merged(ops.iter().map(|o| &o.service)),
        ops,
        stream_ios: stream_ios(step, &counted),
        depth_mean: depth_mean(&counted, counted_ns),
        lateness: merged(counted.iter().map(|i| &i.stats.lateness)),
        saturation: offered.and_then(|_| saturation(&counted, step.total_depth())),
        cpu_ns_per_io: cpu_per_io(&counted, ios),
        end: facts.end,
        error_samples: facts.error_samples.clone(),
        notes: facts.notes.clone(),
    };
    let found = remarks(step, &counted, &series, &evidence);
    evidence.notes.extend(found);
    evidence
}

/// The operations that occurred, failed ones included.
fn operations(counted: &[&Interval]) -> Vec<OpSummary> {
    Op::ALL
        .into_iter()
        .filter_map(|op| {
            let mut sum = OpSummary {
                op,
                ios: 0,
                bytes: 0,
                errors: 0,
                response: Histogram::new(),
                service: Histogram::new(),
            };
            for stats in counted.iter().flat_map(|i| &i.stats.streams) {
                let part = &stats.ops[op as usize];
                sum.ios += part.ios;
                sum.bytes += part.bytes;
                sum.errors += part.errors;
                sum.response.merge(&part.response);
                sum.service.merge(&part.service);
            }
            (sum.ios + sum.errors > 0).then_some(sum)
        })
        .collect()
}

fn merged<'a>(histograms: impl Iterator<Item = &'a Histogram>) -> Histogram {
    histograms.fold(Histogram::new(), |mut all, h| {
        all.merge(h);
        all
    })
}

fn stream_ios(step: &Step, counted: &[&Interval]) -> Vec<u64> {
    let mut ios = vec![0; step.streams.len()];
    for interval in counted {
        for (sum, stream) in ios.iter_mut().zip(&interval.stats.streams) {
            *sum += stream.ops.iter().map(|o| o.ios).sum::<u64>();
        }
    }
    ios
}

fn depth_mean(counted: &[&Interval], counted_ns: u64) -> f64 {
    let integral: f64 = counted
        .iter()
        .map(|i| i.stats.depth_integral_ns as f64)
        .sum();
    if counted_ns == 0 {
        0.0
    } else {
        integral / counted_ns as f64
    }
}

/// `None` where any counted interval's CPU time is not known.
fn cpu_per_io(counted: &[&Interval], ios: u64) -> Option<f64> {
    let mut process_ns = 0;
    for interval in counted {
        process_ns += interval.cpu.as_ref()?.process_ns;
    }
    (ios > 0).then(|| process_ns as f64 / ios as f64)
}

/// What an open loop is asked for, I/Os per second, the streams of a fixed rate included; `None` for a closed loop,
/// and for a percentage that was never resolved.
pub(crate) fn offered_rate(step: &Step) -> Option<f64> {
    let shared = step.streams.iter().any(|s| s.fixed_rate.is_none());
    let fixed: f64 = step
        .streams
        .iter()
        .filter_map(|s| s.fixed_rate)
        .map(|r| r.0)
        .sum();
    let rate = match &step.load {
        Load::Max | Load::MaxShared | Load::PercentOfLast { .. } => return None,
        Load::Rate { rate, .. } => rate.0,
        Load::Schedule { segments, .. } => {
            let length: f64 = segments.iter().map(|s| s.length.as_secs_f64()).sum();
            let ios: f64 = segments
                .iter()
                .map(|s| s.rate.0 * s.length.as_secs_f64())
                .sum();
            if length > 0.0 { ios / length } else { 0.0 }
        }
    };
    Some(fixed + if shared { rate } else { 0.0 })
}

fn load_words(load: &Load) -> String {
    match load {
        Load::Max => "max".to_string(),
        Load::MaxShared => "max, shares kept".to_string(),
        Load::Rate { rate, arrival } => format!("{rate} {}", arrival_word(*arrival)),
        Load::PercentOfLast { percent, arrival } => {
            format!("{percent}% of the last rate, {}", arrival_word(*arrival))
        }
        Load::Schedule { segments, arrival } => {
            format!(
                "schedule of {} rates, {}",
                segments.len(),
                arrival_word(*arrival)
            )
        }
    }
}

fn arrival_word(arrival: Arrival) -> &'static str {
    match arrival {
        Arrival::Exponential => "exponential",
        Arrival::Uniform => "uniform",
        Arrival::Even => "even",
    }
}
