//! Rules for trees: their numbers, and what can be done on them.

use super::{Found, block_place, place, written_at};
use crate::tree::{TREE_DEPTH_MAX, TREE_DIRECTORIES_MAX, TREE_FILES_MAX};
use crate::{
    Bytes, Caching, ContentSpec, Durability, FileSizes, HostId, Item, Limits, Load, MethodSpec,
    Mix, Nanos, Op, Opening, Pattern, Plan, Purpose, Question, RangeSpec, SizeSpec, Step, Stream,
    Target, TargetId, Throttle, Tree, Window,
};

/// Numbers of trees, and methods that know nothing of trees.
pub(super) fn check_all(plan: &Plan, found: &mut Found) {
    let trees: Vec<(TargetId, &Target)> = (0..)
        .map(TargetId)
        .zip(&plan.targets)
        .filter(|(_, t)| t.location.tree().is_some())
        .collect();
    for (at, (id, target)) in trees.iter().enumerate() {
        let Some(tree) = target.location.tree() else {
            continue;
        };
        check_numbers(target, tree, found);
        check_filer(target, tree, found);
        check_open(target, found);
        let below = |other: &Target| {
            let mut paths = other.location.paths().iter();
            paths.any(|path| tree.holds(path))
        };
        if let Some(other) = plan.targets.iter().find(|other| below(other)) {
            found.add(
                format!(
                    "target `{}` lies in the tree of target `{}`",
                    other.name, target.name
                ),
                "take a file outside of the tree's root",
                at_key(target, "tree"),
            );
        }
        let inside = |other: &Tree| !tree.is_apart_by_names(other) && tree.overlaps(other);
        if let Some((_, other)) = trees[..at].iter().find(|(other, target)| {
            let turns = plan.take_turns(*id, *other) && !tree.is_simulated();
            target.location.tree().is_some_and(inside) && !turns
        }) {
            found.add(
                format!(
                    "the trees of targets `{}` and `{}` overlap: one root is in the other, or is the same",
                    other.name, target.name
                ),
                "give each a root of its own, or numbered names that the other cannot have, or runs of its own that make it",
                at_key(target, "tree"),
            );
        }
    }
    if trees.is_empty() {
        return;
    }
    let streams = plan.steps().flat_map(|step| &step.streams);
    let lacks = |s: &&Stream| {
        let to = s.files.to.and_then(|to| plan.targets.get(to.0 as usize));
        let has = |to: &Target, host: &HostId| to.hosts.is_empty() || to.hosts.contains(host);
        to.is_some_and(|to| plan.hosts_of(s).iter().any(|host| !has(to, host)))
    };
    if let Some(stream) = streams.filter(|s| s.files.to.is_some()).find(lacks) {
        found.add(
            format!(
                "workload `{}` puts files into a tree that its host does not have",
                stream.workload
            ),
            "give both targets the same `hosts`",
            at_key(trees[0].1, "tree"),
        );
    }
    for item in &plan.items {
        if let Item::Method(method) = item {
            check_method(plan, method, found);
        }
        // Of overwrites the method says more.
        let has_amounts = |s: &&Step| {
            let overwrites = s.limits.overwrites;
            s.limits
                != (Limits {
                    overwrites,
                    ..Limits::default()
                })
        };
        let all = item.steps().iter();
        let found_one = all
            .filter(|s| s.streams.iter().any(|s| is_on_tree(plan, s)))
            .find(has_amounts);
        if let (Some(step), Item::Curve(_) | Item::Method(_)) = (found_one, item) {
            found.add(
                format!(
                    "run `{}` is on a tree, where data ends plain runs alone yet",
                    step.run
                ),
                "leave `limits` out",
                written_at(&step.origins, "limits"),
            );
        }
    }
}

/// What a method does to addresses cannot be done to a tree.
fn check_method(plan: &Plan, method: &MethodSpec, found: &mut Found) {
    let mut streams = method.steps.iter().flat_map(|s| &s.streams);
    let (Some(stream), Some(step)) = (streams.find(|s| is_on_tree(plan, s)), method.steps.last())
    else {
        return;
    };
    let (key, why, remedy) = match &method.question {
        Question::Fingerprint(_) => (
            "method",
            "a fingerprint looks at the addresses of a file or device",
            "measure a curve or a saturation campaign of the tree, or the fingerprint of the device below it",
        ),
        Question::Pts(_) => (
            "method",
            "the tests of pts are of block storage",
            "measure a soak or a curve of the tree, or pts on the device below it",
        ),
        Question::Soak(soak) if soak.overwrites.is_some() => (
            "overwrites",
            "overwrites count the bytes of a file or device",
            "write `for` in the place of `overwrites`",
        ),
        Question::Soak(soak) if soak.precondition.passes() > 0 => (
            "precondition",
            "this precondition writes all addresses of a file or device in order",
            "write precondition = \"wdpc\", which runs the load until it is steady, or leave it out",
        ),
        _ => return,
    };
    found.add(
        format!("workload `{}` is on a tree, and {why}", stream.workload),
        remedy,
        written_at(&step.origins, key),
    );
}

fn is_on_tree(plan: &Plan, stream: &Stream) -> bool {
    let target = plan.targets.get(stream.target.0 as usize);
    target.is_some_and(|t| t.location.tree().is_some())
}

fn at_key(target: &Target, key: &str) -> Option<plimsoll_diagnostic::Span> {
    let vdbench = match key {
        "tree" => &["depth", "width", "files", "anchor"][..],
        _ => &["sizes"][..],
    };
    written_at(&target.origins, key).or_else(|| vdbench.iter().find_map(|k| target.origins.of(k)))
}

fn check_numbers(target: &Target, tree: &Tree, found: &mut Found) {
    let name = &target.name;
    let at = at_key(target, "tree");
    if tree.root.as_os_str().is_empty() {
        found.add(
            format!("the tree of target `{name}` has no root"),
            "name the directory that holds it",
            at,
        );
    }
    let is_empty = match tree.names {
        Some(_) => tree.directory_count() + tree.file_count() == 0,
        None => tree.depth == 0 || tree.width == 0 || tree.files == 0,
    };
    if is_empty {
        found.add(
            format!("the tree of target `{name}` has {}", numbers(tree)),
            "give depth, width and files of at least 1",
            at,
        );
    }
    if tree.depth > TREE_DEPTH_MAX {
        found.add(
            format!("the tree of target `{name}` is {} levels deep", tree.depth),
            format!("make it {TREE_DEPTH_MAX} or less"),
            at,
        );
    } else if tree.directory_count() > TREE_DIRECTORIES_MAX || tree.file_count() > TREE_FILES_MAX {
        found.add(
            format!(
                "the tree of target `{name}` is too large: it has {}",
                numbers(tree)
            ),
            format!(
                "make it {TREE_DIRECTORIES_MAX} directories and {TREE_FILES_MAX} files, or fewer"
            ),
            at,
        );
    }
    check_sizes(target, &tree.sizes, found);
}

/// A root on a simulated filer.
fn check_filer(target: &Target, tree: &Tree, found: &mut Found) {
    let at = at_key(target, "tree");
    match tree.filer() {
        None => {}
        Some(Err(error)) => found.add(
            format!("the root of the tree of target `{}`: {error}", target.name),
            "name a LUN of a filer, as lab:filer/lun1",
            at,
        ),
        Some(Ok(_)) if tree.names.is_some() => found.add(
            format!(
                "the tree of target `{}` has numbered names, which a simulated filer does not know",
                target.name
            ),
            "leave `names` out, or name a directory",
            at,
        ),
        Some(Ok(_)) => {}
    }
}

/// A tree's numbers as somebody gave them: what follows from them may be beyond all counting.
fn numbers(tree: &Tree) -> String {
    let (depth, width, files) = (tree.depth, tree.width, tree.files);
    format!("depth {depth}, width {width} and {files} files in each directory that has files")
}

fn check_sizes(target: &Target, sizes: &FileSizes, found: &mut Found) {
    let name = &target.name;
    let at = at_key(target, "file_size");
    if let FileSizes::Weighted(list) = sizes {
        let sum: f64 = list.iter().map(|(_, p)| p).sum();
        if sum.is_nan() || (sum - 100.0).abs() > 0.01 {
            found.add(
                format!("the percentages of the file sizes of target `{name}` sum to {sum}"),
                "make them sum to 100",
                at,
            );
        }
    }
    let is_direct = target.openings().any(|o| o.caching == Caching::Direct);
    if is_direct && sizes.all().any(|size| size.0 % 512 != 0) {
        found.add(
            format!("files of target `{name}` are not whole sectors, and its I/O goes around the page cache"),
            "give sizes that are multiples of 512, or caching = \"buffered\"",
            at,
        );
    }
    if sizes.all().any(|size| size.0 == 0) {
        found.add(
            format!("target `{name}` has files of 0 bytes"),
            "give them a size, as 4k",
            at,
        );
    }
    if let FileSizes::Around(Bytes(size @ (..0x400 | 0x8000_0000..))) = sizes {
        found.add(
            format!("the average file size of target `{name}` is {size} bytes"),
            "give an average from 1 KiB to 2 GiB",
            at,
        );
    }
}

/// Flags that its files are opened with, and keys that are for files and devices alone.
fn check_open(target: &Target, found: &mut Found) {
    let name = &target.name;
    let is_possible = |o: Opening| {
        use Durability as D;
        matches!(o.durability, D::None | D::Dsync | D::Sync | D::FsyncAtClose)
    };
    if !target.openings().all(is_possible) {
        found.add(
            format!(
                "target `{name}` is a tree, whose files cannot be flushed after a number of writes or at the end yet"
            ),
            "write durability = \"fsync_at_close\", \"dsync\" or \"sync\", or leave it out",
            written_at(&target.origins, "durability"),
        );
    }
    let idle = [
        ("size", target.size.is_some()),
        ("offset", target.offset != Bytes(0)),
        ("align", target.align.is_some()),
    ];
    for (key, _) in idle.into_iter().filter(|(_, given)| *given) {
        found.add(
            format!("target `{name}` is a tree, and `{key}` is for files and devices"),
            format!("leave `{key}` out; the sizes of a tree's files are its own"),
            written_at(&target.origins, key),
        );
    }
}

/// Targets of a step: all of them are trees, or none is.
pub(super) fn check_step(plan: &Plan, step: &Step, found: &mut Found) {
    let on_trees = step.streams.iter().filter(|s| is_on_tree(plan, s)).count();
    if on_trees > 0 && on_trees < step.streams.len() {
        found.add(
            format!(
                "run `{}` works on trees, and on files or devices beside them",
                step.run
            ),
            "give each a run of its own",
            written_at(&step.origins, "workloads"),
        );
    }
}

/// A stream: operations on names have names, and a tree has no addresses.
pub(super) fn check_stream(step: &Step, stream: &Stream, target: &Target, found: &mut Found) {
    let name = &stream.workload;
    if target.location.tree().is_none() {
        if stream.files.opening != 0 {
            found.add(
                format!(
                    "workload `{name}` has a caching or durability of its own, and target `{}` is no tree",
                    target.name
                ),
                "write caching and durability in the target; name it twice where it is opened in two ways",
                place(step, name, "caching").or(place(step, name, "durability")),
            );
        }
        if !stream.mix.names.is_none() || !stream.files.is_default() {
            found.add(
                format!(
                    "workload `{name}` works on directories and files, and target `{}` is no tree",
                    target.name
                ),
                "give the target a tree = { … }, or leave `operations` and `select` out",
                place(step, name, "operations").or(place(step, name, "select")),
            );
        }
        return;
    }
    check_rounds(step, stream, target, found);
    for (keys, what, given) in on_blocks_alone(stream) {
        if given {
            let written = |key: &&&str| place(step, name, key).is_some();
            let key = keys.iter().find(written).unwrap_or(&keys[0]);
            found.add(
                format!("workload `{name}` is on a tree, where {what} is not supported yet"),
                format!("leave `{key}` out"),
                place(step, name, key),
            );
        }
    }
    if stream.files.makes.is_some() {
        check_making(step, stream, found);
    }
    if step.limits.ios.is_some() {
        found.add(
            format!(
                "run `{}` is on a tree, where a number of I/Os ends nothing yet",
                step.run
            ),
            "leave `ios` out of its limits",
            written_at(&step.origins, "limits"),
        );
    }
    if matches!(stream.size, SizeSpec::ByOperation(_)) {
        found.add(
            format!("reads and writes of workload `{name}` on a tree have one size"),
            "give `block` alone",
            block_place(step, stream),
        );
    }
}

/// A stream that goes through a tree of numbered names in rounds: there is no other way to work on one, and it alone knows where it is.
fn check_rounds(step: &Step, stream: &Stream, target: &Target, found: &mut Found) {
    let name = &stream.workload;
    let at = place(step, name, "rounds");
    let tree = target.location.tree();
    let is_numbered = tree.is_some_and(|tree| tree.names.is_some());
    if stream.files.makes.is_some() || !is_numbered && stream.files.rounds.is_none() {
        return;
    }
    let Some(tree) = tree.filter(|_| is_numbered && stream.files.rounds.is_some()) else {
        found.add(
            format!("workload `{name}` and its tree go together only where both or neither are of numbered names"),
            match at {
                Some(_) => "give the tree `names` and the workload `rounds`, or neither",
                None => "give trees with `names` and trees without them a workload each",
            },
            at.or(place(step, name, "targets")),
        );
        return;
    };
    let known = |op: Op| match tree.depth {
        0 => matches!(op, Op::Create | Op::Stat | Op::Delete),
        _ => matches!(op, Op::Mkdir | Op::Stat | Op::Rmdir),
    };
    let mut ops = stream.mix.occurring();
    let is_one = ops.next().is_some_and(|(op, _)| known(op)) && ops.next().is_none();
    let again = stream.files.rounds != Some(1) && stream.mix.changes_data();
    if !is_one || again {
        found.add(
            format!("workload `{name}` goes through a tree in rounds, which is done by one operation that each name allows each time"),
            "give it one of create, stat and delete (of directories mkdir, stat and rmdir), and only `stat` more than one round",
            place(step, name, "operations").or(at),
        );
    }
    if step.warmup > Nanos(0) {
        found.add(
            format!("workload `{name}` goes through a tree in rounds, and what it does in a warm-up of {} would not count", step.warmup),
            "give its run a `warmup` of 0s",
            written_at(&step.origins, "warmup").or(at),
        );
    }
    let mut beside = step.streams.iter().filter(|s| s.target == stream.target);
    if beside.nth(1).is_some() {
        found.add(
            format!("workload `{name}` goes through a tree in rounds, and is not alone on it"),
            "give each workload a tree of its own",
            at,
        );
    }
}

/// The other tree of a stream that copies and moves files: there is one, and it is like its own.
pub(super) fn check_other(plan: &Plan, step: &Step, stream: &Stream, found: &mut Found) {
    let name = &stream.workload;
    let needs = |op: Op| matches!(op, Op::Copy | Op::Move);
    let op = stream
        .mix
        .occurring()
        .map(|(op, _)| op)
        .find(|op| needs(*op));
    let at = |key: &str| place(step, name, key);
    let tree = |id: TargetId| plan.targets.get(id.0 as usize)?.location.tree();
    match (op, stream.files.to) {
        (None, None) => {}
        (None, Some(_)) => found.add(
            format!("workload `{name}` names another tree, and copies and moves nothing into it"),
            "leave `to` out, or give it the operation copy or move",
            at("to"),
        ),
        (Some(op), None) => found.add(
            format!("workload `{name}` has the operation {}, and no tree to put files into", op.name()),
            "name its target: to = \"TARGET\"",
            at("operations"),
        ),
        (Some(Op::Move), Some(_)) if tree(stream.target).is_some_and(Tree::is_simulated) => found.add(
            format!("workload `{name}` moves files, and each tree of a simulated filer is a file system of its own, between which no file is renamed"),
            "copy them",
            at("operations"),
        ),
        (Some(_), Some(to)) => match (tree(stream.target), tree(to)) {
            (Some(own), Some(other)) if to != stream.target && own.is_like(other) => {}
            _ => found.add(
                format!("workload `{name}` copies or moves files, and `to` is no other tree with the same directories, files and sizes"),
                "name a target whose tree differs in its root alone",
                at("to"),
            ),
        },
    }
}

/// A stream that makes a tree: it waits for nothing but its own pieces, and ends when all is made.
fn check_making(step: &Step, stream: &Stream, found: &mut Found) {
    let name = &stream.workload;
    let operations = place(step, name, "operations");
    if stream.mix != Mix::WRITES || operations.is_some() {
        found.add(
            format!("workload `{name}` makes a tree, and has operations of its own"),
            "leave `operations` out, or give them a workload of their own",
            operations,
        );
    }
    let beside = step.streams.iter().filter(|s| s.target == stream.target);
    let is_alone = beside.count() == 1;
    let is_unpaced =
        matches!(step.load, Load::Max | Load::MaxShared) && stream.fixed_rate.is_none();
    if step.purpose != Purpose::Fill || !is_unpaced || !is_alone {
        found.add(
            format!("workload `{name}` makes a tree, which is a fill, alone on its target and as fast as it goes"),
            "give it a run of its own with purpose = \"fill\", and without `load`",
            place(step, name, "make"),
        );
    }
}

/// Keys of what a tree does not have: (the ones that say it, words for it, whether it is given).
fn on_blocks_alone(stream: &Stream) -> [(&'static [&'static str], &'static str, bool); 10] {
    let plain = matches!(
        stream.address.pattern,
        Pattern::RANDOM
            | Pattern::Sequential {
                once: false,
                random_start: false,
                ..
            }
    );
    [
        (&["trim"], "trims", stream.mix.trim > 0.0),
        (&["access"], "this order of addresses", !plain),
        (
            &["range"],
            "a range",
            stream.address.range != RangeSpec::Whole,
        ),
        (&["hits"], "a hit set", stream.address.hits.is_some()),
        (&["verify"], "verification", stream.verify.is_some()),
        (
            &["replay"],
            "a log or what was written",
            stream.source.is_some(),
        ),
        (
            &["content"],
            "this content",
            stream.content != ContentSpec::Unique,
        ),
        (&["quota"], "a quota", !stream.quota.is_none()),
        (
            &["think", "max_rate", "max_bandwidth"],
            "think times and limits of its own",
            stream.throttle != Throttle::default(),
        ),
        (
            &["start", "stop", "ramp", "after", "ends"],
            "a window or an order of its own",
            stream.window != Window::default() || !stream.dependency.is_none(),
        ),
    ]
}
