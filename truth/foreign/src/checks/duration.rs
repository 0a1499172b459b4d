//! Whether it ran long enough for what is claimed.

use super::{CheckAnswer, Hit, answer, doubt};
use crate::model::ForeignResult;
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_plan::Claim;

/// The rule that it can find broken.
pub const RULES: &[u16] = &[30];

/// Looks at the length of the runs.
pub fn look(result: &ForeignResult, claim: Claim) -> CheckAnswer {
    let least = claim.least().unwrap_or_default().as_secs_f64();
    let (mut seen, mut short) = (0, Vec::new());
    for run in result.runs.iter().filter(|run| !run.is_cut_off()) {
        let Some(seconds) = run.counted_s() else {
            continue;
        };
        seen += 1;
        if run.length_s() < Some(least) {
            let values = [
                ("seconds", Quantity::Seconds(seconds)),
                ("least", Quantity::Seconds(least)),
                ("claim", Quantity::Text(claim.to_string())),
            ];
            let at = run.whole().map_or(run.at, |r| r.at);
            short.push(Hit::new(run, at, -seconds, values));
        }
    }
    let doubts = [doubt(30, "too-short", Severity::Suspect, short)];
    answer(seen, "how long it ran", doubts)
}
