use crate::{HostAnswer, HostView, Symptom, host_facts};

rule! {
    602 "host-rotational-flag" Host(check) SUSPECT pitfalls [] {
        summary: "Storage that does not rotate says that it does.",
        why: "The flag drives the choice of scheduler, the throttle of buffered writes and what file systems do. With it flash is treated as a slow disk.",
        threshold: "rotational is 1. Of a virtual or NVMe disk it is suspect; of another it is a note, since it may be true.",
        source: "sysfs-block of the kernel's ABI; blk-wbt in the kernel's source.",
        example: "A cloud's virtual disk on flash: mq-deadline, and 75 ms allowed to buffered writes in place of 2 ms.",
        remedy: "echo 0 > /sys/block/DISK/queue/rotational where nothing rotates.",
    }
    fires: |h| {
        h.insert("/sys/block/vdz/size", "8");
        h.insert("/sys/block/vdz/queue/rotational", "1");
    },
    clean: |h| h.insert("/sys/block/sdx/queue/rotational", "0"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_numbers(view, "rotational", |device, flag| {
        host_facts::rotational(device, flag).map(|at_most| {
            Symptom::new(device, "rotational is 1")
                .wanted(
                    "0 where nothing rotates",
                    "echo 0 > /sys/block/DISK/queue/rotational",
                )
                .at_most(at_most)
        })
    })
}
