use crate::{HostAnswer, HostView, Symptom};
use plimsoll_evidence::DeviceKind;

rule! {
    662 "iscsi-timeout" Host(check) SUSPECT pitfalls [] {
        summary: "A dead iSCSI session holds its I/Os for long.",
        why: "Until the replacement timeout is over the I/Os of a dead session wait on it, though another path could take them.",
        threshold: "A session's recovery_tmo above 15 s, or none, where multipath is used.",
        source: "open-iscsi's README: 5 to 15 s with multipath; the default is 120.",
        example: "A switch that boots: 120 s without an I/O, with a second path idle all the while.",
        remedy: "Set node.session.timeo.replacement_timeout = 5 for the nodes that multipath has (iscsiadm -m node -T TARGET -o update), and log in again. Not for a disk that the host boots from without a second path.",
    }
    fires: |h| {
        h.insert("/etc/multipath.conf", "");
        h.insert("/sys/class/iscsi_session/session1/recovery_tmo", "120");
    },
    clean: |h| {
        h.insert("/etc/multipath.conf", "");
        h.insert("/sys/class/iscsi_session/session1/recovery_tmo", "5");
    },
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    let is_map = |d: &String| view.host.kind(d) == DeviceKind::Multipath;
    if !view.host.disks().iter().any(is_map) && view.host.text("/etc/multipath.conf").is_none() {
        return answer;
    }
    for session in view.host.names("/sys/class/iscsi_session") {
        let path = format!("/sys/class/iscsi_session/{session}/recovery_tmo");
        // It is negative where a session never gives up.
        match view.host.text(&path).and_then(|t| t.parse::<i64>().ok()) {
            None => answer.miss(path),
            Some(seconds) => answer.look((!(0..=15).contains(&seconds)).then(|| {
                Symptom::new(session, format!("recovery_tmo is {seconds} s"))
                    .wanted("5 to 15 s with multipath", "iscsiadm -m session -P 3")
            })),
        }
    }
    answer
}
