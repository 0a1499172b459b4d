use crate::{HostAnswer, HostView, Symptom, host_facts};

rule! {
    600 "host-io-scheduler" Host(check) SUSPECT pitfalls [] {
        summary: "A scheduler of the host orders the I/Os.",
        why: "A scheduler holds I/Os back, merges and sorts them, and takes CPU time for it, so a part of the latency is the host's.",
        threshold: "A scheduler other than none (noop before blk-mq).",
        source: "Vendors of flash arrays ask for none; sysfs-block of the kernel's ABI.",
        example: "mq-deadline on NVMe: 10 % fewer I/Os per second and 20 us more at the 99th percentile.",
        remedy: "echo none > /sys/block/DISK/queue/scheduler, and a udev rule for what shall outlast a boot.",
    }
    fires: |h| {
        h.insert(
            "/sys/block/sdx/queue/scheduler",
            "none [mq-deadline] kyber bfq",
        )
    },
    clean: |h| h.insert("/sys/block/sdx/queue/scheduler", "[none] mq-deadline"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_queues(view, "scheduler", |device, text| {
        let chosen = host_facts::chosen_scheduler(text);
        host_facts::scheduler(chosen).map(|at_most| {
            Symptom::new(device, chosen)
                .wanted("none", "echo none > /sys/block/DISK/queue/scheduler")
                .at_most(at_most)
        })
    })
}
