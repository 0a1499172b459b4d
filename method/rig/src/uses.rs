//! What a plan does with each of its targets, and by which names they may be given up.

use crate::RigError;
use plimsoll_engine::export;
use plimsoll_permit::target::destroy_flag;
use plimsoll_plan::{Location, Pattern, Plan, TargetId};

/// Uses that a plan makes of a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Use {
    pub reads: bool,
    pub writes: bool,
}

/// Uses that a plan makes of each of its targets.
pub(crate) fn uses(plan: &Plan) -> Vec<Use> {
    let mut uses = vec![Use::default(); plan.targets.len()];
    for step in plan.steps() {
        for stream in &step.streams {
            let used = &mut uses[stream.target.0 as usize];
            used.reads |= stream.mix.read > 0.0 || !stream.mix.names.is_none();
            used.writes |= stream.mix.changes_data();
            if let Some(to) = stream.files.to {
                uses[to.0 as usize].writes = true;
            }
        }
    }
    uses
}

/// The tree that has a root for all that take turns in it: the first that is used; itself, where a tree has its root alone.
pub(crate) fn first_in_turn(plan: &Plan, uses: &[Use], id: TargetId) -> TargetId {
    let others = plan.turns(id).map(|(other, _)| other);
    let is_used = |id: &TargetId| uses[id.0 as usize] != Use::default();
    others.filter(is_used).fold(id, TargetId::min)
}

/// Uses that the plan makes of a root, by all trees that take turns in it.
pub(crate) fn use_in_turn(plan: &Plan, uses: &[Use], id: TargetId) -> Use {
    let others = plan.turns(id).map(|(other, _)| uses[other.0 as usize]);
    others.fold(uses[id.0 as usize], |all, one| Use {
        reads: all.reads || one.reads,
        writes: all.writes || one.writes,
    })
}

/// True where the plan's first step on a target writes all of it, one pass; Vdbench's leaves out less than a transfer at
/// either end, of which no share of later reads is worth a word.
pub(crate) fn written_first(plan: &Plan, id: TargetId) -> bool {
    let first = plan
        .steps()
        .find(|s| s.streams.iter().any(|t| t.target == id));
    first.is_some_and(|step| {
        step.streams.iter().filter(|s| s.target == id).all(|s| {
            s.mix.write == 100.0
                && matches!(s.address.pattern, Pattern::Sequential { once: true, .. })
        })
    })
}

/// A name that means nothing here is a slip of the pen, and what it was to allow would be refused later or, worse, be
/// another target.
pub(crate) fn check_destroy_names(plan: &Plan, destroy: &[String]) -> Result<(), RigError> {
    match destroy.iter().find(|given| !is_meant(plan, given)) {
        None => Ok(()),
        Some(given) => Err(RigError::Refused(format!(
            "{} names no target of this plan; `plimsoll plan` prints the name of each",
            destroy_flag(given)
        ))),
    }
}

/// True where a name of `--destroy` means a target of the plan.
pub(crate) fn is_meant(plan: &Plan, given: &str) -> bool {
    plan.targets.iter().any(|target| {
        let paths = target.location.paths();
        let root = match &target.location {
            Location::Tree(tree) if tree.names.is_none() => Some(tree.root.as_path()),
            _ => None,
        };
        let volume = target.location.volume();
        let is_volume = volume.is_some_and(|volume| export::is_meant(given, volume));
        is_volume
            || *given == target.location.text()
            || Location::parse(given).is_ok_and(|meant| meant == target.location)
            || paths
                .iter()
                .map(|path| path.as_path())
                .chain(root)
                .any(|path| plimsoll_permit::target::is_meant(given, path))
    })
}
