//! The block layer lets few requests of a device be out at once.

use crate::{Check, HostAnswer, HostView, Page, Rule, SUSPECT, Severities, Symptom};

pub const RULE: Rule = Rule {
    number: 603,
    name: "host-few-requests",
    summary: "The block layer lets few requests of a device be out at once.",
    severity: Severities::all(SUSPECT),
    pitfalls: &[],
    page: Page {
        why: "What is beyond this number waits in the host, and its wait looks like latency of the array.",
        threshold: "nr_requests below 64 is suspect, below 256 a note.",
        source: "sysfs-block of the kernel's ABI; campaigns on flash arrays used 1024.",
        example: "nr_requests=2: at a depth of 32, thirty I/Os wait in the host, and the mean latency is sixteen times the disk's.",
        remedy: "echo 1024 > /sys/block/DISK/queue/nr_requests, or as much as the driver takes.",
    },
    check: Check::Host(check),
};

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_numbers(view, "nr_requests", |device, n| {
        (n < 256 && !device.starts_with("loop")).then(|| {
            Symptom::new(
                device,
                format!("{n} requests at once"),
                "256 or more, and no less than the depth of the test",
                "echo 1024 > /sys/block/DISK/queue/nr_requests",
            )
            .note_if(n >= 64)
        })
    })
}

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Host {
    fires: |h| h.insert("/sys/block/sdx/queue/nr_requests", "2"),
    clean: |h| h.insert("/sys/block/sdx/queue/nr_requests", "1023"),
};
