//! What each job did in each interval: the rates whose spread fio tells.

use plimsoll_evidence::Interval;
use plimsoll_measure::{OP_COUNT, Op};
use std::collections::BTreeMap;

/// Counted intervals, by the step's number.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    steps: BTreeMap<u32, Vec<Sample>>,
}

#[derive(Debug, Clone)]
struct Sample {
    length_s: f64,
    /// By stream and operation: I/Os and bytes.
    streams: Vec<[(u64, u64); OP_COUNT]>,
}

impl Samples {
    /// Takes an interval, as it comes. Those of a step that is measured again come behind those of the first time.
    pub fn add(&mut self, interval: &Interval) {
        if !interval.counts() || interval.length_ns == 0 {
            return;
        }
        let sample = Sample {
            length_s: interval.length_ns as f64 / 1e9,
            streams: interval
                .stats
                .streams
                .iter()
                .map(|s| std::array::from_fn(|op| (s.ops[op].ios, s.ops[op].bytes)))
                .collect(),
        };
        self.steps.entry(interval.step).or_default().push(sample);
    }

    /// When some streams of a step did something for the last time, s from its counted time's begin, to the end of an interval; `None`
    /// where no interval is known.
    pub(super) fn busy_until_s(
        &self,
        step: u32,
        streams: impl Iterator<Item = usize> + Clone,
    ) -> Option<f64> {
        let mut at_s = 0.0;
        let mut last_s = None;
        for sample in self.steps.get(&step)? {
            at_s += sample.length_s;
            let did = |n: usize| {
                sample
                    .streams
                    .get(n)
                    .is_some_and(|s| s.iter().any(|d| d.0 > 0))
            };
            if streams.clone().any(did) {
                last_s = Some(at_s);
            }
        }
        last_s
    }

    /// What some streams of a step did in one direction.
    pub(super) fn of(
        &self,
        step: u32,
        streams: impl Iterator<Item = usize> + Clone,
        op: Op,
    ) -> Course {
        let samples = self.steps.get(&step).map(Vec::as_slice).unwrap_or_default();
        let rates = samples.iter().map(|sample| {
            let each = streams.clone().filter_map(|n| sample.streams.get(n));
            let (ios, bytes) = each
                .map(|s| s[op as usize])
                .fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
            (ios as f64 / sample.length_s, bytes as f64 / sample.length_s)
        });
        Course {
            rates: rates.collect(),
        }
    }
}

/// I/Os and bytes per second, by interval.
pub(super) struct Course {
    rates: Vec<(f64, f64)>,
}

/// How some rates are spread.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Spread {
    pub least: f64,
    pub most: f64,
    pub mean: f64,
    pub deviation: f64,
    pub samples: u64,
}

impl Course {
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
