use crate::{PlanView, RuleAnswer, RuleFinding, StreamAt, applies, findings};
use plimsoll_plan::Pattern;

rule! {
    53 "vdbench-part-random" Plan(check) NOTE pitfalls [48] {
        summary: "seekpct= between 0 and 100 is a chance for each I/O, not a mix of workloads.",
        why: "Vdbench draws for each I/O whether it seeks; else it goes on behind the last one. seekpct=20 is one stream \
            with runs of five I/Os, not 80 % sequential and 20 % random streams, and read-ahead and merging see it so.",
        threshold: "A Vdbench workload with seekpct= above 0 and below 100.",
        source: "Vdbench 5.04, whose manual is often read otherwise.",
        example: "seekpct=20, xfersize=4k: runs of 20 KiB on average, which many arrays take for random.",
        remedy: "For a mix of streams use two wds with skew=.",
    }
    fires: |p| {
        p.dialect = "vdbench".into();
        crate::known::stream_of(p).address.pattern = Pattern::PercentRandom(20.0);
    },
    clean: |p| p.dialect = "vdbench".into(),
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    applies(view.is_vdbench() && view.streams().next().is_some())?;
    let part = |s: &StreamAt<'_>| matches!(s.stream.address.pattern, Pattern::PercentRandom(_));
    findings(view.streams().filter(part).map(|s| {
        let message = format!(
            "{} seeks by chance and is else sequential, I/O by I/O.",
            s.who()
        );
        RuleFinding::new(message)
            .at(s.written("access"))
            .text("workload", &s.stream.workload)
    }))
}
