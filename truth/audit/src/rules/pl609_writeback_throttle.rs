use crate::{HostAnswer, HostView, Symptom};

rule! {
    609 "host-writeback-throttle" Host(check) NOTE pitfalls [] {
        summary: "The kernel throttles buffered writes by their latency.",
        why: "Buffered writes are held back so that reads stay quick. A test of buffered writes then measures the throttle. Direct I/O is hardly affected.",
        threshold: "wbt_lat_usec is above 0. The kernel's defaults are 2 ms, and 75 ms for what rotates.",
        source: "blk-wbt in the kernel's source; sysfs-block of its ABI.",
        example: "75000 us on a virtual disk, because it says that it rotates.",
        remedy: "echo 0 > /sys/block/DISK/queue/wbt_lat_usec for tests of buffered writes.",
    }
    fires: |h| h.insert("/sys/block/sdx/queue/wbt_lat_usec", "75000"),
    clean: |h| h.insert("/sys/block/sdx/queue/wbt_lat_usec", "0"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let set = |device: &&String| {
        view.host
            .text(&format!("/sys/block/{device}/queue/wbt_lat_usec"))
            .is_some_and(|t| t.parse::<i64>().is_ok())
    };
    // Kernels without the throttle have no such file, and those with another scheduler than none may refuse to read it.
    let mut only = view.clone();
    only.devices.retain(|d| set(&d));
    HostAnswer::of_numbers(&only, "wbt_lat_usec", |device, us| {
        (us > 0).then(|| {
            Symptom::new(device, format!("a goal of {us} us")).wanted(
                "0 for tests of buffered writes",
                "echo 0 > /sys/block/DISK/queue/wbt_lat_usec",
            )
        })
    })
}
