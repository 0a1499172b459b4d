use crate::{HostAnswer, HostView, Symptom};

rule! {
    608 "host-iostats" Host(check) SUSPECT pitfalls [] {
        summary: "The kernel does not count the device's I/Os.",
        why: "Without its counters nothing can be reconciled: split, merged and foreign I/O stays unseen.",
        threshold: "iostats is 0.",
        source: "sysfs-block of the kernel's ABI.",
        example: "A tuning profile for the most I/Os a second that was left on: iostat shows a disk that is idle at full load.",
        remedy: "echo 1 > /sys/block/DISK/queue/iostats.",
    }
    fires: |h| h.insert("/sys/block/sdx/queue/iostats", "0"),
    clean: |h| h.insert("/sys/block/sdx/queue/iostats", "1"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_numbers(view, "iostats", |device, n| {
        (n == 0).then(|| {
            Symptom::new(device, "iostats is 0")
                .wanted("1", "echo 1 > /sys/block/DISK/queue/iostats")
        })
    })
}
