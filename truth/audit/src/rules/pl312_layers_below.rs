use crate::{RuleAnswer, RuleFinding, RunView, applies, findings, queue};
use plimsoll_evidence::{BlockLayer, EnvironmentTarget};
use plimsoll_printable::human;

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
    applies(view.is_real())?;
    let layers = |t: &EnvironmentTarget| {
        let is = |l: &&BlockLayer| ["dm", "md", "multipath"].contains(&l.kind.as_str());
        t.stack.iter().filter(is).map(named).collect::<Vec<_>>()
    };
    let stacked = view
        .environment
        .targets
        .iter()
        .map(|t| (t, layers(t)))
        .filter(|(_, l)| !l.is_empty());
    findings(stacked.map(|(t, names)| {
        RuleFinding::new(format!("{} lies on {}.", t.name, names.join(", ")))
            .text("layers", &names.join(", "))
    }))
}

/// Its name, and the geometry of a stripe.
fn named(layer: &BlockLayer) -> String {
    match queue::stripe(layer) {
        Some((columns, unit)) => format!(
            "{} (a stripe of {columns} columns, {} of each in turn)",
            layer.name,
            human::bytes(unit)
        ),
        None => layer.name.clone(),
    }
}

#[test]
fn a_stripe_is_told_with_its_geometry() {
    let case = crate::known::changed(|o| {
        o.layer().kind = "dm".into();
        o.layer().name = "dm-3".into();
        o.queue("stripe_columns", "8");
        o.queue("stripe_unit", "1048576");
    });
    let found = crate::known::found(check(&case.view()));
    let said = &found[0].message;
    assert!(
        said.ends_with("lies on dm-3 (a stripe of 8 columns, 1.00 MiB of each in turn)."),
        "{said}"
    );
}
