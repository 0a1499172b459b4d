//! Mixes of operations.

use plimsoll_operation::{NAME_OP_COUNT, OP_COUNT, Op};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Percent of operations; they sum to 100.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mix {
    /// Reads.
    pub read: f64,
    /// Writes.
    pub write: f64,
    /// Trims.
    pub trim: f64,
    /// Operations on the names of a tree.
    #[serde(default, skip_serializing_if = "NameMix::is_none")]
    pub names: NameMix,
}

impl Mix {
    /// Reads only.
    pub const READS: Mix = Mix::of_reads(100.0);
    /// Writes only.
    pub const WRITES: Mix = Mix::of_reads(0.0);
    /// Trims only.
    pub const TRIMS: Mix = Mix::of_blocks([0.0, 0.0, 100.0]);

    /// So many percent of reads, and writes else.
    pub const fn of_reads(percent: f64) -> Mix {
        Mix::of_blocks([percent, 100.0 - percent, 0.0])
    }

    const fn of_blocks([read, write, trim]: [f64; OP_COUNT]) -> Mix {
        Mix {
            read,
            write,
            trim,
            names: NameMix([0.0; NAME_OP_COUNT]),
        }
    }

    /// One operation only; none where streams don't issue it.
    pub fn only(op: Op) -> Mix {
        let percent = |one| if one == op { 100.0 } else { 0.0 };
        Mix {
            names: NameMix(Op::ON_NAMES.map(percent)),
            ..Mix::of_blocks(Op::ALL.map(percent))
        }
    }

    /// Percent of each operation on blocks, in the order of [`Op::ALL`].
    pub fn percents(&self) -> [f64; OP_COUNT] {
        [self.read, self.write, self.trim]
    }

    /// Operations that occur, and their percent.
    pub fn occurring(&self) -> impl Iterator<Item = (Op, f64)> {
        let on_blocks = Op::ALL.into_iter().zip(self.percents());
        let on_names = Op::ON_NAMES.into_iter().zip(self.names.0);
        let all = on_blocks.chain(on_names);
        all.filter(|(_, percent)| *percent > 0.0)
    }

    /// Summary: `70% read, 30% write`.
    pub fn words(&self) -> String {
        let one = |(op, percent): (Op, f64)| {
            format!("{}% {}", (100.0 * percent).round() / 100.0, op.name())
        };
        self.occurring().map(one).collect::<Vec<_>>().join(", ")
    }

    /// True where one of its operations changes what a target holds, so that it needs leave.
    pub fn changes_data(&self) -> bool {
        self.occurring().any(|(op, _)| op.changes_data())
    }
}

impl From<[f64; OP_COUNT]> for Mix {
    fn from(percents: [f64; OP_COUNT]) -> Self {
        Mix::of_blocks(percents)
    }
}

/// Percent of each operation on names, in the order of [`Op::ON_NAMES`]. As data it is a table of those that occur.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<Op, f64>", into = "BTreeMap<Op, f64>")]
pub struct NameMix(pub [f64; NAME_OP_COUNT]);

impl NameMix {
    /// True where none occurs.
    pub fn is_none(&self) -> bool {
        self.0.iter().all(|percent| *percent == 0.0)
    }
}

impl From<NameMix> for BTreeMap<Op, f64> {
    fn from(mix: NameMix) -> Self {
        let all = Op::ON_NAMES.into_iter().zip(mix.0);
        all.filter(|(_, percent)| *percent != 0.0).collect()
    }
}

impl From<BTreeMap<Op, f64>> for NameMix {
    fn from(table: BTreeMap<Op, f64>) -> Self {
        NameMix(Op::ON_NAMES.map(|op| table.get(&op).copied().unwrap_or(0.0)))
    }
}
