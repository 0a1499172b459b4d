//! Whether the times can be of one set of I/Os: percentiles rise, all lie between the smallest and the largest, and the spread is one
//! that such times can have.

use super::{About, Answer, Check, Hit, answer, doubt, ns};
use crate::model::{ForeignResult, Latency, Row, Run};
use plimsoll_evidence::{Quantity, Severity};

const DISORDERED: About = About {
    id: "percentiles-disordered",
    threshold: "a higher percentile is smaller than a lower one",
    source: "by definition",
    remedy: "Do not use these times: they were put together from several runs, or averaged.",
};

const ABOVE_MAX: About = About {
    id: "percentile-above-max",
    threshold: "a percentile more than 2 % above the largest time, which is more than a histogram's bucket",
    source: "fio's buckets are 1/64 wide; its issue 1984 shows one above",
    remedy: "Do not use the high percentiles.",
};

const MEAN_OUTSIDE: About = About {
    id: "mean-outside",
    threshold: "a mean more than 2 % and 1 us below the smallest or above the largest time",
    source: "by definition",
    remedy: "Do not use these times.",
};

const SPREAD: About = About {
    id: "spread-impossible",
    threshold: "a variance more than 10 % above (max - mean)(mean - min)",
    source: "Bhatia and Davis 2000",
    remedy: "Do not use the standard deviation, and see whether the largest time is that of one interval only.",
};

const LONGER: About = About {
    id: "longer-than-run",
    threshold: "a largest time more than a minute above warm-up and counted time together",
    source: "by definition; diskspd-for-linux -W0 has shown the machine's uptime, 1,953 s, in a run of 10 s",
    remedy: "Do not use these times: repeat with a warm-up, or with another version of the tool.",
};

const BEYOND: About = About {
    id: "percentile-beyond-data",
    threshold: "fewer than 10 I/Os beyond a percentile",
    source: "order statistics: the interval of such a percentile reaches to the largest time",
    remedy: "Leave those percentiles out, or run longer.",
};

/// Percentiles, smallest, largest, mean and spread of each direction.
pub const CHECK: Check = Check {
    name: "percentiles, minimum, maximum, spread",
    rules: &[DISORDERED, ABOVE_MAX, MEAN_OUTSIDE, SPREAD, LONGER, BEYOND],
    look,
};

/// The last digit of times that are told in ms with three decimals.
const ROUNDED_NS: f64 = 1000.0;

/// What a tool may wait for I/Os after the end.
const GRACE_NS: f64 = 60e9;

/// How long the run took, with its warm-up.
pub(super) fn length_ns(run: &Run) -> Option<f64> {
    let counted = run.counted_s().filter(|s| *s > 0.0)?;
    Some((counted + run.asked.warm_up_s.unwrap_or(0.0)) * 1e9)
}

#[derive(Default)]
struct Hits<'r> {
    disordered: Vec<Hit<'r>>,
    above: Vec<Hit<'r>>,
    outside: Vec<Hit<'r>>,
    spread: Vec<Hit<'r>>,
    longer: Vec<Hit<'r>>,
    beyond: Vec<Hit<'r>>,
}

fn look(result: &ForeignResult) -> Answer {
    let (mut seen, mut hits) = (0, Hits::default());
    for run in &result.runs {
        hits.length(run);
        // Each target's by itself, too.
        for row in &run.rows {
            seen += usize::from(!row.syncs.is_empty());
            hits.look(run, row, &row.syncs, row.syncs.count);
            for side in [&row.all, &row.reads, &row.writes] {
                for latency in std::iter::once(&side.latency).chain(&side.completion) {
                    seen += usize::from(latency.max.is_some() || latency.percentiles.len() > 1);
                    hits.look(run, row, latency, side.ios);
                }
            }
        }
    }
    // One direction and all of it may say the same.
    hits.beyond.dedup_by(|a, b| std::ptr::eq(a.run, b.run));
    answer(
        seen,
        "percentiles, or a largest time",
        [
            doubt(&DISORDERED, Severity::Invalid, hits.disordered),
            doubt(&ABOVE_MAX, Severity::Invalid, hits.above),
            doubt(&MEAN_OUTSIDE, Severity::Invalid, hits.outside),
            doubt(&SPREAD, Severity::Invalid, hits.spread),
            doubt(&LONGER, Severity::Invalid, hits.longer),
            doubt(&BEYOND, Severity::Note, hits.beyond),
        ],
    )
}

impl<'r> Hits<'r> {
    fn look(&mut self, run: &'r Run, row: &Row, of: &Latency, ios: Option<u64>) {
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
            Hit::new(
                run,
                row.at,
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
        if let (Some(max), Some((q, value))) = (max, sorted.last())
            && *value > max * 1.02 + 1000.0
        {
            self.above.push(Hit::new(
                run,
                row.at,
                value / max,
                [
                    ("percentile", Quantity::Number(*q)),
                    ("value", ns(*value)),
                    ("max", ns(max)),
                ],
            ));
        }
        if let (Some(max), Some(mean)) = (max, of.mean.map(|m| m.0 as f64)) {
            self.moments(run, row, of, mean, max);
        }
        let beyond = |q: f64, n: u64| n as f64 * (1.0 - q) < 9.999 && q < 1.0;
        if let Some(n) = ios.filter(|n| *n > 0)
            && let Some((q, _)) = sorted.iter().find(|(q, _)| beyond(*q, n))
        {
            self.beyond.push(Hit::new(
                run,
                row.at,
                1.0 / n as f64,
                [
                    ("percentile", Quantity::Number(*q)),
                    ("ios", Quantity::Count(n)),
                ],
            ));
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

    fn moments(&mut self, run: &'r Run, row: &Row, of: &Latency, mean: f64, max: f64) {
        // A tool that knows no smallest one leaves 0.
        let min = of.min.map_or(0.0, |m| m.0 as f64).min(max);
        let slack = |of: f64| of * 0.02 + 1000.0;
        if mean > max + slack(max) || mean + slack(min) < min {
            self.outside.push(Hit::new(
                run,
                row.at,
                mean / max.max(1.0),
                [("mean", ns(mean)), ("min", ns(min)), ("max", ns(max))],
            ));
            return;
        }
        let Some(sd) = of.sd.map(|s| s.0 as f64) else {
            return;
        };
        let possible = ((max - mean).max(0.0) * (mean - min).max(0.0)).sqrt();
        // Some tools print no more than a microsecond: what is printed as equal may be one apart.
        let above = (max - mean).max(0.0) + ROUNDED_NS;
        let below = (mean - min).max(0.0) + ROUNDED_NS;
        if sd > (above * below).sqrt() * 1.05 + 2.0 * ROUNDED_NS {
            self.spread.push(Hit::new(
                run,
                row.at,
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
