//! Whether the times can be of one set of I/Os: percentiles rise, all lie between the smallest and the largest, and the spread is one
//! that such times can have.

use super::{Check, CheckAnswer, Hit, answer, doubt, ns};
use crate::model::{ForeignResult, Latency, Row, Run};
use plimsoll_evidence::{Quantity, Severity};

/// Percentiles, smallest, largest, mean and spread of each direction.
pub const CHECK: Check = Check {
    rules: &[38, 510, 511, 512, 513, 518],
    look,
};

/// The last digit of times that are told in ms with three decimals.
const ROUNDED_NS: f64 = 1000.0;

/// Longest wait of a tool for I/Os after the end.
const GRACE_NS: f64 = 60e9;

/// Length of the run with its warm-up, ns.
pub(super) fn length_ns(run: &Run) -> Option<f64> {
    let counted = run.counted_s().filter(|s| *s > 0.0)?;
    Some((counted + run.asked.warm_up_s.unwrap_or(0.0)) * 1e9)
}

/// Times of one kind in a row.
struct Times<'r, 'l> {
    run: &'r Run,
    row: &'l Row,
    of: &'l Latency,
    /// True for the times of its syncs.
    syncs: bool,
}

impl<'r> Times<'r, '_> {
    fn hit<const N: usize>(&self, weight: f64, values: [(&'static str, Quantity); N]) -> Hit<'r> {
        let syncs = self.syncs.then(|| Quantity::Text("the syncs".to_string()));
        let values = values.into_iter().chain(syncs.map(|of| ("times_of", of)));
        Hit::new(self.run, self.row.at, weight, values)
    }
}

#[derive(Default)]
struct Hits<'r> {
    disordered: Vec<Hit<'r>>,
    above: Vec<Hit<'r>>,
    outside: Vec<Hit<'r>>,
    spread: Vec<Hit<'r>>,
    longer: Vec<Hit<'r>>,
    beyond: Vec<Hit<'r>>,
    too_few: Vec<Hit<'r>>,
}

fn look(result: &ForeignResult) -> CheckAnswer {
    let (mut seen, mut hits) = (0, Hits::default());
    for run in &result.runs {
        hits.length(run);
        // Each target's by itself, too.
        for row in &run.rows {
            seen += usize::from(!row.syncs.is_empty());
            let times = |of, syncs| Times {
                run,
                row,
                of,
                syncs,
            };
            hits.look(&times(&row.syncs, true), (row.syncs.count, None));
            for side in [&row.all, &row.reads, &row.writes] {
                for latency in std::iter::once(&side.latency).chain(&side.completion) {
                    seen += usize::from(latency.max.is_some() || latency.percentiles.len() > 1);
                    let done = side.iops.zip(row.seconds);
                    let done = done.map(|(rate, seconds)| (rate.0 * seconds).floor() - 1.0);
                    hits.look(&times(latency, false), (side.ios, done));
                }
            }
        }
    }
    // One direction and all of it may say the same.
    for few in [&mut hits.beyond, &mut hits.too_few] {
        few.dedup_by(|a, b| std::ptr::eq(a.run, b.run));
    }
    answer(
        seen,
        "several percentiles, or a largest time",
        [
            doubt(
                510,
                "percentiles-disordered",
                Severity::Invalid,
                hits.disordered,
            ),
            doubt(511, "percentile-above-max", Severity::Invalid, hits.above),
            doubt(512, "mean-outside", Severity::Invalid, hits.outside),
            doubt(513, "spread-impossible", Severity::Invalid, hits.spread),
            doubt(518, "longer-than-run", Severity::Invalid, hits.longer),
            doubt(38, "percentile-beyond-data", Severity::Note, hits.beyond),
            doubt(38, "too-few-for-percentiles", Severity::Note, hits.too_few),
        ],
    )
}

impl<'r> Hits<'r> {
    /// Looks at times of so many I/Os: as the tool says it, and as it follows from its rate.
    fn look(&mut self, times: &Times<'r, '_>, (ios, done): (Option<u64>, Option<f64>)) {
        let of = times.of;
        let mut sorted: Vec<(f64, f64)> = of
            .percentiles
            .iter()
            .map(|(q, t)| (*q, t.0 as f64))
            .collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let falls = sorted
            .windows(2)
            .find(|p| p[1].0 > p[0].0 && p[1].1 < p[0].1);
        self.disordered.extend(falls.map(|p| {
            times.hit(
                p[0].1 / p[1].1.max(1.0),
                [
                    ("lower", Quantity::Number(p[0].0)),
                    ("lower_value", ns(p[0].1)),
                    ("upper", Quantity::Number(p[1].0)),
                    ("upper_value", ns(p[1].1)),
                ],
            )
        }));
        let max = of.max.map(|m| m.0 as f64).filter(|m| *m > 0.0);
        let longest = sorted.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        if let (Some(max), Some((q, value))) = (max, longest)
            && *value > max * 1.02 + 1000.0 + 2.0 * of.rounding()
        {
            self.above.push(times.hit(
                value / max,
                [
                    ("percentile", Quantity::Number(*q)),
                    ("value", ns(*value)),
                    ("max", ns(max)),
                ],
            ));
        }
        if let (Some(max), Some(mean)) = (max, of.mean.map(|m| m.0 as f64)) {
            let count = of.count.or(ios).map(|count| count as f64).or(done);
            self.moments(times, count, (mean, max));
        }
        let beyond = |q: f64, n: u64| n as f64 * (1.0 - q) < 9.999 && q < 1.0;
        if let Some(n) = ios.filter(|n| *n > 0)
            && let Some((q, _)) = sorted.iter().find(|(q, _)| beyond(*q, n))
        {
            let (weight, count) = (1.0 / n as f64, ("ios", Quantity::Count(n)));
            let percentile = ("percentile", Quantity::Number(*q));
            match beyond(0.5, n) {
                true => self.too_few.push(times.hit(weight, [count])),
                false => self.beyond.push(times.hit(weight, [percentile, count])),
            }
        }
    }

    /// Times that are longer than all of the run.
    fn length(&mut self, run: &'r Run) {
        let Some((row, length)) = run.whole().zip(length_ns(run)) else {
            return;
        };
        let max = row.all.latency.max.map_or(0.0, |m| m.0 as f64);
        if max > length + GRACE_NS {
            let values = [("max", ns(max)), ("length", ns(length))];
            self.longer
                .push(Hit::new(run, row.at, max / length, values));
        }
    }

    fn moments(&mut self, times: &Times<'r, '_>, count: Option<f64>, (mean, max): (f64, f64)) {
        let of = times.of;
        let min = least(of, max);
        if lies_outside(of, mean, max) {
            self.outside.push(times.hit(
                mean / max.max(1.0),
                [("mean", ns(mean)), ("min", ns(min)), ("max", ns(max))],
            ));
            return;
        }
        let Some(sd) = of.sd.map(|s| s.0 as f64) else {
            return;
        };
        // Some tools divide by one less than the number of times, which nobody may know.
        let few = count.map_or(2.0, |n| n.max(2.0));
        let sample = (few / (few - 1.0)).sqrt();
        let possible = sample * ((max - mean).max(0.0) * (mean - min).max(0.0)).sqrt();
        // Some tools print no more than a microsecond: what is printed as equal may be one apart.
        let rounded = ROUNDED_NS.max(of.rounding());
        let above = (max - mean).max(0.0) + rounded;
        let below = (mean - min).max(0.0) + rounded;
        if sd > sample * (above * below).sqrt() * 1.05 + 2.0 * rounded {
            self.spread.push(times.hit(
                sd / possible.max(1.0),
                [
                    ("sd", ns(sd)),
                    ("min", ns(min)),
                    ("max", ns(max)),
                    ("mean", ns(mean)),
                    ("possible", ns(possible)),
                ],
            ));
        }
    }
}

/// The smallest time; a tool that knows none leaves 0.
fn least(of: &Latency, max: f64) -> f64 {
    of.min.map_or(0.0, |m| m.0 as f64).min(max)
}

fn lies_outside(of: &Latency, mean: f64, max: f64) -> bool {
    let min = least(of, max);
    let slack = |part: f64| part * 0.02 + 1000.0 + of.rounding();
    mean > max + slack(max) || mean + slack(min) < min
}

/// True where a row's mean does not lie between its smallest and its largest time.
pub(super) fn mean_is_outside(row: &Row) -> bool {
    [&row.all, &row.reads, &row.writes].into_iter().any(|side| {
        let of = &side.latency;
        let max = of.max.filter(|max| max.0 > 0);
        of.mean
            .zip(max)
            .is_some_and(|(mean, max)| lies_outside(of, mean.0 as f64, max.0 as f64))
    })
}
