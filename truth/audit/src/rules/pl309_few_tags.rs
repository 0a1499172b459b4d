use crate::{
    NotApplicable, RuleAnswer, RuleFinding, RunView, findings, host_facts, observable, queue,
};
use plimsoll_evidence::{BlockLayer, Quantity};
use plimsoll_plan::{Load, TargetId};

rule! {
    309 "few-tags" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [32, 57] {
        summary: "The device's queue in the host is shorter than the depth.",
        why: "I/Os beyond the queue's length wait in the kernel. To the tool they are in flight, and their wait looks like \
            the device's latency; the device never has more than the queue's length.",
        threshold: "nr_requests, for each hardware queue, of a device below a target, or of all members of one together, is less than the \
            target's I/Os in flight.",
        source: "The kernel's blk-mq: one pool of tags for each hardware queue.",
        example: "depth = 256, nr_requests = 64: at most 64 reach the device on one hardware queue.",
        remedy: "Raise nr_requests, or use a depth that fits.",
    }
    fires: |o| o.queue("nr_requests", "2"),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let plan = view.plan.filter(|_| view.is_real()).ok_or(NotApplicable)?;
    let leaves = || view.environment.targets.iter().flat_map(queue::leaves);
    observable(
        leaves().any(|l| queue::number(l, "nr_requests").is_some()),
        "no device below the targets tells its queue's length",
    )?;
    // On schedule slots are a reserve, and seldom all in use.
    let closed = plan
        .steps()
        .filter(|s| matches!(s.load, Load::Max | Load::MaxShared));
    findings(closed.flat_map(|step| {
        let targets = view.environment.targets.iter().enumerate();
        targets
            .flat_map(|(n, t)| few(&t.stack, step.depth_of(TargetId(n as u32))))
            .collect::<Vec<_>>()
    }))
}

/// The queues on a target's way that hold fewer than so many I/Os.
fn few(stack: &[BlockLayer], depth: u64) -> Vec<RuleFinding> {
    let of_level = |devices: Vec<&BlockLayer>| {
        let places = queue::places(&devices)?;
        let at_once = i64::try_from(places).unwrap_or(i64::MAX);
        let at_most = host_facts::requests(at_once, Some(depth), None)?;
        let names: Vec<&str> = devices.iter().map(|l| l.name.as_str()).collect();
        let message = format!(
            "{} {} of {places}, and {depth} I/Os were in flight.",
            names.join(", "),
            match names.len() {
                1 => "has a queue",
                _ => "have queues",
            }
        );
        let seen =
            RuleFinding::new(message).judged("requests", Quantity::Count(places), depth as f64);
        Some(seen.at_most(at_most))
    };
    let levels = queue::levels(stack.iter()).into_iter();
    levels.filter_map(of_level).collect()
}

#[test]
fn members_and_hardware_queues_hold_what_they_hold_together() {
    use crate::known::{changed, found};
    let with = |members: usize, queues: &str| {
        let case = changed(|o| {
            o.queue("nr_requests", "10");
            o.queue("nr_hw_queues", queues);
            for n in 1..members {
                let mut member = o.layer().clone();
                member.name = format!("sd{n}");
                o.environment.targets[0].stack.push(member);
            }
        });
        found(check(&case.view()))
    };
    // 32 are in flight.
    assert_eq!(with(1, "1").len(), 1);
    assert_eq!((with(4, "1"), with(1, "4")), (vec![], vec![]));
    let message = &with(3, "1")[0].message;
    assert_eq!(
        message,
        "sdx, sd1, sd2 have queues of 30, and 32 I/Os were in flight."
    );
}
