use crate::{HostAnswer, HostView, Symptom};

rule! {
    622 "host-huge-pages" Host(check) NOTE pitfalls [] {
        summary: "The kernel gathers small pages into huge ones at any time.",
        why: "Gathering stops a process for a moment, which shows at the far percentiles.",
        threshold: "transparent_hugepage is always.",
        source: "transhuge in the kernel's admin guide.",
        example: "A 99.99th percentile of 4 ms on a device without an I/O above 300 us.",
        remedy: "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled.",
    }
    fires: |h| {
        h.insert(
            "/sys/kernel/mm/transparent_hugepage/enabled",
            "[always] madvise never",
        )
    },
}

fn check(view: &HostView<'_>) -> HostAnswer {
    const PATH: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
    HostAnswer::of_file(view, PATH, |text| {
        text.contains('[').then(|| {
            text.contains("[always]").then(|| {
                Symptom::new("", "always").wanted("madvise", &format!("echo madvise > {PATH}"))
            })
        })
    })
}
