//! Trees that take turns in one root: names that the others have left there.

use crate::shape::{Entry, Shape};
use plimsoll_plan::Tree;
use std::sync::Arc;

/// Trees that have had a root before another, or will have it.
#[derive(Debug, Clone, Default)]
pub struct Others(Arc<[Shape]>);

/// Place of one directory in several trees: in each of them the root, a directory of its own, or none.
#[derive(Debug, Clone)]
pub struct Inside(Vec<Option<Option<u64>>>);

/// File or directory of one of the others, in few bytes: a tree may leave millions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leftover {
    tree: u32,
    number: u32,
}

/// Names that are there and are the others' alone, until they are taken to be deleted.
#[derive(Debug, Clone, Default)]
pub struct Leftovers {
    files: Vec<Leftover>,
    /// Each behind the one that holds it.
    directories: Vec<Leftover>,
    /// Count of those that are being deleted.
    out: u64,
}

impl Others {
    /// Others of a tree: these, by their shapes.
    pub fn of(trees: &[&Tree]) -> Self {
        Others(trees.iter().map(|tree| Shape::new(tree)).collect())
    }

    /// True where the root is one tree's alone.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The root, which all have in common.
    pub fn root(&self) -> Inside {
        Inside(vec![Some(None); self.0.len()])
    }

    /// Entries that a name is in a directory, one for each tree that has it.
    pub fn find(&self, inside: &Inside, name: &str) -> Vec<Option<Entry>> {
        let each = self.0.iter().zip(&inside.0);
        each.map(|(shape, within)| shape.find((*within)?, name))
            .collect()
    }

    /// The trees.
    pub fn shapes(&self) -> &[Shape] {
        &self.0
    }

    /// True for a file that no other host has.
    pub fn is_own(&self, file: Leftover) -> bool {
        self.0[file.tree as usize].is_own(file.number.into())
    }

    /// Path of a leftover below the root.
    pub fn path(&self, of: Leftover, is_directory: bool) -> String {
        let number = of.number.into();
        self.0[of.tree as usize].path(match is_directory {
            true => Entry::Directory(number),
            false => Entry::File(number),
        })
    }
}

impl Inside {
    /// Directory of these entries.
    pub fn below(entries: &[Option<Entry>]) -> Self {
        let within = |entry: &Option<Entry>| match entry {
            Some(Entry::Directory(directory)) => Some(Some(*directory)),
            _ => None,
        };
        Inside(entries.iter().map(within).collect())
    }
}

impl Leftover {
    /// The first of these entries that there is.
    pub fn of(entries: &[Option<Entry>]) -> Option<(Self, Entry)> {
        let (tree, entry) = (entries.iter().enumerate()).find_map(|(at, e)| Some((at, (*e)?)))?;
        let (Entry::Directory(number) | Entry::File(number)) = entry;
        let left = Leftover {
            tree: u32::try_from(tree).ok()?,
            number: u32::try_from(number).ok()?,
        };
        Some((left, entry))
    }
}

impl Leftovers {
    /// A file was found.
    pub fn found_file(&mut self, file: Leftover) {
        self.files.push(file);
    }

    /// A directory was found; the one that holds it was found before.
    pub fn found_directory(&mut self, directory: Leftover) {
        self.directories.push(directory);
    }

    /// True where there are files.
    pub fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// Takes a file to be deleted.
    pub(crate) fn take_file(&mut self) -> Option<Leftover> {
        let taken = self.files.pop();
        self.out += u64::from(taken.is_some());
        taken
    }

    /// Takes a directory that holds none of the others.
    pub(crate) fn take_directory(&mut self) -> Option<Leftover> {
        let taken = self.directories.pop();
        self.out += u64::from(taken.is_some());
        taken
    }

    /// One that was taken is deleted, or could not be.
    pub fn end(&mut self) {
        self.out = self.out.saturating_sub(1);
    }

    /// True while one is being deleted.
    pub(crate) fn is_under_way(&self) -> bool {
        self.out > 0
    }
}
