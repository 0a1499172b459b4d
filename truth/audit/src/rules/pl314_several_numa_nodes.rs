use crate::{NotApplicable, RuleAnswer, RuleFinding, RunView, findings};
use plimsoll_evidence::Quantity;

rule! {
    314 "several-numa-nodes" Run(check) NOTE pitfalls [55] {
        summary: "The host has several NUMA nodes, and the workers are not pinned.",
        why: "A worker on another node than the device reads and writes memory across the link between them, and its \
            completions come from there.",
        threshold: "More than one NUMA node, and no `pin` in the plan.",
        source: "Some 10 % of the rate and of the latency of fast drives.",
        example: "Two sockets, NVMe at the second: 780,000/s unpinned, 850,000/s on its own node.",
        remedy: "Pin the workers to CPUs of the device's node (`pin`).",
    }
    fires: |o| o.environment.host.numa_nodes = 2,
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let plan = view.plan.filter(|_| view.is_real()).ok_or(NotApplicable)?;
    let nodes = view.environment.host.numa_nodes;
    let pinned = plan.steps().all(|s| s.workers.pin.is_some());
    let found = nodes > 1 && !pinned;
    findings(found.then(|| {
        RuleFinding::new(format!(
            "The host has {nodes} NUMA nodes, and its workers run on any of them."
        ))
        .judged("numa_nodes", Quantity::Count(nodes.into()), 1.0)
    }))
}
