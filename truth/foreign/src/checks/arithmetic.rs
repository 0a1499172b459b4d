//! Whether rate, transfer size and bandwidth belong together.

use super::{Answer, Check, Hit, answer, doubt};
use crate::model::ForeignResult;
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_plan::Bytes;

/// Rate times size.
pub const CHECK: Check = Check {
    rules: &[525],
    look,
};

fn look(result: &ForeignResult) -> Answer {
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
        if off.abs() > 0.02 {
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
