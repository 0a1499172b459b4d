//! The kernel's log has I/O errors.

use crate::{Check, HostAnswer, HostView, INVALID, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 650,
    name: "kernel-log-io-errors",
    summary: "The kernel's log has I/O errors.",
    severity: Severities::all(INVALID),
    pitfalls: &[],
    page: Page {
        why: "Each error was tried again for seconds, or came from a medium that fails. A test over it measures the retries.",
        threshold: "A line with I/O error, medium error, timeout error, critical target error or hardware error.",
        source: "The kernel's block layer and SCSI midlayer.",
        example: "One bad sector in the hot area: a maximum of 30 s in a run with a mean of 0.4 ms.",
        remedy: "Look at the device's own log (smartctl, nvme), and at the path that the line names.",
    },
    check: Check::Host(check),
};

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_log(view, "no errors", |line| {
        [
            "i/o error",
            "medium error",
            "critical target error",
            "hardware error",
            "timeout error, dev",
        ]
        .iter()
        .any(|p| line.contains(p))
    })
}

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Host {
    fires: |h| {
        h.insert(
            "/commands/dmesg",
            "[ 9.1] blk_update_request: I/O error, dev sdb, sector 8",
        )
    },
    clean: |h| h.insert("/commands/dmesg", "[ 1.0] Linux version 6.12"),
};
