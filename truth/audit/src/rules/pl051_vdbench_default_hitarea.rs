use crate::{PlanView, RuleAnswer, RuleFinding, StreamAt, applies, findings, some_of};

rule! {
    51 "vdbench-default-hitarea" Plan(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [62, 6, 48] {
        summary: "A Vdbench file has hits and no hitarea=, and so 1 MiB takes them.",
        why: "rhpct= and whpct= send their share to the hit area of each sd, which is 1 MiB at its start unless hitarea= \
            says otherwise. On an array that deals slices of 1 MiB that is one slice, and one core.",
        threshold: "rhpct= or whpct= without hitarea=.",
        source: "Vdbench 5.04: hitarea= has the default 1m. A published test found one core of eight with 78 % of the work so.",
        example: "rhpct=75 on an array of 8 cores: see hot-slice (PL016).",
        remedy: "Say hitarea= as a multiple of slice times cores, such as hitarea=8m for 8 cores of 1 MiB slices.",
    }
    fires: |p| hits(p),
    clean: |p| {
        hits(p);
        let span = plimsoll_diagnostic::Span::new(plimsoll_diagnostic::FileId(0), 0..1);
        p.targets[0].origins.note("hitarea", span);
    },
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let hits = some_of(view.streams().filter(|s| s.stream.address.hits.is_some()))?;
    applies(view.is_vdbench())?;
    let is_written = |s: &StreamAt<'_>| {
        let loops = s.at.step.loops.iter().any(|l| l.key == "hitarea");
        loops
            || s.target.origins.of("hitarea").is_some()
            || s.at.step.origins.of("hitarea").is_some()
    };
    findings(hits.filter(|s| !is_written(s)).map(|s| {
        let message = format!("The hits of {} go to the first 1 MiB of the sd.", s.who());
        RuleFinding::new(message)
            .at(s.written("hits"))
            .text("workload", &s.stream.workload)
    }))
}

#[cfg(test)]
fn hits(plan: &mut plimsoll_plan::Plan) {
    plan.dialect = "vdbench".into();
    crate::known::hits(plan, 75.0, 1 << 20, plimsoll_plan::HitPlacement::Contiguous);
}
