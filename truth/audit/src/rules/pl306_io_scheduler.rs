use crate::{RuleAnswer, RuleFinding, RunView, applies, findings, host_facts, observable, queue};

rule! {
    306 "io-scheduler" Run(check) [NOTE, NOTE, NOTE, SUSPECT, NOTE] pitfalls [57] {
        summary: "A scheduler of the host orders the I/Os.",
        why: "A scheduler holds I/Os back, merges and sorts them, and takes CPU time for it. What the device sees is another \
            load, and a part of the latency is the host's.",
        threshold: "A scheduler other than none at the bottom of a target's stack.",
        source: "Vendors of flash arrays ask for none (noop before blk-mq).",
        example: "mq-deadline on NVMe: 10 % fewer I/Os per second and 20 us more at the 99th percentile.",
        remedy: "echo none > /sys/block/DISK/queue/scheduler for the run.",
    }
    fires: |o| o.layer().scheduler = Some("mq-deadline".into()),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    applies(view.is_real())?;
    let leaves = || view.environment.targets.iter().flat_map(queue::leaves);
    observable(
        leaves().any(|l| l.scheduler.is_some()),
        "no device below the targets tells its scheduler",
    )?;
    findings(leaves().filter_map(|l| {
        let scheduler = l.scheduler.as_deref()?;
        let at_most = host_facts::scheduler(scheduler)?;
        let message = format!("{scheduler} orders the I/Os to {}.", l.name);
        Some(
            RuleFinding::new(message)
                .text("device", &l.name)
                .text("scheduler", scheduler)
                .at_most(at_most),
        )
    }))
}
