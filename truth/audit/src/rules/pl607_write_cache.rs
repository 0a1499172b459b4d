use crate::{HostAnswer, HostView, Symptom, host_facts};

rule! {
    607 "host-write-cache" Host(check) NOTE pitfalls [] {
        summary: "The device has a write cache that a power cut empties, or says so.",
        why: "Writes are acknowledged from the cache, and flushes cost what the cache saved. Whether it survives a power cut the host cannot see.",
        threshold: "write_cache is write back.",
        source: "sysfs-block of the kernel's ABI.",
        example: "A consumer SSD: 80,000 writes/s into its cache, 900 with an fsync after each.",
        remedy: "Test with fsyncs as the application has them. Say in the report that the cache is on.",
    }
    fires: |h| h.insert("/sys/block/sdx/queue/write_cache", "write back"),
    clean: |h| h.insert("/sys/block/sdx/queue/write_cache", "write through"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_queues(view, "write_cache", |device, text| {
        host_facts::write_cache(text).map(|at_most| {
            Symptom::new(device, "write back")
                .wanted(
                    "to be known: write through, or a cache that is safe",
                    "cat /sys/block/DISK/queue/fua",
                )
                .at_most(at_most)
        })
    })
}
