use crate::{RuleAnswer, RuleFinding, RunView, others};
use plimsoll_evidence::witnessed::CpuUse;
use plimsoll_evidence::{Quantity, Witnessed};
use plimsoll_printable::human;

rule! {
    133 "one-cpu-stolen" Run(check) SUSPECT pitfalls [49, 55] {
        summary: "The hypervisor took one CPU away, and hardly any other.",
        why: "A guest's CPU that shares its core with another guest is the slow one. Which I/Os meet it is chance, or the \
            pinning of a worker or an interrupt: they make the tail, and a mean over all CPUs shows next to nothing.",
        threshold: "A CPU lost more than 5 % of its time to the hypervisor, and more than three times what the CPUs lost on average.",
        source: "/proc/stat, CPU by CPU; the 5 % are those of the catalogue.",
        example: "CPU 3 of 8 lost 24 %, all together 3 %: one worker in eight was late by half a scheduler's turn.",
        remedy: "Pin the workers away from that CPU, or measure where the CPUs are not shared.",
    }
    fires: |o| o.witnessed().cpus[3].steal_s = 144.0,
    clean: |o| {
        for cpu in &mut o.witnessed().cpus {
            cpu.steal_s = 60.0;
        }
    },
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let cpus = |seen: &Witnessed| others::some(&seen.cpus).map(<[CpuUse]>::to_vec);
    others::ask(view, "the time of each CPU", cpus, |_, _, cpus| {
        stolen(&cpus).into_iter().collect()
    })
}

fn stolen(cpus: &[CpuUse]) -> Option<RuleFinding> {
    let shares = || cpus.iter().map(|c| others::share(c.steal_s, c.all_s));
    let mean = shares().sum::<f64>() / cpus.len() as f64;
    let (cpu, worst) = shares().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    (worst > MUCH && worst > UNEVEN * mean).then(|| {
        let message = format!(
            "The hypervisor took {} of the time of CPU {cpu}, and {} of all CPUs' together.",
            human::percent(worst),
            human::percent(mean)
        );
        RuleFinding::new(message)
            .judged("worst", Quantity::Share(worst), MUCH)
            .value("mean", Quantity::Share(mean))
    })
}

const MUCH: f64 = 0.05;
const UNEVEN: f64 = 3.0;
