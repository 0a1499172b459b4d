//! A control group limits the I/O.

use crate::others;
use crate::{Answer, Check, INVALID, NOTE, Page, Rule, RunView, SUSPECT, Seen, Severities};
use plimsoll_evidence::{Quantity, Severity, StepEvidence, Witnessed};
use plimsoll_measure::Op;
use plimsoll_printable::human;

pub const RULE: Rule = Rule {
    number: 132,
    name: "io-limit",
    summary: "A control group limits the I/O.",
    severity: Severities::of([NOTE, SUSPECT, SUSPECT, INVALID, NOTE]),
    pitfalls: &[53, 25],
    page: Page {
        why: "io.max lets through so many bytes or I/Os a second and keeps the rest waiting above the device. To the tool they \
            are in flight: their wait looks like latency, and the limit like the device's best.",
        threshold: "A limit is set on a device (io.max of the control group or one above it, or version 1's blkio.throttle). A note while less than 90 % of it is \
            used.",
        source: "io.max, or blkio.throttle.*_device, of the control group; the 90 % are ours, beside what the kernel's throttle lets through in bursts.",
        example: "riops=1000: 1,000 reads/s at any depth, and a response time of the depth over that.",
        remedy: "Lift the limit for the run, or say that it is what was measured.",
    },
    check: Check::Run(check),
};

fn check(view: &RunView<'_>) -> Answer {
    let limits = |seen: &Witnessed| Some(seen.cgroup.as_ref()?.io_limits.clone());
    others::ask(
        view,
        "the limits of the control group",
        limits,
        |step, _, lines| lines.iter().flat_map(|line| of_line(step, line)).collect(),
    )
}

/// What a line of io.max limits: `8:16 rbps=2097152 wbps=max riops=max wiops=120`.
fn of_line(step: &StepEvidence, line: &str) -> Vec<Seen> {
    let mut words = line.split_whitespace();
    let device = words.next().unwrap_or_default();
    let limits = words.filter_map(|word| {
        let (key, value) = word.split_once('=')?;
        Some((key, value.parse::<u64>().ok()?))
    });
    limits
        .filter_map(|(key, limit)| {
            let (done, what) = done(step, key)?;
            let used = others::share(done, limit as f64);
            let message = format!(
                "A control group lets {what} through to device {device}, {key}={limit}, at most; the step did {} of that{}.",
                human::percent(used),
                if used >= REACHED { ": it measured the limit" } else { "" }
            );
            let at_most = match used >= REACHED {
                true => Severity::Invalid,
                false => Severity::Note,
            };
            let found = Seen::new(message).at_most(at_most);
            Some(found.value("used", Quantity::Share(used)))
        })
        .collect()
}

/// What the step did each second of a kind that is limited, and its name.
fn done(step: &StepEvidence, key: &str) -> Option<(f64, &'static str)> {
    let of = |op: Op| step.ops.iter().filter(move |o| o.op == op);
    let ios = |op| of(op).map(|o| o.ios as f64).sum::<f64>() / step.counted_s;
    let bytes = |op| of(op).map(|o| o.bytes as f64).sum::<f64>() / step.counted_s;
    match key {
        "rbps" => Some((bytes(Op::Read), "so many bytes read a second")),
        "wbps" => Some((bytes(Op::Write), "so many bytes written a second")),
        "riops" => Some((ios(Op::Read), "so many reads a second")),
        "wiops" => Some((ios(Op::Write), "so many writes a second")),
        _ => None,
    }
}

const REACHED: f64 = 0.9;

#[cfg(test)]
fn limited(o: &mut crate::known::Observed, line: &str) {
    let group = o.witnessed().cgroup.get_or_insert_default();
    group.io_limits = vec![line.into()];
}

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Run {
    fires: |o| limited(o, "8:16 rbps=max wbps=max riops=10000 wiops=max"),
    clean: |o| limited(o, "8:16 rbps=max wbps=max riops=max wiops=max"),
};

#[cfg(test)]
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
}
