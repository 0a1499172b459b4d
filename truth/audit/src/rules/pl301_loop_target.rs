use crate::{RuleAnswer, RuleFinding, RunView, applies, findings, queue};
use plimsoll_evidence::{EnvironmentTarget, Severity};

rule! {
    301 "loop-target" Run(check) [NOTHING, NOTE, SUSPECT, NOTE, NOTHING] pitfalls [8, 58] {
        summary: "The target is a loop device.",
        why: "A loop device is a file. Its I/O goes through a thread and, unless it was set up with direct I/O, through the \
            page cache of the host: reads are of memory, and writes are done when they are in memory.",
        threshold: "A loop device in the stack of a target; a note at most where all of them use direct I/O.",
        source: "loop(4); /sys/block/loopN/loop/dio tells whether it uses direct I/O.",
        example: "losetup without --direct-io=on: 200,000 random reads/s from a disk of 100,000.",
        remedy: "Set it up with --direct-io=on, or test the file or disk below it.",
    }
    fires: |o| o.layer().kind = "loop".into(),
    clean: |o| o.layer().kind = "disk".into(),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    applies(view.is_real())?;
    findings(view.environment.targets.iter().filter_map(looped))
}

fn looped(target: &EnvironmentTarget) -> Option<RuleFinding> {
    let loops = || target.stack.iter().filter(|l| l.kind == "loop");
    loops().next()?;
    let direct = loops().all(|l| queue::of(l, "loop/dio") == Some("1"));
    let name = &target.name;
    Some(match direct {
        true => RuleFinding::new(format!(
            "{name} is on a loop device with direct I/O: what is measured is a file, by way of a thread of the kernel."
        ))
        .text("target", name)
        .at_most(Severity::Note),
        false => RuleFinding::new(format!(
            "{name} is on a loop device: I/O may end in the page cache."
        ))
        .text("target", name),
    })
}

#[test]
fn one_with_direct_io_is_a_note_and_ends_in_no_page_cache() {
    let with = |dio: &str| {
        let case = crate::known::changed(|o| {
            o.layer().kind = "loop".into();
            o.queue("loop/dio", dio);
        });
        crate::known::found(check(&case.view()))[0].clone()
    };
    assert_eq!(with("1").at_most, Severity::Note);
    assert!(!with("1").message.contains("page cache"));
    assert_eq!(with("0").at_most, Severity::Invalid);
    assert!(with("0").message.contains("page cache"));
}
