use crate::{RuleAnswer, RuleFinding, RunView, findings, some_of};
use plimsoll_evidence::{Quantity, SLOTS_SHORT, Saturation, Severity, StepEvidence};
use plimsoll_plan::validate::written;
use plimsoll_plan::{Item, Load, Stream};
use plimsoll_printable::human;

rule! {
    104 "slots-were-the-limit" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [32, 34] {
        summary: "I/Os waited for slots of the generator, not for the target alone.",
        why: "By Little's law a rate needs as many slots as its service time takes. Where they are all busy, an I/O that is \
            due waits in the generator: the response time has that wait in it, and the target never saw the load.",
        threshold: "More than 1 % of the I/Os on schedule found no free slot. Not of a curve's saturated points: those have no \
            latency, and PL434 names them. Nor where as many waited for a target that stalled (PL409) or \
            stood still (PL408), nor where the target is known to have limited a load that was not carried: no number of slots would have helped. A note where the wait is less than a tenth of a mean response that has no \
            backlog.",
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
    let short = steps.filter(|(step, s)| {
        let is_crowded = crowded_out(view, step);
        let is_targets = s.saturated && step.limit.as_ref().is_some_and(|l| l.cause.is_of_target());
        s.slots_were_the_limit() && !waited_for_target(step, s) && (is_crowded || !is_targets)
    });
    findings(short.map(|(step, s)| {
        let (why, remedy) = match (crowded_out(view, step), depth_given(view, step)) {
            _ if late_by_host(step, &s) => (
                " The host itself was late with most of them.",
                Some("Give the host CPUs that nothing else uses, use more hosts, or ask for less."),
            ),
            (true, _) => (
                " Workloads without a rate keep all slots of their targets busy, however many there are.",
                Some("Give each workload without a rate a `depth` of its own."),
            ),
            (false, true) => (
                " The depth was given: left out, there are as many slots as the rate needs.",
                None,
            ),
            (false, false) => ("", None),
        };
        let message = format!(
            "{} of the I/Os found none of the {} slots free when they were due.{why}",
            human::percent(s.no_slot_share),
            step.slots,
        );
        let (all, own) = (step.response_mean_ns.mean, step.service_mean_ns.mean);
        let at_most = match !s.saturated && own >= (1.0 - LITTLE) * all && own > 0.0 {
            true => Severity::Note,
            false => Severity::Invalid,
        };
        let seen = RuleFinding::new(message).step(step.number).at_most(at_most);
        seen.remedy(remedy).judged("no_slot", Quantity::Share(s.no_slot_share), SLOTS_SHORT)
    }))
}

/// Whether the host is what held them up: more slots would wait for the same CPUs.
fn late_by_host(step: &StepEvidence, short: &Saturation) -> bool {
    let late: u64 = step.late_by_host.iter().map(|s| s.ios).sum();
    let short = short.no_slot_share * step.ios as f64;
    let is_limit = step.limit.as_ref().is_some_and(|l| l.cause.is_of_host());
    is_limit || late as f64 > short / 2.0
}

/// Whether those that found no slot waited for a target that answered nothing meanwhile.
fn waited_for_target(step: &StepEvidence, short: &Saturation) -> bool {
    let held: u64 = step.stalls.iter().map(|s| s.ios).sum();
    let still = step.still_at_end_s().zip(step.offered);
    let due = still.map_or(0.0, |(seconds, rate)| seconds * rate);
    short.no_slot_share * step.ios as f64 <= HELD * due.max(held as f64)
}

/// A wait for slots that is no more of the mean response changes little.
const LITTLE: f64 = 0.1;

/// How far the count of a stall's I/Os may be off.
const HELD: f64 = 1.1;

/// Its saturated points are found to be so by the curve itself.
fn of_a_curve(view: &RunView<'_>, step: &StepEvidence) -> bool {
    let Some(plan) = view.plan else { return false };
    plan.items.iter().any(|item| {
        matches!(item, Item::Curve(curve) if curve.base.run == step.run)
            || matches!(item, Item::Method(m) if m.steps.iter().any(|s| s.run == step.run))
    })
}

/// Whether what had a schedule shared its slots with what takes all there are.
fn crowded_out(view: &RunView<'_>, step: &StepEvidence) -> bool {
    let mut steps = view.plan.into_iter().flat_map(|plan| plan.steps());
    steps.any(|s| {
        let shared = || s.streams.iter().filter(|stream| stream.depth.is_none());
        let is_rated = |stream: &&Stream| stream.fixed_rate.is_some();
        let unrated = |rated: &Stream| {
            shared().any(|other| other.target == rated.target && other.fixed_rate.is_none())
        };
        s.run == step.run && s.load == Load::Max && shared().filter(is_rated).any(unrated)
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
    use plimsoll_evidence::{LimitCause, SaturationCause};

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
    fn what_a_stall_held_up_waited_for_no_slot() {
        let held = |ios: u64| {
            let mut case = short();
            let step = case.step();
            step.ios = 1_000_000;
            step.stalls = vec![plimsoll_evidence::Stretch {
                start_ns: 0,
                length_ns: 1_000_000_000,
                ios,
            }];
            crate::known::fires(check(&case.view()))
        };
        assert!(!held(300_000));
        assert!(held(100_000));
    }

    #[test]
    fn a_host_that_is_late_has_no_use_for_more_slots() {
        let remedy = |late: u64, limit: Option<LimitCause>| {
            let mut case = short();
            let step = case.step();
            step.ios = 1_000_000;
            step.late_by_host = vec![plimsoll_evidence::Stretch {
                start_ns: 0,
                length_ns: 1_000_000_000,
                ios: late,
            }];
            step.limit = limit.map(crate::known::limited_by);
            crate::known::found(check(&case.view()))[0].remedy
        };
        let host = |said: Option<&str>| said.is_some_and(|said| said.contains("host CPUs"));
        assert!(host(remedy(200_000, None)));
        assert!(host(remedy(0, Some(LimitCause::HostCpu))));
        assert!(!host(remedy(100_000, Some(LimitCause::Slots))));
    }

    #[test]
    fn a_target_that_is_full_has_no_use_for_more_slots() {
        let fires = |limit: LimitCause, saturated: bool| {
            let mut case = short();
            let step = case.step();
            step.saturation.as_mut().expect("it").saturated = saturated;
            step.limit = Some(crate::known::limited_by(limit));
            crate::known::fires(check(&case.view()))
        };
        assert!(!fires(LimitCause::ArrayCores, true));
        assert!(fires(LimitCause::ArrayCores, false));
        assert!(fires(LimitCause::Slots, true));
        assert!(fires(LimitCause::NotAttributable, true));
    }

    #[test]
    fn what_goes_as_fast_as_it_can_leaves_others_no_slots_however_many_there_are() {
        let remedy = |depth: Option<u32>| {
            let mut case = short();
            let step = crate::known::step_of(&mut case.plan);
            let backup = Stream {
                depth,
                ..crate::known::stream()
            };
            step.streams[0].fixed_rate = Some(plimsoll_plan::Rate(3_000.0));
            step.streams.push(backup);
            case.step().limit = Some(crate::known::limited_by(LimitCause::ArrayCores));
            let found = check(&case.view()).expect("an answer");
            found.first().and_then(|f| f.remedy)
        };
        assert!(remedy(None).is_some_and(|words| words.contains("of its own")));
        assert_eq!(remedy(Some(8)), None);
    }

    #[test]
    fn a_standstill_at_the_end_hides_no_more_than_came_due_in_it() {
        let fires = |length_s: f64, shortfall: f64| {
            let mut case = short();
            let step = case.step();
            (step.offered, step.ios, step.counted_s) = (Some(1000.0), 600_000, 600.0);
            step.saturation.as_mut().expect("it").shortfall = shortfall;
            step.findings = vec![plimsoll_evidence::Finding::of_step(
                1,
                "target-stood-still-at-end",
                Severity::Suspect,
                [("length", Quantity::Seconds(length_s))],
            )];
            crate::known::fires(check(&case.view()))
        };
        assert!(!fires(250.0, 0.4));
        assert!(fires(3.0, 0.0));
        // It was short of far more than that.
        assert!(fires(250.0, 0.9));
    }

    #[test]
    fn a_wait_that_is_next_to_nothing_of_the_response_is_a_note() {
        let worst = |response_ns: f64, saturated: bool| {
            let mut case = short();
            let step = case.step();
            step.saturation.as_mut().expect("it").saturated = saturated;
            step.response_mean_ns = plimsoll_evidence::Estimate::bare(response_ns);
            step.service_mean_ns = plimsoll_evidence::Estimate::bare(3_900_000.0);
            crate::known::found(check(&case.view()))[0].at_most
        };
        assert_eq!(worst(3_970_000.0, false), Severity::Note);
        assert_eq!(worst(3_970_000.0, true), Severity::Invalid);
        assert_eq!(worst(8_000_000.0, false), Severity::Invalid);
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
