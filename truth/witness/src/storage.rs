//! Storage that devices and files share: which bytes each of them is made of, whatever it is called.
//!
//! Two of them share storage where a byte of one is a byte of the other: a disk and its partition, two paths of a LUN, a namespace
//! behind two controllers, a device-mapper map and the disks below it, two maps on the same sectors, two loop devices on one file.
//! Each is spread over what lies below it, down to disks and files; where two of them meet, they share storage.

mod parts;
#[cfg(test)]
mod tests;

use crate::Root;
use crate::block::{self, DeviceNumber};
use crate::{dm, loops};
use parts::{Layout, Part, Source, Table};
use serde::Serialize;

/// A device or a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// A block device, by its kernel name.
    Device(String),
    /// A file, by its file system's device number and its inode.
    File {
        /// Its file system's device number.
        dev: u64,
        /// Its inode.
        inode: u64,
    },
    /// A file of which only the name is known: under a captured tree, or where a loop device may not be asked.
    Named(String),
}

/// How something shares storage with what was asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// It is what was asked about.
    Itself,
    /// It is built on that.
    Above,
    /// That is built on it.
    Below,
    /// Neither: another path to a part of it.
    Beside,
}

impl Relation {
    fn is_downward(self) -> bool {
        matches!(self, Relation::Itself | Relation::Below)
    }
}

/// One device or file that shares storage with what was asked about.
#[derive(Debug, Clone, Copy)]
pub struct Sharer<'s> {
    /// It.
    pub thing: &'s Thing,
    /// How it shares the storage.
    pub relation: Relation,
    /// False where something below both lays out the bytes of what was asked about: a pool of thin volumes, an array.
    pub is_direct: bool,
    /// True where all of it lies within what was asked about.
    pub is_within: bool,
}

/// A device or a file, and what it is made of.
#[derive(Debug)]
pub struct Thing {
    /// Which it is.
    pub node: Node,
    /// `disk`, `partition`, `dm`, `md`, `multipath`, `loop`…; empty for a file.
    pub kind: String,
    /// A device's number.
    pub number: Option<DeviceNumber>,
    /// Its size, bytes; the largest number for a file.
    size: u64,
    /// The first device that is the same disk by its world-wide name: another path. Itself where it's no path.
    same: usize,
    parts: Vec<Part>,
    spans: Vec<Span>,
}

/// Bytes of one thing.
#[derive(Debug, Clone)]
struct Span {
    of: usize,
    /// As in [`Thing`].
    same: usize,
    from: u64,
    to: u64,
    /// Things on which only the layer above knows where the bytes lie.
    kept: Vec<usize>,
}

impl Thing {
    /// A device's kernel name.
    pub fn device(&self) -> Option<&str> {
        match &self.node {
            Node::Device(name) => Some(name),
            _ => None,
        }
    }

    /// True where it is made of others, and is no partition.
    pub fn is_built(&self) -> bool {
        self.kind != "partition" && !self.parts.is_empty()
    }
}

impl Span {
    fn meets(&self, other: &Span) -> bool {
        self.same == other.same
            && self.from < other.to
            && other.from < self.to
            && !self.kept.iter().any(|kept| other.kept.contains(kept))
    }
}

/// All devices of a host, and the files below them.
#[derive(Debug)]
pub struct Storage {
    things: Vec<Thing>,
}

impl Storage {
    /// Looks at all devices that have nodes: the single paths of an NVMe namespace have none.
    pub fn of(root: &Root) -> Storage {
        Storage::with_tables(root, dm::table)
    }

    fn with_tables(root: &Root, table: Table) -> Storage {
        let is_hidden =
            |name: &String| root.number(format!("/sys/class/block/{name}/hidden")) == Some(1u8);
        let mut names = root.names("/sys/class/block");
        names.retain(|name| !is_hidden(name));
        let things = names.iter().map(|name| Thing::of(root, name)).collect();
        let mut storage = Storage { things };
        storage.find_paths(root);
        let source = Source {
            root,
            loops: loops::loops(root),
            table,
        };
        for (index, name) in names.iter().enumerate() {
            storage.things[index].parts = source.parts(&mut storage, index, name);
        }
        for index in 0..storage.things.len() {
            storage.things[index].spans = storage.spans(index);
        }
        storage
    }

    /// Storage of this host, and a file, which may lie below none of the devices.
    pub fn with_file(root: &Root, file: &Node) -> Storage {
        let mut storage = Storage::of(root);
        let index = storage.index_of(file);
        storage.things[index].spans = storage.spans(index);
        storage
    }

    /// Sharers of a device's or file's storage, itself first. None where it is not there.
    pub fn shared_with(&self, node: &Node) -> Vec<Sharer<'_>> {
        let Some(own) = self.find(node) else {
            return Vec::new();
        };
        let others = (0..self.things.len()).filter(|other| *other != own);
        std::iter::once(own)
            .chain(others)
            .filter_map(|other| self.shared(own, other))
            .collect()
    }

    /// Devices that the claim on a device leaves free, while whoever claims them would use its storage: other paths of it, and what
    /// loop devices are made of, for these hold nothing.
    pub fn to_claim(&self, device: &str) -> Vec<Sharer<'_>> {
        let shared = self.shared_with(&Node::Device(device.to_string()));
        let is_below_loop = |s: &Sharer| {
            let is_of = |thing: &Thing| self.parts_of(thing).any(|p| p.node == s.thing.node);
            let mut loops = shared.iter().filter(|l| l.thing.kind == "loop");
            s.relation == Relation::Below
                && loops.any(|l| l.relation.is_downward() && is_of(l.thing))
        };
        let is_path = |s: &Sharer| {
            let is_plain = ["disk", "partition"].contains(&s.thing.kind.as_str());
            is_plain && s.relation == Relation::Beside && s.is_within
        };
        let is_wanted = |s: &Sharer| s.thing.device().is_some() && (is_path(s) || is_below_loop(s));
        // Whoever holds a disk keeps others from its partitions.
        let is_on_held = |s: &Sharer| {
            let mut disks = shared
                .iter()
                .filter(|d| d.relation.is_downward() || is_wanted(d));
            is_path(s) && disks.any(|d| self.parts_of(s.thing).any(|p| p.node == d.thing.node))
        };
        let wanted = shared.iter().filter(|s| is_wanted(s) && !is_on_held(s));
        wanted.copied().collect()
    }

    /// The devices and files that a thing is made of.
    pub fn parts_of<'s>(&'s self, thing: &'s Thing) -> impl Iterator<Item = &'s Thing> {
        thing.parts.iter().map(|part| &self.things[part.of])
    }

    fn find(&self, node: &Node) -> Option<usize> {
        self.things.iter().position(|thing| thing.node == *node)
    }

    /// The index of a device or file, which is added where it is not there.
    fn index_of(&mut self, node: &Node) -> usize {
        self.find(node).unwrap_or_else(|| {
            let index = self.things.len();
            self.things.push(Thing {
                node: node.clone(),
                kind: String::new(),
                number: None,
                size: u64::MAX,
                same: index,
                parts: Vec::new(),
                spans: Vec::new(),
            });
            index
        })
    }

    /// Finds the disks that are one disk: paths have its world-wide name and its size.
    fn find_paths(&mut self, root: &Root) {
        let mut known: Vec<(String, u64, usize)> = Vec::new();
        for (index, thing) in self.things.iter_mut().enumerate() {
            thing.same = index;
            let Some(name) = thing.device().filter(|_| thing.kind == "disk") else {
                continue;
            };
            let Some(wwn) = block::world_wide_name(root, name) else {
                continue;
            };
            let is_it = |known: &&(String, u64, usize)| known.0 == wwn && known.1 == thing.size;
            match known.iter().find(is_it) {
                Some((_, _, first)) => thing.same = *first,
                None => known.push((wwn, thing.size, index)),
            }
        }
    }

    fn spans(&self, index: usize) -> Vec<Span> {
        let mut spans = Vec::new();
        let whole = Span {
            of: index,
            same: self.things[index].same,
            from: 0,
            to: self.things[index].size,
            kept: Vec::new(),
        };
        self.spread(whole, &mut vec![index], &mut spans);
        spans
    }

    /// The span and all that it lies on. `above` is the way to it: no kernel builds devices in a circle, but a captured tree may
    /// say so.
    fn spread(&self, span: Span, above: &mut Vec<usize>, into: &mut Vec<Span>) {
        for part in &self.things[span.of].parts {
            if above.contains(&part.of) {
                continue;
            }
            let below = &self.things[part.of];
            let from = span.from.max(part.at);
            let to = span.to.min(part.at.saturating_add(part.length));
            if from >= to {
                continue;
            }
            let mut kept = span.kept.clone();
            let (from, to) = match part.layout {
                Layout::Linear => {
                    let shift = |at: u64| (at - part.at).saturating_add(part.from);
                    (shift(from), shift(to))
                }
                Layout::Striped(stripes) => {
                    (part.from, part.from.saturating_add(part.length / stripes))
                }
                Layout::Kept => {
                    kept.push(part.of);
                    (0, below.size)
                }
            };
            let spread = Span {
                of: part.of,
                same: below.same,
                from,
                to,
                kept,
            };
            above.push(part.of);
            self.spread(spread, above, into);
            above.pop();
        }
        into.push(span);
    }

    fn shared(&self, own: usize, other: usize) -> Option<Sharer<'_>> {
        let (mine, thing) = (&self.things[own].spans, &self.things[other]);
        let meetings = || {
            let pairs = mine
                .iter()
                .flat_map(|m| thing.spans.iter().map(move |t| (m, t)));
            pairs.filter(|(m, t)| m.meets(t))
        };
        let relation = if own == other {
            Relation::Itself
        } else if thing.spans.iter().any(|span| span.of == own) {
            Relation::Above
        } else if mine.iter().any(|span| span.of == other) {
            Relation::Below
        } else {
            meetings().next().map(|_| Relation::Beside)?
        };
        let is_direct = |(m, _): &(&Span, &Span)| m.kept.is_empty();
        let is_within = |(m, t): &(&Span, &Span)| {
            let length = t.to - t.from;
            is_direct(&(m, t))
                && t.kept.is_empty()
                && length == thing.size
                && m.from <= t.from
                && t.to <= m.to
        };
        Some(Sharer {
            thing,
            relation,
            is_direct: meetings().any(|pair| is_direct(&pair)),
            is_within: meetings().any(|pair| is_within(&pair)),
        })
    }
}

impl Thing {
    fn of(root: &Root, name: &str) -> Thing {
        Thing {
            node: Node::Device(name.to_string()),
            kind: block::kind(root, name),
            number: block::number_of_name(root, name),
            size: block::size_bytes(root, name),
            same: 0,
            parts: Vec::new(),
            spans: Vec::new(),
        }
    }
}
