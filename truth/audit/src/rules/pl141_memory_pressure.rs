use crate::{RuleAnswer, RuleFinding, RunView, others};
use plimsoll_evidence::{Quantity, Witnessed};
use plimsoll_printable::human;

rule! {
    141 "memory-pressure" Run(check) SUSPECT pitfalls [54] {
        summary: "Tasks of the host waited for memory.",
        why: "A host that is short of memory writes pages away and reads them back, on disks that may be the tested ones, and \
            stops tasks meanwhile. The generator's own buffers may be among them.",
        threshold: "Some task waited for memory in more than 1 % of the time.",
        source: "Pressure stall information; the 1 % are those of the catalogue.",
        example: "4 % of the time some task waited for memory: swap was on the tested disk, and wrote 90 MB/s.",
        remedy: "Free memory, lower the number of slots or their size, and switch swap off for the run.",
    }
    fires: |o| pressed(o, 24.0),
    clean: |o| pressed(o, 5.9),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let pressure = |seen: &Witnessed| seen.pressure;
    others::ask(
        view,
        "the pressure on the host's memory",
        pressure,
        |_, seen, pressure| {
            let share = pressure.memory_some_s / seen.observed_s;
            let short = (share > SOME).then(|| {
                let message = format!(
                    "Some task waited for memory in {} of the time, and all of them in {}.",
                    human::percent(share.min(1.0)),
                    human::percent((pressure.memory_full_s / seen.observed_s).min(1.0))
                );
                RuleFinding::new(message).judged("pressure", Quantity::Share(share), SOME)
            });
            short.into_iter().collect()
        },
    )
}

const SOME: f64 = 0.01;

#[cfg(test)]
fn pressed(o: &mut crate::known::Observed, s: f64) {
    o.witnessed()
        .pressure
        .as_mut()
        .expect("pressure")
        .memory_some_s = s;
}
