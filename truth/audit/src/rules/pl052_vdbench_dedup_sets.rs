use crate::{PlanView, RuleAnswer, RuleFinding, StreamAt, applies, findings, some_of};
use plimsoll_plan::ContentSpec;

rule! {
    52 "vdbench-dedup-sets" Plan(check) NOTE pitfalls [5, 48] {
        summary: "A Vdbench file deduplicates with default sets.",
        why: "dedupratio= alone makes 5 % of the blocks the sets that duplicates are of. Few sets are hot: an array holds \
            their fingerprints in memory, as it would not with real data.",
        threshold: "dedupratio= without dedupsets=.",
        source: "Vdbench 5.04: dedupsets= has the default 5%, and the duplicates lie beside each other.",
        example: "dedupratio=3 on 1 TiB: of 268 million blocks of 4 KiB 13 million are sets, and each has some 14 duplicates.",
        remedy: "Say dedupsets= as the data has it, and state it with the result.",
    }
    fires: |p| dedupes(p, None),
    clean: |p| dedupes(p, Some(1000)),
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let dedupes = |s: &StreamAt<'_>| {
        matches!(
            s.stream.content,
            ContentSpec::Reducible {
                dedupe: Some(_),
                ..
            }
        )
    };
    let streams = some_of(view.writers().filter(dedupes))?;
    applies(view.is_vdbench())?;
    let unsaid = |s: &StreamAt<'_>| match &s.stream.content {
        ContentSpec::Reducible {
            dedupe: Some(d), ..
        } => d.sets.is_none(),
        _ => false,
    };
    findings(streams.filter(unsaid).map(|s| {
        let message = format!("The duplicates of {} are of 5 % of its blocks.", s.who());
        RuleFinding::new(message)
            .at(s.written("dedupratio").or_else(|| s.written("content")))
            .text("workload", &s.stream.workload)
    }))
}

#[cfg(test)]
fn dedupes(plan: &mut plimsoll_plan::Plan, sets: Option<u64>) {
    plan.dialect = "vdbench".into();
    crate::known::writing(plan).content = ContentSpec::Reducible {
        compress: 1.0,
        dedupe: Some(plimsoll_plan::DedupeSpec {
            ratio: 3.0,
            unit: plimsoll_plan::Bytes(4096),
            sets,
            flip_flop: false,
            placement: plimsoll_plan::DedupePlacement::Runs,
        }),
    };
}
