//! Runs on files: a tree for each file system, and a stream for each operation of a workload on it.

use super::stream::{loop_value, transfer};
use super::target::Targets;
use crate::vdbench::Parsed;
use crate::vdbench::codes;
use crate::vdbench::definition::Definition;
use crate::vdbench::model::{
    FileSystem, FileWorkload, LoopKey, LoopValue, OpenFlags, Operation, RunDefinition,
};
use crate::vdbench::run::{Run, Work};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{
    AddressSpec, Bytes, Caching, Depth, Durability, FileSizes, FileWork, HostId, Location, Mix, Op,
    Opening, Pattern, SizeSpec, Stream, Target, TargetId, Tree, TreePart,
};
use std::collections::BTreeSet;

/// A tree, and the way in which its files are opened.
#[derive(Clone, Copy)]
pub(super) struct OpenTree {
    pub target: TargetId,
    pub opening: u32,
}

/// One operation of a workload on a file system.
struct Part<'d> {
    workload: &'d FileWorkload,
    file_system: &'d FileSystem,
    operation: Operation,
}

/// A stream for each operation of each workload on each of its file systems, in threads that no other stream has.
pub(super) fn streams(
    definition: &Definition,
    run: &Run,
    workloads: &[Option<usize>],
    targets: &mut Targets,
    errors: &mut Vec<Diagnostic>,
) -> (Vec<Stream>, Vec<Depth>) {
    let from = &definition.runs[run.definition];
    let mut streams: Vec<Stream> = Vec::new();
    let mut skews: Vec<Option<f64>> = Vec::new();
    for workload in workloads.iter().map(|at| definition.file_workload(*at)) {
        let parts = parts(definition, run, workload);
        let threads = loop_value(run, LoopKey::Threads).map_or(workload.threads, |v| v as u64);
        let count = parts.len() as u64;
        for (at, part) in parts.iter().enumerate() {
            let flags = open_flags(from, workload, part.file_system);
            let tree = match target(run, from, (part.file_system, flags), workload, targets) {
                Ok(tree) => tree,
                Err(error) => {
                    errors.push(*error);
                    continue;
                }
            };
            let more = u64::from((at as u64) < threads % count);
            let hosts = targets.fleet.that_work_on(workload);
            // Each host has one thread at least.
            let own = (threads / count + more).max(1).max(hosts.len() as u64);
            let built = stream(run, from, part, tree).and_then(|mut stream| {
                stream.hosts = hosts;
                if part.operation == Operation::Copy {
                    stream.files.to = Some(other(definition, run, from, part, targets)?);
                }
                Ok(stream)
            });
            match built {
                Ok(stream) => {
                    skews.push(workload.skew.map(|skew| skew / count as f64));
                    streams.push(Stream {
                        depth: Some(u32::try_from(own).unwrap_or(u32::MAX)),
                        ..stream
                    });
                }
                Err(error) => errors.push(*error),
            }
        }
    }
    deal_shares(&mut streams, &skews);
    let by_target = |s: &Stream| streams.iter().find(|other| other.target == s.target);
    if let Some(stream) = streams
        .iter()
        .find(|s| by_target(s).is_some_and(|first| first.files.shares != s.files.shares))
    {
        errors.push(shared_by_some(from, &stream.workload));
    }
    let targets: BTreeSet<TargetId> = streams.iter().map(|s| s.target).collect();
    let depths = Depth::each(targets, 0);
    (streams, depths)
}

/// In Vdbench the last workload of an fsd decides for all of them whether its files are shared.
fn shared_by_some(from: &RunDefinition, workload: &str) -> Diagnostic {
    let message = format!(
        "rd={}: fwd={workload} and another fwd of its fsd differ in fileio=shared",
        from.name
    );
    Diagnostic::error(codes::CANNOT_RUN, message)
        .at(
            from.origins.of("fwd").unwrap_or(from.span),
            "not in this version",
        )
        .help("write fileio=(random,shared) in all of them, or in none")
}

/// Operations of a workload in a run, on each of its file systems: those that the run gives replace its own.
fn parts<'d>(definition: &'d Definition, run: &Run, workload: &'d FileWorkload) -> Vec<Part<'d>> {
    let from = &definition.runs[run.definition];
    let looped = run.loops.iter().find_map(|(_, value)| match value {
        LoopValue::Operation(operation) => Some(vec![*operation]),
        LoopValue::Number(_) => None,
    });
    let operations = looped.unwrap_or_else(|| match from.operations.is_empty() {
        true => workload.operations.clone(),
        false => from.operations.clone(),
    });
    let of = |file_system| {
        let part = move |operation| Part {
            workload,
            file_system,
            operation,
        };
        operations.iter().copied().map(part)
    };
    file_systems(definition, from, workload)
        .flat_map(of)
        .collect()
}

pub(super) fn file_systems<'d>(
    definition: &'d Definition,
    from: &'d RunDefinition,
    workload: &'d FileWorkload,
) -> impl Iterator<Item = &'d FileSystem> {
    let references = from.file_systems.as_ref().unwrap_or(&workload.file_systems);
    let used = |f: &&FileSystem| references.iter().any(|r| r.matches(&f.name));
    definition.file_systems.iter().filter(used)
}

/// Percentages of the rate, for each stream in its order: a workload's skew in equal parts, or an equal part of what the skews leave.
/// Each host has an equal part of the rate, as each slave of Vdbench's has, however many streams it carries out; but what several hosts
/// carry out is divided evenly among them, also where one of them has another stream beside it.
fn deal_shares(streams: &mut [Stream], skews: &[Option<f64>]) {
    let all: BTreeSet<HostId> = streams.iter().flat_map(|s| &s.hosts).copied().collect();
    let given: f64 = skews.iter().flatten().sum();
    let on = |host: Option<&HostId>| {
        let has = |s: &Stream| host.is_none_or(|host| s.hosts.contains(host));
        let beside = streams.iter().zip(skews);
        let open = beside.filter(|(s, skew)| skew.is_none() && has(s));
        (100.0 - given) / open.count().max(1) as f64
    };
    let share = |at: usize| {
        let hosts = &streams[at].hosts;
        let own = |host| skews[at].unwrap_or_else(|| on(host)) / all.len().max(1) as f64;
        match hosts.is_empty() {
            true => own(None),
            false => hosts.iter().map(|host| own(Some(host))).sum(),
        }
    };
    let shares: Vec<f64> = (0..streams.len()).map(share).collect();
    for (stream, share) in streams.iter_mut().zip(shares) {
        stream.share = share;
    }
}

fn stream(
    run: &Run,
    from: &RunDefinition,
    part: &Part<'_>,
    tree: OpenTree,
) -> Result<Stream, Box<Diagnostic>> {
    let workload = part.workload;
    let op = op_of(part.operation).ok_or_else(|| {
        let word = part.operation.word();
        let places = [&from.origins, &workload.origins];
        let written = |key| places.iter().find_map(|o| o.of(key));
        let span = written("operations").or(written("foroperations"));
        Box::new(
            Diagnostic::error(
                codes::CANNOT_RUN,
                match part.operation {
                    Operation::Move => {
                        "`operation=move` cannot be used: Vdbench itself stops at its first move"
                            .to_string()
                    }
                    _ => format!(
                        "`operation={word}` cannot be used: it has curl copy files from or to an object store"
                    ),
                },
            )
            .at(span.unwrap_or(workload.span), "not in this version"),
        )
    })?;
    let read = loop_value(run, LoopKey::ReadPercent).or(workload.read_percent);
    let mix = match (read, op) {
        (Some(read), Op::Read | Op::Write) => Mix::of_reads(read),
        _ => Mix::only(op),
    };
    let moves = matches!(op, Op::Read | Op::Write);
    let pattern = match workload.sequential {
        true => Pattern::IN_ORDER,
        false => Pattern::RANDOM,
    };
    let size = match loop_value(run, LoopKey::TransferSize) {
        Some(size) => SizeSpec::Fixed(Bytes(size as u64)),
        None => transfer(&workload.sizes),
    };
    Ok(Stream {
        files: FileWork {
            select: workload.select,
            makes: None,
            shares: workload.shares,
            per_file: workload.per_file.filter(|_| moves),
            leaves_one_out: moves && workload.per_file.is_some(),
            opening: tree.opening,
            to: None,
            rounds: None,
        },
        ..Stream::new(
            workload.name.clone(),
            tree.target,
            mix,
            size,
            AddressSpec::whole(pattern),
        )
    })
}

/// The tree that a workload copies into: `target=`, a file system of the same structure.
fn other(
    definition: &Definition,
    run: &Run,
    from: &RunDefinition,
    part: &Part<'_>,
    targets: &mut Targets,
) -> Result<TargetId, Box<Diagnostic>> {
    let workload = part.workload;
    let name = workload.target.as_deref().unwrap_or_default();
    let own = part.file_system;
    let found = definition.file_systems.iter().find(|f| f.name == name);
    let is_like =
        |other: &&FileSystem| other.name != own.name && tree(own, run).is_like(&tree(other, run));
    match found.filter(is_like) {
        Some(file_system) => {
            let flags = open_flags(from, workload, file_system);
            match target(run, from, (file_system, flags), workload, targets)? {
                OpenTree { target, opening: 0 } => Ok(target),
                _ => Err(copied_otherwise(workload, file_system)),
            }
        }
        None => Err(Box::new(
            Diagnostic::error(
                codes::CANNOT_RUN,
                format!("fwd={} copies the files of fsd={}, and has no other fsd to copy them into", workload.name, own.name),
            )
            .at(workload.origins.of("target").unwrap_or(workload.span), "the name of an fsd is needed here")
            .help("write target=FSD with an fsd whose depth=, width=, files=, sizes= and distribution= are the same"),
        )),
    }
}

/// Error of a tree that files are copied into, and that was opened otherwise before.
fn copied_otherwise(workload: &FileWorkload, into: &FileSystem) -> Box<Diagnostic> {
    let message = format!("fsd={} is opened in two ways", into.name);
    let span = workload.origins.of("target").unwrap_or(workload.span);
    Box::new(
        Diagnostic::error(codes::CANNOT_RUN, message)
            .at(span, "otherwise than before; not in this version")
            .help("give all runs and workloads that it is a target= of the same openflags="),
    )
}

/// The plan's operation for one of Vdbench's; `None` where it cannot be carried out.
fn op_of(operation: Operation) -> Option<Op> {
    match operation {
        Operation::Read => Some(Op::Read),
        Operation::Write => Some(Op::Write),
        Operation::Mkdir => Some(Op::Mkdir),
        Operation::Rmdir => Some(Op::Rmdir),
        Operation::Create => Some(Op::Create),
        Operation::Delete => Some(Op::Delete),
        Operation::Getattr => Some(Op::Stat),
        Operation::Open => Some(Op::Open),
        Operation::Close => Some(Op::Close),
        Operation::Setattr => Some(Op::Setattr),
        Operation::Access => Some(Op::Access),
        Operation::Copy => Some(Op::Copy),
        Operation::Move | Operation::Get | Operation::Put => None,
    }
}

/// Operations on names that the definitions name, and those of a format; `None` where no run is on files.
pub(in crate::vdbench) fn operations(parsed: &Parsed) -> Option<Vec<Op>> {
    let is_on_files = |run: &Run| !matches!(run.work, Work::Raw(_));
    if !parsed.runs.iter().any(is_on_files) {
        return None;
    }
    let definition = &parsed.definition;
    let own = definition.file_workloads.iter().map(|w| &w.operations);
    let of_runs = definition.runs.iter().map(|r| &r.operations);
    let mut named: Vec<Op> = own
        .chain(of_runs)
        .flatten()
        .filter_map(|o| op_of(*o))
        .collect();
    let looped = parsed.runs.iter().flat_map(|run| run.loops.iter());
    named.extend(looped.filter_map(|(_, value)| match value {
        LoopValue::Operation(operation) => op_of(*operation),
        LoopValue::Number(_) => None,
    }));
    if definition.runs.iter().any(|run| run.format.wanted) {
        named.extend([Op::Mkdir, Op::Rmdir, Op::Create, Op::Delete]);
    }
    named.sort();
    named.dedup();
    Some(named)
}

/// Flags with which a workload opens the files of a file system in a run.
pub(super) fn open_flags(
    from: &RunDefinition,
    workload: &FileWorkload,
    file_system: &FileSystem,
) -> Option<OpenFlags> {
    from.open_flags
        .or(workload.open_flags)
        .or(file_system.open_flags)
}

/// The tree of a file system, as this run and this workload use it.
pub(super) fn target(
    run: &Run,
    from: &RunDefinition,
    (file_system, flags): (&FileSystem, Option<OpenFlags>),
    workload: &FileWorkload,
    targets: &mut Targets,
) -> Result<OpenTree, Box<Diagnostic>> {
    // A percentage of what there is, or what is left beside it.
    let written = |key| file_system.origins.of(key);
    let span = written("wss").or(written("workingsetsize"));
    if let (Some(span), None | Some(0..=100)) = (span, file_system.working_set) {
        let message = format!(
            "the working set of fsd={} is a percentage",
            file_system.name
        );
        return Err(Box::new(
            Diagnostic::error(codes::CANNOT_RUN, message)
                .at(span, "not in this version")
                .help("write the bytes, as wss=10g"),
        ));
    }
    // Vdbench leaves out O_DIRECT unless it is told otherwise, and flushes a file with `fsync` whenever it closes it.
    let opening = Opening {
        caching: flags.map_or(Caching::Buffered, |f| f.caching),
        durability: match flags.map(|f| f.durability) {
            Some(Durability::FsyncAtEnd) => Durability::FsyncAtClose,
            durability => durability.unwrap_or_default(),
        },
    };
    let mut origins = file_system.origins.clone();
    if let Some(anchor) = written("anchor") {
        origins.note("path", anchor);
    }
    let tree = tree(file_system, run);
    let hosts = targets.fleet.that_work_on(workload);
    let target = Target {
        hosts: hosts.clone(),
        shared: file_system.shared && !hosts.is_empty(),
        origins,
        ..Target::new(
            file_system.name.clone(),
            Location::Tree(Box::new(tree.clone())),
        )
    };
    let may_differ =
        file_system.shared || matches!(run.work, Work::Format(_)) && from.format.deletes;
    targets
        .comes_to(&tree, &from.name, may_differ)
        .map_err(|wrong| other_numbers(file_system, from, &wrong))?;
    let (target, opening) = targets.tree(target, opening).map_err(|_| {
        let message = format!("fsd={} is used by two hosts", file_system.name);
        Box::new(
            Diagnostic::error(codes::CANNOT_RUN, message)
                .at(
                    workload.origins.of("host").unwrap_or(workload.span),
                    "by another host than before",
                )
                .help("write shared=yes in the fsd, so that each host has files of its own in it, or an fsd with an anchor of its own for each host"),
        )
    })?;
    Ok(OpenTree { target, opening })
}

/// Error of a run whose numbers are not those that the anchor has since the run before.
fn other_numbers(file_system: &FileSystem, from: &RunDefinition, wrong: &str) -> Box<Diagnostic> {
    let keys = [
        "sizes", "forsizes", "files", "forfiles", "width", "forwidth", "depth", "fordepth",
    ];
    let written = keys.iter().find_map(|key| from.origins.of(key));
    let message = format!(
        "fsd={} changes from run to run, at which Vdbench itself stops: {wrong}",
        file_system.name
    );
    Box::new(
        Diagnostic::error(codes::CANNOT_RUN, message)
            .at(
                written.unwrap_or(from.span),
                "other numbers than before, without format=yes",
            )
            .help(format!(
                "write format=yes in rd={}, which deletes the old files and makes the new ones, or give these numbers an fsd with an anchor of its own",
                from.name
            )),
    )
}

/// The tree of a file system, with the numbers that a run gives in the place of its own.
fn tree(from: &FileSystem, run: &Run) -> Tree {
    let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    let bytes = |(size, percent): &(u64, f64)| (Bytes(*size), *percent);
    let number = |key, own: u64| loop_value(run, key).map_or(own, |value| value as u64);
    let sizes = match (loop_value(run, LoopKey::FileSizes), &from.sizes[..]) {
        (Some(size), _) => FileSizes::Fixed(Bytes(size as u64)),
        (None, [(size, _)]) if from.average_size => FileSizes::Around(Bytes(*size)),
        (None, [(size, _)]) => FileSizes::Fixed(Bytes(*size)),
        (None, _) => FileSizes::Weighted(from.sizes.iter().map(bytes).collect()),
    };
    Tree {
        root: from.anchor.clone().into(),
        depth: small(number(LoopKey::Depth, from.depth)),
        width: small(number(LoopKey::Width, from.width)),
        files: number(LoopKey::Files, from.files),
        on_all_levels: from.files_everywhere,
        sizes,
        part: TreePart {
            total: from.total_size.map(Bytes),
            working_set: from.working_set.map(Bytes),
            present: None,
            dealt: None,
        },
        names: None,
    }
}
