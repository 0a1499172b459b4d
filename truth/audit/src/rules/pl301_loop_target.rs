//! The target is a loop device.

use crate::{Answer, Check, NOTE, NOTHING, Page, Rule, RunView, SUSPECT, Seen, Severities};
use plimsoll_evidence::EnvironmentTarget;

pub const RULE: Rule = Rule {
    number: 301,
    name: "loop-target",
    summary: "The target is a loop device.",
    severity: Severities::of([NOTHING, NOTE, SUSPECT, NOTE, NOTHING]),
    pitfalls: &[8, 58],
    page: Page {
        why: "A loop device is a file. Its I/O goes through a thread and, unless it was set up with direct I/O, through the \
            page cache of the host: reads are of memory, and writes are done when they are in memory.",
        threshold: "A loop device in the stack of a target.",
        source: "loop(4); /sys/block/loopN/loop/dio tells whether it uses direct I/O.",
        example: "losetup without --direct-io=on: 200,000 random reads/s from a disk of 100,000.",
        remedy: "Set it up with --direct-io=on, or test the file or disk below it.",
    },
    check: Check::Run(check),
};

fn check(view: &RunView<'_>) -> Answer {
    if !view.is_real() {
        return Answer::NotApplicable;
    }
    let looped = |t: &&EnvironmentTarget| t.stack.iter().any(|l| l.kind == "loop");
    Answer::of(
        view.environment
            .targets
            .iter()
            .filter(looped)
            .map(|target| {
                Seen::new(format!(
                    "{} is on a loop device: I/O may end in the page cache.",
                    target.name
                ))
            }),
    )
}

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Run {
    fires: |o| o.layer().kind = "loop".into(),
    clean: |o| o.layer().kind = "disk".into(),
};
