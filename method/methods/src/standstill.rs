//! When nothing came back: because the target stood still, or because the process that asks it did.

use crate::series::Series;
use crate::step_facts::Standstill;
use crate::stretches::overlap;
use crate::without_pauses::values as clean;
use plimsoll_evidence::{Finding, Quantity, Severity, StepEvidence};

/// A closed loop stands still where nothing completes for so long, s.
const STANDSTILL_S: f64 = 1.0;
/// And for so many mean response times: a slow target does not stand still.
const STANDSTILL_RESPONSES: f64 = 10.0;
/// The process stood still where it did not run for so long at a stretch, s; less is any busy host's doing.
const ABSENCE_S: f64 = 0.5;
/// Or for this share of the time in shorter stretches, which are missing from a closed loop's rate as much.
const ABSENCE_SHARE: f64 = 0.05;

/// The times in which the process did not run, of the counted time: (from, to), s from the step's start.
pub fn absences(series: &Series, standstills: &[Standstill]) -> Vec<(f64, f64)> {
    let start = series.start_ns as f64 / 1e9;
    let end = start + series.seconds.iter().sum::<f64>();
    let clipped = standstills.iter().map(|s| {
        let from = s.at_ns as f64 / 1e9;
        (from.max(start), (from + s.length_ns as f64 / 1e9).min(end))
    });
    clipped.filter(|(from, to)| to > from).collect()
}

/// A process that does not run takes no answer and asks nothing: it looks as if the target did nothing.
///
/// What the step was without that is said where all of it had one load (`is_plain`).
pub fn absent(
    series: &Series,
    absences: &[(f64, f64)],
    is_plain: bool,
    evidence: &StepEvidence,
) -> Option<Finding> {
    let lengths = || absences.iter().map(|(from, to)| to - from);
    let longest = lengths().reduce(f64::max)?;
    let all: f64 = lengths().sum();
    let share = all / series.seconds.iter().sum::<f64>();
    if longest < ABSENCE_S && share < ABSENCE_SHARE {
        return None;
    }
    let mut values = vec![
        ("longest", Quantity::Seconds(longest)),
        ("times", Quantity::Count(absences.len() as u64)),
        ("all", Quantity::Seconds(all)),
        ("share", Quantity::Share(share)),
    ];
    if is_plain {
        let closed = evidence.offered.is_none().then_some(evidence.depth_mean);
        values.extend(clean(series, absences, closed));
    }
    Some(Finding::of_step(
        evidence.number,
        "host-stood-still",
        Severity::Suspect,
        values,
    ))
}

/// In a closed loop I/Os are out all the time. A slot waits for a standstill once, however long it is, so that response times
/// show next to nothing of it; a longer warm-up is no remedy. In an open loop all
/// that comes due meanwhile waits, and shows it: there a standstill is named only where it lasts to the end, for what is said
/// of stalls has the others. What the process was absent for is not the target's, and neither is a pause of `pause_s` that
/// the plan asks for.
pub fn standstill(
    series: &Series,
    absences: &[(f64, f64)],
    pause_s: f64,
    evidence: &StepEvidence,
) -> Option<Finding> {
    let is_open = evidence.offered.is_some();
    let longest = longest_still(series, absences, is_open)?;
    let usual_ns = match is_open {
        // A standstill is in the mean.
        true => evidence.service.quantile_ns(0.5).unwrap_or(0) as f64,
        false => evidence.response_mean_ns.mean,
    };
    let slow = STANDSTILL_RESPONSES * (usual_ns / 1e9 + pause_s);
    // Sums of tenths of a second are a little less than whole seconds.
    if longest.seconds + 1e-6 < STANDSTILL_S.max(slow) {
        return None;
    }
    let length = ("length", Quantity::Seconds(longest.seconds));
    let found = |rule, values: Vec<(&str, Quantity)>| {
        Finding::of_step(evidence.number, rule, Severity::Suspect, values)
    };
    match (longest.is_last, is_open) {
        (true, _) => {
            let kind = Quantity::Text(if is_open { "open" } else { "closed" }.to_string());
            Some(found(
                "target-stood-still-at-end",
                vec![length, ("loop", kind)],
            ))
        }
        (false, false) => Some(found("target-stood-still", vec![length])),
        (false, true) => None,
    }
}

/// A time in which nothing completed.
struct Still {
    /// Without what the process was absent for.
    seconds: f64,
    /// True where it lasts to the end.
    is_last: bool,
}

/// The longest, and of equals the last; in an open loop the one at the end. There it counts from when something was out: with
/// nothing to do nobody stands still.
fn longest_still(series: &Series, absences: &[(f64, f64)], is_open: bool) -> Option<Still> {
    let mut at = series.start_ns as f64 / 1e9;
    let mut from = at;
    let mut longest: Option<Still> = None;
    let last = series.ios.len().saturating_sub(1);
    let samples = series.seconds.iter().zip(&series.ios).zip(&series.asked);
    let mut came = false;
    for (n, ((seconds, ios), asked)) in samples.enumerate() {
        let began = at;
        at += seconds;
        if *ios != 0.0 || asked.done > 0 {
            // Who answers with errors does not stand still either.
            (from, came) = (at, false);
            continue;
        }
        if is_open && !came {
            from = began;
            came = asked.due > 0 || asked.backlog > 0;
            if !came {
                continue;
            }
        }
        let own = at - from - overlap((from, at), absences);
        let is_last = n == last;
        let is_longest = longest.as_ref().is_none_or(|l| own >= l.seconds);
        if is_longest || (is_open && is_last) {
            longest = Some(Still {
                seconds: own,
                is_last,
            });
        }
    }
    longest
}
