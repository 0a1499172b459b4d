//! What a device is made of, byte by byte as far as it can be told.

use super::{Node, Storage};
use crate::Root;
use crate::block::{self, DeviceNumber};
use crate::dm;
use crate::loops::{Backing, Loop};
use std::path::Path;

const SECTOR: u64 = 512;

/// Bytes of a device, and what they are made of.
#[derive(Debug)]
pub(super) struct Part {
    /// The first, in the device.
    pub at: u64,
    /// How many.
    pub length: u64,
    /// What they are made of.
    pub of: usize,
    /// Where in that the first one lies.
    pub from: u64,
    /// Which byte lies where.
    pub layout: Layout,
}

/// Order of a device's bytes in what it is made of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Layout {
    /// One after the other.
    Linear,
    /// By turns with so many others, which are as long.
    Striped(u64),
    /// Only the device's own layer knows: arrays, thin volumes, snapshots, caches.
    Kept,
}

impl Part {
    /// All of a device, somewhere in another.
    fn somewhere(of: usize) -> Part {
        Part {
            at: 0,
            length: u64::MAX,
            of,
            from: 0,
            layout: Layout::Kept,
        }
    }

    /// All of a device, from a place in another on.
    fn from(of: usize, from: u64, length: u64) -> Part {
        Part {
            at: 0,
            length,
            of,
            from,
            layout: Layout::Linear,
        }
    }
}

/// Table of a device-mapper map, by its device number.
pub(super) type Table = fn(&Root, &str) -> Option<Vec<dm::Target>>;

/// Source of what devices are made of.
#[derive(Debug)]
pub(super) struct Source<'r> {
    pub root: &'r Root,
    pub loops: Vec<Loop>,
    pub table: Table,
}

impl Source<'_> {
    /// What the device `name` is made of.
    pub fn parts(&self, storage: &mut Storage, index: usize, name: &str) -> Vec<Part> {
        let kind = storage.things[index].kind.clone();
        match kind.as_str() {
            "partition" => self.of_partition(storage, index, name),
            "loop" => {
                let made = self.loops.iter().find(|made| made.name == name);
                made.map(|made| self.of_loop(storage, made, index))
                    .into_iter()
                    .collect()
            }
            // All paths of a multipath map are the same bytes.
            "multipath" => {
                let whole = |of| Part::from(of, 0, u64::MAX);
                self.slaves(storage, name).map(whole).collect()
            }
            "dm" => self.of_map(storage, name),
            _ => self.somewhere(storage, name),
        }
    }

    fn of_partition(&self, storage: &Storage, index: usize, name: &str) -> Vec<Part> {
        let disk = block::disk_of_partition(self.root, name).map(Node::Device);
        let disk = disk.and_then(|disk| storage.find(&disk));
        let start: Option<u64> = self.root.number(format!("/sys/class/block/{name}/start"));
        let part = disk.map(|disk| match start {
            Some(start) => {
                let from = start.saturating_mul(SECTOR);
                Part::from(disk, from, storage.things[index].size)
            }
            None => Part::somewhere(disk),
        });
        part.into_iter().collect()
    }

    fn of_loop(&self, storage: &mut Storage, made: &Loop, index: usize) -> Part {
        let node = match &made.backing {
            Backing::File { dev, inode } => Node::File {
                dev: *dev,
                inode: *inode,
            },
            Backing::Device(number) => self.named(*number),
            Backing::Named(path) => {
                let mut devices = storage.things.iter().filter_map(|thing| thing.device());
                let device = devices.find(|name| block::node_of_name(name) == Path::new(path));
                device.map_or(Node::Named(path.clone()), |name| {
                    Node::Device(name.to_string())
                })
            }
        };
        let size = storage.things[index].size;
        Part::from(storage.index_of(&node), made.offset, size)
    }

    /// A device-mapper map by its table. Where that cannot be had, only the map knows.
    fn of_map(&self, storage: &Storage, name: &str) -> Vec<Part> {
        let number = block::number_of_name(self.root, name).map(|number| number.to_string());
        match number.and_then(|number| (self.table)(self.root, &number)) {
            None => self.somewhere(storage, name),
            Some(table) => {
                let targets = table.iter();
                targets
                    .flat_map(|target| self.of_target(storage, name, target))
                    .collect()
            }
        }
    }

    /// One part of a map's table: which words of it are a device, and the first sector there.
    fn of_target(&self, storage: &Storage, name: &str, target: &dm::Target) -> Vec<Part> {
        let words: Vec<&str> = target.words.split_ascii_whitespace().collect();
        // Which word is the first device, and how many there are; each has its first sector behind it.
        let (first, count) = match target.kind.as_str() {
            "linear" | "flakey" | "delay" => (0, 1),
            "crypt" => (3, 1),
            "striped" => (2, words.first().and_then(|n| n.parse().ok()).unwrap_or(0)),
            "error" | "zero" => return Vec::new(),
            _ => (0, 0),
        };
        let devices = (0..count).map_while(|n| {
            let device = words.get(first + 2 * n)?.parse().ok()?;
            let from: u64 = words.get(first + 2 * n + 1)?.parse().ok()?;
            Some((storage.find(&self.named(device))?, from))
        });
        let layout = match count {
            1 => Layout::Linear,
            stripes => Layout::Striped(stripes as u64),
        };
        let found: Vec<Part> = devices
            .map(|(of, from)| Part {
                at: target.start.saturating_mul(SECTOR),
                length: target.length.saturating_mul(SECTOR),
                of,
                from: from.saturating_mul(SECTOR),
                layout,
            })
            .collect();
        match found.is_empty() || found.len() < count {
            true => self.somewhere(storage, name),
            false => found,
        }
    }

    fn named(&self, number: DeviceNumber) -> Node {
        let name = block::name_of_number(self.root, number);
        Node::Device(name.unwrap_or_else(|| number.to_string()))
    }

    fn somewhere(&self, storage: &Storage, name: &str) -> Vec<Part> {
        self.slaves(storage, name).map(Part::somewhere).collect()
    }

    fn slaves<'a>(
        &self,
        storage: &'a Storage,
        name: &str,
    ) -> impl Iterator<Item = usize> + use<'a> {
        let names = self.root.names(format!("/sys/class/block/{name}/slaves"));
        names
            .into_iter()
            .filter_map(|name| storage.find(&Node::Device(name)))
    }
}
