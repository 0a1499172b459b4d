//! The rate that was asked for against the one that came.

use super::{About, Answer, Check, Hit, answer, doubt};
use crate::model::{ForeignResult, Load, Run};
use plimsoll_evidence::{Quantity, Severity};

const MISSED: About = About {
    id: "rate-missed",
    threshold: "more than 0.5 % less than was asked for, and more than chance explains",
    source: "the limit that Plimsoll has for a saturated point; chance is 3/sqrt(I/Os)",
    remedy: "Take it as overload: leave its times out, and measure at lower rates, or give the generator more threads or depth.",
};

const EXCEEDED: About = About {
    id: "rate-exceeded",
    threshold: "more than 5 % more than was asked for",
    source: "fio's poisson rate is 5 % high at 100,000/s and 2.5 times at 700,000/s, from rounding to microseconds",
    remedy: "Use an even rate (rate_process=linear), or more jobs with a lower rate each.",
};

const SPREAD: About = About {
    id: "rate-over-the-longest",
    threshold: "samples of the rate with a mean of more than twice the rate, where the figures of several jobs are added up",
    source: "by definition: fio divides the I/Os of all by the time of the one that took the longest",
    remedy: "Take each job's own rate (without group_reporting), or let all jobs run for the same time (time_based with runtime=).",
};

/// Asked and reached.
pub const CHECK: Check = Check {
    name: "the rate asked for",
    rules: &[MISSED, EXCEEDED, SPREAD],
    look,
};

fn look(result: &ForeignResult) -> Answer {
    let (mut seen, mut missed, mut exceeded) = (0, Vec::new(), Vec::new());
    let spread: Vec<Hit> = result.runs.iter().filter_map(over_the_longest).collect();
    for run in &result.runs {
        let rates = rates(run);
        seen += usize::from(run.asked.load == Some(Load::Max) || !rates.is_empty());
        // Of reads and writes the one that is further off.
        let off = |(asked, came): &(f64, f64)| came / asked - 1.0;
        let furthest = rates
            .into_iter()
            .max_by(|a, b| off(a).abs().total_cmp(&off(b).abs()));
        let Some((asked, came)) = furthest else {
            continue;
        };
        let chance = 3.0 / (asked * run.counted_s().unwrap_or(1.0)).max(1.0).sqrt();
        let off = came / asked - 1.0;
        if -off > chance.max(0.005) {
            missed.push(hit(run, asked, came));
        } else if off > chance.max(0.05) {
            exceeded.push(hit(run, asked, came));
        }
    }
    answer(
        seen + spread.len(),
        "a rate that was asked for",
        [
            doubt(&MISSED, Severity::Suspect, missed),
            doubt(&EXCEEDED, Severity::Suspect, exceeded),
            doubt(&SPREAD, Severity::Suspect, spread),
        ],
    )
}

/// The rates that were asked for beside those that came: of reads and writes each, where they have their own.
fn rates(run: &Run) -> Vec<(f64, f64)> {
    let Some(row) = run.whole() else {
        return Vec::new();
    };
    let came = [&row.reads, &row.writes].map(|side| side.iops.map(|r| r.0));
    let asked = run.asked.sides.map(|side| side.map(|r| r.0));
    let sides = asked.into_iter().zip(came);
    let sides: Vec<(f64, f64)> = sides.filter_map(|(a, c)| a.zip(c)).collect();
    if !sides.is_empty() {
        return sides;
    }
    match (run.asked.load, row.iops()) {
        (Some(Load::Limited { rate, .. }), Some(came)) => vec![(rate.0, came)],
        _ => Vec::new(),
    }
}

/// The figures of several jobs, of which some were at their end long before the last.
fn over_the_longest(run: &Run) -> Option<Hit<'_>> {
    let row = run.whole()?;
    let (samples, rate) = (row.samples?, row.iops().filter(|r| *r > 0.0)?);
    let one = run.asked.threads == Some(1);
    (!one && samples.count > 1 && samples.mean > 2.0 * rate).then(|| {
        let values = [
            ("rate", Quantity::PerSecond(rate)),
            ("mean", Quantity::PerSecond(samples.mean)),
        ];
        Hit::new(run, row.at, samples.mean / rate, values)
    })
}

fn hit(run: &Run, asked: f64, came: f64) -> Hit<'_> {
    let off = 1.0 - came / asked;
    Hit::new(
        run,
        run.whole().map_or(run.at, |r| r.at),
        off.abs(),
        [
            ("asked", Quantity::PerSecond(asked)),
            ("rate", Quantity::PerSecond(came)),
            ("short", Quantity::Share(off)),
        ],
    )
}
