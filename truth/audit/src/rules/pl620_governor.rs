use crate::{HostAnswer, HostView, Symptom, host_facts};

rule! {
    620 "host-governor" Host(check) SUSPECT pitfalls [] {
        summary: "The CPU's frequency follows its load.",
        why: "At low depth a CPU sleeps and slows down between two I/Os, and its waking is in every latency.",
        threshold: "A governor other than performance.",
        source: "cpufreq in the kernel's admin guide.",
        example: "powersave at depth 1: latencies 30 % longer than under performance, from the host alone.",
        remedy: "cpupower frequency-set -g performance.",
    }
    fires: |h| {
        h.insert(
            "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
            "powersave",
        )
    },
}

fn check(view: &HostView<'_>) -> HostAnswer {
    const PATH: &str = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    HostAnswer::of_file(view, PATH, |governor| {
        (!governor.is_empty()).then(|| {
            host_facts::governor(governor).map(|at_most| {
                Symptom::new("", governor)
                    .wanted("performance", "cpupower frequency-set -g performance")
                    .at_most(at_most)
            })
        })
    })
}
