use crate::{HostAnswer, HostView, Symptom};

rule! {
    629 "host-idle-states" Host(check) NOTE pitfalls [] {
        summary: "A CPU may sleep so deeply that waking takes longer than an I/O.",
        why: "The device interrupts, and the CPU that shall see it has to wake first: its exit time is in the latency.",
        threshold: "A state with an exit latency of 100 us or more that is not disabled.",
        source: "cpuidle in the kernel's admin guide.",
        example: "C6 with 150 us on a device that answers in 90.",
        remedy: "cpupower idle-set -D 50, or hold /dev/cpu_dma_latency open with 0 for the run.",
    }
    fires: |h| {
        h.insert("/sys/devices/system/cpu/cpu0/cpuidle/state3/latency", "133");
        h.insert("/sys/devices/system/cpu/cpu0/cpuidle/state3/name", "C6");
    },
}

fn check(view: &HostView<'_>) -> HostAnswer {
    const FOLDER: &str = "/sys/devices/system/cpu/cpu0/cpuidle";
    let mut answer = HostAnswer::default();
    for state in view.host.names(FOLDER) {
        let path = |name: &str| format!("{FOLDER}/{state}/{name}");
        let Some(us) = view.host.number(&path("latency")) else {
            answer.miss(path("latency"));
            continue;
        };
        let on = view.host.number(&path("disable")) != Some(1);
        let name = view.host.text(&path("name")).unwrap_or(state);
        answer.look((on && us >= 100).then(|| {
            Symptom::new("", format!("{name} takes {us} us to wake from"))
                .wanted("states below 100 us only", "cpupower idle-set -D 50")
        }));
    }
    if answer.looked == 0 && answer.unseen.is_empty() {
        answer.miss(FOLDER);
    }
    answer
}
