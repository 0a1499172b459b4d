use crate::{HostAnswer, HostView, Symptom};

rule! {
    625 "host-swap" Host(check) NOTE pitfalls [] {
        summary: "The host swaps, or may.",
        why: "Swapping is I/O that nobody asked for, and a generator whose memory is on a disk is late.",
        threshold: "A line in /proc/swaps that is not of zram, which swaps to memory.",
        source: "proc(5).",
        example: "A swap file on the disk under test: its writes are counted as the array's.",
        remedy: "swapoff of that file or partition for the time of the test, where what is swapped out fits into free memory.",
    }
    fires: |h| {
        h.insert(
            "/proc/swaps",
            "Filename Type Size Used Priority\n/dev/sdq2 partition 8 0 -2",
        )
    },
}

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_file(view, "/proc/swaps", |text| {
        let mut lines = text.lines();
        lines.next().filter(|head| head.contains("Filename"))?;
        let swap = |line: &str| {
            let name = line.split_whitespace().next()?;
            if name.starts_with("/dev/zram") {
                return None;
            }
            Some(Symptom::new(name, "in use as swap").wanted("no swap", "swapon --show; free -m"))
        };
        Some(lines.filter_map(swap).collect::<Vec<_>>())
    })
}
