//! fio's logs: lines of `time, value, direction, block size, priority`, from what each interval counted.
//!
//! The form is that of fio 3.33's averaged logs. Times are ms to the end of a line's part of the time, counted from the beginning of
//! the job's step, or from 1970. Block size and priority are 0, as fio has them where a line stands for several I/Os.

use super::Samples;
use super::bins::BINS;
use super::samples::Sample;
use plimsoll_measure::OP_COUNT;
use std::fmt::Write;

/// Kind of value on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogValue {
    /// KiB per second.
    Bandwidth,
    /// I/Os per second.
    Iops,
    /// The response time, ns: what fio calls `lat`.
    Response,
    /// The service time, ns: what fio calls `clat`.
    Service,
}

/// A log of one job.
#[derive(Debug, Clone, PartialEq)]
pub struct FioLog {
    /// The step that carried it out, by its number.
    pub step: u32,
    /// Streams of the job in that step, by their numbers.
    pub streams: Vec<usize>,
    /// The least time of a line, ns.
    pub window_ns: u64,
    /// Added to the times, ms.
    pub epoch_ms: u64,
    /// Lines have a field for the offset, which is 0.
    pub offset: bool,
    /// A line has the largest value in it, and not the mean.
    pub largest: bool,
}

/// Counters of one direction in the time of a line.
#[derive(Debug, Clone, Copy, Default)]
struct Part {
    ios: u64,
    bytes: u64,
    sum_ns: u128,
    count: u64,
    /// The largest value of the intervals in it.
    largest: f64,
}

impl FioLog {
    /// The lines of a log of single values.
    pub fn values(&self, samples: &Samples, value: LogValue) -> String {
        let mut out = String::new();
        let mut parts = [Part::default(); OP_COUNT];
        let mut length_ns = 0;
        for sample in samples.of_step(self.step) {
            length_ns += sample.length_ns();
            for (op, part) in parts.iter_mut().enumerate() {
                let own = self.part(sample, op, value);
                part.ios += own.ios;
                part.bytes += own.bytes;
                part.sum_ns += own.sum_ns;
                part.count += own.count;
                part.largest = part.largest.max(own.largest);
            }
            if length_ns >= self.window_ns {
                self.lines(&mut out, sample.end_ns, length_ns, &parts, value);
                (parts, length_ns) = (Default::default(), 0);
            }
        }
        if let Some(last) = samples.of_step(self.step).last() {
            self.lines(&mut out, last.end_ns, length_ns, &parts, value);
        }
        out
    }

    fn part(&self, sample: &Sample, op: usize, value: LogValue) -> Part {
        let mut part = Part::default();
        for stats in self.streams.iter().filter_map(|n| sample.streams.get(*n)) {
            let of = &stats[op];
            let (sum_ns, count, max_ns) = match value {
                LogValue::Response => of.response,
                _ => of.service,
            };
            part.ios += of.ios;
            part.bytes += of.bytes;
            part.sum_ns += u128::from(sum_ns);
            part.count += count;
            part.largest = part.largest.max(max_ns as f64);
        }
        let rate = |n: u64| n as f64 * 1e9 / sample.length_ns().max(1) as f64;
        match value {
            LogValue::Bandwidth => part.largest = rate(part.bytes) / 1024.0,
            LogValue::Iops => part.largest = rate(part.ios),
            LogValue::Response | LogValue::Service => {}
        }
        part
    }

    fn lines(
        &self,
        out: &mut String,
        end_ns: u64,
        length_ns: u64,
        parts: &[Part; OP_COUNT],
        value: LogValue,
    ) {
        let per_s = |n: u64| n as f64 * 1e9 / length_ns.max(1) as f64;
        for (op, part) in parts.iter().enumerate().filter(|(_, p)| p.ios > 0) {
            let mean = match value {
                LogValue::Bandwidth => per_s(part.bytes) / 1024.0,
                LogValue::Iops => per_s(part.ios),
                LogValue::Response | LogValue::Service => {
                    part.sum_ns as f64 / part.count.max(1) as f64
                }
            };
            let shown = if self.largest { part.largest } else { mean };
            let at_ms = self.at_ms(end_ns);
            let offset = if self.offset { " 0," } else { "" };
            let _ = writeln!(out, "{at_ms}, {}, {op}, 0,{offset} 0", shown.round() as u64);
        }
    }

    fn at_ms(&self, end_ns: u64) -> u64 {
        self.epoch_ms + end_ns / 1_000_000
    }

    /// The lines of a log of histograms of the service time, their buckets joined by two so many times; `block` is the size of the
    /// job's I/Os in each direction. Where histograms were not kept there are none.
    pub fn histograms(&self, samples: &Samples, coarseness: u32, block: u64) -> String {
        let mut out = String::new();
        let mut bins = vec![vec![0_u64; BINS]; OP_COUNT];
        let mut length_ns = 0;
        let all = samples.of_step(self.step);
        for (at, sample) in all.iter().enumerate() {
            length_ns += sample.length_ns();
            for stats in self.streams.iter().filter_map(|n| sample.streams.get(*n)) {
                for (op, of) in stats.iter().enumerate() {
                    of.bins
                        .iter()
                        .for_each(|(bin, count)| bins[op][usize::from(*bin)] += count);
                }
            }
            if length_ns < self.window_ns && at + 1 < all.len() {
                continue;
            }
            for (op, bins) in bins.iter_mut().enumerate() {
                if bins.iter().any(|n| *n > 0) {
                    let _ = write!(out, "{}, {op}, {block}", self.at_ms(sample.end_ns));
                    let joined = bins.chunks(1 << coarseness).map(|c| c.iter().sum::<u64>());
                    for count in joined {
                        let _ = write!(out, ", {count}");
                    }
                    out.push('\n');
                    bins.fill(0);
                }
            }
            length_ns = 0;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::{Interval, Phase};
    use plimsoll_measure::IntervalStats;

    /// 100 ms each: reads of 4 KiB, as many as the interval's number, each of which took so many us.
    fn samples(count: u32) -> Samples {
        let mut samples = Samples::with_histograms();
        for number in 1..=count {
            let mut stats = IntervalStats::new(1);
            let read = &mut stats.streams[0].ops[0];
            read.ios = u64::from(number);
            read.bytes = 4096 * read.ios;
            for _ in 0..number {
                read.service.record(u64::from(number) * 1000);
                read.response.record(u64::from(number) * 2000);
            }
            let from = u64::from(number - 1) * 100_000_000;
            let time = from..from + 100_000_000;
            samples.add(&Interval::new(7, number, time, Phase::Counted, stats));
        }
        samples
    }

    fn log(window_ms: u64) -> FioLog {
        FioLog {
            step: 7,
            streams: vec![0],
            window_ns: window_ms * 1_000_000,
            epoch_ms: 0,
            offset: false,
            largest: false,
        }
    }

    #[test]
    fn a_line_has_the_mean_of_its_time() {
        let samples = samples(5);
        // 3 in 0.2 s, 7 in 0.2 s, and 5 in what is left.
        let iops = log(200).values(&samples, LogValue::Iops);
        assert_eq!(
            iops,
            "200, 15, 0, 0, 0\n400, 35, 0, 0, 0\n500, 50, 0, 0, 0\n"
        );
        let bw = log(200).values(&samples, LogValue::Bandwidth);
        assert_eq!(
            bw,
            "200, 60, 0, 0, 0\n400, 140, 0, 0, 0\n500, 200, 0, 0, 0\n"
        );
        let lat = log(150).values(&samples, LogValue::Response);
        // (2 + 4 + 4) / 3, (3 * 6 + 4 * 8) / 7, 10 us.
        assert_eq!(
            lat,
            "200, 3333, 0, 0, 0\n400, 7143, 0, 0, 0\n500, 10000, 0, 0, 0\n"
        );
        let most = FioLog {
            largest: true,
            offset: true,
            epoch_ms: 1_000_000,
            ..log(500)
        };
        let lat = most.values(&samples, LogValue::Service);
        assert!(
            lat.starts_with("1000500, 5") && lat.ends_with(", 0, 0, 0, 0\n"),
            "{lat}"
        );
        assert_eq!(log(200).values(&Samples::default(), LogValue::Iops), "");
    }

    #[test]
    fn histograms_have_fios_columns() {
        let text = log(500).histograms(&samples(5), 0, 4096);
        let fields: Vec<&str> = text.trim().split(", ").collect();
        assert_eq!(
            (fields.len(), fields[0], fields[1], fields[2]),
            (1859, "500", "0", "4096")
        );
        let counts: u64 = fields[3..].iter().map(|n| n.parse::<u64>().unwrap()).sum();
        assert_eq!(counts, 15);
        let coarse = log(500).histograms(&samples(5), 6, 4096);
        assert_eq!(coarse.trim().split(", ").count(), 3 + 29);
    }
}
