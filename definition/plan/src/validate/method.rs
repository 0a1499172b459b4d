//! Rules for methods.

use super::{Found, written_at};
use crate::{Load, MethodSpec, Plan, Question, SoakSpec, Stream};

pub(super) fn check(plan: &Plan, method: &MethodSpec, found: &mut Found) {
    match &method.question {
        Question::Saturate(_) => check_own(method, found),
        // What they take is checked where it is read, or is in their steps.
        Question::Fingerprint(spec) => check_one_target(plan, method, spec.paths.len(), found),
        Question::Adaptive(_) | Question::Sweep(_) | Question::Disturb(_) => {}
        Question::Soak(soak) => check_soak(method, soak, found),
        Question::Pts(pts) => {
            check_own(method, found);
            let Some(step) = method.steps.last() else {
                return;
            };
            if step.load != Load::Max {
                found.add(
                    format!("run `{}` has a load, and its method decides that", step.run),
                    "leave the load out: the specification's tests run as fast as it goes",
                    written_at(&step.origins, "load"),
                );
            }
            if !(1.0..=f64::INFINITY).contains(&pts.scale) {
                found.add(
                    format!("the scale of run `{}` is below 1", step.run),
                    "make it 1 or more: the specification's times are divided by it",
                    written_at(&step.origins, "scale"),
                );
            }
        }
    }
}

/// A method that chooses depths and short times has none of them left where a workload has its own.
fn check_own(method: &MethodSpec, found: &mut Found) {
    let own = |s: &&Stream| s.depth.is_some() || !s.window.is_whole() || !s.turn.is_none();
    let step = method
        .steps
        .iter()
        .find(|s| s.streams.iter().any(|s| own(&s)));
    let Some(step) = step else { return };
    let name = method.question.method();
    found.add(
        format!(
            "the {name} `{}` chooses depths and times itself, and a workload has its own depth, start or stop",
            step.run
        ),
        "leave out the workload's `depth`, `start` and `stop`",
        written_at(&step.origins, "method"),
    );
}

/// What a target is cannot be told of two at once.
fn check_one_target(plan: &Plan, method: &MethodSpec, paths: usize, found: &mut Found) {
    let targets = plan.targets.len().saturating_sub(paths);
    // Others may be there for other runs.
    if targets > 1 && plan.items.len() == 1 {
        found.add(
            format!(
                "a fingerprint is of one target, and `{}` has {targets}",
                method.run()
            ),
            "take one after the other",
            None,
        );
    }
}

fn check_soak(method: &MethodSpec, soak: &SoakSpec, found: &mut Found) {
    let Some(step) = method.steps.last() else {
        return;
    };
    if let Load::PercentOfLast { .. } = step.load {
        found.add(
            format!(
                "the soak `{}` has a percentage of the last rate as its load",
                step.run
            ),
            "write a rate, or \"max\": what it is to carry has to be the same each time",
            written_at(&step.origins, "load"),
        );
    }
    let writes = step.streams.iter().any(|s| s.mix.write > 0.0);
    if soak.overwrites.is_some() && !writes {
        found.add(
            format!(
                "the soak `{}` is to overwrite its targets, and writes nothing",
                step.run
            ),
            "let it write (read = 0), or leave overwrites out",
            written_at(&step.origins, "overwrites"),
        );
    }
}
