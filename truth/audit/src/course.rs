//! How a step went, kept in a bounded number of values, whatever its length.

use plimsoll_evidence::{ArrayInterval, Interval, Phase, Witnessed};
use plimsoll_measure::HEAT_COLUMNS;

/// More parts than this are folded by pairs.
const MOST_PARTS: usize = 1024;

/// Course of a step: its intervals, as far as rules look at them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepCourse {
    /// The step's number.
    pub step: u32,
    /// The counted time, in order.
    pub parts: Vec<Part>,
    /// The warm-up before it, in order.
    pub warm_up: Vec<Part>,
    /// Accesses by address, for each of its streams: equal parts of the stream's target.
    pub heat: Vec<Vec<u64>>,
    /// The part of the counted time, and of the warm-up, that is not whole yet.
    open: [Open; 2],
}

/// A part to which intervals are added.
#[derive(Debug, Clone, Default, PartialEq)]
struct Open {
    /// How many intervals a part is of; 0 means 1.
    each: u32,
    /// What there is of it.
    part: Part,
    /// How many intervals that is.
    has: u32,
}

impl Open {
    /// Adds an interval, and where the part is whole the part.
    fn push(&mut self, interval: Part, parts: &mut Vec<Part>) {
        self.part.append(interval);
        self.has += 1;
        if self.has < self.each.max(1) {
            return;
        }
        parts.push(std::mem::take(&mut self.part));
        self.has = 0;
        if parts.len() >= MOST_PARTS {
            *parts = fold(std::mem::take(parts));
            self.each = self.each.max(1) * 2;
        }
    }
}

/// Each two as one.
fn fold(parts: Vec<Part>) -> Vec<Part> {
    let mut folded: Vec<Part> = Vec::with_capacity(MOST_PARTS / 2 + 1);
    for (i, part) in parts.into_iter().enumerate() {
        match folded.last_mut() {
            Some(last) if i % 2 == 1 => last.append(part),
            _ => folded.push(part),
        }
    }
    folded
}

/// Part of a step: some consecutive intervals as one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Part {
    /// Start, ns from the step's start.
    pub start_ns: u64,
    /// Length, ns.
    pub length_ns: u64,
    /// Completed I/Os.
    pub ios: u64,
    /// Share of all CPUs' time that the hypervisor took, 0..=1; `None` where not observable.
    pub steal: Option<f64>,
    /// The arrays below the targets, in the order of the step's evidence.
    pub arrays: Vec<ArrayInterval>,
    /// Observations of the kernel and the host; `None` where nobody looked.
    pub witnessed: Option<Witnessed>,
}

impl Part {
    /// Length of the part, s.
    pub fn seconds(&self) -> f64 {
        self.length_ns as f64 / 1e9
    }

    /// I/Os per second.
    pub fn rate(&self) -> f64 {
        match self.length_ns {
            0 => 0.0,
            _ => self.ios as f64 / self.seconds(),
        }
    }

    fn of(interval: &Interval) -> Self {
        let streams = interval.stats.streams.iter();
        let ops = streams.flat_map(|s| s.ops.iter());
        Part {
            start_ns: interval.start_ns,
            length_ns: interval.length_ns,
            ios: ops.fold(0, |sum, op| sum.saturating_add(op.ios)),
            steal: interval.cpu.as_ref().map(|cpu| cpu.steal),
            arrays: interval.arrays.clone(),
            witnessed: interval.witnessed.as_deref().cloned(),
        }
    }

    /// Adds what came after it.
    fn append(&mut self, next: Part) {
        if self.length_ns == 0 {
            *self = next;
            return;
        }
        let (mine, theirs) = (self.length_ns as f64, next.length_ns as f64);
        let mean = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) if mine + theirs > 0.0 => {
                Some((a * mine + b * theirs) / (mine + theirs))
            }
            (a, b) => a.or(b),
        };
        self.steal = mean(self.steal, next.steal);
        match (&mut self.witnessed, next.witnessed) {
            (Some(mine), Some(next)) => mine.append(next),
            (mine, next) => *mine = mine.take().or(next),
        }
        for (a, b) in self.arrays.iter_mut().zip(next.arrays) {
            *a = ArrayInterval {
                core_max: mean(a.core_max, b.core_max),
                core_mean: mean(a.core_mean, b.core_mean),
                front_end_iops: mean(a.front_end_iops, b.front_end_iops),
                back_end_iops: mean(a.back_end_iops, b.back_end_iops),
                journal_fill: mean(a.journal_fill, b.journal_fill),
                write_amplification: mean(a.write_amplification, b.write_amplification),
            };
        }
        self.ios = self.ios.saturating_add(next.ios);
        self.length_ns = self.length_ns.saturating_add(next.length_ns);
    }
}

impl StepCourse {
    /// Course of a step of which nothing is known yet.
    pub fn new(step: u32) -> Self {
        StepCourse {
            step,
            ..StepCourse::default()
        }
    }

    /// Adds an interval of all hosts together. What is neither counted nor warm-up is left out.
    pub fn push(&mut self, interval: &Interval) {
        if interval.host != 0 {
            return;
        }
        let [counted, warm_up] = &mut self.open;
        match interval.phase {
            Phase::Counted => counted.push(Part::of(interval), &mut self.parts),
            Phase::WarmUp => return warm_up.push(Part::of(interval), &mut self.warm_up),
            _ => return,
        }
        let streams = &interval.stats.streams;
        self.heat
            .resize(self.heat.len().max(streams.len()), Vec::new());
        for (sum, stream) in self.heat.iter_mut().zip(streams) {
            sum.resize(HEAT_COLUMNS, 0);
            for (sum, n) in sum.iter_mut().zip(&stream.heat) {
                *sum = sum.saturating_add(u64::from(*n));
            }
        }
    }

    /// Mean of a value over a stretch of parts, weighted by their lengths; `None` where no part has it.
    pub fn mean(parts: &[Part], of: impl Fn(&Part) -> Option<f64>) -> Option<f64> {
        let known = || parts.iter().filter_map(|p| Some((p.seconds(), of(p)?)));
        let all: f64 = known().map(|(length, _)| length).sum();
        let sum: f64 = known().map(|(length, value)| length * value).sum();
        (all > 0.0).then(|| sum / all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::CpuInterval;
    use plimsoll_measure::IntervalStats;

    fn interval(number: u32, steal: f64) -> Interval {
        let mut stats = IntervalStats::new(1);
        stats.streams[0].ops[0].ios = 10;
        stats.streams[0].heat[3] = 7;
        Interval {
            step: 1,
            host: 0,
            number,
            start_ns: u64::from(number - 1) * 1_000_000_000,
            length_ns: 1_000_000_000,
            phase: Phase::Counted,
            stats,
            cpu: Some(CpuInterval {
                steal,
                ..CpuInterval::default()
            }),
            arrays: vec![],
            witnessed: None,
        }
    }

    #[test]
    fn a_long_step_is_folded_and_keeps_its_sums_and_means() {
        let mut course = StepCourse::new(1);
        for n in 1..=5000 {
            course.push(&interval(n, f64::from(n % 2) * 0.2));
        }
        assert!(course.parts.len() < MOST_PARTS, "{}", course.parts.len());
        let kept: u64 = course.parts.iter().map(|p| p.ios).sum();
        assert!(kept >= 49_900, "{kept}");
        assert_eq!(course.heat[0][3], 35_000);
        assert!(course.parts.iter().all(|p| (p.rate() - 10.0).abs() < 1e-9));
        let steal = StepCourse::mean(&course.parts, |p| p.steal).unwrap();
        assert!((steal - 0.1).abs() < 1e-9, "{steal}");
        assert_eq!(course.parts[1].start_ns, course.parts[0].length_ns);
    }

    #[test]
    fn the_warm_up_is_apart_and_single_hosts_are_left_out() {
        let mut course = StepCourse::new(1);
        let warm = Interval {
            phase: Phase::WarmUp,
            ..interval(1, 0.0)
        };
        let of_one_host = Interval {
            host: 2,
            ..interval(1, 0.0)
        };
        course.push(&warm);
        course.push(&of_one_host);
        assert!(course.parts.is_empty() && course.heat.is_empty());
        assert_eq!(course.warm_up.len(), 1);
        assert_eq!(StepCourse::mean(&course.parts, |p| p.steal), None);
    }
}
