//! What a filler is asked for.

use std::sync::Arc;

/// The content of written blocks; the same choices as the plan's content, resolved for one target.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum ContentPlan {
    /// Every 16 bytes differ from every other 16 bytes of the same generation, and nothing compresses.
    #[default]
    Unique,
    /// All zeros.
    Zeros,
    /// Bytes that are repeated from the target's start. None at all means zeros.
    Repeat(Arc<[u8]>),
    /// Compresses and deduplicates by asked ratios.
    Reducible {
        /// Original size over compressed size; below 1 counts as 1, above [`ContentPlan::MAX_COMPRESSION`] as that.
        compress: f64,
        /// Duplicates among blocks.
        dedupe: Option<DedupePlan>,
    },
    /// Content as in [`ContentPlan::Reducible`], where what compresses is `pattern`, repeated.
    ReduciblePattern {
        /// The bytes that are repeated; none at all means zeros.
        pattern: Arc<[u8]>,
        /// Original size over compressed size, as in [`ContentPlan::Reducible`].
        compress: f64,
        /// Duplicates among blocks.
        dedupe: Option<DedupePlan>,
    },
    /// A share of the blocks holds only zeros.
    PartZero {
        /// That share, 0 to 1.
        share: f64,
        /// The size of a block, bytes; a multiple of 512.
        unit: u64,
        /// What decides which blocks they are: the same for all that write one target.
        seed: u64,
        /// What the others hold.
        rest: Box<ContentPlan>,
    },
}

impl ContentPlan {
    /// The largest compression ratio that can be made: past it a block would no longer hold enough random bytes to
    /// differ from every other.
    pub const MAX_COMPRESSION: f64 = 32.0;
}

/// Duplicates among the blocks of one target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DedupePlan {
    /// Blocks written over distinct blocks; below 1 counts as 1.
    pub ratio: f64,
    /// The size of a block that a deduplicating array compares, bytes; a multiple of 512.
    pub unit: u64,
    /// Number of different duplicates.
    pub sets: u64,
    /// Number of blocks of `unit` bytes on the target, over which the ratio is reached.
    pub units: u64,
    /// A duplicate alternates between two values from one write of its block to the next.
    pub flip_flop: bool,
    /// Placement of the duplicates on the target.
    pub placement: Placement,
    /// Seed that decides which blocks are duplicates, and what these hold. Whoever writes one target again and again, step after step,
    /// gives the same one, so that what was a duplicate stays one; what is unique comes from the seed of the filler.
    pub seed: u64,
}

/// Placement of duplicates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Placement {
    /// Each block by itself, by chance: an array that compares more than one unit at once finds none.
    #[default]
    Scattered,
    /// Rows as in Vdbench: unique blocks, and between the rows duplicates in turn. An array that compares several units at once finds most
    /// of them.
    Runs,
}
