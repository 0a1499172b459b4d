use crate::{RuleAnswer, RuleFinding, RunView, applies, findings, host_facts, observable, queue};
use plimsoll_evidence::BlockLayer;

rule! {
    305 "rotational-flag" Run(check) [NOTE, NOTE, NOTE, SUSPECT, NOTE] pitfalls [26, 57] {
        summary: "A disk says that it rotates.",
        why: "The kernel treats a rotating disk otherwise: another scheduler, other write-back limits, no use of several \
            queues by some file systems. Virtual disks often say so without cause.",
        threshold: "queue/rotational is 1. Of a virtual or NVMe disk it is suspect; of another it is a note, since it may be true.",
        source: "Seen on common cloud images.",
        example: "/dev/vda on NVMe: rotational 1, scheduler mq-deadline.",
        remedy: "echo 0 > /sys/block/DISK/queue/rotational, or set it in the hypervisor.",
    }
    fires: |o| {
        o.layer().name = "vda".into();
        o.queue("rotational", "1");
    },
    clean: |o| o.layer().name = "vda".into(),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    applies(view.is_real())?;
    let leaves = || view.environment.targets.iter().flat_map(queue::leaves);
    let flag = |l: &BlockLayer| queue::number(l, "rotational").and_then(|n| i64::try_from(n).ok());
    observable(
        leaves().any(|l| flag(l).is_some()),
        "no device below the targets tells whether it rotates",
    )?;
    findings(leaves().filter_map(|l| {
        let at_most = host_facts::rotational(&l.name, flag(l)?)?;
        let message = format!("{} says that it rotates.", l.name);
        Some(
            RuleFinding::new(message)
                .text("device", &l.name)
                .at_most(at_most),
        )
    }))
}
