use crate::{NotObservable, RuleAnswer, RuleFinding, RunView, applies, findings, host_facts};

rule! {
    303 "frequency-governor" Run(check) [NOTE, NOTE, NOTE, SUSPECT, NOTE] pitfalls [52, 20] {
        summary: "The CPUs change their frequency with the load.",
        why: "A CPU that was slowed down takes longer for each I/O, and longest where there are few: latency at a low load \
            is that of a sleepy CPU, and gets better as the load rises.",
        threshold: "A governor other than performance.",
        source: "Latency at a depth of 1 differs by 30 % and more.",
        example: "1,000/s: 0.14 ms with powersave, 0.09 ms with performance.",
        remedy: "Set the governor to performance for the run (`cpupower frequency-set -g performance`).",
    }
    fires: |o| o.environment.host.governor = Some("powersave".into()),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    applies(view.is_real())?;
    let governor = view
        .environment
        .host
        .governor
        .as_ref()
        .ok_or(NotObservable("the kernel shows no frequency governor"))?;
    findings(host_facts::governor(governor).map(|at_most| {
        RuleFinding::new(format!("The frequency governor is {governor}."))
            .text("governor", governor)
            .at_most(at_most)
    }))
}
