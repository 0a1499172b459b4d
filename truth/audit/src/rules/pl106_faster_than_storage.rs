use crate::{RuleAnswer, RuleFinding, RunView, applies, findings};
use plimsoll_evidence::{Quantity, StepEvidence};
use plimsoll_printable::human;

rule! {
    106 "faster-than-storage" Run(check) [NOTHING, SUSPECT, SUSPECT, SUSPECT, NOTHING] pitfalls [1, 2, 3, 7, 33] {
        summary: "Half of the I/Os took less time than any storage needs.",
        why: "A system call alone takes a microsecond, and the fastest drives ten. What comes back sooner was answered by \
            memory: the page cache, a file system that knows of a hole, or a device that is memory itself.",
        threshold: "A median service time below 5 us on a file, device or export.",
        source: "Physical floors: NAND reads take 50 us and more, 3D XPoint about 7; fio once printed 201 ns for io_uring, \
            which was a clock error.",
        example: "p50 of 1.2 us on a file that was only fallocated: 1,000,000 reads/s, and the disk saw none of them.",
        remedy: "See what answers: the file system's kind, `caching`, whether the target was ever written.",
    }
    fires: |o| {
        let mut times = plimsoll_measure::Histogram::default();
        times.record_many(1_200, 10_000);
        o.step().service = times;
    },
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    applies(view.is_real())?;
    let median = |s: &StepEvidence| s.service.supported_quantile_ns(0.5);
    findings(view.measured().filter_map(|step| {
        let ns = median(step)?;
        (ns < FLOOR_NS).then(|| {
            let message = format!(
                "Half of its I/Os took {} or less: no storage answers so fast, memory does.",
                human::time(ns as f64)
            );
            RuleFinding::new(message).step(step.number).judged(
                "median",
                Quantity::Ns(ns as f64),
                FLOOR_NS as f64,
            )
        })
    }))
}

const FLOOR_NS: u64 = 5_000;
