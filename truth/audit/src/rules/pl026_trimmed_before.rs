use crate::{NotApplicable, PlanView, RuleAnswer, RuleFinding, findings};
use plimsoll_evidence::Quantity;
use plimsoll_plan::Mix;
use plimsoll_printable::human;

rule! {
    26 "trimmed-before" Plan(check) [NOTE, INVALID, INVALID, INVALID, NOTE] pitfalls [4, 3] {
        summary: "What is read was trimmed before: it holds nothing.",
        why: "A trimmed block is an entry in a map that says: nothing here. Reading it costs a look into the map, of the file system, \
            of the thin pool or of the flash translation layer, and no medium.",
        threshold: "A step that reads an area which an earlier step of the plan trims, with no step between them that writes it again.",
        source: "Deallocated blocks are pitfall 4 of the catalogue: an NVMe drive answers reads of them without touching flash.",
        example: "A run trims a LUN to have it new, and reads it: 1,000,000 reads/s of nothing.",
        remedy: "Fill what was trimmed before it is read (purpose = \"fill\").",
    }
    fires: |p| after(p, &[Mix::TRIMS]),
    clean: |p| after(p, &[Mix::TRIMS, Mix::WRITES]),
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let pairs =
        crate::touched::touched_before(view, |mix: &Mix| mix.trim > 0.0).ok_or(NotApplicable)?;
    findings(
        pairs
            .into_iter()
            .filter(|pair| !pair.written_between)
            .map(|pair| {
                let what = match pair.bytes {
                    None => "what".to_string(),
                    Some(bytes) => format!("{} that", human::bytes(bytes)),
                };
                let message = format!(
                    "{} reads {what} {} trims before: nothing is there, and no medium is asked.",
                    pair.reader.who(),
                    pair.before
                );
                let found = RuleFinding::new(message).at(pair.reader.written("read"));
                match pair.bytes {
                    None => found,
                    Some(bytes) => found.judged("trimmed", Quantity::Bytes(bytes), 0.0),
                }
            }),
    )
}

#[cfg(test)]
fn after(plan: &mut plimsoll_plan::Plan, mixes: &[Mix]) {
    use plimsoll_plan::{Item, Pattern, Step};
    let reader = crate::known::step_of(plan).clone();
    for (at, mix) in mixes.iter().enumerate() {
        let name = format!("before-{at}");
        let mut step = Step {
            run: name.clone(),
            name,
            ..reader.clone()
        };
        step.streams[0].mix = *mix;
        step.streams[0].address.pattern = Pattern::ONE_PASS;
        plan.items.insert(at, Item::Step(step));
    }
}

#[test]
fn of_a_target_whose_size_is_not_known_no_size_is_named() {
    let mut plan = crate::known::plan();
    plan.targets[0].size = None;
    after(&mut plan, &[Mix::TRIMS]);
    let seen = crate::known::found(check(&PlanView::new(&plan, None)));
    assert_eq!(
        seen[0].message,
        "oltp on disk reads what before-0 trims before: nothing is there, and no medium is asked."
    );
}
