use crate::{HostAnswer, HostView};

rule! {
    651 "kernel-log-remote-port" Host(check) SUSPECT pitfalls [] {
        summary: "The kernel's log has remote ports that went away.",
        why: "While a port is blocked its I/Os wait, up to dev_loss_tmo. A port that comes and goes is a bad cable, optic or switch.",
        threshold: "A line with rport and blocked, timed out, removing or saving binding.",
        source: "scsi_transport_fc of the kernel.",
        example: "rport-2:0-1: blocked FC remote port time out: removing target: the second controller is gone for this host.",
        remedy: "Look at the switch's port errors and the array's, and at fast_io_fail_tmo.",
    }
    fires: |h| {
        h.insert("/commands/dmesg", "[ 9.1]  rport-2:0-1: blocked FC remote port time out: removing target and saving binding")
    },
    clean: |h| h.insert("/commands/dmesg", "[ 1.0] Linux version 6.12"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_log(view, "no port lost", |_, line| {
        line.contains("rport")
            && [
                "blocked",
                "time out",
                "timed out",
                "removing",
                "saving binding",
            ]
            .iter()
            .any(|p| line.contains(p))
    })
}
