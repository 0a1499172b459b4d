use crate::{HostAnswer, HostView};

rule! {
    653 "kernel-log-error-22" Host(check) SUSPECT pitfalls [] {
        summary: "A setting was refused, or a map could not be made: error 22.",
        why: "EINVAL from a timeout that is not below dev_loss_tmo, or from a map whose paths differ in size or limits: the old value stays, or the path stays out.",
        threshold: "A line of multipath, device-mapper or a remote port with error 22 or -22.",
        source: "scsi_transport_fc and dm-mpath of the kernel.",
        example: "multipathd: failed to set fast_io_fail_tmo to 600, error 22: I/O waits for dev_loss_tmo.",
        remedy: "Read the line's own words, then rule PL643 and the paths' max_sectors_kb.",
    }
    fires: |h| {
        h.insert(
            "/commands/dmesg",
            "[ 9.1] multipathd: rport-2:0-1: failed to set fast_io_fail_tmo to 600, error 22",
        )
    },
    clean: |h| h.insert("/commands/dmesg", "[ 1.0] Linux version 6.12"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_log(view, "no refusals", |_, line| {
        (line.contains("error 22") || line.contains("error -22") || line.contains("(-22)"))
            && [
                "multipath",
                "device-mapper",
                "rport",
                "fast_io_fail",
                "dev_loss",
            ]
            .iter()
            .any(|p| line.contains(p))
    })
}
