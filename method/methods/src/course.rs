//! A step's counted time as a series of bins, of which there are never too many, and as the sections between its actions.

use crate::pieces::{SAMPLE_NS, pieces};
use plimsoll_evidence::{Interval, PathSeries, Section, SeriesBin, StepSeries};
use plimsoll_measure::{Histogram, Op, OpStats};
use plimsoll_plan::Step;

/// The most bins of a series. More are put together by pairs, again and again.
const BINS_MAX: usize = 2048;

/// Bins of a time that is not known before it is over.
#[derive(Debug, Clone)]
pub struct Bins<T> {
    bin_ns: u64,
    bins: Vec<T>,
}

impl<T: Clone + Default> Bins<T> {
    /// None yet; each of so many nanoseconds at first.
    pub fn new(bin_ns: u64) -> Self {
        Bins {
            bin_ns: bin_ns.max(1),
            bins: Vec::new(),
        }
    }

    /// The bin of a time from the series' start. Where there would be too many, `merge` adds the second of each pair to the
    /// first.
    pub fn at(&mut self, into_ns: u64, merge: impl Fn(&mut T, &T)) -> &mut T {
        while into_ns / self.bin_ns >= BINS_MAX as u64 {
            self.fold(&merge);
        }
        let index = (into_ns / self.bin_ns) as usize;
        if self.bins.len() <= index {
            self.bins.resize(index + 1, T::default());
        }
        &mut self.bins[index]
    }

    fn fold(&mut self, merge: impl Fn(&mut T, &T)) {
        let halves = self.bins.chunks(2).map(|pair| {
            let mut both = pair[0].clone();
            pair.iter()
                .skip(1)
                .for_each(|other| merge(&mut both, other));
            both
        });
        self.bins = halves.collect();
        self.bin_ns = self.bin_ns.saturating_mul(2);
    }

    /// The bins until `end_ns` from the series' start, with those of a time in which nothing happened.
    fn until(mut self, end_ns: u64) -> (u64, Vec<T>) {
        let count = end_ns.div_ceil(self.bin_ns).min(BINS_MAX as u64) as usize;
        self.bins.resize(count, T::default());
        (self.bin_ns, self.bins)
    }
}

/// The finest bin of a step's series, ns: its samples, or its intervals where these are no multiple of a sample.
pub fn finest_bin_ns(step: &Step) -> u64 {
    match step.interval.0 % SAMPLE_NS {
        0 => SAMPLE_NS,
        _ => step.interval.0,
    }
}

/// Builder of a step's course, from its counted intervals as they come.
#[derive(Debug)]
pub struct CourseBuilder {
    start_ns: Option<u64>,
    end_ns: u64,
    bins: Bins<SeriesBin>,
    /// Ends of the sections, ns from the step's start, but for the last.
    cuts: Vec<u64>,
    sections: Vec<Gathered>,
    /// The section in which the last interval began.
    now: usize,
}

/// One section so far.
#[derive(Debug, Clone, Default)]
struct Gathered {
    ios: u64,
    read_errors: u64,
    write_errors: u64,
    response: Histogram,
}

impl CourseBuilder {
    /// Of a step that begins.
    pub fn new(step: &Step) -> Self {
        let cuts: Vec<u64> = step.actions.iter().map(|a| a.at.0).collect();
        let empty = Gathered {
            response: Histogram::new(),
            ..Gathered::default()
        };
        CourseBuilder {
            start_ns: None,
            end_ns: 0,
            bins: Bins::new(finest_bin_ns(step)),
            sections: vec![empty; cuts.len() + 1],
            cuts,
            now: 0,
        }
    }

    /// Adds the next counted interval.
    pub fn add(&mut self, interval: &Interval) {
        if interval.length_ns == 0 {
            return;
        }
        let start_ns = *self.start_ns.get_or_insert(interval.start_ns);
        self.end_ns = interval.start_ns + interval.length_ns;
        self.now = self.cuts.partition_point(|cut| *cut <= interval.start_ns);
        let section = &mut self.sections[self.now];
        section.add(interval);
        let pieces = pieces(interval);
        let last = pieces.len() - 1;
        let longest = interval.stats.ops().filter_map(|op| op.response.max_ns());
        let longest = longest.max().unwrap_or(0);
        let mut at_ns = interval.start_ns.saturating_sub(start_ns);
        for (i, piece) in pieces.iter().enumerate() {
            let depth = u128::from(interval.stats.depth_integral_ns) * u128::from(piece.length_ns)
                / u128::from(interval.length_ns);
            let bin = SeriesBin {
                ios: piece.sample.ios,
                bytes: piece.sample.bytes,
                errors: piece.failed,
                due: piece.demand.due,
                timed: piece.sample.timed,
                response_sum_ns: piece.sample.response_sum_ns,
                response_max_ns: if i == last { longest } else { 0 },
                depth_integral_ns: u64::try_from(depth).unwrap_or(u64::MAX),
            };
            self.bins.at(at_ns, SeriesBin::merge).merge(&bin);
            at_ns += piece.length_ns;
        }
    }

    /// Adds what came back after the counted time: to the last section that there was.
    pub fn add_drained(&mut self, interval: &Interval) {
        self.sections[self.now].add(interval);
    }

    /// The series; `None` where nothing was counted.
    pub fn finish(self) -> Option<StepSeries> {
        let start_ns = self.start_ns?;
        let (bin_ns, bins) = self.bins.until(self.end_ns - start_ns);
        let starts = std::iter::once(start_ns).chain(self.cuts.iter().copied());
        let ends = self.cuts.iter().copied().chain([self.end_ns]);
        let sections = starts.zip(ends).zip(self.sections);
        Some(StepSeries {
            start_ns,
            end_ns: self.end_ns,
            bin_ns,
            bins,
            sections: sections
                .map(|((from, to), gathered)| {
                    let within = |at: u64| at.clamp(start_ns, self.end_ns);
                    gathered.section(within(from), within(to))
                })
                .collect(),
            paths: Vec::new(),
        })
    }
}

impl Gathered {
    fn add(&mut self, interval: &Interval) {
        for stream in &interval.stats.streams {
            for (op, stats) in stream.ios_by_op() {
                self.add_op(op, stats);
            }
        }
    }

    fn add_op(&mut self, op: Op, stats: &OpStats) {
        self.ios += stats.ios;
        self.response.merge(&stats.response);
        match op {
            Op::Read => self.read_errors += stats.errors,
            _ => self.write_errors += stats.errors,
        }
    }

    fn section(self, start_ns: u64, end_ns: u64) -> Section {
        let response = &self.response;
        Section {
            start_ns,
            end_ns,
            ios: self.ios,
            read_errors: self.read_errors,
            write_errors: self.write_errors,
            response_mean_ns: response.mean_ns(),
            response_p50_ns: response.supported_quantile_ns(0.5),
            response_p99_ns: response.supported_quantile_ns(0.99),
            response_p999_ns: response.supported_quantile_ns(0.999),
            response_max_ns: response.max_ns(),
        }
    }
}

/// Load of the paths to one target, gathered as intervals come.
#[derive(Debug)]
pub struct PathCourse {
    /// Count of each path at the last look.
    before: Vec<u64>,
    bins: Bins<Vec<u64>>,
}

impl PathCourse {
    /// Of one of a step's targets; `before` is what its paths had carried when the step began.
    pub fn new(step: &Step, before: Vec<u64>) -> Self {
        PathCourse {
            before,
            bins: Bins::new(finest_bin_ns(step)),
        }
    }

    /// Of an interval that has ended: `counted_from_ns` is when the step's counted time began, `None` where the interval is not
    /// in it. `now` is what each path had carried by its end.
    pub fn add(&mut self, interval: &Interval, counted_from_ns: Option<u64>, now: Vec<u64>) {
        let since = now
            .iter()
            .zip(&self.before)
            .map(|(n, b)| n.saturating_sub(*b));
        let since: Vec<u64> = since.collect();
        self.before = now;
        if let Some(from_ns) = counted_from_ns {
            let into_ns = interval.start_ns.saturating_sub(from_ns);
            add_each(self.bins.at(into_ns, |a, b| add_each(a, b)), &since);
        }
    }

    /// In the bins of the step's series, under the names of the target and its paths.
    pub fn finish(mut self, series: &StepSeries, of: &str, paths: Vec<String>) -> PathSeries {
        while self.bins.bin_ns < series.bin_ns {
            self.bins.fold(|a, b| add_each(a, b));
        }
        let (_, bins) = self.bins.until(series.end_ns - series.start_ns);
        let carried = |path: usize| {
            let of_bin = |bin: &Vec<u64>| bin.get(path).copied().unwrap_or(0);
            bins.iter().map(of_bin).collect()
        };
        PathSeries {
            of: of.to_owned(),
            ios: (0..paths.len()).map(carried).collect(),
            paths,
        }
    }
}

fn add_each(mine: &mut Vec<u64>, theirs: &[u64]) {
    if mine.len() < theirs.len() {
        mine.resize(theirs.len(), 0);
    }
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine = mine.saturating_add(*theirs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::Phase;
    use plimsoll_measure::{IntervalStats, Sample};

    const MS: u64 = 1_000_000;

    fn interval(start_ms: u64, length_ms: u64, samples: &[u64], longest_ns: u64) -> Interval {
        let mut stats = IntervalStats::new(1);
        let reads = &mut stats.streams[0].ops[0];
        reads.ios = samples.iter().sum();
        reads.response.record(longest_ns);
        stats.depth_integral_ns = length_ms * MS * 3;
        let sample = |ios: &u64| Sample {
            ios: *ios,
            ..Sample::default()
        };
        stats.samples = samples.iter().map(sample).collect();
        let time_ns = start_ms * MS..(start_ms + length_ms) * MS;
        Interval::new(1, 1, time_ns, Phase::Counted, stats)
    }

    fn course(interval_ms: u64, cuts_ms: &[u64]) -> CourseBuilder {
        CourseBuilder {
            start_ns: None,
            end_ns: 0,
            bins: Bins::new(if interval_ms.is_multiple_of(100) {
                SAMPLE_NS
            } else {
                interval_ms * MS
            }),
            cuts: cuts_ms.iter().map(|at| at * MS).collect(),
            sections: vec![Gathered::default(); cuts_ms.len() + 1],
            now: 0,
        }
    }

    #[test]
    fn bins_are_samples_and_begin_with_the_counted_time() {
        let mut course = course(300, &[]);
        course.add(&interval(500, 300, &[1, 2, 3], 70));
        course.add(&interval(800, 150, &[4, 5], 90));
        let series = course.finish().unwrap();
        assert_eq!((series.start_ns, series.end_ns), (500 * MS, 950 * MS));
        let ios: Vec<u64> = series.bins.iter().map(|b| b.ios).collect();
        // A last piece of half a sample stands alone.
        assert_eq!(ios, [1, 2, 3, 4, 5]);
        let longest: Vec<u64> = series.bins.iter().map(|b| b.response_max_ns).collect();
        assert!(longest[2] >= 70);
        assert!(longest[4] >= 90);
        assert_eq!(longest[0], 0);
        assert_eq!(series.bins[1].depth_integral_ns, 300 * MS);
        assert_eq!(series.bin_length_ns(4), 50 * MS);
    }

    #[test]
    fn a_long_time_has_longer_bins_and_loses_nothing() {
        let mut course = course(1000, &[]);
        let seconds = 1000;
        for s in 0..seconds {
            course.add(&interval(s * 1000, 1000, &[1; 10], s));
        }
        let series = course.finish().unwrap();
        assert!(series.bins.len() <= BINS_MAX, "{}", series.bins.len());
        assert_eq!(series.bin_ns, 800 * MS);
        assert_eq!(series.bins.iter().map(|b| b.ios).sum::<u64>(), seconds * 10);
        assert!(series.bins.iter().all(|b| b.ios == 8), "{series:?}");
    }

    #[test]
    fn sections_are_cut_at_the_actions_and_one_that_never_came_is_empty() {
        let mut course = course(100, &[200, 400, 900]);
        for (i, ios) in [1, 2, 3, 4, 5].into_iter().enumerate() {
            course.add(&interval(i as u64 * 100, 100, &[ios], 7));
        }
        let sections = course.finish().unwrap().sections;
        let found: Vec<_> = sections
            .iter()
            .map(|s| (s.start_ns / MS, s.end_ns / MS, s.ios))
            .collect();
        assert_eq!(
            found,
            [(0, 200, 3), (200, 400, 7), (400, 500, 5), (500, 500, 0)]
        );
    }

    #[test]
    fn what_paths_carried_is_told_by_differences_of_what_they_had_carried() {
        let mut course = course(100, &[]);
        let mut paths = PathCourse {
            before: vec![100, 50],
            bins: Bins::new(SAMPLE_NS),
        };
        let looks = [[110, 50], [130, 55], [130, 95]];
        for (i, look) in looks.into_iter().enumerate() {
            let interval = interval(i as u64 * 100, 100, &[1], 7);
            let from = (i > 0).then_some(100 * MS);
            if i > 0 {
                course.add(&interval);
            }
            paths.add(&interval, from, look.to_vec());
        }
        let series = course.finish().unwrap();
        let paths = paths.finish(&series, "lun", vec!["a".into(), "b".into()]);
        assert_eq!(
            paths.ios,
            [vec![20, 0], vec![5, 40]].map(|p| p[..].to_vec())
        );
    }
}
