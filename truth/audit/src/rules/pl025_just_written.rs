use crate::{NotApplicable, PlanView, RuleAnswer, RuleFinding, StepAt, findings};
use plimsoll_evidence::Quantity;
use plimsoll_plan::{Mix, Nanos, Question};
use plimsoll_printable::human;

rule! {
    25 "just-written" Plan(check) [NOTHING, SUSPECT, SUSPECT, SUSPECT, NOTHING] pitfalls [6, 17] {
        summary: "What is read was written just before, and little of it.",
        why: "What was written last is still where writes go first: in the cache of a drive, in the memory or the journal of an \
            array, in a tier that is to be emptied. Reads of it are answered from there, and not from where the data will lie \
            tomorrow.",
        threshold: "A step that reads an area of less than 2 GiB which an earlier step of the plan wrote, with less than ten seconds \
            of pause and warm-up between them. Of a lab target whose caches are scaled, the area times the scale. Not of a test of the specification, \
            which writes before it reads.",
        source: "Our proposal; the 2 GiB are those of small-working-set (PL015), ten seconds are what an array holds writes back \
            at the most before it destages them.",
        example: "A run writes 16 MiB and reads them at once: every read is answered by the memory that took the write.",
        remedy: "Write more than any cache on the way holds, or let the target rest (`pause`) and warm up before it is read.",
    }
    fires: |p| {
        use plimsoll_plan::{Bytes, RangeSpec};
        after_writing(
            p,
            RangeSpec::Bytes(Bytes(0), Bytes(1 << 24)),
            Nanos::secs(1),
        );
    },
    clean: |p| {
        use plimsoll_plan::{Bytes, RangeSpec};
        after_writing(
            p,
            RangeSpec::Bytes(Bytes(0), Bytes(1 << 24)),
            Nanos::secs(60),
        );
    },
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let pairs = crate::touched::touched_before(view, |mix: &Mix| mix.write > 0.0);
    let pairs = pairs.ok_or(NotApplicable)?;
    let own = |at: &StepAt<'_>| matches!(at.question(), Some(Question::Pts(_)));
    findings(
        pairs
            .into_iter()
            .filter(|pair| !own(&pair.reader.at))
            .filter_map(|pair| {
                let scale = pair.reader.target.location.cache_scale();
                let soon = rest(&pair.reader.at) < REST;
                // Of an unknown size it is taken for much.
                let bytes = pair.bytes?;
                (soon && (bytes as f64 * scale) < SMALL as f64).then(|| {
            let message = format!(
                "{} reads {} that {} wrote just before: they are still where writes go first.",
                pair.reader.who(),
                human::bytes(bytes),
                pair.before
            );
            RuleFinding::new(message)
                .at(pair.reader.at.near("pause"))
                .judged("written", Quantity::Bytes(bytes), SMALL as f64 / scale)
                .judged(
                    "rest",
                    Quantity::Seconds(rest(&pair.reader.at).as_secs_f64()),
                    REST.as_secs_f64(),
                )
        })
            }),
    )
}

fn rest(at: &StepAt<'_>) -> Nanos {
    Nanos(at.step.pause.0.saturating_add(at.step.warmup.0))
}

const SMALL: u64 = 2 << 30;
const REST: Nanos = Nanos::secs(10);

#[cfg(test)]
fn after_writing(plan: &mut plimsoll_plan::Plan, area: plimsoll_plan::RangeSpec, warmup: Nanos) {
    use plimsoll_plan::{Item, Pattern, Step};
    let reader = crate::known::step_of(plan);
    reader.streams[0].address.range = area;
    reader.warmup = warmup;
    let mut writer = Step {
        name: "before".into(),
        run: "before".into(),
        ..reader.clone()
    };
    writer.streams[0].mix = Mix::WRITES;
    writer.streams[0].address.pattern = Pattern::ONE_PASS;
    plan.items.insert(0, Item::Step(writer));
}

#[test]
fn much_is_no_matter_how_soon_and_other_areas_are_others() {
    use plimsoll_plan::{Bytes, RangeSpec};
    let mut plan = crate::known::plan();
    after_writing(&mut plan, RangeSpec::Whole, Nanos(0));
    assert_eq!(check(&PlanView::new(&plan, None)), Ok(vec![]));
    let mut plan = crate::known::plan();
    let first = RangeSpec::Bytes(Bytes(0), Bytes(1 << 24));
    after_writing(&mut plan, first, Nanos(0));
    assert!(crate::known::fires(check(&PlanView::new(&plan, None))));
    let plimsoll_plan::Item::Step(reader) = &mut plan.items[1] else {
        panic!("a step")
    };
    reader.streams[0].address.range = RangeSpec::Bytes(Bytes(1 << 24), Bytes(1 << 25));
    assert_eq!(check(&PlanView::new(&plan, None)), Ok(vec![]));
}
