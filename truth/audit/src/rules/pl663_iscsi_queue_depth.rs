use crate::{HostAnswer, HostView, Symptom};

rule! {
    663 "iscsi-queue-depth" Host(check) NOTE pitfalls [] {
        summary: "An iSCSI session lets few commands be out at once.",
        why: "32 commands of a LUN at once cap its rate at 32 divided by the latency, whatever the test asks for.",
        threshold: "node.session.queue_depth of 32, the default, or less, in iscsid.conf, where there is a session.",
        source: "open-iscsi's iscsid.conf: queue_depth 32, cmds_max 128.",
        example: "32 at 1 ms: 32,000 I/Os a second from an array that has 200,000.",
        remedy: "Set node.session.queue_depth = 128 and node.session.cmds_max = 1024, and log in again.",
    }
    fires: |h| {
        h.insert("/sys/class/iscsi_session/session1/recovery_tmo", "5");
        h.insert("/etc/iscsi/iscsid.conf", "node.session.queue_depth = 32");
    },
    clean: |h| {
        h.insert("/sys/class/iscsi_session/session1/recovery_tmo", "5");
        h.insert("/etc/iscsi/iscsid.conf", "node.session.queue_depth = 128");
    },
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    const PATH: &str = "/etc/iscsi/iscsid.conf";
    let sessions = view.host.names("/sys/class/iscsi_session");
    let Some(text) = view.host.text(PATH).filter(|_| !sessions.is_empty()) else {
        return answer;
    };
    let value = text.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "node.session.queue_depth").then(|| value.trim())
    });
    match value.unwrap_or("32").parse::<u64>() {
        Err(_) => answer.miss(PATH),
        Ok(depth) => answer.look((depth <= 32).then(|| {
            Symptom::new("", format!("queue_depth {depth}"))
                .wanted("64 or more", "iscsiadm -m session -P 3")
        })),
    }
    answer
}
