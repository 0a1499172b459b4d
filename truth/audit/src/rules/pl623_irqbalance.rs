use crate::{HostAnswer, HostView, Symptom};

rule! {
    623 "host-irqbalance" Host(check) NOTE pitfalls [] {
        summary: "Nobody spreads the interrupts over the CPUs.",
        why: "Where interrupts of several queues meet on one CPU, it is full before the storage is.",
        threshold: "More than one CPU, and irqbalance does not run.",
        source: "irqbalance(1).",
        example: "Four queues on CPU 0: 100 % of system time there, 40 % of the rate that spread queues reach.",
        remedy: "systemctl start irqbalance, or pin each queue's interrupt by /proc/irq/N/smp_affinity_list.",
    }
    fires: |h| h.insert("/commands/processes", "init"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let online = view.host.text("/sys/devices/system/cpu/online");
    let mut answer = HostAnswer::default();
    match (view.host.text("/commands/processes"), online) {
        (Some(_), Some("0")) => {}
        (Some(names), Some(_)) if !names.is_empty() => {
            let runs = names.lines().any(|name| name == "irqbalance");
            answer.look((!runs).then(|| {
                Symptom::new("", "irqbalance does not run").wanted(
                    "running, or interrupts pinned by hand",
                    "systemctl start irqbalance",
                )
            }));
        }
        _ => answer.miss("the names of the processes"),
    }
    answer
}
