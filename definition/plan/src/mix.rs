//! Mixes of operations.

use plimsoll_operation::{OP_COUNT, Op};
use serde::{Deserialize, Serialize};

/// Percent of operations; they sum to 100.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mix {
    /// Reads.
    pub read: f64,
    /// Writes.
    pub write: f64,
    /// Trims.
    pub trim: f64,
}

impl Mix {
    /// Reads only.
    pub const READS: Mix = Mix::of_reads(100.0);
    /// Writes only.
    pub const WRITES: Mix = Mix::of_reads(0.0);
    /// Trims only.
    pub const TRIMS: Mix = Mix {
        read: 0.0,
        write: 0.0,
        trim: 100.0,
    };

    /// So many percent of reads, and writes else.
    pub const fn of_reads(percent: f64) -> Mix {
        Mix {
            read: percent,
            write: 100.0 - percent,
            trim: 0.0,
        }
    }

    /// Percent of each operation, in the order of [`Op::ALL`].
    pub fn percents(&self) -> [f64; OP_COUNT] {
        [self.read, self.write, self.trim]
    }

    /// Operations that occur, and their percent.
    pub fn occurring(&self) -> impl Iterator<Item = (Op, f64)> {
        let all = Op::ALL.into_iter().zip(self.percents());
        all.filter(|(_, percent)| *percent > 0.0)
    }

    /// True where one of its operations changes what a target holds, so that it needs leave.
    pub fn changes_data(&self) -> bool {
        self.occurring().any(|(op, _)| op.changes_data())
    }
}

impl From<[f64; OP_COUNT]> for Mix {
    fn from([read, write, trim]: [f64; OP_COUNT]) -> Self {
        Mix { read, write, trim }
    }
}
