//! The kernel's clock is slow to read.

use crate::host_facts;
use crate::{Answer, Check, Page, Rule, RunView, SUSPECT, Seen, Severities};

pub const RULE: Rule = Rule {
    number: 302,
    name: "slow-clock",
    summary: "The kernel's clock is slow to read.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[60],
    page: Page {
        why: "Every I/O is stamped twice. A clock that has to ask a chip takes a microsecond and more for each, and two CPUs \
            that ask wait for each other.",
        threshold: "A clocksource other than tsc, kvm-clock, hyperv or arch_sys_counter.",
        source: "The kernel's clocksource ratings; hpet and acpi_pm are its last resorts.",
        example: "acpi_pm: 1.5 us a reading, 3 us of each I/O, and 300,000/s at the most on one CPU.",
        remedy: "Boot with tsc (see dmesg for why the kernel gave it up).",
    },
    check: Check::Run(check),
};

fn check(view: &RunView<'_>) -> Answer {
    if !view.is_real() {
        return Answer::NotApplicable;
    }
    let Some(source) = &view.environment.host.clocksource else {
        return Answer::NotObservable("the kernel does not tell its clocksource");
    };
    Answer::of(host_facts::clocksource(source).map(|at_most| {
        Seen::new(format!("The clocksource is {source}."))
            .text("clocksource", source)
            .at_most(at_most)
    }))
}

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Run {
    fires: |o| o.environment.host.clocksource = Some("acpi_pm".into()),
    clean: |o| {
        o.step();
    },
};
