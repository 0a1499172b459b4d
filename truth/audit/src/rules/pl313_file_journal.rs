use crate::{NotApplicable, RuleAnswer, RuleFinding, RunView, applies, findings};
use plimsoll_plan::Durability;

rule! {
    313 "file-journal" Run(check) NOTE pitfalls [41] {
        summary: "Durable writes go to a file, whose file system writes more than they are.",
        why: "A file system keeps a journal of what it changes. A write that must last makes it write that too, and wait for \
            it: two device writes and a flush for one write of the application.",
        threshold: "A file that is written with a durability.",
        source: "Measured: 2,000 writes with an fsync each are 4,070 writes of the device.",
        example: "dsync on ext4: half of the device's rate arrives at the application.",
        remedy: "State it with the result, write over existing blocks of a filled file, or test the device.",
    }
    fires: |o| {
        file(o);
        o.plan.targets[0].durability = Durability::Dsync;
    },
    clean: |o| file(o),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let plan = view.plan.filter(|_| view.is_real()).ok_or(NotApplicable)?;
    let files: Vec<usize> = (0..plan.targets.len())
        .filter(|n| {
            view.environment
                .targets
                .get(*n)
                .is_some_and(|t| t.kind == "file")
        })
        .collect();
    applies(!files.is_empty())?;
    let durable = |n: &usize| {
        let target = &plan.targets[*n];
        let on_it = |s: &plimsoll_plan::Stream| s.target.0 as usize == *n && s.mix.write > 0.0;
        let mut streams = plan.steps().flat_map(|s| &s.streams);
        streams.any(|s| on_it(s) && target.opening(s).durability != Durability::None)
    };
    findings(files.into_iter().filter(durable).map(|n| {
        RuleFinding::new(format!(
            "The durable writes to {} go through a file system.",
            plan.targets[n].name
        ))
        .text("target", &plan.targets[n].name)
    }))
}

#[cfg(test)]
fn file(o: &mut crate::known::Observed) {
    crate::known::writing(&mut o.plan);
    o.environment.targets[0].kind = "file".into();
}
