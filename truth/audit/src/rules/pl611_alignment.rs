use crate::{HostAnswer, HostView, Symptom};

rule! {
    611 "host-alignment" Host(check) SUSPECT pitfalls [] {
        summary: "A device or partition does not begin where the storage's blocks begin.",
        why: "Each I/O then touches two blocks, chunks or slices of the storage, and a write becomes read, change and write.",
        threshold: "alignment_offset is not 0, or a partition's start is no multiple of 1 MiB.",
        source: "sysfs-block of the kernel's ABI; partitioning tools align to 1 MiB.",
        example: "A partition from sector 63: every 8 KiB write on an array of 8 KiB blocks is two.",
        remedy: "Make the partition again from sector 2048: its data has to be copied away before.",
    }
    fires: |h| h.insert("/sys/block/sdx/sdx1/start", "63"),
    clean: |h| h.insert("/sys/block/sdx/sdx1/start", "2048"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    for device in &view.devices {
        let folder = format!("/sys/block/{device}");
        let offset = view.host.text(&format!("{folder}/alignment_offset"));
        // The kernel says -1 where it knows that nothing aligns.
        if let Some(offset) = offset.and_then(|text| text.parse::<i64>().ok()) {
            answer.look((offset != 0).then(|| {
                Symptom::new(device, format!("{offset} bytes off"))
                    .wanted("0", "lsblk -o NAME,ALIGNMENT,START /dev/DISK")
            }));
        } else if view.has_queue(device) {
            answer.miss(format!("{folder}/alignment_offset"));
        }
        for name in view.host.names(&folder) {
            let Some(start) = view.host.number(&format!("{folder}/{name}/start")) else {
                continue;
            };
            answer.look((start % 2048 != 0).then(|| {
                Symptom::new(name, format!("begins at sector {start}")).wanted(
                    "a multiple of 2048 (1 MiB)",
                    "lsblk -o NAME,ALIGNMENT,START /dev/DISK",
                )
            }));
        }
    }
    answer
}
