//! Rules for what is done while a step runs.

use super::{Found, written_at};
use crate::bounds::ACTIONS_MAX;
use crate::{Action, Item, Load, MethodSpec, Plan, Purpose, Question, Step, TimedAction};
use plimsoll_diagnostic::Span;

/// What the origins of an action's time and of its doing may be called.
fn place(step: &Step) -> Option<Span> {
    let keys = [
        "actions",
        "at",
        "do",
        "do_fault",
        "undo_at",
        "undo",
        "undo_fault",
    ];
    keys.iter().find_map(|key| written_at(&step.origins, key))
}

/// Times, order, and whether the targets are of the kind to which it can be done.
pub(super) fn check_step(plan: &Plan, step: &Step, found: &mut Found) {
    let at = place(step);
    let run = &step.run;
    if step.actions.len() > ACTIONS_MAX {
        found.add(
            format!("run `{run}` has {} actions", step.actions.len()),
            format!("make it {ACTIONS_MAX} or fewer"),
            at,
        );
        return;
    }
    if step.purpose == Purpose::Fill && !step.actions.is_empty() {
        found.add(
            format!(
                "run `{run}` is a fill, which ends when it is through: its actions have no time"
            ),
            "give them to a run that measures",
            at,
        );
    }
    let length = step.warmup.0.saturating_add(step.elapsed.0);
    let mut before = crate::Nanos(0);
    for timed in &step.actions {
        let what = words(timed);
        if what.trim().is_empty() {
            found.add(
                format!("an action of run `{run}` does nothing"),
                "give it a command or a fault",
                at,
            );
        }
        if timed.at.0 >= length {
            found.add(
                format!(
                    "`{what}` at {} comes after the end of run `{run}`, which lasts {} with its warm-up",
                    timed.at,
                    crate::Nanos(length)
                ),
                "do it earlier, or make the run longer",
                at,
            );
        }
        if timed.at < before {
            found.add(
                format!(
                    "`{what}` at {} stands after an action at {before}",
                    timed.at
                ),
                "put the actions in the order of their times",
                at,
            );
        }
        before = timed.at;
        kind(plan, step, timed, found);
    }
}

/// What an action does, as it was written.
pub(crate) fn words(timed: &TimedAction) -> &str {
    match &timed.action {
        Action::Command(command) => &command.line,
        Action::Fault(words) => words,
    }
}

/// Faults happen to simulated arrays, commands run beside real targets.
fn kind(plan: &Plan, step: &Step, timed: &TimedAction, found: &mut Found) {
    let target = |s: &crate::Stream| plan.targets.get(s.target.0 as usize);
    let lab = |t: &crate::Target| t.location.is_simulated();
    let simulated = step.streams.iter().filter_map(target).any(lab);
    let (message, remedy) = match (&timed.action, simulated) {
        (Action::Command(_), false) | (Action::Fault(_), true) => return,
        (Action::Command(command), true) => (
            format!(
                "`{}` cannot run beside a simulated array: its time is not ours",
                command.line
            ),
            "let a fault happen to the array, such as `path-down path=0 for=10s`",
        ),
        (Action::Fault(words), false) => (
            format!("`{words}` is a fault of a simulated array, and the targets are real"),
            "give a command that does it",
        ),
    };
    found.add(message, remedy, place(step));
}

/// Of an entry: a curve would do them again and again, in its search too.
pub(super) fn check_item(item: &Item, found: &mut Found) {
    match item {
        Item::Curve(curve) if !curve.base.actions.is_empty() => found.add(
            format!("run `{}` is a curve, and has actions", curve.base.run),
            "give them to a run with one load",
            place(&curve.base),
        ),
        Item::Method(method) => check_method(method, found),
        _ => {}
    }
}

fn check_method(method: &MethodSpec, found: &mut Found) {
    let (Question::Disturb(spec), Some(base)) = (&method.question, method.steps.first()) else {
        return;
    };
    let run = &base.run;
    if spec.times == 0 || spec.times > 1000 {
        found.add(
            format!("run `{run}` is to be disturbed {} times", spec.times),
            "disturb it between 1 and 1000 times",
            written_at(&base.origins, "times"),
        );
    }
    if base.actions.first().is_some_and(|a| a.at <= base.warmup) {
        found.add(
            format!(
                "run `{run}` is disturbed at {}, and warms up for {}: there is nothing to compare with",
                base.actions[0].at, base.warmup
            ),
            "disturb it later, or warm up for a shorter time; times count from the beginning of the warm-up",
            place(base),
        );
    }
    let own = base.streams.iter().all(|s| s.fixed_rate.is_some());
    let constant = matches!(base.load, Load::Rate { .. } | Load::PercentOfLast { .. });
    if !constant && !own {
        found.add(
            format!("run `{run}` is disturbed, and its load is not one rate"),
            "give it a rate, a percentage of the maximum, or no load: then half of a short maximum is asked for",
            written_at(&base.origins, "load"),
        );
    }
}
