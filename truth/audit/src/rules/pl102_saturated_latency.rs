use crate::{RuleAnswer, RuleFinding, RunView, findings, some_of};
use plimsoll_evidence::{LimitCause, Quantity, StepEvidence};
use plimsoll_printable::human;

rule! {
    102 "saturated-latency" Run(check) SUSPECT pitfalls [29] {
        summary: "A load that is not carried has a response time, and it is none.",
        why: "Where more is asked for than the storage carries, the backlog grows as long as the run lasts. The mean \
            response is then half the length of the run times the excess: run twice as long, and it doubles.",
        threshold: "A rate that was asked for, outside of a curve, with a backlog that grows, a shortfall of more than 0.5 % or no \
            free slot through most of the step.",
        source: "What docs/output.md says of saturated points.",
        example: "50,000/s asked of storage that carries 40,000: after 60 s 600,000 I/Os wait, and the last one waited 15 s.",
        remedy: "Ask for less, or run `plimsoll curve` to learn what is carried.",
    }
    fires: |o| {
        o.step().offered = Some(50_000.0);
        o.step().saturation = Some(plimsoll_evidence::Saturation {
            saturated: true,
            ..Default::default()
        });
    },
    clean: |o| o.step().saturation = Some(Default::default()),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let alone = |step: &&StepEvidence| !view.verdicts.iter().any(|v| v.run() == step.run);
    let steps = some_of(
        view.measured()
            .filter(alone)
            .filter_map(|step| Some((step, step.saturation?))),
    )?;
    findings(steps.filter(|(_, s)| s.saturated).map(|(step, s)| {
        let (why, remedy) = not_carried(step);
        let message = format!(
            "{} {why}: its response time of {} is how long the run was, not how fast the target is.",
            step.load,
            human::time(step.response_mean_ns.mean)
        );
        RuleFinding::new(message)
            .remedy(remedy)
            .step(step.number)
            .value("shortfall", Quantity::Share(s.shortfall))
            .value("backlog_growth", Quantity::PerSecond(s.backlog_growth))
            .value("short_samples", Quantity::Share(s.short_samples))
    }))
}

/// Whose doing it is that the load was not carried, as far as that is known, and what to do where less of it is no remedy.
fn not_carried(step: &StepEvidence) -> (String, Option<&'static str>) {
    let limit = step.limit.as_ref().map(|limit| limit.cause);
    let is_the_hosts = limit.is_some_and(LimitCause::is_of_host);
    match step.slots {
        _ if step.still_at_end_s().is_some() => (
            "was not carried, for the target stood still".into(),
            Some("See what the target did then."),
        ),
        _ if is_the_hosts => (
            "is more than the host sends".into(),
            Some("Give the host CPUs that nothing else uses, or use more hosts."),
        ),
        n if step.slots_hold_it_back() => {
            let slots = match n {
                1 => "one slot carries".into(),
                n => format!("{} slots carry", human::count(n)),
            };
            (
                format!("is more than its {slots}"),
                Some("Leave the depth out: an open loop then has as many slots as it needs."),
            )
        }
        _ => ("is more than the target carries".into(), None),
    }
}

#[test]
fn a_target_is_not_said_to_carry_less_where_it_was_asked_for_less_or_stood_still() {
    let said = |slots: u64, limit: Option<LimitCause>, still: bool| {
        let case = crate::known::changed(|o| {
            let step = o.step();
            (step.offered, step.slots) = (Some(80_000.0), slots);
            step.limit = limit.map(crate::known::limited_by);
            let length = [("length", Quantity::Seconds(24.7))];
            let found = plimsoll_evidence::Finding::of_step(
                1,
                "target-stood-still-at-end",
                plimsoll_evidence::Severity::Suspect,
                length,
            );
            step.findings = [found].into_iter().filter(|_| still).collect();
        });
        not_carried(&case.steps[0]).0
    };
    let (target, slots) = (
        "is more than the target carries",
        "is more than its 16 slots carry",
    );
    assert_eq!(said(80, None, false), target);
    assert_eq!(said(16, None, false), slots);
    assert_eq!(said(16, Some(LimitCause::NotAttributable), false), slots);
    assert_eq!(said(16, Some(LimitCause::Media), false), target);
    assert_eq!(
        said(80, Some(LimitCause::HostCpu), false),
        "is more than the host sends"
    );
    assert!(said(80, None, true).ends_with("for the target stood still"));
}
