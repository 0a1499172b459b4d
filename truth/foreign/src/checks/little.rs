//! Little's law: rate times mean time is the mean number in flight, whatever the distributions.

use super::{Check, CheckAnswer, Hit, answer, doubt, ns};
use crate::model::{ForeignResult, Row, Run};
use plimsoll_evidence::{Quantity, Severity};

/// Rate, mean and depth against each other.
pub const CHECK: Check = Check {
    rules: &[105],
    look,
};

/// What rate times mean may be off.
const TOLERANCE: f64 = 0.05;

fn look(result: &ForeignResult) -> CheckAnswer {
    let (mut seen, mut impossible, mut disagree) = (0, Vec::new(), Vec::new());
    for run in &result.runs {
        for row in &run.rows {
            let Some(in_flight) = row.in_flight() else {
                continue;
            };
            let asked = run
                .asked
                .in_flight
                .filter(|_| row.scope == crate::model::Scope::Whole);
            seen += usize::from(asked.is_some() || row.queue_depth.is_some());
            impossible.extend(asked.and_then(|n| too_many(run, row, in_flight, n as f64)));
            disagree.extend(
                row.queue_depth
                    .and_then(|q| differs(run, row, in_flight, q)),
            );
        }
    }
    answer(
        seen,
        "rate, mean time and depth",
        [
            doubt(105, "mean-impossible", Severity::Invalid, impossible),
            doubt(105, "depth-disagrees", Severity::Suspect, disagree),
        ],
    )
}

fn too_many<'r>(run: &'r Run, row: &Row, in_flight: f64, asked: f64) -> Option<Hit<'r>> {
    // Half an I/O is what rounding and a drained queue at the end can make of a depth of 1.
    if in_flight <= asked * (1.0 + TOLERANCE) + 0.5 {
        return None;
    }
    let (rate, mean) = (row.iops()?, row.mean_ns()?);
    Some(Hit::new(
        run,
        row.at,
        in_flight / asked,
        [
            ("mean", ns(mean)),
            ("rate", Quantity::PerSecond(rate)),
            ("in_flight", Quantity::Number(in_flight)),
            ("asked", Quantity::Number(asked)),
            ("possible", ns(asked / rate * 1e9)),
        ],
    ))
}

fn differs<'r>(run: &'r Run, row: &Row, in_flight: f64, counted: f64) -> Option<Hit<'r>> {
    // Vdbench prints times to 1 us and depths to 0.1, and its depth has what is out at an interval's edges in it.
    let rounding = row.iops()? * 1e-6 + 0.1;
    let off = (in_flight - counted).abs();
    (off > TOLERANCE * counted + rounding).then(|| {
        Hit::new(
            run,
            row.at,
            off / counted.max(0.1),
            [
                ("in_flight", Quantity::Number(in_flight)),
                ("counted", Quantity::Number(counted)),
            ],
        )
    })
}
