use crate::queue;
use crate::{RuleAnswer, RuleFinding, RunView};
use plimsoll_evidence::Quantity;

rule! {
    308 "split-requests" Run(check) [NOTE, NOTE, NOTE, SUSPECT, NOTE] pitfalls [40] {
        summary: "Transfers are larger than what the device takes at once.",
        why: "The kernel cuts a transfer that is longer than the device's limit. One request becomes several: the device \
            sees smaller ones, more of them, and the last one decides when the whole is done.",
        threshold: "The largest transfer is longer than max_sectors_kb of a device below the target.",
        source: "Measured here: 4 MiB requests become 6 to 7. A published case had 1 MiB arrive as 256 KiB.",
        example: "block = \"4m\", max_sectors_kb = 1280: four requests of 1 MiB and less.",
        remedy: "Raise max_sectors_kb up to max_hw_sectors_kb, or state the size that arrives.",
    }
    fires: |o| o.queue("max_sectors_kb", "4"),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let Some(plan) = view.plan.filter(|_| view.is_real()) else {
        return RuleAnswer::NotApplicable;
    };
    let leaves = || view.environment.targets.iter().flat_map(queue::leaves);
    if leaves().all(|l| queue::number(l, "max_sectors_kb").is_none()) {
        return RuleAnswer::NotObservable("no device below the targets tells its longest request");
    }
    let streams = plan.steps().flat_map(|s| &s.streams);
    RuleAnswer::of(streams.flat_map(|s| {
        let block = s.largest_buffer();
        let below = view.environment.targets.get(s.target.0 as usize);
        let below = below.into_iter().flat_map(queue::leaves);
        let short = below
            .filter(move |l| queue::number(l, "max_sectors_kb").is_some_and(|k| k << 10 < block.0));
        short.map(move |l| {
            let limit = queue::number(l, "max_sectors_kb").unwrap_or(0);
            let message = format!(
                "{} takes {limit} KiB at once, so that {block} of {} arrive in {} pieces at least.",
                l.name,
                s.workload,
                block.0.div_ceil((limit << 10).max(1))
            );
            RuleFinding::new(message).text("device", &l.name).judged(
                "block",
                Quantity::Bytes(block.0),
                (limit << 10) as f64,
            )
        })
    }))
}
