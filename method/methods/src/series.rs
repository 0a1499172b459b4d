//! Counted intervals as one series of 100 ms samples.

use crate::growth::Flow;
use crate::pieces::pieces;
use plimsoll_evidence::{Estimate, Interval};
use plimsoll_measure::{Demand, Histogram, ratio_interval};

/// One entry a sample, in the order of time.
#[derive(Debug, Default)]
pub struct Series {
    /// Start of the first sample, from the step's start, ns.
    pub start_ns: u64,
    /// Lengths, s.
    pub seconds: Vec<f64>,
    /// Completed I/Os.
    pub ios: Vec<f64>,
    /// I/Os among them whose times are in the sums.
    pub timed: Vec<f64>,
    /// Sums of response times, ns.
    pub response_ns: Vec<f64>,
    /// Sums of service times, ns.
    pub service_ns: Vec<f64>,
    /// Demand of the streams with a schedule.
    pub asked: Vec<SampleDemand>,
    /// I/Os that came back after the counted time.
    drained: Drained,
}

/// Demand of the streams with a schedule in a sample. Of a day there are many, so that it is small.
#[derive(Debug, Clone, Copy, Default)]
pub struct SampleDemand {
    /// I/Os that came due.
    pub due: u32,
    /// I/Os of all streams that came back, well or not.
    pub done: u32,
    /// I/Os that went out late by the generator's own doing.
    pub late_by_host: u32,
    /// Due and not issued at its end.
    pub backlog: u32,
}

impl SampleDemand {
    fn new(demand: &Demand, done: u64) -> Self {
        let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        SampleDemand {
            due: small(demand.due),
            done: small(done),
            late_by_host: small(demand.late_by_host),
            backlog: small(demand.backlog_end),
        }
    }
}

/// Times of what came back after the counted time. What never went out has a response time, as far as it waited, and no
/// service time.
#[derive(Debug, Clone, Copy, Default)]
struct Drained {
    response: Sum,
    service: Sum,
}

/// Sum of times, ns, and their number.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    ios: f64,
    ns: f64,
}

impl Sum {
    fn add(&mut self, times: &Histogram) {
        self.ios += times.count() as f64;
        self.ns += times.exact_sum_ns() as f64;
    }
}

impl Series {
    /// Adds the samples of the next counted interval.
    pub fn add(&mut self, interval: &Interval) {
        if interval.length_ns == 0 {
            return;
        }
        if self.seconds.is_empty() {
            self.start_ns = interval.start_ns;
        }
        for piece in pieces(interval) {
            let sample = &piece.sample;
            self.seconds.push(piece.length_ns as f64 / 1e9);
            self.ios.push(sample.ios as f64);
            self.timed.push(sample.timed as f64);
            self.response_ns.push(sample.response_sum_ns as f64);
            self.service_ns.push(sample.service_sum_ns as f64);
            // What a stream's end left unissued has its times, and nobody waits for it any more.
            let done = sample.ios.max(sample.timed) + piece.failed + piece.blocked;
            self.asked.push(SampleDemand::new(&piece.demand, done));
        }
    }

    /// Adds the times of what came back after the counted time.
    pub fn add_drained(&mut self, interval: &Interval) {
        for op in interval.stats.ops() {
            self.drained.response.add(&op.response);
            self.drained.service.add(&op.service);
        }
    }

    /// I/Os per second.
    pub fn rate(&self) -> Estimate {
        estimate(&self.ios, &self.seconds)
    }

    /// Mean response time of an I/O, ns.
    pub fn response_mean(&self) -> Estimate {
        self.mean(&self.response_ns, self.drained.response)
    }

    /// Mean service time of an I/O, ns.
    pub fn service_mean(&self) -> Estimate {
        self.mean(&self.service_ns, self.drained.service)
    }

    /// With what was drained as a last part, where there is any.
    fn mean(&self, sums: &[f64], drained: Sum) -> Estimate {
        if drained.ios == 0.0 {
            return estimate(sums, &self.timed);
        }
        let with = |part: &[f64], last: f64| [part, &[last]].concat();
        estimate(&with(sums, drained.ns), &with(&self.timed, drained.ios))
    }

    /// Flows of what came due and what was done, by sample; `spoiled` says of a time, (from, to) in s from the step's start, whether the
    /// host was in the way.
    pub fn flows(&self, spoiled: impl Fn(f64, f64) -> bool) -> Vec<Flow> {
        let mut at = self.start_ns as f64 / 1e9;
        let asked = self.asked.iter().zip(&self.seconds);
        asked
            .map(|(asked, seconds)| {
                let from = at;
                at += seconds;
                let absent = spoiled(from, at);
                Flow {
                    seconds: *seconds,
                    due: f64::from(asked.due),
                    done: f64::from(asked.done),
                    late: f64::from(asked.late_by_host),
                    spoiled: is_spoiled(asked.late_by_host.into(), asked.due.into()) || absent,
                    absent,
                }
            })
            .collect()
    }
}

/// The generator spoils a time in which it was late itself for this share of what it asked.
const SPOILED_SHARE: f64 = 0.10;

/// True where the generator was late for too much of what came due.
pub fn is_spoiled(late_by_host: u64, due: u64) -> bool {
    late_by_host > 0 && late_by_host as f64 > SPOILED_SHARE * due as f64
}

/// An estimate; where there is none the mean of all times, which may be there all the same.
pub fn or_mean(estimate: Estimate, times: &Histogram) -> Estimate {
    match times.mean_ns() {
        Some(mean_ns) if estimate.mean == 0.0 => Estimate::bare(mean_ns),
        _ => estimate,
    }
}

/// 0 where there is nothing to take a mean of.
pub fn estimate(numerators: &[f64], denominators: &[f64]) -> Estimate {
    ratio_interval(numerators, denominators).map_or(Estimate::bare(0.0), Estimate::from)
}
