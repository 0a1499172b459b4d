use crate::{RuleAnswer, RuleFinding, RunView, others};
use plimsoll_evidence::witnessed::CgroupUse;
use plimsoll_evidence::{Quantity, Severity, StepEvidence, Witnessed};
use plimsoll_printable::human;

rule! {
    131 "cpu-limit" Run(check) [SUSPECT, SUSPECT, SUSPECT, INVALID, SUSPECT] pitfalls [53, 27] {
        summary: "A control group kept Plimsoll from running.",
        why: "A container's CPU limit is given in periods of 100 ms: what has used its part up stands still until the next \
            begins. Latencies of tens of milliseconds appear that no disk made, and a closed loop does as much as the limit \
            lets it.",
        threshold: "The group's tasks, Plimsoll's threads among them, were kept from running in at least one period; a note below 0.1 % of its workers' time, suspect below 1 \
            %.",
        source: "cpu.stat of the control group and those above it: nr_throttled and throttled time, of \
            the group that was held up most. The catalogue has any \
            throttling as invalid; the shares are ours.",
        example: "cpu.max (version 1: cpu.cfs_quota_us) \"50000 100000\": half a CPU, 4,000 reads/s at a median of 0.1 ms and a 99th percentile of 52 ms.",
        remedy: "Lift the limit for the run, or say that it is what was measured.",
    }
    fires: |o| group(o, 5_800, 240.0),
    clean: |o| group(o, 0, 0.0),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let group = |seen: &Witnessed| seen.cgroup.clone();
    others::ask(
        view,
        "the limits of the control group",
        group,
        |step, seen, group| throttled(step, seen, &group).into_iter().collect(),
    )
}

fn throttled(step: &StepEvidence, seen: &Witnessed, group: &CgroupUse) -> Option<RuleFinding> {
    if group.throttled_periods == 0 && group.throttled_s <= 0.0 {
        return None;
    }
    let share = group.throttled_s / (seen.observed_s * f64::from(step.workers.max(1)));
    let limit = group.cpu_limit.map_or("its limit".into(), |cpus| {
        format!("its limit of {} CPUs", human::number(cpus))
    });
    let message = format!(
        "The control group had used up {limit} in {} {}, and kept the group's tasks from running for {} in all, {} of the workers' time.",
        human::count(group.throttled_periods),
        if group.throttled_periods == 1 {
            "period"
        } else {
            "periods"
        },
        human::time(group.throttled_s * 1e9),
        human::percent(share.min(1.0)),
    );
    let at_most = match share {
        s if s > MUCH => Severity::Invalid,
        s if s > SOME => Severity::Suspect,
        _ => Severity::Note,
    };
    Some(
        RuleFinding::new(message)
            .at_most(at_most)
            .judged("periods", Quantity::Count(group.throttled_periods), 1.0)
            .judged("share", Quantity::Share(share), SOME)
            .value("throttled", Quantity::Seconds(group.throttled_s)),
    )
}

const SOME: f64 = 0.001;
const MUCH: f64 = 0.01;

#[cfg(test)]
fn group(o: &mut crate::known::Observed, throttled_periods: u64, throttled_s: f64) {
    o.witnessed().cgroup = Some(CgroupUse {
        cpu_limit: Some(0.5),
        throttled_periods,
        throttled_s,
        io_limits: vec![],
    });
}

#[test]
fn how_bad_it_is_goes_by_the_workers_time() {
    use crate::known::{changed, found};
    let worst = |s| found(check(&changed(|o| group(o, 3, s)).view()))[0].at_most;
    // Two workers of 600 s.
    assert_eq!(worst(1.1), Severity::Note);
    assert_eq!(worst(1.3), Severity::Suspect);
    assert_eq!(worst(12.1), Severity::Invalid);
}

#[test]
fn one_short_period_is_told_as_what_it_is() {
    let case = crate::known::changed(|o| group(o, 1, 0.0123));
    let message = crate::known::found(check(&case.view()))[0].message.clone();
    holds!(message, "in 1 period, ", "for 12.3ms in all");
}
