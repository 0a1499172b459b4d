use crate::{PlanView, RuleAnswer, RuleFinding, findings, some_of};
use plimsoll_plan::Durability;

rule! {
    20 "not-durable" Plan(check) [NOTHING, NOTHING, NOTHING, NOTE, NOTHING] pitfalls [9] {
        summary: "Writes count as done before they are safe.",
        why: "Without a flush a write is done when the device says so, and a device with a volatile cache says so when the \
            data is in its memory. A database that waits for its log waits for the medium.",
        threshold: "A workload that writes to a target of durability `none`, where the claim is of the device.",
        source: "Linux tells a volatile cache as queue/write_cache = \"write back\"; array caches with batteries say \"write \
            through\".",
        example: "A consumer SSD takes 90,000 writes/s, and 3,000/s with durability = \"dsync\".",
        remedy: "Set durability = \"dsync\" where the application waits for its writes, or say that they are not durable.",
    }
    fires: |p| {
        crate::known::writing(p);
    },
    clean: |p| {
        crate::known::writing(p);
        p.targets[0].durability = Durability::Dsync;
    },
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let writers = some_of(view.writers())?;
    findings(
        writers
            .filter(|s| s.opening().durability == Durability::None)
            .map(|s| {
                let message = format!(
                    "The writes of {} are done when the device says so, safe or not.",
                    s.who()
                );
                RuleFinding::new(message)
                    .text("workload", &s.stream.workload)
                    .at(s.written("durability").or_else(|| s.written("path")))
            }),
    )
}
