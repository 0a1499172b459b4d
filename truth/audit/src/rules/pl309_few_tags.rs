//! The device's queue in the host is shorter than the depth.

use crate::host_facts;
use crate::queue;
use crate::{Answer, Check, NOTE, Page, Rule, RunView, SUSPECT, Seen, Severities};
use plimsoll_plan::{Load, TargetId};

pub const RULE: Rule = Rule {
    number: 309,
    name: "few-tags",
    summary: "The device's queue in the host is shorter than the depth.",
    severity: Severities::of([NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE]),
    pitfalls: &[32, 57],
    page: Page {
        why: "I/Os beyond the queue's length wait in the kernel. To the tool they are in flight, and their wait looks like \
            the device's latency; the device never has more than the queue's length.",
        threshold: "nr_requests of a device below a target is less than the target's I/Os in flight.",
        source: "The kernel's blk-mq: one pool of tags for each hardware queue.",
        example: "depth = 256, nr_requests = 64: at most 64 reach the device on one hardware queue.",
        remedy: "Raise nr_requests, or use a depth that fits.",
    },
    check: Check::Run(check),
};

fn check(view: &RunView<'_>) -> Answer {
    let Some(plan) = view.plan.filter(|_| view.is_real()) else {
        return Answer::NotApplicable;
    };
    let leaves = || view.environment.targets.iter().flat_map(queue::leaves);
    if leaves().all(|l| queue::number(l, "nr_requests").is_none()) {
        return Answer::NotObservable("no device below the targets tells its queue's length");
    }
    // On schedule slots are a reserve, and seldom all in use.
    let closed = plan
        .steps()
        .filter(|s| matches!(s.load, Load::Max | Load::MaxShared));
    Answer::of(closed.flat_map(|step| {
        let targets = view.environment.targets.iter().enumerate();
        targets
            .flat_map(|(n, t)| queue::leaves(t).into_iter().map(move |l| (n, l)))
            .filter_map(|(n, l)| {
                let tags = queue::number(l, "nr_requests")?;
                let depth = step.depth_of(TargetId(n as u32));
                let at_once = i64::try_from(tags).unwrap_or(i64::MAX);
                host_facts::requests(at_once, Some(depth), None).map(|at_most| {
                    let message = format!(
                        "{} has a queue of {tags}, and {depth} I/Os were in flight.",
                        l.name
                    );
                    Seen::new(message).at_most(at_most)
                })
            })
            .collect::<Vec<_>>()
    }))
}

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Run {
    fires: |o| o.queue("nr_requests", "2"),
    clean: |o| {
        o.step();
    },
};
