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

/// Asked and reached.
pub const CHECK: Check = Check {
    name: "the rate asked for",
    rules: &[MISSED, EXCEEDED],
    look,
};

fn look(result: &ForeignResult) -> Answer {
    let (mut seen, mut missed, mut exceeded) = (0, Vec::new(), Vec::new());
    for run in &result.runs {
        let Some(Load::Limited { rate, .. }) = run.asked.load else {
            seen += usize::from(run.asked.load.is_some());
            continue;
        };
        let Some((asked, came)) = run
            .whole()
            .and_then(|r| r.iops())
            .map(|came| (rate.0, came))
        else {
            continue;
        };
        seen += 1;
        let chance = 3.0 / (asked * run.counted_s().unwrap_or(1.0)).max(1.0).sqrt();
        let off = came / asked - 1.0;
        if -off > chance.max(0.005) {
            missed.push(hit(run, asked, came));
        } else if off > chance.max(0.05) {
            exceeded.push(hit(run, asked, came));
        }
    }
    answer(
        seen,
        "a rate that was asked for",
        [
            doubt(&MISSED, Severity::Suspect, missed),
            doubt(&EXCEEDED, Severity::Suspect, exceeded),
        ],
    )
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
