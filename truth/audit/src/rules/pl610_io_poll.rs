use crate::{HostAnswer, HostView, Symptom};

rule! {
    610 "host-io-poll" Host(check) NOTE pitfalls [] {
        summary: "Completions are polled for.",
        why: "Polling burns a CPU and changes what latency and CPU time mean. The device offers it.",
        threshold: "io_poll is 1.",
        source: "sysfs-block of the kernel's ABI.",
        example: "Polled NVMe: 8 us in place of 11, with one CPU at 100 % for each worker.",
        remedy: "Only I/O that asks for it is polled (io_uring with IOPOLL, RWF_HIPRI). Where that is not meant, load the driver without its poll queues.",
    }
    fires: |h| h.insert("/sys/block/sdx/queue/io_poll", "1"),
    clean: |h| h.insert("/sys/block/sdx/queue/io_poll", "0"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let polls = |device: &&String| {
        view.host
            .text(&format!("/sys/block/{device}/queue/io_poll"))
            .is_some()
    };
    let mut only = view.clone();
    only.devices.retain(|d| polls(&d));
    HostAnswer::of_numbers(&only, "io_poll", |device, n| {
        (n == 1).then(|| {
            Symptom::new(device, "io_poll is 1")
                .wanted("0", "cat /sys/module/nvme/parameters/poll_queues")
        })
    })
}
