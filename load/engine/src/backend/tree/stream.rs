//! Work of a stream on a tree, as the threads that carry it out are told of it.

use crate::tree::{OpenTree, TreeOpening};
use plimsoll_plan::{FileSelect, Op, PerFile, Stream};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Work of a stream on a tree.
#[derive(Debug, Clone)]
pub struct TreeStream {
    /// The tree.
    pub tree: Arc<OpenTree>,
    /// The tree that its files are copied and moved into.
    pub to: Option<(Arc<OpenTree>, TreeOpening)>,
    /// Order in which files are taken.
    pub select: FileSelect,
    /// Opening of the files that it works on.
    pub opening: TreeOpening,
    /// True where several may work on a file at once.
    pub shares: bool,
    /// True where it makes the tree.
    pub makes: bool,
    /// Operations of the stream.
    pub ops: Vec<Op>,
    /// Operations of all streams on its tree; files that others bring there are created and written.
    pub ops_beside: Vec<Op>,
    /// Rounds through a tree of numbered names, where the stream goes through one.
    pub rounds: Option<Rounds>,
    /// Transfers on a file until the next one is taken.
    pub per_file: Option<PerFile>,
    /// True where the transfer that is next is left out when a file is gone on with.
    pub leaves_one_out: bool,
    /// True where transfers go to random places of a file.
    pub is_random: bool,
    /// True where reads and writes are mixed in one open file, transfer by transfer; else each goes through files of its own.
    pub reads_and_writes: bool,
}

/// Way of a stream through a tree in rounds, all workers together.
#[derive(Debug, Clone)]
pub struct Rounds {
    /// Number of rounds.
    pub count: u64,
    /// Names that were taken, in all rounds.
    pub taken: Arc<AtomicU64>,
}

impl Rounds {
    /// Rounds of a stream, none of them begun; `None` where it makes none.
    pub fn of(stream: &Stream) -> Option<Self> {
        stream.files.rounds.map(|count| Rounds {
            count,
            taken: Arc::default(),
        })
    }
}

impl TreeStream {
    /// True where a file that was left before its end is gone on with there.
    pub(super) fn goes_on(&self) -> bool {
        self.makes || self.per_file.is_some()
    }

    /// True where none of its operations will find anything to do any more, whatever the other streams do. The real Vdbench ends threads so.
    pub(super) fn is_in_vain(&self) -> bool {
        let population = &self.tree.course().population;
        let mut ops = self.ops.iter();
        ops.all(|op| population.is_in_vain(*op, &self.ops_beside))
    }
}
