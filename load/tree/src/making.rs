//! Making a tree: existing entries are deleted, where that is asked for, with what other trees have left in its root; then come
//! directories, files, and their content.

use crate::others::{Leftover, Leftovers};
use crate::population::{Claim, Population, Present};
use crate::shape::Entry;
use plimsoll_plan::{Making, Op};

/// Course of a tree's making, for all workers together.
#[derive(Debug, Clone)]
pub struct Maker {
    /// Operations still to do, in their order.
    left: Vec<Op>,
    /// Place of the next entry for the first of them.
    at: u64,
}

/// Next thing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Operation to carry out.
    Do(Claim),
    /// Delete or rmdir of what another tree has left; [`Leftovers::end`] ends it.
    Remove(Op, Leftover),
    /// Nothing until an operation that is under way ends.
    Wait,
    /// Nothing more.
    Over,
}

impl Maker {
    /// From the beginning.
    pub fn new(making: Making) -> Self {
        let left: &[Op] = match making {
            Making::Anew => &[Op::Delete, Op::Rmdir, Op::Mkdir, Op::Create, Op::Write],
            Making::DirectoriesAnew => &[Op::Delete, Op::Rmdir, Op::Mkdir],
            Making::Deleted => &[Op::Delete, Op::Rmdir],
            Making::Missing => &[Op::Mkdir, Op::Create, Op::Write],
            Making::Directories => &[Op::Mkdir],
        };
        Maker {
            left: left.to_vec(),
            at: 0,
        }
    }

    /// Next thing to do. Each entry is taken once, so that one that cannot be made is not tried for ever.
    pub fn next(&mut self, population: &mut Population, leftovers: &mut Leftovers) -> Next {
        while let Some(op) = self.left.first().copied() {
            // A directory goes when nothing is in it, and so alone.
            let left = match op {
                Op::Delete => leftovers.take_file(),
                Op::Rmdir if leftovers.is_under_way() => return Next::Wait,
                Op::Rmdir => leftovers.take_directory(),
                _ => None,
            };
            if let Some(left) = left {
                return Next::Remove(op, left);
            }
            let directories = population.shape().directories();
            let count = match op {
                Op::Rmdir | Op::Mkdir => directories,
                _ => population.shape().files(),
            };
            while self.at < count {
                let entry = match op {
                    Op::Mkdir => Entry::Directory(self.at),
                    // From the last level up.
                    Op::Rmdir => Entry::Directory(count - 1 - self.at),
                    _ => Entry::File(self.at),
                };
                if !wants(population, op, entry) {
                    self.at += 1;
                    continue;
                }
                if let Some(claim) = population.begin_on(op, entry) {
                    self.at += 1;
                    return Next::Do(claim);
                }
                if population.claims_out() > 0 {
                    return Next::Wait;
                }
                self.at += 1;
            }
            if population.claims_out() > 0 || leftovers.is_under_way() {
                return Next::Wait;
            }
            self.left.remove(0);
            self.at = 0;
        }
        Next::Over
    }
}

/// True where the operation would change the entry.
fn wants(population: &Population, op: Op, entry: Entry) -> bool {
    match entry {
        Entry::Directory(directory) => population.has_directory(directory) == (op == Op::Rmdir),
        Entry::File(file) => match population.present(file) {
            Present::Absent => op == Op::Create && population.lacks(file),
            Present::Made => op == Op::Delete || op == Op::Write && population.shape().has(file),
            Present::Full => op == Op::Delete,
        },
    }
}
