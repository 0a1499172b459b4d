use crate::{RuleAnswer, RuleFinding, RunView, findings, some_of};
use plimsoll_evidence::{Quantity, SLOTS_SHORT, StepEvidence};
use plimsoll_plan::Item;
use plimsoll_plan::validate::written;
use plimsoll_printable::human;

rule! {
    104 "slots-were-the-limit" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [32, 34] {
        summary: "I/Os waited for slots of the generator, not for the target alone.",
        why: "By Little's law a rate needs as many slots as its service time takes. Where they are all busy, an I/O that is \
            due waits in the generator: the response time has that wait in it, and the target never saw the load.",
        threshold: "More than 1 % of the I/Os on schedule found no free slot. Not of a curve's saturated points: those have no \
            latency, and PL434 names them.",
        source: "Little's law; the 1 % are those of the saturation criterion.",
        example: "64 slots at 0.8 ms carry 80,000/s. Of 100,000/s every fifth I/O waits, though the target has half of its queue \
            free.",
        remedy: "Have more slots, or ask for less.",
    }
    fires: |o| {
        o.step().saturation = Some(plimsoll_evidence::Saturation {
            no_slot_share: 0.3,
            ..Default::default()
        });
    },
    clean: |o| o.step().saturation = Some(Default::default()),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let steps = some_of(
        view.measured()
            .filter_map(|s| Some((s, s.saturation?)))
            .filter(|(step, s)| !(s.saturated && of_a_curve(view, step))),
    )?;
    let short = steps.filter(|(_, s)| s.slots_were_the_limit());
    findings(short.map(|(step, s)| {
        let message = format!(
            "{} of the I/Os found none of the {} slots free when they were due.{}",
            human::percent(s.no_slot_share),
            step.slots,
            match depth_given(view, step) {
                true =>
                    " The depth was given: left out, there are as many slots as the rate needs.",
                false => "",
            }
        );
        let seen = RuleFinding::new(message).step(step.number);
        seen.judged("no_slot", Quantity::Share(s.no_slot_share), SLOTS_SHORT)
    }))
}

/// Its saturated points are found to be so by the curve itself.
fn of_a_curve(view: &RunView<'_>, step: &StepEvidence) -> bool {
    let Some(plan) = view.plan else { return false };
    plan.items.iter().any(|item| {
        matches!(item, Item::Curve(curve) if curve.base.run == step.run)
            || matches!(item, Item::Method(m) if m.steps.iter().any(|s| s.run == step.run))
    })
}

/// Whether the user said how many slots there are.
fn depth_given(view: &RunView<'_>, step: &StepEvidence) -> bool {
    let Some(plan) = view.plan else { return false };
    let mut steps = plan.steps().filter(|s| s.run == step.run);
    steps.any(|s| {
        let of_a_workload = s.streams.iter().any(|stream| stream.depth.is_some());
        of_a_workload || written(s, "", "depth").is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::{Observed, curve, observed, stream_of};
    use plimsoll_evidence::SaturationCause;

    fn short() -> Observed {
        let mut case = observed();
        case.step().saturation = Some(plimsoll_evidence::Saturation {
            saturated: true,
            cause: Some(SaturationCause::SlotsShort),
            no_slot_share: 0.3,
            ..Default::default()
        });
        case
    }

    #[test]
    fn a_curves_saturated_points_are_named_by_the_curve() {
        let mut case = short();
        assert!(crate::known::fires(check(&case.view())));
        curve(&mut case.plan, false);
        assert!(!crate::known::fires(check(&case.view())));
    }

    #[test]
    fn a_depth_is_to_be_left_out_where_one_was_given() {
        let message = |case: &Observed| match check(&case.view()) {
            Ok(seen) => seen[0].message.contains("The depth was given"),
            other => panic!("{other:?}"),
        };
        let mut case = short();
        assert!(!message(&case));
        stream_of(&mut case.plan).depth = Some(8);
        assert!(message(&case));
    }
}
