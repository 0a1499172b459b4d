use crate::{HostAnswer, HostView, Symptom};
use plimsoll_evidence::DeviceKind;

rule! {
    615 "host-hardware-queues" Host(check) NOTE pitfalls [56] {
        summary: "The device has fewer hardware queues than the host has CPUs.",
        why: "CPUs that share a queue wait for each other to put I/Os into it, and its completions come to one of them. On a virtual disk with one queue that is all CPUs.",
        threshold: "Fewer queues below /sys/block/DISK/mq than CPUs are online.",
        source: "blk-mq of the kernel's documentation; virtio-blk's num-queues; NVMe's number of queues (feature 7).",
        example: "A virtual machine of 16 CPUs whose disk has one queue: 200,000 I/Os a second, with one CPU full of interrupts.",
        remedy: "Give a virtual disk as many queues as it has CPUs (num-queues of virtio-blk and virtio-scsi), look at what the NVMe controller grants (nvme get-feature -f 7), or state it.",
    }
    fires: |h| h.insert("/sys/block/sdx/mq/0/nr_tags", "128"),
    clean: |h| (0..16).for_each(|n| h.insert(format!("/sys/block/sdx/mq/{n}/nr_tags"), "128")),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    let is_disk = |d: &&String| view.host.kind(d) == DeviceKind::Disk;
    for device in view.devices.iter().filter(is_disk) {
        let queues = view.host.names(&format!("/sys/block/{device}/mq")).len();
        // Of what has no queue of its own, and of kernels before blk-mq, there is nothing to count.
        if queues == 0 {
            continue;
        }
        match view.host.cpus_online() {
            None => answer.miss("/sys/devices/system/cpu/online"),
            Some(cpus) => answer.look((queues < cpus).then(|| {
                Symptom::new(device, format!("{queues} for {cpus} CPUs"))
                    .wanted("one for each CPU", "ls /sys/block/DISK/mq")
            })),
        }
    }
    answer
}
