//! Trees of directories and files as targets: what is found below a root, and what all workers have in common of it.

mod found;
mod root;

pub use found::{FoundTree, TreeUse, look};
pub use plimsoll_tree::Entry;
pub use root::{CallRecord, Calls, Elsewhere, Root, TreeCall};
pub(crate) use root::{Name, TreeFile};

use plimsoll_plan::{Caching, Durability, Making, Opening, Tree};
use plimsoll_tree::{Leftovers, Maker, Others, Population, Shape};
use rustix::fs::OFlags;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A tree whose root is open.
#[derive(Debug)]
pub struct OpenTree {
    /// The root; all is done below it.
    pub root: Root,
    /// Ways in which streams open its files.
    pub openings: Vec<TreeOpening>,
    /// True where nothing but empty files was found to be filled: what holds data by then is somebody else's.
    pub(crate) fills_empty_only: bool,
    /// Its names and sizes, which need no lock.
    pub(crate) shape: Arc<Shape>,
    /// Trees that take turns with it in its root.
    pub(crate) others: Others,
    /// Address of the shape of that tree among them which had the root last.
    had_last: Arc<AtomicUsize>,
    course: Mutex<Course>,
}

/// Flags with which a stream opens files of a tree, and whether it flushes them.
#[derive(Debug, Clone, Copy)]
pub struct TreeOpening {
    /// Flags of the open.
    pub(crate) flags: OFlags,
    /// True where a file is flushed before it is closed.
    pub(crate) syncs: bool,
}

impl From<Opening> for TreeOpening {
    fn from(from: Opening) -> Self {
        let mut flags = OFlags::empty();
        if from.caching == Caching::Direct {
            flags |= OFlags::DIRECT;
        }
        match from.durability {
            Durability::Dsync => flags |= OFlags::DSYNC,
            Durability::Sync => flags |= OFlags::SYNC,
            _ => {}
        }
        TreeOpening {
            flags,
            syncs: from.durability == Durability::FsyncAtClose,
        }
    }
}

/// State of a tree: the entries that exist, and the progress of its making.
#[derive(Debug)]
pub(crate) struct Course {
    pub population: Population,
    pub maker: Option<Maker>,
    /// Names in the root that are those of other trees alone.
    pub leftovers: Leftovers,
    /// Files that are still to be put into it by those who copy in order.
    pub copies: Copies,
}

/// Files that are copied in order: each once, whoever does it.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    /// The first file that nobody has taken.
    next: u64,
    /// Files that were taken and could not be copied then.
    again: Vec<u64>,
    /// Count of files that somebody copies, any of which may still be put back.
    in_hand: u64,
}

/// What there is for one who copies in order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NextCopy {
    /// File to copy, to be given back by [`Copies::end`].
    File(u64),
    /// Nothing just now: each file that is left is in somebody's hand.
    Wait,
    /// Nothing any more.
    Over,
}

impl Copies {
    /// Takes the next file of so many.
    pub fn take(&mut self, files: u64) -> NextCopy {
        let file = match self.next < files {
            true => {
                self.next += 1;
                Some(self.next - 1)
            }
            false => self.again.pop(),
        };
        match file {
            Some(file) => {
                self.in_hand += 1;
                NextCopy::File(file)
            }
            None if self.in_hand > 0 => NextCopy::Wait,
            None => NextCopy::Over,
        }
    }

    /// Gives a file back, which is taken again where it is busy, or has no place yet.
    pub fn end(&mut self, file: u64, again: bool) {
        self.in_hand = self.in_hand.saturating_sub(1);
        if again {
            self.again.push(file);
        }
    }
}

impl Course {
    /// Takes the next file that is to be put into this tree.
    pub fn take_copy(&mut self) -> NextCopy {
        self.copies.take(self.population.shape().files())
    }
}

impl OpenTree {
    pub(crate) fn new(
        root: Root,
        population: Population,
        others: Others,
        openings: Vec<TreeOpening>,
    ) -> Self {
        let shape = Arc::clone(population.shape());
        OpenTree {
            root,
            openings,
            fills_empty_only: false,
            had_last: Arc::new(AtomicUsize::new(Arc::as_ptr(&shape).addr())),
            shape,
            others,
            course: Mutex::new(Course {
                population,
                maker: None,
                leftovers: Leftovers::default(),
                copies: Copies::default(),
            }),
        }
    }

    /// A tree that takes turns with this one in its root; it is looked at when its turn comes.
    pub(crate) fn in_turn(
        &self,
        tree: &Tree,
        others: &[&Tree],
        openings: Vec<TreeOpening>,
    ) -> io::Result<Self> {
        let population = Population::empty(Shape::new(tree));
        let others = Others::of(others);
        Ok(OpenTree {
            had_last: Arc::clone(&self.had_last),
            ..OpenTree::new(
                Root::Here(self.root.here()?.again()?),
                population,
                others,
                openings,
            )
        })
    }

    /// A tree without a directory, of this number: its calls are kept in `record`. What of it is there is what `made` makes.
    pub fn elsewhere(
        tree: &Tree,
        openings: Vec<TreeOpening>,
        (number, record): (u32, &CallRecord),
    ) -> Self {
        let root = Root::elsewhere(number, tree.root.clone(), record);
        let population = Population::empty(Shape::new(tree));
        OpenTree::new(root, population, Others::default(), openings)
    }

    /// Makes a tree without a directory in no time, all that such a step makes where nothing is there.
    pub fn is_made(&self, making: Making) {
        self.course().population.is_made(making);
    }

    /// True where no other tree has had the root since this one had it.
    pub(crate) fn has_turn(&self) -> bool {
        self.had_last.load(Ordering::Relaxed) == Arc::as_ptr(&self.shape).addr()
    }

    /// This tree has the root from now on, until another has it.
    pub(crate) fn has_it_now(&self) {
        let own = Arc::as_ptr(&self.shape).addr();
        self.had_last.store(own, Ordering::Relaxed);
    }

    /// Bytes of its files when they are full; 1 where it has none, for a target has some place.
    pub fn bytes(&self) -> u64 {
        self.shape.bytes().max(1)
    }

    /// A step begins that makes it.
    pub(crate) fn make(&self, making: Making) {
        self.course().maker = Some(Maker::new(making));
    }

    /// A step begins that copies files into it.
    pub(crate) fn begin_copies(&self) {
        self.course().copies = Copies::default();
    }

    /// A step begins whose files are left before their end, and gone on with later.
    pub(crate) fn keep_places(&self) {
        self.course().population.keep_places();
    }

    pub(crate) fn course(&self) -> MutexGuard<'_, Course> {
        // Whoever held it may have died; what is in it is whole all the same.
        self.course.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{Copies, NextCopy};

    #[test]
    fn a_file_that_is_put_back_is_taken_again_and_no_other_twice() {
        let mut copies = Copies::default();
        assert_eq!(copies.take(2), NextCopy::File(0));
        assert_eq!(copies.take(2), NextCopy::File(1));
        // The first may still be put back, so that nobody is through.
        copies.end(1, false);
        assert_eq!(copies.take(2), NextCopy::Wait);
        copies.end(0, true);
        assert_eq!(copies.take(2), NextCopy::File(0));
        copies.end(0, false);
        assert_eq!(copies.take(2), NextCopy::Over);
    }
}
