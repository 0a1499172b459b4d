use crate::{HostAnswer, HostView, Symptom};

rule! {
    606 "host-merges" Host(check) NOTE pitfalls [] {
        summary: "Neighbouring I/Os may be merged into one.",
        why: "Merged I/Os have another size and count than the load's. For random I/O the search for neighbours is CPU time for nothing.",
        threshold: "nomerges below 2.",
        source: "sysfs-block of the kernel's ABI.",
        example: "Sequential 4 KiB writes at depth 32 that reach the device as 128 KiB.",
        remedy: "echo 2 > /sys/block/DISK/queue/nomerges for random loads; 0 is right where sequential loads shall be as applications have them.",
    }
    fires: |h| h.insert("/sys/block/sdx/queue/nomerges", "0"),
    clean: |h| h.insert("/sys/block/sdx/queue/nomerges", "2"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_numbers(view, "nomerges", |device, n| {
        (n < 2).then(|| {
            Symptom::new(device, format!("nomerges is {n}")).wanted(
                "2 for random loads",
                "echo 2 > /sys/block/DISK/queue/nomerges",
            )
        })
    })
}
