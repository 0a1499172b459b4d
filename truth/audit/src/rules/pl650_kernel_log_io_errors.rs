use crate::{HostAnswer, HostView};
use std::collections::HashMap;

rule! {
    650 "kernel-log-io-errors" Host(check) INVALID pitfalls [] {
        summary: "The kernel's log has I/O errors.",
        why: "Each error was tried again for seconds, or came from a medium that fails. A test over it measures the retries.",
        threshold: "A line with I/O error, medium error, timeout error, critical target error or hardware error, but for those that name a disk of the host that is not the target's, or a loop, zram or NBD device that holds nothing now or was set up anew later in the log.",
        source: "The kernel's block layer and SCSI midlayer.",
        example: "One bad sector in the hot area: a maximum of 30 s in a run with a mean of 0.4 ms.",
        remedy: "Look at the device's own log (smartctl, nvme), and at the path that the line names.",
    }
    fires: |h| {
        h.insert(
            "/commands/dmesg",
            "[ 9.1] blk_update_request: I/O error, dev sdb, sector 8",
        )
    },
    clean: |h| h.insert("/commands/dmesg", "[ 1.0] Linux version 6.12"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let anew = set_up_anew(view);
    HostAnswer::of_log(view, "no errors", |at, line| {
        let is_error = [
            "i/o error",
            "medium error",
            "critical target error",
            "hardware error",
            "timeout error, dev",
        ]
        .iter()
        .any(|p| line.contains(p));
        is_error && !is_of_another(view, &anew, at, line)
    })
}

/// Whether a line names a disk of this host that nobody asked about, or one that had the name before.
fn is_of_another(
    view: &HostView<'_>,
    anew: &HashMap<String, usize>,
    at: usize,
    line: &str,
) -> bool {
    let after = line.split_once("dev ").map(|(_, rest)| rest);
    let Some(name) = after.and_then(|rest| rest.split([' ', ',', ':']).next()) else {
        return false;
    };
    let Some(disk) = view.host.disk_of(name) else {
        // A disk of hardware may have another name by now.
        return is_made(name);
    };
    let size = view.host.text(&format!("/sys/block/{disk}/size"));
    let is_empty = is_made(&disk) && size == Some("0");
    let is_newer = anew.get(&disk).is_some_and(|since| *since > at);
    is_empty || is_newer || !view.devices.contains(&disk)
}

/// Whether a device is made and taken away by commands, and its name given to another then.
fn is_made(name: &str) -> bool {
    ["loop", "zram", "nbd"].iter().any(|kind| {
        name.strip_prefix(kind)
            .is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// Where in the log the kernel says of such a device that it was set up, the last time: `loop0: detected capacity change from 0 to 8`.
/// A disk that comes back under its name is the same one, more likely than not.
fn set_up_anew(view: &HostView<'_>) -> HashMap<String, usize> {
    let log = view.host.text("/commands/dmesg").unwrap_or_default();
    let named = |line: &str| {
        let (before, _) = line.split_once(": detected capacity change from 0 to ")?;
        let name = before.split_whitespace().next_back()?;
        is_made(name).then(|| name.to_string())
    };
    let lines = log.lines().enumerate();
    lines
        .filter_map(|(at, line)| Some((named(line)?, at)))
        .collect()
}

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
            paths: None,
        };
        check(&view).symptoms.len()
    };
    assert_eq!(found(log, &["sda", "sdb"]), 1);
    // What names no disk that is there may be anybody's.
    assert_eq!(found(log, &["sda"]), 1);
    let log = log.lines().next().unwrap();
    assert_eq!((found(log, &["sda"]), found(log, &["sdb"])), (0, 1));
}

#[test]
fn errors_of_an_earlier_device_of_the_name_are_not_those_of_a_target() {
    let found = |log: &str, size: &str| {
        let mut host = plimsoll_evidence::HostState::default();
        for disk in ["loop0", "sdb"] {
            host.insert(format!("/sys/block/{disk}/size"), size);
        }
        host.insert("/commands/dmesg", log);
        check(&HostView::of_all(&host)).symptoms.len()
    };
    let set_up = "[ 1.0] loop0: detected capacity change from 0 to 131072";
    let failed = "[ 2.0] I/O error, dev loop0, sector 8";
    assert_eq!(found(&format!("{set_up}\n{failed}"), "131072"), 1);
    assert_eq!(found(&format!("{failed}\n{set_up}"), "131072"), 0);
    // Growing is no other device.
    let grown = set_up.replace("from 0", "from 8");
    assert_eq!(found(&format!("{failed}\n{grown}"), "131072"), 1);
    // It is detached, or was taken away, and nothing is known to have been set up since.
    assert_eq!(found(failed, "0"), 0);
    assert_eq!(found(&failed.replace("loop0", "loop7"), "131072"), 0);
    // A disk of hardware is the same one, more likely than not.
    let disk = format!("{failed}\n{set_up}").replace("loop0", "sdb");
    assert_eq!(found(&disk, "8"), 1);
}
