//! What each job did in each interval: the rates whose spread fio tells.

use super::bins::bins;
use plimsoll_evidence::Interval;
use plimsoll_measure::{Histogram, OP_COUNT, Op, OpStats, StreamStats};
use std::collections::BTreeMap;

/// Counted intervals, by the step's number.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    steps: BTreeMap<u32, Vec<Sample>>,
    histograms: bool,
}

/// One interval.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub start_ns: u64,
    pub end_ns: u64,
    /// By stream and operation on blocks; the last is of all operations on names.
    pub streams: Vec<StreamSample>,
    /// Time for which each stream worked in it, ns.
    busy_ns: Vec<u64>,
}

pub(super) type StreamSample = [OpSample; OP_COUNT + 1];

/// Places of operations in a stream's sample, each once.
fn places(ops: &[Op]) -> impl Iterator<Item = usize> {
    let place = |op: &Op| op.place_on_names().map_or(*op as usize, |_| OP_COUNT);
    (0..=OP_COUNT).filter(move |at| ops.iter().any(|op| place(op) == *at))
}

/// One operation of one stream in it.
#[derive(Debug, Clone, Default)]
pub(super) struct OpSample {
    pub ios: u64,
    pub bytes: u64,
    /// The sum of the times, ns, how many they are, and the longest.
    pub response: (u64, u64, u64),
    pub service: (u64, u64, u64),
    /// The service times in fio's buckets, where they are wanted.
    pub bins: Vec<(u16, u64)>,
}

impl OpSample {
    fn of(op: &OpStats, histograms: bool) -> Self {
        OpSample {
            ios: op.ios,
            bytes: op.bytes,
            response: summed(&op.response),
            service: summed(&op.service),
            bins: match histograms {
                true => bins(&op.service),
                false => Vec::new(),
            },
        }
    }
}

/// Sample of one stream.
fn of_stream(stats: &StreamStats, histograms: bool) -> StreamSample {
    let mut each = StreamSample::default();
    for (sample, op) in each.iter_mut().zip(&stats.ops) {
        *sample = OpSample::of(op, histograms);
    }
    each[OP_COUNT].ios = stats
        .names
        .iter()
        .flat_map(|all| all.iter())
        .map(|op| op.ios)
        .sum();
    each
}

impl Sample {
    pub fn length_ns(&self) -> u64 {
        self.end_ns - self.start_ns
    }

    fn length_s(&self) -> f64 {
        self.length_ns() as f64 / 1e9
    }
}

impl Samples {
    /// Samples, none yet; of those that come, the histograms are kept too.
    pub fn with_histograms() -> Self {
        Samples {
            histograms: true,
            ..Samples::default()
        }
    }

    /// Adds an interval, as it comes. Those of a step that is measured again come behind those of the first time.
    pub fn add(&mut self, interval: &Interval) {
        if !interval.counts() || interval.length_ns == 0 {
            return;
        }
        let histograms = self.histograms;
        let sample = Sample {
            start_ns: interval.start_ns,
            end_ns: interval.start_ns + interval.length_ns,
            streams: interval
                .stats
                .streams
                .iter()
                .map(|s| of_stream(s, histograms))
                .collect(),
            busy_ns: interval.stats.streams.iter().map(|s| s.busy_ns).collect(),
        };
        self.steps.entry(interval.step).or_default().push(sample);
    }

    /// Puts what one stream did in an interval at `place` of a step: others of the same place are beside it.
    pub fn put(&mut self, place: usize, stream: usize, interval: &Interval) {
        let Some(own) = interval.stats.streams.get(stream) else {
            return;
        };
        let all = self.steps.entry(interval.step).or_default();
        while all.len() <= place {
            all.push(Sample {
                start_ns: interval.start_ns,
                end_ns: interval.start_ns + interval.length_ns,
                streams: Vec::new(),
                busy_ns: Vec::new(),
            });
        }
        let sample = &mut all[place];
        if sample.streams.len() <= stream {
            sample.streams.resize_with(stream + 1, Default::default);
            sample.busy_ns.resize(stream + 1, 0);
        }
        sample.streams[stream] = of_stream(own, false);
        sample.busy_ns[stream] = own.busy_ns;
    }

    /// Samples of a step.
    pub(super) fn of_step(&self, step: u32) -> &[Sample] {
        self.steps.get(&step).map(Vec::as_slice).unwrap_or_default()
    }

    /// Longest time that any of some streams of a step worked, s; `None` where no interval is known.
    pub(super) fn busy_s(&self, step: u32, streams: impl Iterator<Item = usize>) -> Option<f64> {
        let samples = self.steps.get(&step)?;
        let busy_ns = |n: usize| samples.iter().filter_map(|s| s.busy_ns.get(n)).sum::<u64>();
        Some(streams.map(busy_ns).max()? as f64 / 1e9)
    }

    /// Rates of some streams of a step in some directions.
    pub(super) fn of(
        &self,
        step: u32,
        streams: impl Iterator<Item = usize> + Clone,
        ops: &[Op],
    ) -> RateSeries {
        let rates = self.of_step(step).iter().map(|sample| {
            let each = streams.clone().filter_map(|n| sample.streams.get(n));
            let (ios, bytes) = each
                .flat_map(|s| places(ops).map(|place| &s[place]))
                .fold((0, 0), |all, one| (all.0 + one.ios, all.1 + one.bytes));
            (
                ios as f64 / sample.length_s(),
                bytes as f64 / sample.length_s(),
            )
        });
        RateSeries {
            rates: rates.collect(),
        }
    }
}

fn summed(times: &Histogram) -> (u64, u64, u64) {
    (times.sum_ns(), times.count(), times.max_ns().unwrap_or(0))
}

/// I/Os and bytes per second, by interval.
pub(super) struct RateSeries {
    rates: Vec<(f64, f64)>,
}

/// Spread of some rates.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Spread {
    pub least: f64,
    pub most: f64,
    pub mean: f64,
    pub deviation: f64,
    pub samples: u64,
}

impl RateSeries {
    pub(super) fn iops(&self) -> Spread {
        spread(self.rates.iter().map(|r| r.0))
    }

    pub(super) fn kib_per_s(&self) -> Spread {
        spread(self.rates.iter().map(|r| r.1 / 1024.0))
    }
}

/// No samples where there was nothing in that direction at all, as in fio.
fn spread(values: impl Iterator<Item = f64> + Clone) -> Spread {
    let count = values.clone().count() as f64;
    let sum: f64 = values.clone().sum();
    if sum <= 0.0 {
        return Spread::default();
    }
    let mean = sum / count;
    let squares: f64 = values.clone().map(|v| (v - mean).powi(2)).sum();
    Spread {
        least: values.clone().fold(f64::MAX, f64::min),
        most: values.fold(0.0, f64::max),
        mean,
        deviation: match count > 1.0 {
            true => (squares / (count - 1.0)).sqrt(),
            false => 0.0,
        },
        samples: count as u64,
    }
}
