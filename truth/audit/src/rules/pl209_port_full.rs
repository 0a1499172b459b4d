use crate::{RuleAnswer, RuleFinding, RunView, arrays, findings};
use plimsoll_evidence::Quantity;
use plimsoll_printable::human;

rule! {
    209 "port-full" Run(check) NOTE pitfalls [58] {
        summary: "A front-end port of the array was full.",
        why: "A port carries what its line does. Where one is full, the result is of the line, and more of the array's ports \
            would carry more.",
        threshold: "A port was busy at least 90 % of the time.",
        source: "Proposal; queues at a line grow without bound as it comes to 100 %.",
        example: "8 Gb/s Fibre Channel carries 760 MiB/s: 128 KiB reads at 6,000/s fill it.",
        remedy: "Use more ports or paths, or say that the fabric was measured.",
    }
    fires: |o| {
        arrays::with(o, |a| {
            a.ports = vec![plimsoll_evidence::PortUse { utilisation: 0.97 }]
        })
    },
    clean: |o| {
        arrays::with(o, |a| {
            a.ports = vec![plimsoll_evidence::PortUse { utilisation: 0.4 }]
        })
    },
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let reported = arrays::telling(
        view,
        "the ports of the array: it does not tell of them",
        |a| !a.ports.is_empty(),
    )?;
    findings(reported.into_iter().filter_map(|(step, array)| {
        let most = array.busiest_port()?;
        (most >= FULL).then(|| {
            let message = format!(
                "A port of {} was busy {} of the time.",
                array.name,
                human::percent(most)
            );
            RuleFinding::new(message)
                .step(step.number)
                .judged("busy", Quantity::Share(most), FULL)
        })
    }))
}

const FULL: f64 = 0.9;
