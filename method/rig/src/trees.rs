//! Trees: the check that one may be worked on, and the step that makes it first.

use crate::allowed::Allowed;
use crate::files::{Room, real_path};
use crate::uses::Use;
use crate::{RigError, RunOptions};
use plimsoll_engine::tree::{FoundTree, TreeUse, look};
use plimsoll_permit::target::{destroy_flag, destroy_name, is_meant};
use plimsoll_plan::validate::Problem;
use plimsoll_plan::{
    AddressSpec, Bytes, FileWork, Item, Location, Making, Mix, Op, Pattern, Plan, SizeSpec, Step,
    Stream, Target, TargetId, Tree,
};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Threads that make a tree, and bytes of a transfer: those of Vdbench's format.
const THREADS: u32 = 8;
const TRANSFER: Bytes = Bytes(128 << 10);

/// Looks at a tree. Nothing is made, and nothing is changed.
pub(crate) fn judge(
    plan: &Plan,
    id: TargetId,
    tree: &Tree,
    used: Use,
    options: &RunOptions,
    room: &mut Room,
) -> Result<Allowed, RigError> {
    stands_alone(plan, id, tree)?;
    moves_within(plan, id, tree)?;
    if tree.names.is_some() {
        return judge_names(plan, id, tree, used, options, room);
    }
    // Whatever changes a tree makes its root.
    if !used.writes {
        has_a_root(plan, id, tree)?;
    }
    let target = plan.target(id);
    let others: Vec<&Tree> = plan.turns(id).map(|(_, tree)| tree).collect();
    let look = |changes| look(tree, &others, usage(tree, changes, options));
    let found = look(used.writes)?;
    has_a_place(plan, id, tree, found.has_directories(0))?;
    let making = making(plan, id).filter(|_| !found.is_complete() && !options.allow_unwritten);
    let why = match (used.writes, &making) {
        (true, _) => Some("the plan changes what is below its root".to_string()),
        (false, Some(_)) => Some("not all of it is there".to_string()),
        (false, None) => None,
    };
    let Some(why) = why else {
        return Ok(allowed(found, None, None));
    };
    refuse_read_only(target, &why, options)?;
    // What was looked at to be read is looked at again to be changed, which needs the lock that readers share.
    let found = match used.writes {
        true => found,
        false => {
            drop(found);
            look(true)?
        }
    };
    // Its names and sizes were looked at, and not what is in its files.
    let may_lose = options
        .destroy
        .iter()
        .any(|given| is_meant(given, &tree.root));
    if found.has_files() && !may_lose {
        return Err(RigError::Refused(format!(
            "{} has files, {why}, and their content is not checked; add {} where all of it may be lost",
            tree.root.display(),
            destroy_flag(&destroy_name(&tree.root)),
        )));
    }
    let fills = making.is_some_and(|making| making != Making::Directories) || is_written(plan, id);
    room.need(
        &tree.root,
        found.missing(0, fills, is_made_anew(plan, id), None),
    )?;
    Ok(allowed(found, making, None))
}

/// Judges a tree whose root another has had before, the first of all; what is there was looked at for that one.
pub(crate) fn judge_turn(
    plan: &Plan,
    id: TargetId,
    tree: &Tree,
    (first, judged): (TargetId, &Allowed),
    room: &mut Room,
) -> Result<Allowed, RigError> {
    moves_within(plan, id, tree)?;
    if let Allowed::Tree { found, .. } = judged {
        let others = plan.turns(first).map(|(other, _)| other);
        let mut before = None;
        for (place, other) in std::iter::once(first).chain(others).enumerate() {
            if other == id {
                has_a_place(plan, id, tree, found.has_directories(place))?;
            }
            if other <= id {
                let is_anew = is_made_anew(plan, other);
                let need = found.missing(place, is_written(plan, other), is_anew, before);
                before = Some((place, need));
            }
        }
        room.need(&tree.root, before.map_or([0; 2], |(_, need)| need))?;
    }
    Ok(Allowed::Turn)
}

/// True where a run of the plan deletes all that is there before it makes a tree.
fn is_made_anew(plan: &Plan, id: TargetId) -> bool {
    let mut streams = plan.steps().flat_map(|step| &step.streams);
    streams.any(|s| {
        s.target == id
            && (s.files.makes).is_some_and(|m| !matches!(m, Making::Missing | Making::Directories))
    })
}

/// True where the plan puts bytes into files of a tree.
fn is_written(plan: &Plan, id: TargetId) -> bool {
    let writes = |s: &Stream| match s.files.makes {
        _ if s.files.to == Some(id) => true,
        _ if s.target != id => false,
        Some(makes) => matches!(makes, Making::Missing | Making::Anew),
        None => s.mix.occurring().any(|(op, _)| op == Op::Write),
    };
    plan.steps().flat_map(|step| &step.streams).any(writes)
}

/// Use that a run makes of a tree, alone or as one of several hosts that share it.
fn usage(tree: &Tree, changes: bool, options: &RunOptions) -> TreeUse {
    let together = options
        .run_of_hosts
        .as_ref()
        .filter(|_| tree.part.dealt.is_some());
    match (changes, together) {
        (false, None) => TreeUse::Reads,
        (false, Some(run)) => TreeUse::ReadsTogether(run.clone()),
        (true, None) => TreeUse::Changes,
        (true, Some(run)) => TreeUse::ChangesTogether(run.clone()),
    }
}

fn allowed(found: FoundTree, making: Option<Making>, said: Option<String>) -> Allowed {
    Allowed::Tree {
        found: Box::new(found),
        making,
        said,
    }
}

fn refuse_read_only(target: &Target, why: &str, options: &RunOptions) -> Result<(), RigError> {
    match options.read_only || options.read_only_targets.contains(&target.name) {
        false => Ok(()),
        true => Err(RigError::ReadOnly {
            target: target.name.clone(),
            why: why.to_string(),
        }),
    }
}

/// Judges a tree of numbered names, in a directory that may hold anything else. What is missing is made; a file that is there is written only
/// where it is empty, and deleted never, but for names whose loss is allowed.
fn judge_names(
    plan: &Plan,
    id: TargetId,
    tree: &Tree,
    used: Use,
    options: &RunOptions,
    room: &mut Room,
) -> Result<Allowed, RigError> {
    let streams = plan.steps().flat_map(|step| &step.streams);
    let ops: Vec<Op> = streams
        .filter(|s| s.target == id)
        .flat_map(|s| s.mix.occurring().map(|(op, _)| op))
        .collect();
    let has = |op: Op| ops.contains(&op);
    is_done_once(plan, tree)?;
    let makes_itself = matches!(ops.first(), Some(Op::Create | Op::Mkdir));
    let mut found = look(tree, &[], usage(tree, used.writes, options))?;
    let is_made = makes_itself || found.is_complete() || options.allow_unwritten;
    let making = (!is_made).then_some(Making::Missing);
    if used.writes || making.is_some() {
        let why = "names of it are made or deleted";
        refuse_read_only(plan.target(id), why, options)?;
        found = look(tree, &[], TreeUse::Changes)?;
    }
    let (there, begun) = (found.names(), found.begun());
    let why = match making {
        _ if there > 0 && (has(Op::Delete) || has(Op::Rmdir)) => Some(format!(
            "names that are there already: {there}, and the plan deletes them"
        )),
        Some(_) if begun > 0 => Some(format!(
            "files that hold data, less than {}: {begun}, and they would be written over",
            tree.sizes.max()
        )),
        _ => None,
    };
    let title = tree.title().display().to_string();
    if let Some(why) = why.filter(|_| !options.destroy.contains(&title)) {
        return Err(RigError::Refused(format!(
            "{title}: {why}; add {} where they may be lost",
            destroy_flag(&title),
        )));
    }
    room.need(
        &tree.title(),
        found.missing(0, making.is_some(), false, None),
    )?;
    let are_opened = there > 0 && ops.first() == Some(&Op::Create);
    let said = are_opened.then(|| {
        format!("{title}: {there} of its files are there already: they are opened, and not made")
    });
    Ok(allowed(found, making, said))
}

/// Refuses to make or delete the same names twice: the second time they are only opened, or missing.
fn is_done_once(plan: &Plan, tree: &Tree) -> Result<(), RigError> {
    let is_it = |s: &&Stream| plan.target(s.target).location.tree() == Some(tree);
    for op in [Op::Create, Op::Mkdir, Op::Delete, Op::Rmdir] {
        let does = |s: &&Stream| s.mix.occurring().any(|(one, _)| one == op);
        let steps = plan
            .steps()
            .flat_map(|step| step.streams.iter().filter(is_it).filter(does));
        let is_searched = plan.items.iter().any(|item| !matches!(item, Item::Step(_)));
        let count = steps.count();
        if count > 1 || count > 0 && is_searched {
            return Err(RigError::Refused(format!(
                "{}: `{}` allows each of its names one turn, and the plan has more; give each run names of its own, without repeats and methods",
                tree.title().display(),
                op.name(),
            )));
        }
    }
    Ok(())
}

/// Refuses a root that is another tree's, or lies in one or holds one, by whatever symbolic links.
fn stands_alone(plan: &Plan, id: TargetId, tree: &Tree) -> Result<(), RigError> {
    let root = real_path(&tree.root);
    for (other, target) in plan.targets.iter().enumerate() {
        let Location::Tree(second) = &target.location else {
            continue;
        };
        let there = real_path(&second.root);
        if tree.is_apart_by_names(second) || plan.take_turns(id, TargetId(other as u32)) {
            continue;
        }
        if other != id.0 as usize && (root.starts_with(&there) || there.starts_with(&root)) {
            return Err(RigError::Refused(format!(
                "{} and {} are one directory, or one lies in the other; give each tree a root of its own",
                tree.root.display(),
                second.root.display(),
            )));
        }
    }
    Ok(())
}

/// Refuses moves into a tree on another file system: a file is renamed, and no name goes from one file system to another.
fn moves_within(plan: &Plan, id: TargetId, tree: &Tree) -> Result<(), RigError> {
    let streams = plan.steps().flat_map(|step| &step.streams);
    let moves = |s: &&Stream| s.target == id && s.mix.occurring().any(|(op, _)| op == Op::Move);
    let others = streams.filter(moves).filter_map(|s| s.files.to);
    for other in others.filter_map(|to| plan.target(to).location.tree()) {
        if file_system(&tree.root) != file_system(&other.root) {
            return Err(RigError::Refused(format!(
                "{} and {} are on two file systems, and a move renames a file, which stays on its own; name roots on one file \
                 system, or copy",
                tree.root.display(),
                other.root.display(),
            )));
        }
    }
    Ok(())
}

/// Refuses a tree of Vdbench's whose root is not there, where no format makes it.
fn has_a_root(plan: &Plan, id: TargetId, tree: &Tree) -> Result<(), RigError> {
    let mut streams = plan.steps().flat_map(|step| &step.streams);
    let turns: Vec<TargetId> = plan.turns(id).map(|(other, _)| other).collect();
    let is_made =
        |s: &Stream| (s.target == id || turns.contains(&s.target)) && s.files.makes.is_some();
    if plan.dialect != "vdbench" || tree.root.exists() || streams.any(is_made) {
        return Ok(());
    }
    Err(RigError::Plan(vec![Problem {
        message: format!(
            "{} does not exist, and no format= makes it",
            tree.root.display()
        ),
        remedy: "say format=yes once, or check anchor=".into(),
        span: plan.target(id).origins.of("path"),
    }]))
}

/// Refuses copies into directories that are missing and stay so: in Vdbench's words nothing is made that no format makes.
fn has_a_place(
    plan: &Plan,
    id: TargetId,
    tree: &Tree,
    has_directories: bool,
) -> Result<(), RigError> {
    let streams = || plan.steps().flat_map(|step| &step.streams);
    let is_put_into = streams().any(|s| s.files.to == Some(id));
    // Another tree that takes turns with it may make all of its directories, too.
    let has_all =
        |(_, other): &(TargetId, &Tree)| other.depth >= tree.depth && other.width >= tree.width;
    let makers: Vec<TargetId> = plan.turns(id).filter(has_all).map(|(m, _)| m).collect();
    let is_made = |s: &Stream| {
        (s.target == id || makers.contains(&s.target))
            && s.files.makes.is_some_and(|m| m != Making::Deleted)
    };
    if plan.dialect != "vdbench" || !is_put_into || has_directories || streams().any(is_made) {
        return Ok(());
    }
    Err(RigError::Refused(format!(
        "{} lacks directories, so that no file can be copied into them, and Vdbench itself stops at the first (open failed); \
         format that fsd in a run of its own before, with format=yes",
        tree.root.display(),
    )))
}

/// File system that a path is on, or will be.
fn file_system(path: &Path) -> Option<u64> {
    let path = real_path(path);
    path.ancestors()
        .find_map(|above| Some(above.metadata().ok()?.dev()))
}

/// Parts of a tree that are made before the first step, where they are missing. All of it is, as a file is filled; the directories
/// alone, where workloads make files there themselves, or only put some there from another tree; nothing, where workloads make
/// directories, too, or a run of the plan makes the tree. In a parameter file of Vdbench's, `format=` says what is made.
pub(crate) fn making(plan: &Plan, id: TargetId) -> Option<Making> {
    let streams = || {
        let all = plan.steps().flat_map(|step| &step.streams);
        all.filter(|s| s.target == id)
    };
    let does = |op: Op| streams().any(|s| s.mix.occurring().any(|(one, _)| one == op));
    let mut all = plan.steps().flat_map(|step| &step.streams);
    let is_put_into = all.any(|s| s.files.to == Some(id));
    let tree = plan.target(id).location.tree();
    let is_in_part = tree.is_some_and(|tree| tree.part.present.is_some());
    let says_itself = plan.dialect == "vdbench" || streams().any(|s| s.files.makes.is_some());
    let is_empty_at_first = is_put_into && !does(Op::Read) && !does(Op::Copy);
    match says_itself || does(Op::Mkdir) {
        true => None,
        false if is_empty_at_first || does(Op::Create) && !is_in_part => Some(Making::Directories),
        false => Some(Making::Missing),
    }
}

/// The step that makes trees.
pub(crate) fn making_step(to_make: &[(TargetId, Making)]) -> Option<Step> {
    let stream = |(id, making): &(TargetId, Making)| Stream {
        files: FileWork {
            makes: Some(*making),
            ..FileWork::default()
        },
        ..Stream::new(
            "make",
            *id,
            Mix::WRITES,
            SizeSpec::Fixed(TRANSFER),
            AddressSpec::whole(Pattern::IN_ORDER),
        )
    };
    (!to_make.is_empty()).then(|| Step {
        run: crate::fill::OWN.into(),
        ..Step::fill("make", to_make.iter().map(stream).collect(), THREADS)
    })
}
