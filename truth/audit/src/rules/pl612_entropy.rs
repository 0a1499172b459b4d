use crate::{HostAnswer, HostView, Symptom};

rule! {
    612 "host-entropy" Host(check) NOTE pitfalls [] {
        summary: "Each I/O of the device feeds the kernel's random numbers.",
        why: "The time of each completion is mixed into the kernel's entropy. That is work for each I/O, under a lock that all CPUs share on old kernels.",
        threshold: "add_random is 1.",
        source: "sysfs-block of the kernel's ABI; array vendors' host guides ask for 0.",
        example: "A SCSI disk of an old kernel, where 1 is the default: some hundred ns for each I/O.",
        remedy: "echo 0 > /sys/block/DISK/queue/add_random.",
    }
    fires: |h| h.insert("/sys/block/sdx/queue/add_random", "1"),
    clean: |h| h.insert("/sys/block/sdx/queue/add_random", "0"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_numbers(view, "add_random", |device, n| {
        (n != 0).then(|| {
            Symptom::new(device, format!("add_random is {n}"))
                .wanted("0", "echo 0 > /sys/block/DISK/queue/add_random.")
        })
    })
}
