use crate::{HostAnswer, HostView, Symptom, host_facts};

rule! {
    627 "host-steal" Host(check) SUSPECT pitfalls [] {
        summary: "The hypervisor takes the CPU away.",
        why: "While it is away, I/Os that are done wait to be seen, and the host's pause is measured as the storage's latency.",
        threshold: "More than 1 % of the CPU time since the boot was stolen: what it is in a run is not known from that.",
        source: "proc_stat(5).",
        example: "5 % steal: a 99th percentile of 12 ms on a device that answers in 0.3.",
        remedy: "Give the guest CPUs of its own, or move it to a host that is not full.",
    }
    fires: |h| h.insert("/proc/stat", "cpu  100 0 100 700 0 0 0 100 0 0"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_file(view, "/proc/stat", |text| {
        let line = text.lines().find_map(|l| l.strip_prefix("cpu "))?;
        let ticks: Option<Vec<u64>> = line.split_whitespace().map(|w| w.parse().ok()).collect();
        let ticks = ticks?;
        let stolen = *ticks.get(7)? as f64;
        // Guests' time is in the users' already.
        let all: f64 = ticks.iter().take(8).map(|t| *t as f64).sum();
        let share = stolen / all.max(1.0);
        Some(host_facts::steal(share).map(|at_most| {
            Symptom::new(
                "",
                format!(
                    "{:.1} % of the CPU time since the boot stolen",
                    share * 100.0
                ),
            )
            .wanted("less than 1 %", "vmstat 1 10")
            .at_most(at_most)
        }))
    })
}
