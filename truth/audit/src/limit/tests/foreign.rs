//! What others had the devices do.

use super::real::{S, disk, moved_twice, real, seen, unknown};
use super::*;
use plimsoll_evidence::Witnessed;
use plimsoll_evidence::witnessed::{CgroupUse, DeviceUse, OwnIo};

/// What a rule and the limit say of the part that was others', of one step; `None` where one of them says nothing.
fn said_of_foreign(change: impl FnOnce(&mut StepEvidence)) -> Option<(String, String)> {
    let mut case = known::observed();
    let step = case.step();
    *step = StepEvidence {
        witnessed: Some(moved_twice(Op::Read)),
        ..roomy()
    };
    step.arrays.clear();
    change(step);
    let audit = crate::judge(&case.view());
    let finding = audit.findings.iter().find(|f| f.finding.rule == "PL125")?;
    let limit = &audit.limits.first()?.limit;
    let first = |text: &str| text.split(" of ").next().map(str::to_string);
    let of = limit.sentence.split("foreign I/O: ").nth(1)?;
    Some((first(&finding.finding.message)?, first(of)?))
}

#[test]
fn a_rule_and_the_limit_say_the_same_of_what_was_others() {
    let half = ("50%".to_string(), "50%".to_string());
    assert_eq!(said_of_foreign(|_| {}), Some(half.clone()));
    // The kernel charges a direct read twice that found no tag.
    let twice = |step: &mut StepEvidence| {
        let seen = step.witnessed.as_mut().expect("seen");
        seen.own = Some(OwnIo {
            read_bytes: seen.devices[0].read_bytes,
            ..OwnIo::default()
        });
    };
    assert_eq!(said_of_foreign(twice), Some(half));
    // What is trimmed moves no bytes: all that the disk read was others'.
    let trims = |step: &mut StepEvidence| step.ops[0].op = Op::Trim;
    let all = ("100%".to_string(), "100%".to_string());
    assert_eq!(said_of_foreign(trims), Some(all));
}

/// Limit of a loop device over the disk, which was seen so.
fn over_the_disk(seen: Witnessed) -> Limit {
    real(seen, |step, environment| {
        unknown(step, environment);
        let stack = &mut environment.targets[0].stack;
        let mut upper = stack[0].clone();
        (upper.name, upper.kind) = ("loop0".into(), "loop".into());
        stack.insert(0, upper);
    })
}

/// A loop device of whose 32 I/Os in flight so many were in it, over a disk that others kept busy; the control group allowed it as many reads as it got.
fn loop_over_a_busy_disk(in_loop: f64) -> Limit {
    let mut seen = seen(S);
    let upper = DeviceUse {
        name: "loop0".into(),
        reads: 60_000,
        ..disk(in_loop)
    };
    let lower = DeviceUse {
        busy_ms: (S * 1e3) as u64,
        read_bytes: 1 << 50,
        ..disk(31.0)
    };
    seen.devices = vec![upper, lower];
    seen.cgroup = Some(CgroupUse {
        io_limits: vec!["loop0 riops=10000".into()],
        ..CgroupUse::default()
    });
    over_the_disk(seen)
}

/// A loop device that was busy for such a part of the time, half of it with what others asked of it, over a disk with room.
fn shared_loop(busy: f64) -> Limit {
    let mut seen = seen(S);
    let own = disk(16.0);
    let lower = DeviceUse {
        read_bytes: 2 * own.read_bytes,
        ..own
    };
    let upper = DeviceUse {
        name: "loop0".into(),
        busy_ms: (busy * S * 1e3) as u64,
        ..lower.clone()
    };
    seen.devices = vec![upper, lower];
    over_the_disk(seen)
}

#[test]
fn others_on_a_loop_device_are_in_the_way_whatever_room_is_below() {
    let busy = shared_loop(0.97);
    assert_eq!(busy.cause, LimitCause::ForeignIo, "{}", busy.sentence);
    holds!(busy.sentence, "50% of the bytes that loop0");
    assert_ne!(shared_loop(0.5).cause, LimitCause::ForeignIo);
}

#[test]
fn others_below_a_loop_device_hold_up_what_has_reached_it_and_nothing_else() {
    let before = loop_over_a_busy_disk(0.3);
    assert_eq!(before.cause, LimitCause::SetLimit, "{}", before.sentence);
    let within = loop_over_a_busy_disk(31.0);
    assert_eq!(within.cause, LimitCause::ForeignIo, "{}", within.sentence);
}
