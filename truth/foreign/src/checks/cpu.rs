//! Whether what made the load was the limit.

use super::{About, Answer, Check, Hit, answer, doubt};
use crate::model::{CpuOf, ForeignResult, Load};
use plimsoll_evidence::{Quantity, Severity};

const BUSY: About = About {
    id: "generator-busy",
    threshold: "the load's own threads more than 85 % busy, or all CPUs of the host more than 80 %",
    source: "our choice, and Vdbench's own warning",
    remedy: "Use more threads, CPUs or hosts, and see whether the rate grows: then it was not the target's.",
};

/// CPU.
pub const CHECK: Check = Check {
    name: "the generator's CPU",
    rules: &[BUSY],
    look,
};

fn look(result: &ForeignResult) -> Answer {
    let (mut seen, mut hits) = (0, Vec::new());
    for run in &result.runs {
        let Some((row, cpu)) = run.whole().and_then(|r| Some((r, r.cpu?))) else {
            continue;
        };
        seen += 1;
        let (limit, of) = match cpu.of {
            CpuOf::Generator => (0.85, "generator"),
            CpuOf::Host => (0.80, "host"),
        };
        // Where a rate was asked for and kept, nothing was limited.
        let kept = match (run.asked.load, row.iops()) {
            (Some(Load::Limited { rate, .. }), Some(came)) => came >= 0.995 * rate.0,
            _ => false,
        };
        if cpu.busy > limit && !kept {
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
    answer(seen, "CPU figures", [doubt(&BUSY, Severity::Suspect, hits)])
}
