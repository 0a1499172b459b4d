use crate::{PlanView, RuleAnswer, RuleFinding, StreamAt, findings, some_of};
use plimsoll_plan::Pattern;

rule! {
    42 "one-pass" Plan(check) [NOTHING, NOTE, NOTE, NOTE, NOTHING] pitfalls [45, 46] {
        summary: "A sequential workload stops when it has been through once.",
        why: "A workload that reads or writes its range once ends when it is through. The end has fewer I/Os in flight than \
            the rest, and a small range is over before anything is steady.",
        threshold: "Access `once`, or Vdbench's seekpct=eof, in a measured run.",
        source: "Vdbench: the run ends when the first such workload is through.",
        example: "seekpct=eof on 10 GiB at 2 GB/s: five seconds, whatever elapsed= says.",
        remedy: "Use access = \"sequential\", which begins again, unless one pass is what is meant.",
    }
    fires: |p| sequential(p, true),
    clean: |p| sequential(p, false),
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let sequential = |s: &StreamAt<'_>| {
        matches!(
            s.stream.address.pattern,
            Pattern::Sequential { .. } | Pattern::SequentialEach
        )
    };
    let streams = some_of(view.streams().filter(sequential))?;
    let once = |s: &StreamAt<'_>| {
        matches!(
            s.stream.address.pattern,
            Pattern::Sequential { once: true, .. }
        )
    };
    findings(streams.filter(once).map(|s| {
        let message = format!("{} makes one pass and then stops.", s.who());
        RuleFinding::new(message)
            .at(s.written("access"))
            .text("workload", &s.stream.workload)
    }))
}

#[cfg(test)]
fn sequential(plan: &mut plimsoll_plan::Plan, once: bool) {
    crate::known::stream_of(plan).address.pattern = Pattern::Sequential {
        once,
        random_start: false,
        whole: false,
    };
}
