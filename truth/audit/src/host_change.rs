//! What differs between two hosts, or between one host and itself at another time.

use plimsoll_evidence::HostState;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// What is never the same twice, or a counter.
const MOVES: &[&str] = &[
    "/proc/stat",
    "/proc/interrupts",
    "/proc/pressure/",
    "/proc/cpuinfo",
    "/proc/fs/cifs/DebugData",
    "/proc/net/",
    "/proc/self/mountstats",
    "/commands/dmesg",
    "/commands/drive ",
    "/commands/processes",
    "/commands/xl vcpu-list",
    "/commands/xm vcpu-list",
];

/// The kernel's log, which is not compared but for the versions of drivers that it names.
const LOG: &str = "/commands/dmesg";

/// The units of systemd: those that are there for a while, and how many there are, are not compared.
const UNITS: &str = "/commands/systemctl list-unit-files";

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostChange {
    /// The file or command.
    pub path: String,
    /// Output or contents before; `None` where it was not read.
    pub before: Option<String>,
    /// Output or contents after; `None` where it was not read.
    pub after: Option<String>,
}

/// All differences, by path. Of texts with several lines the lines that only one side has.
pub fn changes(before: &HostState, after: &HostState) -> Vec<HostChange> {
    let all = before.files().chain(after.files());
    let paths: BTreeSet<&str> = all.map(|(path, _)| path).collect();
    let stays =
        |path: &&str| !MOVES.iter().any(|m| path.starts_with(m)) && !path.contains("/statistics/");
    let differ = |path: &str| {
        let (one, other) = (settled(before, path), settled(after, path));
        (one != other).then(|| HostChange {
            path: path.to_string(),
            before: one.as_deref().map(|text| only(text, other.as_deref())),
            after: other.as_deref().map(|text| only(text, one.as_deref())),
        })
    };
    let files = paths.into_iter().filter(stays).filter_map(differ);
    files.chain(drivers(before, after)).collect()
}

/// A text without what changes by itself. The longest unit decides how wide systemd's columns are.
fn settled<'h>(host: &'h HostState, path: &str) -> Option<Cow<'h, str>> {
    let text = host.text(path)?;
    if path != UNITS {
        return Some(text.into());
    }
    let lines = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let stays = |words: &Vec<&str>| {
        words.get(1) != Some(&"transient") && !words.ends_with(&["unit", "files", "listed."])
    };
    let lines: Vec<String> = lines.filter(stays).map(|words| words.join(" ")).collect();
    Some(lines.join("\n").into())
}

/// Drivers of which the log of both hosts says a version, and another one. Some say it nowhere else.
fn drivers(before: &HostState, after: &HostState) -> impl Iterator<Item = HostChange> {
    let reported = |host: &HostState| -> BTreeMap<String, String> {
        let lines = host.text(LOG).unwrap_or_default().lines();
        lines.filter_map(driver_version).collect()
    };
    let (one, other) = (reported(before), reported(after));
    one.into_iter().filter_map(move |(driver, version)| {
        let now = other.get(&driver).filter(|now| **now != version)?;
        Some(HostChange {
            path: format!("{LOG}: {driver}"),
            before: Some(version),
            after: Some(now.clone()),
        })
    })
}

/// `scsi6 : Brocade FC/FCOE Adapter, hwpath: 0000:8b:00.1 driver: 3.1.2.1` as what it is of and its version.
fn driver_version(line: &str) -> Option<(String, String)> {
    const WORDS: [&str; 4] = [
        "driver: ",
        "driver version: ",
        "driver - version: ",
        "driver version ",
    ];
    let text = match line.split_once("] ") {
        Some((stamp, text)) if stamp.trim_start().starts_with('[') => text,
        _ => line,
    };
    let (what, rest) = WORDS.iter().find_map(|word| text.split_once(word))?;
    let version = rest.split_whitespace().next()?.trim_end_matches([',', ';']);
    let is_version = version.starts_with(|c: char| c.is_ascii_digit()) && version.contains('.');
    // The adapter's number changes from boot to boot.
    let of = what
        .trim_start_matches("scsi")
        .trim_start_matches(|c: char| c.is_ascii_digit());
    let of = of.trim_start_matches([' ', ':']).trim_end();
    is_version.then(|| (format!("{of} driver"), version.to_string()))
}

/// The lines of a text that the other side lacks; all where it has no such text. A single line is kept whole.
fn only(text: &str, other: Option<&str>) -> String {
    let theirs: BTreeSet<&str> = other.unwrap_or_default().lines().map(str::trim).collect();
    let own = text
        .lines()
        .map(str::trim)
        .filter(|line| !theirs.contains(line));
    own.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_settings_and_lines_that_changed_are_told_and_counters_are_not() {
        let (mut a, mut b) = (HostState::default(), HostState::default());
        for (path, one, other) in [
            ("/sys/module/bfa/version", "3.0.2.2", "3.1.2.1"),
            ("/etc/multipath.conf", "a {\n x 1\n}", "a {\n x 2\n}"),
            ("/proc/stat", "cpu 1", "cpu 2"),
            ("/proc/sys/kernel/osrelease", "6.1", "6.1"),
            (
                UNITS,
                "UNIT FILE    STATE\nssh.service  enabled\n\n1 unit files listed.",
                "UNIT FILE          STATE\nrun-u12345.service transient\nssh.service        enabled\n\n2 unit files listed.",
            ),
        ] {
            a.insert(path, one);
            b.insert(path, other);
        }
        b.insert("/sys/block/sdz/size", "8");
        let reported: Vec<(String, Option<String>, Option<String>)> = changes(&a, &b)
            .into_iter()
            .map(|c| (c.path, c.before, c.after))
            .collect();
        let text = |t: &str| Some(t.to_string());
        assert_eq!(
            reported,
            [
                ("/etc/multipath.conf".into(), text("x 1"), text("x 2")),
                ("/sys/block/sdz/size".into(), None, text("8")),
                (
                    "/sys/module/bfa/version".into(),
                    text("3.0.2.2"),
                    text("3.1.2.1")
                ),
            ]
        );
    }

    #[test]
    fn a_driver_whose_version_only_the_log_says_is_told() {
        let host = |version: &str, adapter: u32| {
            let mut host = HostState::default();
            let line = format!(
                "[    4.1] scsi{adapter} : Brocade FC/FCOE Adapter, hwpath: 0000:8b:00.1 driver: {version}\n[    5.0] usb 1-1: new device"
            );
            host.insert("/commands/dmesg", line);
            host
        };
        let reported = changes(&host("3.0.2.2", 6), &host("3.1.2.1", 7));
        let [change] = &reported[..] else {
            panic!("{reported:?}")
        };
        assert!(
            change
                .path
                .ends_with("Brocade FC/FCOE Adapter, hwpath: 0000:8b:00.1 driver"),
            "{change:?}"
        );
        assert_eq!(change.before.as_deref(), Some("3.0.2.2"));
        assert_eq!(change.after.as_deref(), Some("3.1.2.1"));
        assert!(changes(&host("3.0.2.2", 6), &host("3.0.2.2", 7)).is_empty());
    }
}
