//! Storage as targets.

use super::hosts::Fleet;
use crate::vdbench::codes;
use crate::vdbench::definition::Definition;
use crate::vdbench::model::{LoopKey, LoopValue, OpenFlags, Storage, Workload};
use crate::vdbench::run::Run;
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::{
    Bytes, Caching, Durability, FileSizes, HostId, Hosts, Location, Opening, Origins, Target,
    TargetId, Tree,
};
use std::collections::HashMap;
use std::path::PathBuf;

/// The targets so far. Storage that is opened in two ways is two targets.
#[derive(Default)]
pub(super) struct Targets {
    /// Who uses them.
    pub fleet: Fleet,
    targets: Vec<Target>,
    known: HashMap<Key, TargetId>,
    ways: HashMap<Vec<usize>, u32>,
    /// Trees of each fsd, by its name: one for each of the numbers that its runs give it.
    trees: HashMap<String, Vec<TargetId>>,
    /// What each anchor has since its last run, and the name of that.
    anchors: HashMap<PathBuf, (Tree, String)>,
}

/// The storage of a target, and how it's opened.
type Key = (Vec<usize>, bool, u8);

impl Targets {
    /// Targets of these hosts, none yet.
    pub fn of(fleet: Fleet) -> Self {
        Targets {
            fleet,
            ..Targets::default()
        }
    }

    /// All targets, in order of first use, and the hosts.
    pub fn into_parts(self) -> (Vec<Target>, Hosts) {
        (self.targets, self.fleet.into_hosts())
    }

    /// The hosts that have a target; empty: all.
    pub fn hosts(&self, id: TargetId) -> &[HostId] {
        &self.targets[id.0 as usize].hosts
    }

    /// The number of an fsd's tree, and that of the way in which it is opened; a tree of the fsd that other hosts have, where it is not
    /// shared. All hosts that use a shared one have it.
    pub fn tree(&mut self, tree: Target, opening: Opening) -> Result<(TargetId, u32), &Target> {
        let of_fsd = self.trees.entry(tree.name.clone()).or_default();
        let all = &mut self.targets;
        let is_it = |id: &&TargetId| all[id.0 as usize].location == tree.location;
        let id = match of_fsd.iter().find(is_it) {
            Some(id) => *id,
            None => {
                let id = TargetId(all.len() as u32);
                all.push(Target {
                    name: of_fsd.first().map_or(tree.name.clone(), |first| {
                        in_turn(&tree, &all[first.0 as usize])
                    }),
                    caching: opening.caching,
                    durability: opening.durability,
                    ..tree.clone()
                });
                of_fsd.push(id);
                id
            }
        };
        let known = &mut all[id.0 as usize];
        if tree.shared {
            known.hosts.extend(&tree.hosts);
            known.hosts.sort_unstable();
            known.hosts.dedup();
        }
        match tree.shared || known.hosts == tree.hosts {
            true => Ok((id, known.number_of(opening))),
            false => Err(known),
        }
    }

    /// A run comes to an anchor, and leaves this tree there; what is wrong, where Vdbench stops at that: the anchor has other numbers since the
    /// run before, and no format deletes it. Of a shared fsd it remembers none.
    pub fn comes_to(&mut self, tree: &Tree, run: &str, may_differ: bool) -> Result<(), String> {
        let is_other = |(old, _): &&(Tree, String)| !differences(tree, old).is_empty();
        let other = self.anchors.get(&tree.root).filter(is_other);
        if let Some((old, since)) = other.filter(|_| !may_differ) {
            return Err(format!(
                "its anchor has {} since rd={since}, and rd={run} wants {}",
                differences(old, tree),
                differences(tree, old),
            ));
        }
        let now = (tree.clone(), run.to_string());
        self.anchors.insert(tree.root.clone(), now);
        Ok(())
    }

    /// The targets with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (TargetId, &Target)> {
        self.targets
            .iter()
            .enumerate()
            .map(|(at, t)| (TargetId(at as u32), t))
    }
}

/// The numbers of a tree that differ from those of another, in Vdbench's words; empty where it takes both for the same.
fn differences(tree: &Tree, other: &Tree) -> String {
    let number = |key: &str, own: u64, other: u64| (own != other).then(|| format!("{key}={own}"));
    let distribution = match tree.on_all_levels {
        true => "distribution=all",
        false => "distribution=bottom",
    };
    let sizes = match &tree.sizes {
        FileSizes::Fixed(Bytes(size)) => LoopValue::Number(*size as f64).text(LoopKey::FileSizes),
        sizes => sizes.words(),
    };
    let all = [
        number("depth", tree.depth.into(), other.depth.into()),
        number("width", tree.width.into(), other.width.into()),
        number("files", tree.files, other.files),
        (tree.on_all_levels != other.on_all_levels).then(|| distribution.to_string()),
        (tree.sizes != other.sizes).then(|| format!("sizes={sizes}")),
    ];
    all.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Name of an fsd's tree that takes turns with its first one: `fsd1 (sizes=64 KiB)`.
fn in_turn(tree: &Target, first: &Target) -> String {
    match (tree.location.tree(), first.location.tree()) {
        (Some(own), Some(first)) => format!("{} ({})", tree.name, differences(own, first)),
        _ => tree.name.clone(),
    }
}

/// The target of a workload on some storage: one, or several joined.
pub(super) fn of(
    definition: &Definition,
    run: &Run,
    workload: &Workload,
    part: &[usize],
    targets: &mut Targets,
) -> Result<TargetId, Box<Diagnostic>> {
    let first = &definition.storages[part[0]];
    let from = &definition.runs[run.definition];
    let flags = from.open_flags.or(workload.open_flags).or(first.open_flags);
    // Vdbench leaves out O_DIRECT unless it is told otherwise.
    let (caching, durability) = flags.map_or((Caching::Buffered, Durability::None), |f| {
        (f.caching, f.durability)
    });
    let key = (part.to_vec(), caching == Caching::Direct, rank(durability));
    if let Some(id) = targets.known.get(&key) {
        return Ok(*id);
    }
    let location = location(definition, part, caching, flags)?;
    let ways = targets.ways.entry(part.to_vec()).or_default();
    *ways += 1;
    let mut name = match part {
        [_] => first.name.clone(),
        _ => part
            .iter()
            .map(|at| definition.storages[*at].name.as_str())
            .collect::<Vec<_>>()
            .join("+"),
    };
    if *ways > 1 {
        name = format!("{name} ({})", way(caching, durability));
    }
    let id = TargetId(targets.targets.len() as u32);
    let storages: Vec<&Storage> = part.iter().map(|at| &definition.storages[*at]).collect();
    let read = |path: &str, span: Span| one_location(path, span, caching, flags);
    match &storages[..] {
        [one] => targets.fleet.learn(id, one, read)?,
        _ => names_of_its_own(&targets.fleet, &storages)?,
    }
    targets.targets.push(Target {
        name,
        location,
        size: match part {
            // Vdbench's size counts from the start of the lun, ours from the offset.
            [_] => first.size.map(|s| Bytes(s.saturating_sub(first.offset))),
            _ => joined_size(definition, part).map(Bytes),
        },
        offset: Bytes(first.offset),
        align: first.align.filter(|a| *a > 0).map(Bytes),
        stripe: None,
        as_made: false,
        caching,
        durability,
        more_openings: Vec::new(),
        // An sd is one, whatever hosts call it.
        shared: !targets.fleet.is_empty(),
        split: false,
        hosts: targets.fleet.that_have(&storages),
        metrics: Default::default(),
        origins: origins(definition, first),
    });
    targets.known.insert(key, id);
    Ok(id)
}

fn rank(durability: Durability) -> u8 {
    match durability {
        Durability::None => 0,
        Durability::Dsync => 1,
        Durability::Sync => 2,
        Durability::FsyncAtEnd | Durability::FsyncAtClose => 3,
        Durability::FsyncEvery(_) => 4,
        Durability::FdatasyncEvery(_) => 5,
    }
}

fn way(caching: Caching, durability: Durability) -> String {
    let cache = match caching {
        Caching::Direct => "direct",
        Caching::Buffered => "buffered",
    };
    match durability {
        Durability::None => cache.to_string(),
        Durability::Dsync => format!("{cache}, o_dsync"),
        Durability::Sync => format!("{cache}, o_sync"),
        Durability::FsyncAtEnd
        | Durability::FsyncAtClose
        | Durability::FsyncEvery(_)
        | Durability::FdatasyncEvery(_) => {
            format!("{cache}, fsync")
        }
    }
}

/// Its own places, behind those of the general parameters that hold for it too.
fn origins(definition: &Definition, storage: &Storage) -> Origins {
    let general = definition.general.origins.iter();
    let of_content = |field: &&(String, Span)| {
        ["compratio", "compression", "dedupratio", "pattern"].contains(&field.0.as_str())
    };
    let mut origins: Origins = general.filter(of_content).cloned().collect();
    origins.extend(storage.origins.iter().cloned());
    origins.note("name", storage.span);
    if let Some(lun) = storage.luns.first() {
        origins.note("path", lun.span);
    }
    origins
}

fn location(
    definition: &Definition,
    part: &[usize],
    caching: Caching,
    flags: Option<OpenFlags>,
) -> Result<Location, Box<Diagnostic>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for at in part {
        let storage = &definition.storages[*at];
        let Some(lun) = storage.luns.first() else {
            continue;
        };
        match one_location(&lun.path, lun.span, caching, flags)? {
            Location::Path(path) => paths.push(path),
            single if part.len() == 1 => return Ok(single),
            _ => {
                return Err(bad_lun(
                    &lun.path,
                    lun.span,
                    "only files and devices can be joined",
                ));
            }
        }
    }
    Ok(match paths.len() {
        1 => Location::Path(paths.remove(0)),
        _ => Location::Concat(paths),
    })
}

/// What one lun is.
fn one_location(
    path: &str,
    span: Span,
    caching: Caching,
    flags: Option<OpenFlags>,
) -> Result<Location, Box<Diagnostic>> {
    let found = Location::parse(path).map_err(|e| bad_lun(path, span, &e.to_string()))?;
    if path.starts_with("\\\\") {
        return Err(bad_lun(
            path,
            span,
            "a Windows device cannot be used on Linux",
        ));
    }
    if path.starts_with("/dev/") && caching == Caching::Buffered {
        return Err(cached_device(path, span, flags));
    }
    Ok(found)
}

/// Joined storage that hosts know by names of their own.
fn names_of_its_own(fleet: &Fleet, storages: &[&Storage]) -> Result<(), Box<Diagnostic>> {
    let mut luns = storages.iter().flat_map(|s| &s.luns);
    match luns
        .find(|l| l.host.is_some())
        .filter(|_| !fleet.is_empty())
    {
        None => Ok(()),
        Some(lun) => Err(bad_lun(
            &lun.path,
            lun.span,
            "joined storage has one name on all hosts",
        )),
    }
}

fn bad_lun(path: &str, span: Span, why: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(codes::TARGET, format!("`{path}` cannot be used: {why}"))
            .at(span, "named here"),
    )
}

fn cached_device(path: &str, span: Span, flags: Option<OpenFlags>) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::error(
        codes::DEVICE_CACHED,
        format!("{path} would be used through the page cache"),
    )
    .at(
        span,
        "devices under /dev need openflags=o_direct, as in Vdbench on Linux",
    )
    .help("add openflags=o_direct to the sd");
    Box::new(match flags {
        Some(flags) => diagnostic.at(flags.span, "without o_direct"),
        None => diagnostic,
    })
}

fn joined_size(definition: &Definition, part: &[usize]) -> Option<u64> {
    part.iter().map(|at| definition.storages[*at].size).sum()
}

/// The size that a `null:SIZE` or a `lab:PERSONA?size=SIZE` states.
pub(super) fn stated_size(storage: &Storage) -> Option<u64> {
    let location = Location::parse(&storage.luns.first()?.path).ok()?;
    location.stated_size().map(|size| size.0)
}
