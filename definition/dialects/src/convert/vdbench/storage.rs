//! Targets as sds.

use super::Missing;
use super::names::Names;
use crate::convert::toml::size_word;
use crate::vdbench::is_plain;
use plimsoll_plan::{Bytes, Caching, Durability, Item, Location, Plan, Target, TargetId};

/// An sd.
pub(super) struct Storage {
    pub name: String,
    pub line: String,
    /// The area of hits there.
    pub hit_area: Option<Bytes>,
    /// Its threads, where they are the same in all runs.
    pub threads: Option<u32>,
}

/// An sd for each target.
pub(super) fn all(plan: &Plan, items: &[Item], missing: &mut Missing) -> Vec<Storage> {
    let mut names = Names::default();
    let each = plan.targets.iter().enumerate();
    each.map(|(at, target)| {
        let id = TargetId(at as u32);
        let name = names.free("sd", &target.name);
        let slots = |item: &Item| {
            let steps = item.steps().iter();
            steps.map(|s| s.depth_of(id)).collect::<Vec<u64>>()
        };
        let mut slots: Vec<u64> = items.iter().flat_map(slots).filter(|n| *n > 0).collect();
        slots.sort_unstable();
        slots.dedup();
        let threads = match slots[..] {
            [one] => u32::try_from(one).ok(),
            _ => None,
        };
        let mut line = format!("sd={name},lun={}", lun(target, missing));
        if let Some(size) = target.size {
            // Vdbench's size counts from the lun's start.
            let size = Bytes(size.0.saturating_add(target.offset.0));
            line.push_str(&format!(",size={}", size_word(size)));
        }
        if target.offset.0 > 0 {
            line.push_str(&format!(",offset={}", target.offset.0));
        }
        if let Some(align) = target.align {
            line.push_str(&format!(",align={}", align.0));
        }
        if let Some(threads) = threads {
            line.push_str(&format!(",threads={threads}"));
        }
        let hit_area = hit_area(id, items);
        if let Some(area) = hit_area {
            line.push_str(&format!(",hitarea={}", size_word(area)));
        }
        line.push_str(&open_flags(target, missing));
        Storage {
            name,
            line,
            hit_area,
            threads,
        }
    })
    .collect()
}

/// The hit area of the workloads on a target; that of the first, for they are refused where they differ.
fn hit_area(id: TargetId, items: &[Item]) -> Option<Bytes> {
    let streams = items.iter().flat_map(Item::steps).flat_map(|s| &s.streams);
    let mut own = streams.filter(|s| s.target == id);
    own.find_map(|s| s.address.hits).map(|hits| hits.area)
}

fn lun(target: &Target, missing: &mut Missing) -> String {
    let at = target.origins.of("path");
    let whose = format!("target `{}`", target.name);
    let text = match &target.location {
        Location::Path(path) => path.display().to_string(),
        Location::Concat(_) => {
            missing.add(
                &whose,
                "several files joined end to end for this target alone",
                at,
                "name one file or device",
            );
            return String::new();
        }
        Location::Null(_) | Location::Lab(_) | Location::Nbd(_) | Location::Tree(_) => {
            missing.add(
                &whose,
                target.location.text(),
                at,
                "name a file or a device",
            );
            return String::new();
        }
    };
    if !is_plain(&text) {
        missing.add(
            &whose,
            format!("the name {text}"),
            at,
            "give it a plain name by a link",
        );
    }
    text
}

fn open_flags(target: &Target, missing: &mut Missing) -> String {
    let direct = target.caching == Caching::Direct;
    let device = target
        .location
        .paths()
        .iter()
        .any(|p| p.starts_with("/dev"));
    let whose = format!("target `{}`", target.name);
    if device && !direct {
        let what = "a device through the page cache";
        missing.add(
            &whose,
            what,
            target.origins.of("caching"),
            "write caching = \"direct\"",
        );
    }
    let durability = match target.durability {
        Durability::None => None,
        Durability::Dsync => Some("o_dsync"),
        // Its `o_sync` is O_DSYNC.
        Durability::Sync => Some("0x101000"),
        Durability::FsyncAtEnd | Durability::FsyncAtClose => Some("fsync"),
        Durability::FsyncEvery(n) | Durability::FdatasyncEvery(n) => {
            let what = format!("fsync after every {n} writes");
            missing.add(
                &whose,
                what,
                target.origins.of("durability"),
                "write \"fsync_at_end\" or \"dsync\"",
            );
            None
        }
    };
    let flags: Vec<&str> = direct
        .then_some("o_direct")
        .into_iter()
        .chain(durability)
        .collect();
    match &flags[..] {
        [] => String::new(),
        [one] => format!(",openflags={one}"),
        several => format!(",openflags=({})", several.join(",")),
    }
}
