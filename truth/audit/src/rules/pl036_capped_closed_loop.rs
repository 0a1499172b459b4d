use crate::{PlanView, RuleAnswer, RuleFinding, StreamAt, applies, findings};

rule! {
    36 "capped-closed-loop" Plan(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [28, 34] {
        summary: "A rate is claimed of a loop that waits.",
        why: "A closed loop with a cap sends the next I/O only when one has come back. While the storage is slow it asks for \
            less, so that the slow time has few I/Os in it: the percentiles leave out those that would have waited \
            (coordinated omission).",
        threshold: "A closed loop with a most per second (`max_rate`, `max_bandwidth`); fio's `rate` and `rate_iops` where fio carries \
            them out, without `io_submit_mode=offload`.",
        source: "Tene, How NOT to Measure Latency; Schroeder and others, Open Versus Closed (NSDI 2006).",
        example: "A cap of 1,000/s and a stall of 1 s: with 32 slots 32 I/Os show it. On schedule 1,000 were due in it, and p99 \
            of ten seconds is 900 ms, not 1 ms.",
        remedy: "Ask for the rate itself (`load = 1000`): the I/Os are then due on schedule and their waiting counts.",
    }
    fires: |p| crate::known::stream_of(p).throttle.max_rate = Some(plimsoll_plan::Rate(1000.0)),
    clean: |p| crate::known::step_of(p).depths[0].slots = 16,
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    // What fio caps, Plimsoll has on schedule.
    let by_fio = |s: &StreamAt<'_>| match view.environment {
        None => s.written("capped"),
        Some(_) => None,
    };
    let closed = |s: &StreamAt<'_>| s.at.is_closed() || by_fio(s).is_some();
    applies(view.streams().any(|s| closed(&s)))?;
    findings(view.streams().filter_map(|s| {
        let capped = by_fio(&s);
        let (message, span) = match (capped, s.at.is_closed() && s.stream.throttle.is_capped()) {
            (Some(span), _) => (
                "has a rate that fio keeps by waiting for all that is out: what is slow is asked less often, and its waiting is in no time",
                Some(span),
            ),
            (None, true) => (
                "has a most per second in a closed loop: what is slow is asked less often",
                s.written("max_rate").or_else(|| s.written("max_bandwidth")),
            ),
            (None, false) => return None,
        };
        let found = RuleFinding::new(format!("{} {message}.", s.who())).at(span);
        Some(found.text("workload", &s.stream.workload))
    }))
}
