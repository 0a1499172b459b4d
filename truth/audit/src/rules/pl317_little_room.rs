use crate::{NotApplicable, RuleAnswer, RuleFinding, RunView, findings, observable, some_of};
use plimsoll_evidence::{EnvironmentTarget, FileLayout, Quantity};
use plimsoll_plan::Purpose;
use plimsoll_printable::human;

rule! {
    317 "little-room" Run(check) NOTE pitfalls [22] {
        summary: "The file system that is written to is nearly full.",
        why: "A file system with little room searches longer for it, and puts what it finds in pieces. An SSD below it has fewer \
            spare blocks for its garbage collection the fuller it is. The same test is slower there than on an empty one.",
        threshold: "Less than 15 % of a file system free that a target lies on and that the run writes to.",
        source: "statvfs, when the run ended; the share is the catalogue's.",
        example: "6 % of 2 TB free: random writes reach 60 % of what the empty drive gave.",
        remedy: "Make room, or state how full it was with the result, and compare runs at the same fill level only.",
    }
    fires: |o| file(o, 90 << 30),
    clean: |o| file(o, 400 << 30),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let plan = view.plan.filter(|_| view.is_real()).ok_or(NotApplicable)?;
    let written = |index: usize| {
        plan.steps()
            .filter(|s| s.purpose == Purpose::Measure)
            .flat_map(|s| &s.streams)
            .any(|s| s.target.0 as usize == index && s.mix.write > 0.0)
    };
    let files = some_of(
        view.environment
            .targets
            .iter()
            .enumerate()
            .filter(|(n, t)| t.kind == "file" && written(*n)),
    )?;
    let known: Vec<(&EnvironmentTarget, &FileLayout)> = files
        .filter_map(|(_, t)| Some((t, t.layout.as_ref()?)))
        .collect();
    observable(!known.is_empty(), "how full the file system is")?;
    findings(known.into_iter().filter_map(|(target, layout)| {
        let free = layout.free_bytes as f64 / layout.file_system_bytes.max(1) as f64;
        (layout.file_system_bytes > 0 && free < LEAST).then(|| {
            let message = format!(
                "The file system of {} has {} free, {:.0} % of it.",
                target.name,
                human::bytes(layout.free_bytes),
                free * 100.0
            );
            RuleFinding::new(message).judged("free", Quantity::Share(free), LEAST)
        })
    }))
}

const LEAST: f64 = 0.15;

#[cfg(test)]
fn file(o: &mut crate::known::Observed, free_bytes: u64) {
    crate::known::writing(&mut o.plan);
    let target = &mut o.environment.targets[0];
    target.kind = "file".into();
    target.layout = Some(FileLayout {
        files: 1,
        file_system_bytes: 1000 << 30,
        free_bytes,
        ..FileLayout::default()
    });
}
