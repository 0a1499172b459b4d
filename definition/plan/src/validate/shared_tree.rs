//! Rules for trees that several hosts share: each host works on files of its own, and directories are everybody's.

use super::{Found, place, written_at};
use crate::{Making, Op, Plan, Step, Stream, Target, Tree};

/// Sharing itself.
pub(super) fn check_all(plan: &Plan, found: &mut Found) {
    for target in plan.targets.iter().filter(|t| t.is_shared_tree()) {
        let tree = target.location.tree();
        let at = || written_at(&target.origins, "shared");
        if target.split {
            found.add(
                format!(
                    "target `{}` is a tree, which is shared file by file",
                    target.name
                ),
                "write shared = true: each host has files of its own",
                at(),
            );
        }
        let (hosts, files) = (
            plan.hosts_with(target).len(),
            tree.map_or(0, Tree::file_count),
        );
        if (files as usize) < hosts {
            found.add(
                format!(
                    "the tree of target `{}` has {files} files, and {hosts} hosts share them",
                    target.name
                ),
                "give it a file for each host, at least",
                at(),
            );
        }
        if tree.is_some_and(|tree| tree.names.is_some()) {
            found.add(
                format!(
                    "target `{}` has numbered names, which hosts cannot share",
                    target.name
                ),
                "leave `names` out, or give each host a target of its own",
                at(),
            );
        }
    }
}

/// Work that one host would do on what others need, in the stream's own tree or in the one that it copies or moves files into.
pub(super) fn check_stream(plan: &Plan, step: &Step, stream: &Stream, found: &mut Found) {
    let trees = [Some(stream.target), stream.files.to].into_iter().flatten();
    let is_shared = |t: &&Target| t.is_shared_tree() && plan.hosts_with(t).len() != 1;
    let Some(target) = trees
        .filter_map(|id| plan.targets.get(id.0 as usize))
        .find(is_shared)
    else {
        return;
    };
    let name = &stream.workload;
    let not_shared = [Op::Mkdir, Op::Rmdir, Op::Copy, Op::Move];
    let mut ops = stream.mix.occurring().map(|(op, _)| op);
    if let Some(op) = ops.find(|op| not_shared.contains(op)) {
        found.add(
            format!(
                "workload `{name}` has `{}` on the tree `{}`, which hosts share",
                op.name(),
                target.name
            ),
            "leave it out, or give each host a tree of its own",
            place(step, name, "operations"),
        );
    }
    let anew = [Making::Anew, Making::DirectoriesAnew];
    if stream
        .files
        .makes
        .is_some_and(|makes| anew.contains(&makes))
    {
        found.add(
            format!(
                "workload `{name}` makes the tree `{}` anew, which hosts share: one would delete what another has just made",
                target.name
            ),
            "delete it in one run and make it in the next: make = \"deleted\", then make = \"missing\"",
            place(step, name, "make"),
        );
    }
}
