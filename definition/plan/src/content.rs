//! What bytes are written.

use crate::Bytes;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The content of written blocks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentSpec {
    /// Every 4 KiB block differs from every other, and none compresses.
    #[default]
    Unique,
    /// All zeros.
    Zeros,
    /// These bytes, repeated.
    Pattern(Vec<u8>),
    /// A file's bytes, repeated.
    File(PathBuf),
    /// Compresses by `compress` (1 = not at all) and deduplicates as `dedupe` says.
    Reducible {
        /// Original size over compressed size, >= 1.
        compress: f64,
        /// Duplicates among blocks.
        dedupe: Option<DedupeSpec>,
    },
    /// As [`ContentSpec::Reducible`], and what compresses in it is `pattern`, repeated.
    ReduciblePattern {
        /// The bytes that are repeated.
        pattern: Vec<u8>,
        /// Original size over compressed size, >= 1.
        compress: f64,
        /// Duplicates among blocks.
        dedupe: Option<DedupeSpec>,
    },
    /// Some blocks hold only zeros, each by itself, by chance; the others are as in [`ContentSpec::Reducible`].
    PartZero {
        /// Percent of the blocks, above 0 and below 100; a block has [`zero_unit`] bytes.
        zeros: f64,
        /// Of the others: original size over compressed size, >= 1.
        compress: f64,
        /// Duplicates among the others.
        dedupe: Option<DedupeSpec>,
    },
}

/// The size of a block that is all zeros or none: that in which duplicates are looked for, else 4 KiB.
pub fn zero_unit(dedupe: Option<&DedupeSpec>) -> Bytes {
    dedupe.map_or(Bytes(4096), |d| d.unit)
}

/// Duplicates among blocks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DedupeSpec {
    /// Blocks written over distinct blocks, >= 1.
    pub ratio: f64,
    /// The size of a block that a deduplicating array compares.
    pub unit: Bytes,
    /// How many different duplicates there are; `None`: 5 % of the target's blocks.
    pub sets: Option<u64>,
    /// A duplicate alternates between two values from one write of its block to the next.
    pub flip_flop: bool,
    /// Which blocks are duplicates of which.
    #[serde(default)]
    pub placement: DedupePlacement,
}

impl DedupeSpec {
    /// As many duplicates as make 5 % of the target's blocks, which stay as they are.
    pub const fn new(ratio: f64, unit: Bytes, placement: DedupePlacement) -> Self {
        DedupeSpec {
            ratio,
            unit,
            sets: None,
            flip_flop: false,
            placement,
        }
    }
}

/// Where duplicates lie.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DedupePlacement {
    /// Each block by itself, by chance: the ratio is that of the unit alone.
    #[default]
    Scattered,
    /// Duplicates lie beside each other in one order, as Vdbench's do, so that chunks of several units repeat too.
    Runs,
}
