use crate::io_limits::{self, ABOVE, IoLimit};
use crate::{RuleAnswer, RuleFinding, RunView, others};
use plimsoll_evidence::{Quantity, Severity, Witnessed};
use plimsoll_printable::human;

rule! {
    132 "io-limit" Run(check) [NOTE, SUSPECT, SUSPECT, INVALID, NOTE] pitfalls [53, 25] {
        summary: "A control group limits the I/O.",
        why: "io.max lets through so many bytes or I/Os a second and keeps the rest waiting above the device. To the tool they \
            are in flight: their wait looks like latency, and the limit like the device's best.",
        threshold: "A limit is set on a device (io.max of the control group or one above it, or version 1's blkio.throttle). A note while the I/Os on \
            the targets above that device are less than 90 % of it, or more than 110 %, and where it is not known which these are.",
        source: "io.max, or blkio.throttle.*_device, of the control group; the 90 % are ours, beside what the kernel's throttle lets through in bursts.",
        example: "riops=1000: 1,000 reads/s at any depth, and a response time of the depth over that.",
        remedy: "Lift the limit for the run, or say that it is what was measured.",
    }
    fires: |o| limited(o, "8:16 rbps=max wbps=max riops=10000 wiops=max"),
    clean: |o| limited(o, "8:16 rbps=max wbps=max riops=max wiops=max"),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let group = |seen: &Witnessed| seen.cgroup.is_some().then_some(());
    others::ask(
        view,
        "the limits of the control group",
        group,
        |step, seen, ()| {
            let limits = io_limits::of(step, seen, &view.environment.targets);
            limits.iter().filter_map(finding).collect()
        },
    )
}

fn finding(limit: &IoLimit<'_>) -> Option<RuleFinding> {
    let what = match limit.key {
        "rbps" => "so many bytes read a second",
        "wbps" => "so many bytes written a second",
        "riops" => "so many reads a second",
        "wiops" => "so many writes a second",
        _ => return None,
    };
    let met = (REACHED..=ABOVE).contains(&limit.used);
    let (follows, at_most) = match limit.used {
        _ if met && limit.sure => (": it measured the limit", Severity::Invalid),
        used if used > ABOVE => (
            ", so that not all of it came to the device through the limit",
            Severity::Note,
        ),
        _ => ("", Severity::Note),
    };
    let message = format!(
        "A control group lets {what} through to device {}, {}={}, at most; the step did {} of that{follows}.",
        limit.device,
        limit.key,
        limit.most,
        human::percent(limit.used),
    );
    let found = RuleFinding::new(message).at_most(at_most);
    Some(found.judged("used", Quantity::Share(limit.used), REACHED))
}

const REACHED: f64 = 0.9;

#[cfg(test)]
fn limited(o: &mut crate::known::Observed, line: &str) {
    let group = o.witnessed().cgroup.get_or_insert_default();
    group.io_limits = vec![line.into()];
}

#[test]
fn a_limit_that_is_far_off_is_a_note_and_what_is_no_limit_is_nothing() {
    use crate::known::{changed, found};
    let with = |line: &str| found(check(&changed(|o| limited(o, line)).view()));
    assert_eq!(with("8:16 riops=11000")[0].at_most, Severity::Invalid);
    assert_eq!(
        with("8:16 riops=12000 rbps=91022222")[0].at_most,
        Severity::Note
    );
    assert_eq!(
        with("8:16 riops=12000 rbps=91022222")[1].at_most,
        Severity::Invalid
    );
    assert_eq!(with("8:16 riops=-4 wbps= x =7 later=9"), []);
    assert_eq!(with(""), []);
    // What is far more than a limit lets through did not come to it.
    let cached = &with("8:16 riops=200")[0];
    assert_eq!(cached.at_most, Severity::Note);
    assert!(cached.message.ends_with("the limit."), "{}", cached.message);
    assert_eq!(with("8:16 riops=9200")[0].at_most, Severity::Invalid);
}

#[test]
fn a_limit_of_one_disk_is_not_held_against_the_ios_of_another() {
    use crate::known::{changed, found, on_two_disks};
    let with = |line: &str| {
        let case = changed(|o| {
            on_two_disks(o, 0.5);
            limited(o, line);
        });
        found(check(&case.view()))[0].at_most
    };
    assert_eq!(with("sdx riops=10000"), Severity::Note);
    assert_eq!(with("sdx riops=5000"), Severity::Invalid);
    assert_eq!(with("8:16 riops=10000"), Severity::Note);
}
