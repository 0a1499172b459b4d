//! A dead iSCSI session holds its I/Os for long.

use crate::{Check, HostAnswer, HostView, Page, Rule, SUSPECT, Severities, Symptom};
use plimsoll_evidence::DeviceKind;

pub const RULE: Rule = Rule {
    number: 662,
    name: "iscsi-timeout",
    summary: "A dead iSCSI session holds its I/Os for long.",
    severity: Severities::all(SUSPECT),
    pitfalls: &[],
    page: Page {
        why: "Until the replacement timeout is over the I/Os of a dead session wait on it, though another path could take them.",
        threshold: "node.session.timeo.replacement_timeout above 15 s where multipath is used, in iscsid.conf; a session that was given another value is not looked at.",
        source: "open-iscsi's README: 5 to 15 s with multipath; the default is 120.",
        example: "A switch that boots: 120 s without an I/O, with a second path idle all the while.",
        remedy: "Set node.session.timeo.replacement_timeout = 5 in iscsid.conf, and log in again.",
    },
    check: Check::Host(check),
};

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    const PATH: &str = "/etc/iscsi/iscsid.conf";
    let maps = view.host.disks();
    let many = maps
        .iter()
        .any(|d| view.host.kind(d) == DeviceKind::Multipath);
    if !many && view.host.text("/etc/multipath.conf").is_none() {
        return answer;
    }
    let Some(text) = view.host.text(PATH) else {
        return answer;
    };
    let value = text.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "node.session.timeo.replacement_timeout").then(|| value.trim())
    });
    // What the file does not say is open-iscsi's default.
    match value.unwrap_or("120").parse::<i64>() {
        Err(_) => answer.miss(PATH),
        Ok(seconds) => answer.look((!(0..=15).contains(&seconds)).then(|| {
            Symptom::new(
                "",
                format!("replacement_timeout {seconds} s"),
                "5 to 15 s with multipath",
                "iscsiadm -m node -o update -n node.session.timeo.replacement_timeout -v 5",
            )
        })),
    }
    answer
}

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Host {
    fires: |h| {
        h.insert("/etc/multipath.conf", "");
        h.insert(
            "/etc/iscsi/iscsid.conf",
            "node.session.timeo.replacement_timeout = 120",
        );
    },
    clean: |h| {
        h.insert("/etc/multipath.conf", "");
        h.insert(
            "/etc/iscsi/iscsid.conf",
            "node.session.timeo.replacement_timeout = 5",
        );
    },
};
