use crate::{NotObservable, RuleAnswer, RuleFinding, RunView, applies, findings, host_facts};

rule! {
    302 "slow-clock" Run(check) SUSPECT pitfalls [60] {
        summary: "The kernel's clock is slow to read.",
        why: "Every I/O is stamped twice. A clock that has to ask a chip takes a microsecond and more for each, and two CPUs \
            that ask wait for each other.",
        threshold: "A clocksource other than tsc, kvm-clock, hyperv or arch_sys_counter.",
        source: "The kernel's clocksource ratings; hpet and acpi_pm are its last resorts.",
        example: "acpi_pm: 1.5 us a reading, 3 us of each I/O, and 300,000/s at the most on one CPU.",
        remedy: "Boot with tsc (see dmesg for why the kernel gave it up).",
    }
    fires: |o| o.environment.host.clocksource = Some("acpi_pm".into()),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    applies(view.is_real())?;
    let source = view
        .environment
        .host
        .clocksource
        .as_ref()
        .ok_or(NotObservable("the kernel does not tell its clocksource"))?;
    findings(host_facts::clocksource(source).map(|at_most| {
        RuleFinding::new(format!("The clocksource is {source}."))
            .text("clocksource", source)
            .at_most(at_most)
    }))
}
