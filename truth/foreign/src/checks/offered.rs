//! The rate that was asked for against the one that came.

use super::{Check, CheckAnswer, Hit, answer, doubt};
use crate::format::fio_pairs::DENSE;
use crate::model::{ForeignResult, Load, Row, Run};
use plimsoll_evidence::{Quantity, Severity};

/// Asked and reached.
pub const CHECK: Check = Check {
    rules: &[103, 530, 531],
    look,
};

fn look(result: &ForeignResult) -> CheckAnswer {
    let (mut seen, mut missed, mut exceeded) = (0, Vec::new(), Vec::new());
    let (mut unsent, mut short) = (Vec::new(), Vec::new());
    // Where the tool itself says when the first was done, the others ended before the last; samples lack what stood still, too.
    let ended = |run: &&Run| run.whole().is_some_and(|row| row.while_all.is_some());
    let (ended, paused): (Vec<&Run>, Vec<&Run>) = result.runs.iter().partition(ended);
    let [spread, pauses] = [ended, paused].map(|runs| {
        runs.into_iter()
            .filter_map(over_the_longest)
            .collect::<Vec<Hit>>()
    });
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
        let off = came / asked - 1.0;
        if -off > shortfall(run, asked) {
            match free_slots(run) {
                Some(slots) => unsent.push(hit(run, asked, came).with(slots)),
                None => missed.push(hit(run, asked, came)),
            }
        } else if -off > NEARLY.max(2.0 * chance(run, asked)) {
            short.push(hit(run, asked, came));
        } else if off > chance(run, asked).max(0.05) {
            exceeded.push(hit(run, asked, came));
        }
    }
    let sampled = result.runs.iter().any(|r| {
        r.whole()
            .is_some_and(|w| w.samples.is_some() || w.while_all.is_some())
    });
    answer(
        seen + spread.len() + pauses.len(),
        "a rate that was asked for",
        [
            doubt(103, "rate-missed", Severity::Suspect, missed),
            doubt(103, "rate-unsent", Severity::Suspect, unsent),
            doubt(103, "rate-short", Severity::Note, short),
            doubt(530, "rate-exceeded", Severity::Suspect, exceeded),
            doubt(531, "rate-over-the-longest", Severity::Suspect, spread),
            doubt(531, "rate-over-pauses", Severity::Suspect, pauses),
        ],
    )
    .needing(531, sampled, "the rate while all of them ran")
}

/// The share of a rate that comes more or less by chance alone.
fn chance(run: &Run, asked: f64) -> f64 {
    3.0 / (asked * run.counted_s().unwrap_or(1.0)).max(1.0).sqrt()
}

/// The share of a rate that may be missing where it was kept.
fn shortfall(run: &Run, asked: f64) -> f64 {
    chance(run, asked).max(0.005)
}

/// The share that is missing of a rate that was nearly kept, and is worth a note where it is no chance.
const NEARLY: f64 = 0.0025;

/// True where a rate was asked for and came: nothing else was the limit.
pub(super) fn is_kept(run: &Run) -> bool {
    let rates = rates(run);
    let kept = |(asked, came): &(f64, f64)| 1.0 - came / asked <= shortfall(run, *asked);
    !rates.is_empty() && rates.iter().all(kept)
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
    // What an error ended may have stood still before it.
    let row = run.whole().filter(|row| row.errors == 0)?;
    let rate = row.iops().filter(|r| *r > 0.0)?;
    let one = run.asked.threads == Some(1);
    let dense = |mean: &f64| mean / run.asked.threads.unwrap_or(1).max(1) as f64 >= DENSE;
    let samples = row.samples.filter(|s| s.count >= FEW).map(|s| s.mean);
    let mean = row.while_all.or(samples.filter(dense))?;
    let is_apart =
        mean > APART * rate || mean > NEAR * rate && is_of_busy_slots(run, row, mean / rate);
    (!one && is_apart).then(|| {
        let values = [
            ("rate", Quantity::PerSecond(rate)),
            ("mean", Quantity::PerSecond(mean)),
        ];
        Hit::new(run, row.at, mean / rate, values)
    })
}

/// Fewer samples are those of a moment.
const FEW: u64 = 10;
/// Jobs ended apart where the rate while all of them ran is so many times what is printed…
const APART: f64 = 1.5;
/// …or this, where as many slots were free as that rate is more.
const NEAR: f64 = 1.1;

/// True where a rate so many times as high has all of the slots busy, by Little's law.
fn is_of_busy_slots(run: &Run, row: &Row, times: f64) -> bool {
    let slots = run.asked.in_flight.map(|slots| slots as f64);
    let busy = row
        .in_flight()
        .zip(slots)
        .map(|(busy, slots)| busy * times / slots);
    busy.is_some_and(|busy| (0.95..=1.1).contains(&busy))
}

/// I/Os in flight and slots for them, where a fifth of these at least were free.
fn free_slots(run: &Run) -> Option<[(&'static str, Quantity); 2]> {
    let busy = run.whole()?.in_flight()?;
    let slots = run.asked.in_flight? as f64;
    let values = [("busy", busy), ("slots", slots)];
    (busy < 0.8 * slots).then(|| values.map(|(name, n)| (name, Quantity::Number(n))))
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
