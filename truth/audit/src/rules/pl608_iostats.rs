//! The kernel does not count the device's I/Os.

use crate::{Check, HostAnswer, HostView, Page, Rule, SUSPECT, Severities, Symptom};

pub const RULE: Rule = Rule {
    number: 608,
    name: "host-iostats",
    summary: "The kernel does not count the device's I/Os.",
    severity: Severities::all(SUSPECT),
    pitfalls: &[],
    page: Page {
        why: "Without its counters nothing can be reconciled: split, merged and foreign I/O stays unseen.",
        threshold: "iostats is 0.",
        source: "sysfs-block of the kernel's ABI.",
        example: "A tuning profile for the most I/Os a second that was left on: iostat shows a disk that is idle at full load.",
        remedy: "echo 1 > /sys/block/DISK/queue/iostats.",
    },
    check: Check::Host(check),
};

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_numbers(view, "iostats", |device, n| {
        (n == 0).then(|| {
            Symptom::new(
                device,
                "iostats is 0",
                "1",
                "echo 1 > /sys/block/DISK/queue/iostats",
            )
        })
    })
}

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Host {
    fires: |h| h.insert("/sys/block/sdx/queue/iostats", "0"),
    clean: |h| h.insert("/sys/block/sdx/queue/iostats", "1"),
};
