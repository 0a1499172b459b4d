use crate::{HostAnswer, HostView, Symptom};

rule! {
    614 "host-encrypted" Host(check) SUSPECT pitfalls [58] {
        summary: "The host encrypts what the device gets.",
        why: "Encryption costs a CPU for every byte, and its queues add latency. What the array gets looks random: it finds no zeros, no duplicates, and nothing to compress.",
        threshold: "A dm-crypt device among those that the target is made of.",
        source: "The device mapper's uuid begins with CRYPT-; dm-crypt of the kernel's documentation.",
        example: "LUKS on a LUN of an array that reduces data 5 to 1: the ratio is 1 to 1, and one CPU does 1.5 GB/s at most.",
        remedy: "Test the device below it, or state that it is encrypted; cryptsetup refresh --perf-no_read_workqueue --perf-no_write_workqueue DISK takes the queues away.",
    }
    fires: |h| {
        h.insert("/sys/block/dm-0/size", "2048000");
        h.insert("/sys/block/dm-0/dm/uuid", "CRYPT-LUKS2-0123-data");
    },
    clean: |h| {
        h.insert("/sys/block/dm-0/size", "2048000");
        h.insert("/sys/block/dm-0/dm/uuid", "LVM-0123");
    },
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    for device in &view.devices {
        // What no mapper makes has none.
        let Some(uuid) = view.host.text(&format!("/sys/block/{device}/dm/uuid")) else {
            continue;
        };
        answer.look(uuid.starts_with("CRYPT-").then(|| {
            Symptom::new(device, "encrypted by dm-crypt").wanted(
                "the device below it, or a word on it in the result",
                "cryptsetup status DISK",
            )
        }));
    }
    answer
}
