use crate::{RuleAnswer, RuleFinding, RunView, applies, findings};
use plimsoll_evidence::Quantity;

rule! {
    315 "waiting-backend" Run(check) [NOTE, NOTE, NOTE, SUSPECT, NOTE] pitfalls [43] {
        summary: "Each I/O keeps a thread waiting.",
        why: "Without io_uring or libaio an I/O takes a thread that waits for it. Threads cost switches, and a depth of many \
            of them is more the scheduler's than the device's.",
        threshold: "The backend is psync, with more than 4 I/Os in flight.",
        source: "Where the host forbids io_uring and has no libaio, and on devices that would block them (zram).",
        example: "A container without io_uring: 64 threads, and a quarter of the rate.",
        remedy: "Allow io_uring (sysctl kernel.io_uring_disabled, the seccomp profile), or state the backend.",
    }
    fires: |o| o.environment.backend = "psync".into(),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    applies(view.is_real())?;
    let waits = view.environment.backend.contains("psync");
    let slots = view.measured().map(|s| s.slots).max().unwrap_or(0);
    findings((waits && slots > FEW).then(|| {
        let seen = RuleFinding::new("The I/Os went out through psync, a thread for each.");
        seen.judged("slots", Quantity::Count(slots), FEW as f64)
    }))
}

const FEW: u64 = 4;
