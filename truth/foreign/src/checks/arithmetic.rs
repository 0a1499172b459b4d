//! Whether rate, transfer size and bandwidth belong together.

use super::{Check, CheckAnswer, Hit, answer, doubt};
use crate::model::{ForeignResult, Row};
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
        // Below 1 MiB/s two decimals are too few.
        if rate <= 0.0 || printed < 1 << 20 {
            continue;
        }
        seen += 1;
        let off = rate * block as f64 / printed as f64 - 1.0;
        if off.abs() > 0.02 + untimed(row) {
            hits.push(Hit::new(
                run,
                row.at,
                off.abs(),
                [
                    ("rate", Quantity::PerSecond(rate)),
                    ("block", Quantity::Bytes(block)),
                    ("product", Quantity::Bytes((rate * block as f64) as u64)),
                    ("printed", Quantity::Bytes(printed)),
                    ("off", Quantity::Share(off)),
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

/// The share of a row's I/Os that were out at its end: fio's rate has them, and its bandwidth has not.
fn untimed(row: &Row) -> f64 {
    let sides = [&row.reads, &row.writes].map(|side| side.ios.zip(side.latency.count));
    let reported = || sides.iter().flatten();
    let ios: u64 = reported().map(|(ios, _)| ios).sum();
    let timed: u64 = reported().map(|(_, timed)| timed).sum();
    ios.saturating_sub(timed) as f64 / ios.max(1) as f64
}
