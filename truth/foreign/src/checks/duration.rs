//! Whether it ran long enough to say anything that lasts.

use super::{Check, CheckAnswer, Hit, answer, doubt};
use crate::model::ForeignResult;
use plimsoll_evidence::{Quantity, Severity};

/// How long it was.
pub const CHECK: Check = Check { rules: &[30], look };

fn look(result: &ForeignResult) -> CheckAnswer {
    let (mut seen, mut short, mut brief) = (0, Vec::new(), Vec::new());
    for run in &result.runs {
        let Some(seconds) = run.counted_s() else {
            continue;
        };
        // Without its sum the text was cut off, and not the run.
        let planned = run.asked.duration_s.filter(|_| run.whole().is_none());
        let all: f64 = run.intervals().filter_map(|(_, row)| row.seconds).sum();
        if planned.is_some_and(|planned| planned > 1.1 * all) {
            continue;
        }
        seen += 1;
        let hit = || {
            Hit::new(
                run,
                run.whole().map_or(run.at, |r| r.at),
                -seconds,
                [("seconds", Quantity::Seconds(seconds))],
            )
        };
        if seconds < 5.0 {
            short.push(hit());
        } else if seconds < 30.0 {
            brief.push(hit());
        }
    }
    answer(
        seen,
        "how long it ran",
        [
            doubt(30, "too-short", Severity::Suspect, short),
            doubt(30, "too-short", Severity::Note, brief),
        ],
    )
}
