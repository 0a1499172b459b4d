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
        threshold: "A line with I/O error, medium error, timeout error, critical target error or hardware error, but for those that name a disk of the host that is not the target's.",
        source: "The kernel's block layer and SCSI midlayer.",
        example: "One bad sector in the hot area: a maximum of 30 s in a run with a mean of 0.4 ms.",
        remedy: "Look at the device's own log (smartctl, nvme), and at the path that the line names.",
    },
    check: Check::Host(check),
};

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_log(view, "no errors", |line| {
        let is_error = [
            "i/o error",
            "medium error",
            "critical target error",
            "hardware error",
            "timeout error, dev",
        ]
        .iter()
        .any(|p| line.contains(p));
        is_error && !is_of_another(view, line)
    })
}

/// Whether a line names a disk of this host that nobody asked about.
fn is_of_another(view: &HostView<'_>, line: &str) -> bool {
    let after = line.split_once("dev ").map(|(_, rest)| rest);
    let name = after.and_then(|rest| rest.split([' ', ',', ':']).next());
    let disk = name.and_then(|name| view.host.disk_of(name));
    disk.is_some_and(|disk| !view.devices.contains(&disk))
}

#[cfg(test)]
#[test]
fn errors_of_other_disks_are_not_those_of_a_target() {
    let mut host = plimsoll_evidence::HostState::default();
    for disk in ["sda", "sdb"] {
        host.insert(format!("/sys/block/{disk}/size"), "8");
    }
    host.insert("/sys/block/sdb/sdb1/start", "2048");
    let log = "[ 1.0] I/O error, dev sdb1, sector 8\n[ 2.0] I/O error, dev gone, sector 8";
    let found = |log: &str, devices: &[&str]| {
        let mut host = host.clone();
        host.insert("/commands/dmesg", log);
        let devices = devices.iter().map(|d| d.to_string()).collect();
        let view = HostView {
            host: &host,
            devices,
        };
        check(&view).symptoms.len()
    };
    assert_eq!(found(log, &["sda", "sdb"]), 1);
    // What names no disk that is there may be anybody's.
    assert_eq!(found(log, &["sda"]), 1);
    let log = log.lines().next().unwrap();
    assert_eq!((found(log, &["sda"]), found(log, &["sdb"])), (0, 1));
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
