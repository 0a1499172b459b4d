//! What differs between two hosts, or between one host and itself at another time.

use plimsoll_evidence::HostState;
use serde::Serialize;
use std::collections::BTreeSet;

/// What is never the same twice, or a counter.
const MOVES: &[&str] = &[
    "/proc/stat",
    "/proc/interrupts",
    "/proc/pressure/",
    "/proc/cpuinfo",
    "/commands/dmesg",
    "/commands/drive ",
    "/commands/processes",
];

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostChange {
    /// The file or command.
    pub path: String,
    /// What it said there; `None` where it was not read.
    pub before: Option<String>,
    /// What it says here.
    pub after: Option<String>,
}

/// All differences, by path. Of texts with several lines the lines that only one side has.
pub fn changes(before: &HostState, after: &HostState) -> Vec<HostChange> {
    let all = before.files().chain(after.files());
    let paths: BTreeSet<&str> = all.map(|(path, _)| path).collect();
    let stays =
        |path: &&str| !MOVES.iter().any(|m| path.starts_with(m)) && !path.contains("/statistics/");
    let differ = |path: &str| {
        let (one, other) = (before.text(path), after.text(path));
        (one != other).then(|| HostChange {
            path: path.to_string(),
            before: one.map(|text| only(text, other)),
            after: other.map(|text| only(text, one)),
        })
    };
    paths.into_iter().filter(stays).filter_map(differ).collect()
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
        ] {
            a.insert(path, one);
            b.insert(path, other);
        }
        b.insert("/sys/block/sdz/size", "8");
        let told: Vec<(String, Option<String>, Option<String>)> = changes(&a, &b)
            .into_iter()
            .map(|c| (c.path, c.before, c.after))
            .collect();
        let text = |t: &str| Some(t.to_string());
        assert_eq!(
            told,
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
}
