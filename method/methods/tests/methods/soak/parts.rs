//! Soaks in parts, by overwrites, and behind their preconditioning.

use crate::soak::carried_out::{
    BLOCK, HIGH, TARGETS, carried_out, falls, figure, interval, level, soaked, spec,
};
use crate::synthetic::noise::Noise;
use plimsoll_evidence::{Interval, StepEvidence};
use plimsoll_methods::{Method, Next, Soak, StepFacts, judge};
use plimsoll_plan::{Load, Nanos, Precondition, SoakSpec};

#[test]
fn a_soak_in_parts_says_what_the_same_soak_says_in_one_piece() {
    let soak = soaked(600, Load::Max);
    let truth = falls(333.0, 0.6);
    let parts = SoakSpec {
        part: Nanos::secs(70),
        ..spec()
    };
    let (whole, one) = carried_out(&soak, &spec(), &truth, Noise::White(0.05), 5);
    let (several, other) = carried_out(&soak, &parts, &truth, Noise::White(0.05), 5);
    assert_eq!((whole.len(), several.len()), (1, 9));
    let counted: f64 = several.iter().map(|p| p.counted_s).sum();
    assert!((counted - 600.0).abs() < 1e-6, "{counted}");
    assert_eq!(one.class, other.class);
    for name in ["cliff_time", "cliff_drop", "sustained_rate", "overwrites"] {
        let (a, b) = (figure(&one, name), figure(&other, name));
        assert!((a / b - 1.0).abs() < 0.01, "{name}: {a} {b}");
    }
    // From any part on it goes on with the next.
    let method = Soak::new(&parts.steps(&soak), &parts);
    for done in 0..several.len() {
        let completed: Vec<&StepEvidence> = several[..done].iter().collect();
        let Next::Step(next) = method.next(&completed) else {
            panic!("it is not through after {done}");
        };
        assert_eq!(next.name, format!("rd1_part{}", done + 1));
        assert!(!method.rests_before(&completed, &next));
    }
}

#[test]
fn a_soak_by_overwrites_ends_when_they_are_done_and_each_part_is_asked_for_what_is_left() {
    let soak = soaked(3600, Load::Max);
    let spec = SoakSpec {
        overwrites: Some(3.0),
        part: Nanos::secs(1200),
        ..spec()
    };
    let method = Soak::new(&spec.steps(&soak), &spec);
    let part = |done: &[&StepEvidence]| match method.next(done) {
        Next::Step(step) => Some(*step),
        _ => None,
    };
    let first = part(&[]).expect("a part");
    assert_eq!(first.limits.overwrites, Some(3.0));
    assert_eq!(
        first.limits.resolved(TARGETS).written_bytes,
        Some(plimsoll_plan::Bytes(3 * TARGETS))
    );
    let (done, _) = carried_out(
        &soaked(1200, Load::Max),
        &self::spec(),
        &level,
        Noise::White(0.01),
        1,
    );
    let mut one = done[0].clone();
    let second = part(&[&one]).expect("another");
    let written = 1200.0 * HIGH * BLOCK as f64 / TARGETS as f64;
    let left = second.limits.overwrites.expect("what is left");
    assert!((left - (3.0 - written)).abs() < 0.01, "{left} {written}");
    one.end = plimsoll_evidence::End::Limit;
    assert_eq!(part(&[&one]), None, "the limit is the end");
}

#[test]
fn preconditioning_goes_first_and_is_in_no_result() {
    let soak = soaked(600, Load::Max);
    let spec = SoakSpec {
        precondition: Precondition::Both,
        ..spec()
    };
    let method = Soak::new(&spec.steps(&soak), &spec);
    let (mut done, mut names) = (Vec::<StepEvidence>::new(), Vec::new());
    // Each round is a tenth slower than the one before until the seventh; then all are alike.
    while let Next::Step(step) = method.next(&done.iter().collect::<Vec<_>>()) {
        let round = names
            .iter()
            .filter(|n: &&String| n.contains("wdpc"))
            .count();
        let rate = HIGH * 0.9f64.powi(round.min(7) as i32);
        names.push(step.name.clone());
        let intervals: Vec<Interval> = (1..=20)
            .map(|n| interval(n, &[rate; 10], None, &mut 0.0))
            .collect();
        let number = done.len() as u32 + 1;
        done.push(judge(&step, number, &intervals, &StepFacts::clean(1)));
        assert!(number < 40, "{names:?}");
    }
    let expected: Vec<String> = ["wipc1", "wipc2"]
        .iter()
        .map(ToString::to_string)
        .chain((1..=11).map(|n| format!("wdpc{n}")))
        .map(|n| format!("rd1_{n}"))
        .chain(["rd1".to_string()])
        .collect();
    assert_eq!(names, expected);
    assert!(done[0].fill && !done[2].fill);
    assert!(
        method.observer(&[], &soak).is_none(),
        "only the soak is looked at"
    );
}
