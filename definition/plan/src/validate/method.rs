//! Rules for methods.

use super::{Found, written_at};
use crate::{Load, MethodSpec, Plan, Question, SaturateSpec, SoakSpec, Step, Stream};

pub(super) fn check(plan: &Plan, method: &MethodSpec, found: &mut Found) {
    match &method.question {
        Question::Saturate(spec) => {
            check_own(method, found);
            check_sizes(method, spec, found);
        }
        // What they take is checked where it is read, or is in their steps.
        Question::Fingerprint(spec) => check_one_target(plan, method, spec.paths.len(), found),
        Question::Adaptive(_) | Question::Disturb(_) => {}
        Question::Sweep(_) => check_matrix(method, found),
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
    let own = |s: &&Stream| s.depth.is_some() || !s.window.is_whole() || !s.dependency.is_none();
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

/// Transfer sizes are of operations that move bytes.
fn check_sizes(method: &MethodSpec, spec: &SaturateSpec, found: &mut Found) {
    let mut streams = method.steps.iter().flat_map(|s| &s.streams);
    let moves = streams.any(|s| s.mix.occurring().any(|(op, _)| op.moves_bytes()));
    if let (Some(step), false, false) = (method.steps.first(), spec.blocks.is_empty(), moves) {
        found.add(
            format!(
                "run `{}` has transfer sizes, and no operation that moves bytes",
                step.run
            ),
            "leave `blocks` out, or add read or write to the operations",
            written_at(&step.origins, "blocks"),
        );
    }
}

/// A sweep compares cells: of one alone there is nothing to say, and of two that are the same nothing true.
fn check_matrix(method: &MethodSpec, found: &mut Found) {
    let Some(first) = method.steps.first() else {
        return;
    };
    let at = || written_at(&first.origins, "method");
    if method.steps.len() < 2 {
        found.add(
            format!("the sweep `{}` has one cell: nothing to compare it with", first.run),
            "give a list (--block 4k,8k; in a file block = [\"4k\", \"8k\"]), or a ready one (--over reduction); `plimsoll run` \
             measures one thing",
            at(),
        );
    }
    // What they are called is no difference.
    let bare = |step: &Step| Step {
        name: String::new(),
        loops: Vec::new(),
        origins: Default::default(),
        ..step.clone()
    };
    // More cells than these would take long to compare, each with each.
    const COMPARED: usize = 200;
    let cells: Vec<Step> = method.steps.iter().take(COMPARED).map(bare).collect();
    let twin = (1..cells.len()).find(|n| cells[..*n].contains(&cells[*n]));
    if let Some(twin) = twin {
        found.add(
            format!(
                "the sweep `{}` has the cell `{}` twice",
                first.run, method.steps[twin].name
            ),
            "write each value once; --repeats measures each cell several times",
            at(),
        );
    }
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
