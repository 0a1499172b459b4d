use crate::{HostAnswer, HostView, Symptom};

rule! {
    661 "device-queue-depth" Host(check) SUSPECT pitfalls [] {
        summary: "A SCSI device takes few commands at once.",
        why: "What is beyond its depth waits in the host and looks like the array's latency.",
        threshold: "device/queue_depth below 8 is suspect, below 32 a note.",
        source: "sysfs of the kernel's SCSI midlayer; common defaults are 30 to 64.",
        example: "A LUN at depth 1 after QUEUE FULL from the array: 900 I/Os a second, at 1.1 ms.",
        remedy: "echo 64 > /sys/block/DISK/device/queue_depth, and look in the log why it fell.",
    }
    fires: |h| h.insert("/sys/block/sdx/device/queue_depth", "1"),
    clean: |h| h.insert("/sys/block/sdx/device/queue_depth", "64"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    for device in &view.devices {
        let path = format!("/sys/block/{device}/device/queue_depth");
        match view.host.text(&path).map(str::parse::<u64>) {
            None => {}
            Some(Err(_)) => answer.miss(path),
            Some(Ok(depth)) => answer.look((depth < 32).then(|| {
                Symptom::new(device, format!("depth {depth}"))
                    .wanted("32 or more", "echo 64 > /sys/block/DISK/device/queue_depth")
                    .note_if(depth >= 8)
            })),
        }
    }
    answer
}
