use crate::{PlanView, RuleAnswer, RuleFinding, StreamAt, findings, some_of};
use plimsoll_evidence::Severity;
use plimsoll_plan::ContentSpec;

rule! {
    12 "zero-content" Plan(check) [NOTE, INVALID, INVALID, INVALID, NOTE] pitfalls [5] {
        summary: "All that is written is zeros.",
        why: "An array that detects zeros, a thin pool and a compressing SSD do not store them: they note that the block is \
            empty and answer. The host counts a write, the media sees none. Reading them back is answered from a map as \
            well.",
        threshold: "Content `zeros`, or a pattern of nothing but zero bytes, in a workload that writes. A note where a sweep compares contents.",
        source: "A published test of an all-flash array: 30,000 writes/s at the host, 12,000 at its disks, and the difference \
            was zeros; zram counts the same as same_pages.",
        example: "dd if=/dev/zero, SQLIO and DiskSPD -Z write zeros. Against a zero-detecting array the front end shows 30,000 \
            IOPS and the back end 12,000.",
        remedy: "Leave `content` out: each block is then unique and incompressible. To measure zero service itself, claim host.",
    }
    fires: |p| crate::known::writing(p).content = ContentSpec::Zeros,
    clean: |p| {
        crate::known::writing(p);
    },
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let writers = some_of(view.writers())?;
    let zero = |s: &StreamAt<'_>| match &s.stream.content {
        ContentSpec::Zeros => true,
        ContentSpec::Pattern(bytes) => bytes.iter().all(|b| *b == 0),
        _ => false,
    };
    findings(writers.filter(zero).map(|s| {
        let message = format!(
            "{} writes zeros only: storage that detects them writes nothing at all.",
            s.who()
        );
        RuleFinding::new(message)
            .at_most(match s.at.asks_of_content() {
                true => Severity::Note,
                false => Severity::Invalid,
            })
            .at(s.written("content"))
            .text("workload", &s.stream.workload)
    }))
}
