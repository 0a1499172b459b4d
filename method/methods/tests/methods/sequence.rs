//! A plan's steps in order, on and off, from its completed steps alone.

use crate::synthetic::*;
use plimsoll_evidence::StepEvidence;
use plimsoll_methods::progress;
use plimsoll_plan::{Arrival, Item, Load, Nanos, Plan, Purpose, Rate, Step};

fn plan(items: Vec<Item>) -> Plan {
    Plan::new(Vec::new(), items)
}

fn named(name: &str, load: Load) -> Step {
    let mut s = step(load);
    s.name = name.to_string();
    s
}

fn fill(name: &str) -> Step {
    Step {
        purpose: Purpose::Fill,
        ..named(name, Load::Max)
    }
}

/// Runs a plan to its end on a server of 10000/s; `before` may add evidence of its own before a step.
fn run(plan: &Plan, before: impl Fn(&Step) -> Option<Step>) -> (Vec<String>, Vec<StepEvidence>) {
    let (mut names, mut done) = (Vec::new(), Vec::new());
    while let Some(step) = progress(plan, &done).next {
        if let Some(extra) = before(&step) {
            done.push(mm1(10_000.0, &extra, done.len() as u32 + 1));
        }
        done.push(mm1(10_000.0, &step, done.len() as u32 + 1));
        names.push(step.name);
    }
    (names, done)
}

#[test]
fn items_run_in_order_and_a_curve_leaves_its_verdict() {
    let p = plan(vec![
        Item::Step(fill("fill")),
        Item::Step(named("rd0", open(500.0))),
        Item::Curve(curve(&[10, 50])),
        Item::Step(named("rd2", Load::Max)),
    ]);
    let (names, done) = run(&p, |_| None);
    assert_eq!(
        names,
        ["fill", "rd0", "rd1", "rd1_(10%)", "rd1_(50%)", "rd2"]
    );
    let end = progress(&p, &done);
    assert_eq!(
        (end.next, end.item, end.verdicts.len(), end.stopped),
        (None, 4, 1, false)
    );
    // Resumed anywhere, it goes on with the step that comes there.
    for cut in 0..done.len() {
        assert_eq!(progress(&p, &done[..cut]).next.unwrap().name, names[cut]);
    }
    assert!(progress(&p, &done[..4]).verdicts.is_empty());
    assert_eq!(progress(&p, &done[..5]).verdicts.len(), 1);
}

#[test]
fn fills_that_the_plan_did_not_ask_for_are_passed_over() {
    let p = plan(vec![
        Item::Step(fill("fill")),
        Item::Curve(curve(&[10, 50])),
        Item::Step(named("rd2", Load::Max)),
    ]);
    let own_fill = |s: &Step| (s.purpose == Purpose::Measure).then(|| fill("fill of sd1"));
    let (names, done) = run(&p, own_fill);
    assert_eq!(names, ["fill", "rd1", "rd1_(10%)", "rd1_(50%)", "rd2"]);
    assert_eq!(done.len(), 9);
    assert_eq!(progress(&p, &done).next, None);
}

#[test]
fn a_fill_of_the_plan_is_not_taken_for_one_of_the_same_name_that_it_did_not_ask_for() {
    let plan = plan(vec![
        Item::Step(fill("fill")),
        Item::Step(named("a", open(1000.0))),
    ]);
    let unasked = Step {
        run: "(before the plan)".into(),
        ..fill("fill")
    };
    let done = vec![mm1(10_000.0, &unasked, 1)];
    assert_eq!(
        progress(&plan, &done).next.map(|s| s.name),
        Some("fill".to_string())
    );
    let done = [done, vec![mm1(10_000.0, &fill("fill"), 2)]].concat();
    assert_eq!(
        progress(&plan, &done).next.map(|s| s.name),
        Some("a".to_string())
    );
}

#[test]
fn a_percentage_of_the_last_rate_is_of_what_the_step_before_reached() {
    let part = |percent| Load::percent(percent, Arrival::Even);
    let p = plan(vec![
        Item::Step(named("a", part(50.0))),
        Item::Step(named("b", open(2000.0))),
        Item::Step(fill("fill")),
        Item::Step(named("c", part(50.0))),
    ]);
    let rate = |done: &[StepEvidence]| progress(&p, done).next.unwrap().load;
    let even = |r| Load::rate(Rate(r), Arrival::Even);
    assert_eq!(rate(&[]), even(5000.0));
    let (_, mut done) = run(&p, |_| None);
    done[1].rate.mean = 1999.0;
    done[2].rate.mean = 77.0;
    assert_eq!(rate(&done[..3]), even(1000.0));
}

#[test]
fn a_stopped_curve_ends_the_whole_plan() {
    let mut stopping = curve(&[10, 90, 50]);
    stopping.stop_service = Some(Nanos(500_000));
    let p = plan(vec![
        Item::Curve(stopping),
        Item::Step(named("rd2", Load::Max)),
    ]);
    let (names, done) = run(&p, |_| None);
    assert_eq!(names, ["rd1", "rd1_(10%)", "rd1_(90%)"]);
    let end = progress(&p, &done);
    assert!(end.stopped && end.next.is_none() && end.verdicts.len() == 1);
}

#[test]
fn an_empty_plan_is_done() {
    assert_eq!(progress(&plan(Vec::new()), &[]).next, None);
}
