use crate::{HostAnswer, HostView, Symptom};

rule! {
    604 "host-request-size" Host(check) SUSPECT pitfalls [] {
        summary: "Large requests are split before they reach the device.",
        why: "A request larger than this is cut into several, so the device sees another size and count than the load has.",
        threshold: "max_sectors_kb below 1024 where the hardware takes more is suspect; a hardware limit below it is a note.",
        source: "sysfs-block of the kernel's ABI; max_sectors_kb in multipath.conf(5).",
        example: "max_sectors_kb=256: what was reported as 1 MiB reads were 256 KiB reads, four times as many.",
        remedy: "Write it to /sys/block/DISK/queue/max_sectors_kb; of a map to each of its paths first and then to itself: a map whose requests are larger than a path takes loses that path.",
    }
    fires: |h| h.insert("/sys/block/sdx/queue/max_sectors_kb", "256"),
    clean: |h| h.insert("/sys/block/sdx/queue/max_sectors_kb", "4096"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_numbers(view, "max_sectors_kb", |device, kib| {
        let limit = format!("/sys/block/{device}/queue/max_hw_sectors_kb");
        let hardware = view
            .host
            .number(&limit)
            .map_or(i64::MAX, |n| i64::try_from(n).unwrap_or(i64::MAX));
        // What the device itself cannot take no setting gives it.
        let wanted = match hardware <= kib {
            true => "no larger I/Os than that: the device takes no more".to_string(),
            false => format!("{} KiB", hardware.min(4096)),
        };
        (kib < 1024).then(|| {
            Symptom::new(device, format!("requests of at most {kib} KiB"))
                .wanted(&wanted, "cat /sys/block/DISK/queue/max_hw_sectors_kb")
                .note_if(hardware <= kib)
        })
    })
}
