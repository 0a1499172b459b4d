use crate::{RuleAnswer, RuleFinding, RunView};
use plimsoll_evidence::{BlockLayer, EnvironmentTarget};

rule! {
    312 "layers-below" Run(check) NOTE pitfalls [58] {
        summary: "Other layers lie between the target and its disks.",
        why: "Device mapper, RAID and encryption split, copy and encode. What the disks do is another load than what was \
            asked for, and the CPU has a part in it.",
        threshold: "A device-mapper or RAID device in the stack of a target.",
        source: "The slaves that sysfs tells of.",
        example: "RAID 5: each small write is two reads and two writes of the disks.",
        remedy: "State the stack with the result, or test its disks.",
    }
    fires: |o| o.layer().kind = "md".into(),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    if !view.is_real() {
        return RuleAnswer::NotApplicable;
    }
    let layers = |t: &EnvironmentTarget| {
        let is = |l: &&BlockLayer| ["dm", "md", "multipath"].contains(&l.kind.as_str());
        t.stack
            .iter()
            .filter(is)
            .map(|l| l.name.clone())
            .collect::<Vec<_>>()
    };
    let stacked = view
        .environment
        .targets
        .iter()
        .map(|t| (t, layers(t)))
        .filter(|(_, l)| !l.is_empty());
    RuleAnswer::of(stacked.map(|(t, names)| {
        RuleFinding::new(format!("{} lies on {}.", t.name, names.join(", ")))
            .text("layers", &names.join(", "))
    }))
}
