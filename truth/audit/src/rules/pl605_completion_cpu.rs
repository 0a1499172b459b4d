use crate::{HostAnswer, HostView, Symptom};

rule! {
    605 "host-completion-cpu" Host(check) SUSPECT pitfalls [] {
        summary: "Completions are not brought back to the CPU that asked.",
        why: "Where one CPU completes for all, it becomes the bottleneck before the storage does.",
        threshold: "rq_affinity 0 is suspect; 1, the kernel's default, is a note, because it stops at a group of CPUs.",
        source: "sysfs-block of the kernel's ABI; Pure Storage's settings ask for 2.",
        example: "rq_affinity 0 and a single interrupt: one CPU at 100 % of system time while fifteen are idle.",
        remedy: "echo 2 > /sys/block/DISK/queue/rq_affinity.",
    }
    fires: |h| h.insert("/sys/block/sdx/queue/rq_affinity", "0"),
    clean: |h| h.insert("/sys/block/sdx/queue/rq_affinity", "2"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_numbers(view, "rq_affinity", |device, n| {
        (n < 2).then(|| {
            Symptom::new(device, format!("rq_affinity is {n}"))
                .wanted("2", "echo 2 > /sys/block/DISK/queue/rq_affinity")
                .note_if(n == 1)
        })
    })
}
