use crate::{HostAnswer, HostView, Symptom};

rule! {
    628 "host-mount-options" Host(check) SUSPECT pitfalls [] {
        summary: "A file system on the device does I/O of its own, or keeps a promise less.",
        why: "With discard each removal becomes a command to the device in the midst of the load. Without barriers an fsync does not reach the medium.",
        threshold: "nobarrier or barrier=0 is suspect; discard is a note.",
        source: "mount(8), ext4(5), xfs(5).",
        example: "Removing a test file of 100 GiB on ext4 with discard: seconds of 40 ms latency for everybody else.",
        remedy: "mount -o remount,nodiscard, and fstrim when nothing is measured; never test with nobarrier.",
    }
    fires: |h| h.insert("/proc/mounts", "/dev/sdx /srv ext4 rw,nobarrier 0 0"),
    clean: |h| h.insert("/proc/mounts", "/dev/sdx /srv ext4 rw,relatime 0 0"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_file(view, "/proc/mounts", |text| {
        if text.is_empty() {
            return None;
        }
        let mut found = Vec::new();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [source, point, _, options, ..] = words[..] else {
                continue;
            };
            let Some(disk) = view
                .host
                .disk_of(source)
                .filter(|_| source.starts_with("/dev/"))
            else {
                continue;
            };
            let below = view.devices.contains(&disk);
            for option in options.split(',').filter(|_| below) {
                let unsafe_one = ["nobarrier", "barrier=0"].contains(&option);
                if unsafe_one || option.starts_with("discard") {
                    let command = match unsafe_one {
                        true => format!("mount -o remount,barrier {point}"),
                        false => format!("mount -o remount,nodiscard {point}"),
                    };
                    let seen = format!("{point} is mounted with {option}");
                    let wanted = format!("without {option}");
                    found.push(
                        Symptom::new(&disk, seen)
                            .wanted(&wanted, &command)
                            .note_if(!unsafe_one),
                    );
                }
            }
        }
        Some(found)
    })
}
