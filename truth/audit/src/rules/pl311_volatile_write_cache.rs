use crate::{
    NotApplicable, RuleAnswer, RuleFinding, RunView, findings, host_facts, observable, queue,
};
use plimsoll_plan::Durability;

rule! {
    311 "volatile-write-cache" Run(check) [NOTHING, NOTHING, NOTHING, NOTE, NOTHING] pitfalls [9] {
        summary: "Writes end in a volatile cache of the device.",
        why: "A device that says \"write back\" has a cache that a power failure empties. A write without a flush is done \
            when it is there.",
        threshold: "queue/write_cache is \"write back\" below a target that is written without a durability.",
        source: "The kernel's block layer; arrays with batteries say \"write through\".",
        example: "A consumer SSD: 90,000 writes/s, and 3,000/s with a flush after each.",
        remedy: "Set durability = \"dsync\", or say that the writes are not durable.",
    }
    fires: |o| {
        crate::known::writing(&mut o.plan);
        o.queue("write_cache", "write back");
    },
    clean: |o| {
        crate::known::writing(&mut o.plan);
    },
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let plan = view.plan.filter(|_| view.is_real()).ok_or(NotApplicable)?;
    let leaves = || view.environment.targets.iter().flat_map(queue::leaves);
    observable(
        leaves().any(|l| queue::of(l, "write_cache").is_some()),
        "no device below the targets tells of its write cache",
    )?;
    let written = |n: usize| {
        let on_it = |s: &plimsoll_plan::Stream| s.target.0 as usize == n && s.mix.write > 0.0;
        let loose = |s: &plimsoll_plan::Stream| {
            let target = plan.targets.get(n);
            target.is_some_and(|t| t.opening(s).durability == Durability::None)
        };
        let mut streams = plan.steps().flat_map(|s| &s.streams);
        streams.any(|s| on_it(s) && loose(s))
    };
    let targets = view
        .environment
        .targets
        .iter()
        .enumerate()
        .filter(|(n, _)| written(*n));
    let below = targets.flat_map(|(_, t)| queue::leaves(t));
    findings(below.filter_map(|l| {
        let at_most = host_facts::write_cache(queue::of(l, "write_cache")?)?;
        let message = format!("{} has a volatile write cache.", l.name);
        Some(
            RuleFinding::new(message)
                .text("device", &l.name)
                .at_most(at_most),
        )
    }))
}
