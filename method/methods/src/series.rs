//! Counted intervals as one series of 100 ms samples.

use plimsoll_evidence::{Estimate, Interval};
use plimsoll_measure::{Sample, ratio_interval};

/// Length of a sample inside an interval.
pub const SAMPLE_NS: u64 = 100_000_000;

/// One entry a sample, in the order of time.
#[derive(Debug, Default)]
pub struct Series {
    /// When the first sample begins, from the step's start, ns.
    pub start_ns: u64,
    /// Lengths, s.
    pub seconds: Vec<f64>,
    /// Completed I/Os.
    pub ios: Vec<f64>,
    /// Sums of response times, ns.
    pub response_ns: Vec<f64>,
    /// Sums of service times, ns.
    pub service_ns: Vec<f64>,
}

impl Series {
    /// Adds the samples of the next interval.
    pub fn add(&mut self, interval: &Interval) {
        if interval.length_ns == 0 {
            return;
        }
        if self.seconds.is_empty() {
            self.start_ns = interval.start_ns;
        }
        for (length_ns, sample) in pieces(interval) {
            self.seconds.push(length_ns as f64 / 1e9);
            self.ios.push(sample.ios as f64);
            self.response_ns.push(sample.response_sum_ns as f64);
            self.service_ns.push(sample.service_sum_ns as f64);
        }
    }

    /// I/Os per second.
    pub fn rate(&self) -> Estimate {
        estimate(&self.ios, &self.seconds)
    }

    /// Mean response time of an I/O, ns.
    pub fn response_mean(&self) -> Estimate {
        estimate(&self.response_ns, &self.ios)
    }

    /// Mean service time of an I/O, ns.
    pub fn service_mean(&self) -> Estimate {
        estimate(&self.service_ns, &self.ios)
    }
}

/// 0 where there is nothing to take a mean of.
fn estimate(numerators: &[f64], denominators: &[f64]) -> Estimate {
    ratio_interval(numerators, denominators).map_or(Estimate::bare(0.0), Estimate::from)
}

/// An interval's samples with their lengths. They sum to what the interval counted: a last piece of less than half a
/// sample belongs to the one before it, a sample that is missing counted nothing, and what no sample holds (all of it,
/// in an interval without samples) is in the last.
fn pieces(interval: &Interval) -> Vec<(u64, Sample)> {
    let stats = &interval.stats;
    let count = if stats.samples.is_empty() {
        1
    } else {
        ((interval.length_ns + SAMPLE_NS / 2) / SAMPLE_NS).max(1)
    };
    let last = count as usize - 1;
    let mut pieces = vec![(SAMPLE_NS, Sample::default()); count as usize];
    pieces[last].0 = interval.length_ns - last as u64 * SAMPLE_NS;
    let mut missing = total(interval);
    for (i, sample) in stats.samples.iter().enumerate() {
        pieces[i.min(last)].1.merge(sample);
        missing.ios = missing.ios.saturating_sub(sample.ios);
        missing.bytes = missing.bytes.saturating_sub(sample.bytes);
        missing.timed = missing.timed.saturating_sub(sample.timed);
        missing.response_sum_ns = missing
            .response_sum_ns
            .saturating_sub(sample.response_sum_ns);
        missing.service_sum_ns = missing.service_sum_ns.saturating_sub(sample.service_sum_ns);
    }
    pieces[last].1.merge(&missing);
    pieces
}

/// All that an interval counted, as one sample.
fn total(interval: &Interval) -> Sample {
    let mut sum = Sample::default();
    for op in interval.stats.ops() {
        sum.merge(&Sample {
            ios: op.ios,
            bytes: op.bytes,
            timed: op.response.count(),
            response_sum_ns: op.response.sum_ns(),
            service_sum_ns: op.service.sum_ns(),
        });
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::Phase;
    use plimsoll_measure::IntervalStats;

    fn interval(length_ns: u64, samples: &[u64], ios: u64) -> Interval {
        let mut stats = IntervalStats::new(1);
        stats.streams[0].ops[0].ios = ios;
        stats.samples = samples
            .iter()
            .map(|n| Sample {
                ios: *n,
                ..Sample::default()
            })
            .collect();
        Interval {
            step: 1,
            number: 1,
            start_ns: 0,
            length_ns,
            phase: Phase::Counted,
            stats,
            cpu: None,
            arrays: Vec::new(),
        }
    }

    fn ios_and_lengths(i: &Interval) -> Vec<(u64, u64)> {
        pieces(i)
            .iter()
            .map(|(l, s)| (s.ios, *l / 1_000_000))
            .collect()
    }

    #[test]
    fn pieces_fill_the_interval_and_hold_all_that_it_counted() {
        let ms = 1_000_000;
        let cases = [
            // A short last piece joins the one before it, a long one stands alone.
            (interval(210 * ms, &[5, 6, 1], 12), vec![(5, 100), (7, 110)]),
            (
                interval(260 * ms, &[5, 6, 1], 12),
                vec![(5, 100), (6, 100), (1, 60)],
            ),
            // A sample that is missing counted nothing.
            (
                interval(300 * ms, &[5], 5),
                vec![(5, 100), (0, 100), (0, 100)],
            ),
            // What no sample holds is in the last.
            (interval(200 * ms, &[5, 5], 13), vec![(5, 100), (8, 100)]),
            (interval(1000 * ms, &[], 13), vec![(13, 1000)]),
        ];
        for (interval, expected) in cases {
            assert_eq!(ios_and_lengths(&interval), expected);
        }
    }
}
