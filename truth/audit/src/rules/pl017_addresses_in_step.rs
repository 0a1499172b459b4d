use crate::{PlanView, RuleAnswer, RuleFinding, StreamAt, findings, some_of};
use plimsoll_plan::describe::evenness;
use plimsoll_plan::{Bytes, Pattern};

rule! {
    17 "addresses-in-step" Plan(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [62] {
        summary: "A stride, or streams side by side, fall together with slices: all meet at one owner at a time.",
        why: "I/Os that begin a multiple of slice times owners apart, the stride and the transfer together, visit one owner only; streams that begin that far apart \
            move over the owners together, so that at each instant one of them has all the work.",
        threshold: "With a stride, an owner that has at least twice what it must have; with four streams or more, all of them at \
            one owner at the same time. Slices of 64 KiB to 16 MiB, 2 to 64 owners; of a simulated array that is run its own.",
        source: "Follows from the placement slice mod owners; on a published array the segments were 1 MiB on 4 or 8 cores.",
        example: "access = \"streams=8\" on a range of 64 GiB: the streams begin 8 GiB apart, which is a multiple of 8 slices of \
            1 MiB.",
        remedy: "Let I/Os begin no multiple of a slice apart (the stride and the transfer together), or take another number of streams.",
    }
    fires: |p| crate::known::stream_of(p).address.pattern = Pattern::Streams(8),
    clean: |p| {
        crate::known::stream_of(p).address.pattern = Pattern::Stride {
            min: plimsoll_plan::Bytes(8192),
            max: plimsoll_plan::Bytes(8192),
        };
    },
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let patterned = |s: &StreamAt<'_>| {
        matches!(
            s.stream.address.pattern,
            Pattern::Stride { .. } | Pattern::Streams(_)
        )
    };
    let streams = some_of(view.streams().filter(patterned))?;
    let found = streams.filter_map(|s| {
        let slices = view.slices(&s);
        let known = slices.map(|slices| (Bytes(slices.bytes), slices.owners));
        let note = evenness::pattern(s.stream, s.target, known)?;
        Some(
            RuleFinding::new(format!("{}.", capital(&note)))
                .at(s.written("access"))
                .text("workload", &s.stream.workload),
        )
    });
    findings(found)
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
