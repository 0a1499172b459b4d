//! A virtual disk says that it rotates.

use crate::queue;
use crate::{Answer, Check, NOTE, Page, Rule, RunView, Seen, Severities};
use plimsoll_evidence::BlockLayer;

pub const RULE: Rule = Rule {
    number: 305,
    name: "rotational-flag",
    summary: "A virtual disk says that it rotates.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[26, 57],
    page: Page {
        why: "The kernel treats a rotating disk otherwise: another scheduler, other write-back limits, no use of several \
            queues by some file systems. Virtual disks often say so without cause.",
        threshold: "A virtio disk with queue/rotational = 1.",
        source: "Seen on common cloud images.",
        example: "/dev/vda on NVMe: rotational 1, scheduler mq-deadline.",
        remedy: "echo 0 > /sys/block/DISK/queue/rotational, or set it in the hypervisor.",
    },
    check: Check::Run(check),
};

fn check(view: &RunView<'_>) -> Answer {
    if !view.is_real() {
        return Answer::NotApplicable;
    }
    let layers = view.environment.targets.iter().flat_map(|t| &t.stack);
    let turns =
        |l: &&BlockLayer| l.name.starts_with("vd") && queue::of(l, "rotational") == Some("1");
    Answer::of(
        layers
            .filter(turns)
            .map(|l| Seen::new(format!("{} says that it rotates.", l.name))),
    )
}

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Run {
    fires: |o| {
        o.layer().name = "vda".into();
        o.queue("rotational", "1");
    },
    clean: |o| o.layer().name = "vda".into(),
};
