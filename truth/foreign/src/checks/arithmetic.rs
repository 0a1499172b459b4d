//! Whether rate, transfer size and bandwidth belong together.

use super::{Check, CheckAnswer, Hit, answer, doubt};
use crate::model::{ForeignResult, Row, Run};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_plan::Bytes;

/// Rate times size.
pub const CHECK: Check = Check {
    rules: &[525],
    look,
};

fn look(result: &ForeignResult) -> CheckAnswer {
    let (mut seen, mut hits) = (0, Vec::new());
    for run in &result.runs {
        let Some((Bytes(block), _)) = run.asked.block.filter(|(min, max)| min == max && min.0 > 0)
        else {
            continue;
        };
        let Some(row) = run.whole() else { continue };
        let (Some(rate), Some(Bytes(printed))) = (row.iops(), row.bandwidth) else {
            continue;
        };
        // Below half a MiB/s two decimals are too few.
        if rate <= 0.0 || printed < 1 << 19 {
            continue;
        }
        seen += 1;
        // A whole rate may have lost its decimals.
        let most = if rate.fract() == 0.0 {
            rate + 1.0
        } else {
            rate
        };
        let needed = printed as f64 / block as f64;
        let off_at = |rate: f64| rate / needed - 1.0;
        let carried = row.carried.map(|carried| off_at(carried.0));
        let off = off_at(needed.clamp(rate, most));
        let off = carried
            .filter(|carried| carried.abs() < off.abs())
            .unwrap_or(off);
        if off.abs() > 0.02 + untimed(run, row) {
            hits.push(Hit::new(
                run,
                row.at,
                off.abs(),
                [
                    ("rate", Quantity::PerSecond(rate)),
                    ("block", Quantity::Bytes(block)),
                    ("product", Quantity::Bytes((rate * block as f64) as u64)),
                    ("printed", Quantity::Bytes(printed)),
                    ("ratio", Quantity::Number(1.0 / (off + 1.0))),
                ],
            ));
        }
    }
    answer(
        seen,
        "one transfer size and a bandwidth",
        [doubt(525, "bandwidth-disagrees", Severity::Suspect, hits)],
    )
}

/// More than this share is no edge of a run.
const MOST_OUT: f64 = 0.1;

/// The share of a row's I/Os that were out at its ends: fio's rate has them and its bandwidth has not, or the other way round where a
/// warm-up went before. As many may be as were let be in flight, and one at least.
fn untimed(run: &Run, row: &Row) -> f64 {
    let sides = [&row.reads, &row.writes].map(|side| side.ios.zip(side.latency.count));
    let reported = || sides.iter().flatten();
    let timed: u64 = reported().map(|(_, timed)| timed).sum();
    let Some(ios) = row.all.ios.filter(|ios| *ios > 0) else {
        return 0.0;
    };
    let counted: u64 = reported().map(|(ios, _)| ios).sum();
    let at_an_end = run.asked.in_flight.or(row.deepest).unwrap_or(1).max(1);
    let out = counted.saturating_sub(timed).max(at_an_end) as f64;
    (out / ios as f64).min(MOST_OUT)
}
