use crate::{HostAnswer, HostView};

rule! {
    652 "kernel-log-bfa" Host(check) SUSPECT pitfalls [] {
        summary: "The driver of a Brocade adapter complains in the kernel's log.",
        why: "bfa says so when a link, a target port or the adapter itself goes away. Between two drivers of it throughput has differed by a third.",
        threshold: "A line of bfa with connectivity lost, offline, abort, reset or failed.",
        source: "bfa driver of the kernel.",
        example: "BFA driver 3.0.2.2: target lost connectivity under load; with 3.1.2.1 no more.",
        remedy: "Compare driver and firmware with the array vendor's support matrix.",
    }
    fires: |h| {
        h.insert(
            "/commands/dmesg",
            "[ 9.1] bfa 0000:05:00.0: Remote port (WWN = 20:01) connectivity lost for 0x010200",
        )
    },
    clean: |h| h.insert("/commands/dmesg", "[ 1.0] Linux version 6.12"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_log(view, "no complaints", |_, line| {
        line.contains("bfa")
            && [
                "connectivity lost",
                "offline",
                "abort",
                "reset",
                "fail",
                "disconnected",
            ]
            .iter()
            .any(|p| line.contains(p))
    })
}
