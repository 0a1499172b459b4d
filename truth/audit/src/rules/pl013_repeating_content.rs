use crate::{PlanView, RuleAnswer, RuleFinding, findings, some_of};
use plimsoll_plan::ContentSpec;

rule! {
    13 "repeating-content" Plan(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [5] {
        summary: "What is written is a few bytes again and again.",
        why: "A deduplicating array keeps one copy of equal blocks, a compressing one keeps a repeated pattern in a few \
            bytes. Both make of a million writes the work of a few.",
        threshold: "Content `pattern` (not zeros), or a file smaller than 64 MiB that is repeated.",
        source: "DiskSPD writes the bytes 0..255 repeated unless told otherwise; fio without refill_buffers repeats its \
            buffers.",
        example: "pattern=0xdeadbeef on a deduplicating array: after the first block every write is a duplicate, and the data \
            rate of the media is nothing.",
        remedy: "Leave `content` out, or declare what reduction you mean with compress=RATIO,dedupe=RATIO.",
    }
    fires: |p| crate::known::writing(p).content = ContentSpec::Pattern(vec![0xde, 0xad]),
    clean: |p| {
        crate::known::writing(p);
    },
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let writers = some_of(view.writers())?;
    findings(writers.filter_map(|s| {
        let what = match &s.stream.content {
            ContentSpec::Pattern(bytes) if bytes.iter().any(|b| *b != 0) => {
                format!("a pattern of {} bytes", bytes.len())
            }
            ContentSpec::File(path) => format!("the bytes of {}", path.display()),
            _ => return None,
        };
        let message = format!(
            "{} writes {what} over and over: storage that deduplicates or compresses keeps little of it.",
            s.who()
        );
        Some(RuleFinding::new(message).at(s.written("content")).text("workload", &s.stream.workload).text("content", &what))
    }))
}
