//! Whether what made the load was the limit.

use super::{Check, CheckAnswer, Hit, LEAST_S, answer, doubt, offered};
use crate::model::{CpuOf, ForeignResult};
use plimsoll_evidence::{Quantity, Severity};

/// CPU.
pub const CHECK: Check = Check {
    rules: &[413],
    look,
};

fn look(result: &ForeignResult) -> CheckAnswer {
    let (mut seen, mut hits) = (0, Vec::new());
    for run in &result.runs {
        let Some((row, cpu)) = run.whole().and_then(|r| Some((r, r.cpu?))) else {
            continue;
        };
        if run.asked.polls && cpu.of == CpuOf::Generator {
            continue;
        }
        seen += 1;
        let (limit, of) = match cpu.of {
            CpuOf::Generator => (0.85, "generator"),
            CpuOf::Host => (0.80, "host"),
        };
        let long = run.counted_s().is_none_or(|s| s >= LEAST_S);
        if cpu.busy > limit && !offered::is_kept(run) && long {
            hits.push(Hit::new(
                run,
                row.at,
                cpu.busy,
                [
                    ("busy", Quantity::Share(cpu.busy)),
                    ("of", Quantity::Text(of.into())),
                ],
            ));
        }
    }
    answer(
        seen,
        "CPU figures of threads that do not poll",
        [doubt(413, "generator-busy", Severity::Suspect, hits)],
    )
}
