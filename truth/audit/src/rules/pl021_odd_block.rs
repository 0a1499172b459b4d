use crate::{PlanView, RuleAnswer, RuleFinding};
use plimsoll_evidence::Quantity;
use plimsoll_plan::Question;
#[cfg(test)]
use plimsoll_plan::SizeSpec;

rule! {
    21 "odd-block" Plan(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [42] {
        summary: "Transfers are no multiple of 4 KiB.",
        why: "Drives and arrays keep 4 KiB or more at once. To write a part of that they read it, change it and write it \
            back: two I/Os and a wait instead of one. Reads of a part move all of it.",
        threshold: "A transfer size that is no multiple of 4 KiB. Not of a test of the specification, which names its sizes.",
        source: "Physical blocks are 4 KiB on nearly all drives, with 512 bytes emulated; arrays use 4 or 8 KiB.",
        example: "Writes of 512 bytes to a drive of 4 KiB blocks: each is a read and a write, and the drive does a third of the \
            rate.",
        remedy: "Use multiples of 4 KiB, or declare the size as what the application does.",
    }
    fires: |p| crate::known::stream_of(p).size = SizeSpec::Fixed(plimsoll_plan::Bytes(512)),
    clean: |p| crate::known::stream_of(p).size = SizeSpec::Fixed(plimsoll_plan::Bytes(65536)),
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let own = |s: &crate::StreamAt<'_>| !matches!(s.at.question(), Some(Question::Pts(_)));
    let streams = crate::some_of(view.streams().filter(own))?;
    crate::findings(streams.filter_map(|s| {
        let sizes = s.stream.size.occurring(&s.stream.mix);
        let all = sizes.into_iter().flat_map(|size| size.steps());
        let odd = all.filter(|size| size.0 % BLOCK != 0).min()?;
        let message = format!("{} moves {odd} at once, no multiple of 4 KiB.", s.who());
        Some(RuleFinding::new(message).at(s.written("block")).judged(
            "size",
            Quantity::Bytes(odd.0),
            BLOCK as f64,
        ))
    }))
}

const BLOCK: u64 = 4096;
