//! Whether it ran long enough to say anything that lasts.

use super::{About, Answer, Check, Hit, answer, doubt};
use crate::model::ForeignResult;
use plimsoll_evidence::{Quantity, Severity};

const SHORT: About = About {
    id: "too-short",
    threshold: "below 5 s counted; below 30 s as a note",
    source: "our choice: batch means want 20 to 40 seconds; IO500 asks for 300 s of writes, DiskSPD's author for 60 s",
    remedy: "Run for at least 30 s, and where writes are to last, until three times the cache or the whole target is written.",
};

/// How long it was.
pub const CHECK: Check = Check {
    name: "duration",
    rules: &[SHORT],
    look,
};

fn look(result: &ForeignResult) -> Answer {
    let (mut seen, mut short, mut brief) = (0, Vec::new(), Vec::new());
    for run in &result.runs {
        let Some(seconds) = run.counted_s() else {
            continue;
        };
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
            doubt(&SHORT, Severity::Suspect, short),
            doubt(&SHORT, Severity::Note, brief),
        ],
    )
}
