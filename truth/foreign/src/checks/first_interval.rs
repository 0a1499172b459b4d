//! What the beginning does to an average, and whether the average is one of its intervals.

use super::{Check, CheckAnswer, Hit, answer, doubt};
use crate::model::{ForeignResult, Row, Run, Tool};
use plimsoll_evidence::{Quantity, Severity};

/// The first interval and the average.
pub const CHECK: Check = Check {
    rules: &[31, 109, 524],
    look,
};

fn look(result: &ForeignResult) -> CheckAnswer {
    let (mut seen, mut counted, mut off, mut cold) = (0, Vec::new(), Vec::new(), Vec::new());
    for run in &result.runs {
        counted.extend(first(run));
        let found = run.whole().map(|row| (row, disagreements(run)));
        let found = found
            .into_iter()
            .flat_map(|(row, all)| all.into_iter().map(move |of| (row, of)));
        off.extend(found.map(|(row, of)| (of.sentence, of.hit(run, row))));
        seen += usize::from(run.intervals().next().is_some() || run.asked.duration_s.is_some());
        let leaves_none_out = matches!(result.tool, Tool::Fio | Tool::DiskSpd);
        let known = run.asked.duration_s.is_some() || run.asked.block.is_some();
        if leaves_none_out && known && !run.asked.may_warm_up() {
            cold.push(Hit::new(run, run.at, 1.0, []));
        }
    }
    let mut doubts = vec![
        doubt(109, "first-interval-counted", Severity::Suspect, counted),
        doubt(31, "no-warm-up", Severity::Note, cold),
    ];
    for sentence in SENTENCES {
        let (its, others): (Vec<_>, Vec<_>) = off.into_iter().partition(|(of, _)| *of == sentence);
        off = others;
        let its: Vec<Hit> = its.into_iter().map(|(_, hit)| hit).collect();
        doubts.push(doubt(524, sentence, Severity::Suspect, its));
    }
    answer(seen, "intervals, or what was asked", doubts)
}

fn first(run: &Run) -> Option<Hit<'_>> {
    let whole = run.whole()?;
    whole.covers.filter(|(first, _)| *first == 1)?;
    let rates: Vec<f64> = run.counted().iter().filter_map(|r| r.iops()).collect();
    let (first, others) = rates
        .split_first()
        .filter(|(_, others)| others.len() >= 2)?;
    let mean = others.iter().sum::<f64>() / others.len() as f64;
    ((first / mean - 1.0).abs() > 0.10).then(|| {
        Hit::new(
            run,
            whole.at,
            (first / mean - 1.0).abs(),
            [
                ("first", Quantity::PerSecond(*first)),
                ("others", Quantity::PerSecond(mean)),
            ],
        )
    })
}

/// Figures of all the intervals together that an average covers.
pub(super) struct Intervals {
    pub(super) rate: f64,
    pub(super) bandwidth: Option<f64>,
    pub(super) mean_ns: Option<f64>,
    /// Share of reads.
    pub(super) reads: Option<f64>,
    pub(super) longest_ns: Option<f64>,
}

/// The sums of an average's intervals, where none of them is missing.
pub(super) fn intervals(run: &Run) -> Option<Intervals> {
    run.whole()?.covers?;
    let rows = run.course().filter(|_| run.skipped() == 0)?;
    let sum =
        |of: &dyn Fn(&Row) -> Option<f64>| rows.iter().map(|row| of(row)).sum::<Option<f64>>();
    // Nothing has no time and no direction.
    let part = |row: &Row, of: Option<f64>| match row.iops()? {
        0.0 => Some(0.0),
        rate => Some(rate * of?),
    };
    let rates = sum(&|row| row.iops())?;
    let weighed = |of: &dyn Fn(&Row) -> Option<f64>| {
        Some(sum(&|row| part(row, of(row)))? / rates).filter(|_| rates > 0.0)
    };
    let count = rows.len() as f64;
    let longest = rows.iter().filter_map(|row| row.all.latency.max).max();
    Some(Intervals {
        rate: rates / count,
        bandwidth: sum(&|row| Some(row.bandwidth?.0 as f64)).map(|all| all / count),
        mean_ns: weighed(&Row::mean_ns),
        reads: weighed(&reads),
        longest_ns: longest.map(|max| max.0 as f64),
    })
}

/// A figure of an average that its intervals do not make.
pub(super) struct Disagreement {
    sentence: &'static str,
    average: Quantity,
    intervals: Quantity,
    ratio: f64,
}

impl Disagreement {
    fn hit<'r>(self, run: &'r Run, row: &Row) -> Hit<'r> {
        let values = [
            ("average", self.average),
            ("intervals", self.intervals),
            ("ratio", Quantity::Number(self.ratio)),
        ];
        Hit::new(run, row.at, (self.ratio - 1.0).abs(), values)
    }
}

/// Sentences of [`disagreements`].
const SENTENCES: [&str; 5] = [
    "average-disagrees",
    "average-bandwidth-disagrees",
    "average-time-disagrees",
    "average-mix-disagrees",
    "average-below-longest",
];

/// All that disagrees of an average; of a rate and its bandwidth the rate.
pub(super) fn disagreements(run: &Run) -> Vec<Disagreement> {
    let (Some(row), Some(of)) = (run.whole(), intervals(run)) else {
        return Vec::new();
    };
    let [rates, bandwidths, times, mixes, longest] = SENTENCES;
    let bandwidth = row.bandwidth.map(|b| b.0 as f64);
    let max = row.all.latency.max.map(|max| max.0 as f64);
    // An interval outside of those that the average covers may have a longer one.
    let longest_ns = of.longest_ns.zip(max).map(|(of, max)| of.max(max));
    let bytes: fn(f64) -> Quantity = |b| Quantity::Bytes(b as u64);
    let rate = Some(of.rate);
    // With what may be off, as a share and by rounding.
    let figures = [
        (
            rates,
            row.iops(),
            rate,
            (0.01, 0.0),
            Quantity::PerSecond as fn(f64) -> Quantity,
        ),
        (
            bandwidths,
            bandwidth,
            of.bandwidth,
            (0.01, 0.02 * MIB),
            bytes,
        ),
        (
            times,
            row.mean_ns(),
            of.mean_ns,
            (0.02, 2000.0),
            Quantity::Ns,
        ),
        (mixes, reads(row), of.reads, (0.0, 0.005), Quantity::Share),
        (longest, max, longest_ns, (0.01, 2000.0), Quantity::Ns),
    ];
    let off = figures.into_iter().filter_map(
        |(sentence, average, intervals, (share, rounding), unit)| {
            let (average, intervals) = (average?, intervals?);
            let is_off = (average - intervals).abs() > share * intervals + rounding;
            is_off.then(|| Disagreement {
                sentence,
                average: unit(average),
                intervals: unit(intervals),
                ratio: average / intervals.max(f64::MIN_POSITIVE),
            })
        },
    );
    let mut found: Vec<Disagreement> = off.collect();
    let has_rate = found.iter().any(|of| of.sentence == rates);
    found.retain(|of| of.sentence != bandwidths || !has_rate);
    found
}

const MIB: f64 = 1_048_576.0;

/// The share of a row's I/Os that are reads.
fn reads(row: &Row) -> Option<f64> {
    Some(row.reads.iops?.0 / row.iops()?)
}
