use crate::{HostAnswer, HostView, Symptom, host_facts};

rule! {
    601 "host-read-ahead" Host(check) SUSPECT pitfalls [] {
        summary: "The kernel reads far ahead of what is asked for.",
        why: "Buffered reads bring in more than was asked for: throughput and sizes are inflated, and small random reads cost more than they should. Direct I/O is not affected.",
        threshold: "More than 128 KiB, the kernel's own default, is a note; from 1 MiB on it is suspect.",
        source: "sysfs-block of the kernel's ABI; vendors of flash arrays ask for 0.",
        example: "8192 KiB on a cloud's virtual disk: each small sequential read of a file is up to 8 MiB of the disk.",
        remedy: "echo 128 > /sys/block/DISK/queue/read_ahead_kb, 0 for buffered random reads.",
    }
    fires: |h| h.insert("/sys/block/sdx/queue/read_ahead_kb", "8192"),
    clean: |h| h.insert("/sys/block/sdx/queue/read_ahead_kb", "128"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_numbers(view, "read_ahead_kb", |device, kib| {
        host_facts::read_ahead(kib).map(|at_most| {
            Symptom::new(device, format!("read-ahead of {kib} KiB"))
                .wanted(
                    "at most 128 KiB",
                    "echo 128 > /sys/block/DISK/queue/read_ahead_kb",
                )
                .at_most(at_most)
        })
    })
}
