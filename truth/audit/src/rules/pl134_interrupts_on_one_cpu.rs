use crate::{RuleAnswer, RuleFinding, RunView, others};
use plimsoll_evidence::witnessed::CpuUse;
use plimsoll_evidence::{Quantity, Witnessed};
use plimsoll_printable::human;

rule! {
    134 "interrupts-on-one-cpu" Run(check) [NOTE, NOTE, NOTE, NOTE, SUSPECT] pitfalls [56] {
        summary: "One CPU serves most of the interrupts.",
        why: "A completion comes back where its interrupt is served. Where one CPU serves those of all queues, everything \
            waits for it, while the others idle: the limit is that CPU, and it looks like the device's.",
        threshold: "Of at least four CPUs, one spent more than 30 % of its time in interrupts, and more than half of all the time \
            that they took.",
        source: "/proc/stat, CPU by CPU; shares by proposal.",
        example: "CPU 0 was in interrupts for 78 % of the time, the other fifteen for 2 %: 310,000/s, and 900,000/s after the \
            queues' interrupts were spread.",
        remedy: "Spread the interrupts (irqbalance, /proc/irq/*/smp_affinity_list), or set rq_affinity to 2.",
    }
    fires: |o| o.witnessed().cpus[0].interrupts_s = 470.0,
    clean: |o| {
        for cpu in &mut o.witnessed().cpus {
            cpu.interrupts_s = 300.0;
        }
    },
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let cpus = |seen: &Witnessed| others::some(&seen.cpus).map(<[CpuUse]>::to_vec);
    others::ask(view, "the time of each CPU", cpus, |_, _, cpus| {
        one_serves(&cpus).into_iter().collect()
    })
}

fn one_serves(cpus: &[CpuUse]) -> Option<RuleFinding> {
    let all: f64 = cpus.iter().map(|c| c.interrupts_s).sum();
    let (cpu, most) = cpus
        .iter()
        .enumerate()
        .max_by(|a, b| a.1.interrupts_s.total_cmp(&b.1.interrupts_s))?;
    let busy = others::share(most.interrupts_s, most.all_s);
    let part = others::share(most.interrupts_s, all);
    (cpus.len() >= FEWEST && busy > BUSY && part > MOST).then(|| {
        let message = format!(
            "CPU {cpu} spent {} of its time in interrupts, {} of all that they took on {} CPUs.",
            human::percent(busy),
            human::percent(part),
            cpus.len()
        );
        RuleFinding::new(message)
            .judged("busy", Quantity::Share(busy), BUSY)
            .judged("part", Quantity::Share(part), MOST)
    })
}

const FEWEST: usize = 4;
const BUSY: f64 = 0.3;
const MOST: f64 = 0.5;
