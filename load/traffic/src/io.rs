//! One I/O, as a stream draws it.

use plimsoll_plan::Op;

/// One I/O to issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Io {
    /// Offset, bytes from the start of the target's usable part.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
    /// Operation; a sync comes out of a log alone.
    pub op: Op,
    /// True where it belongs to the hit area.
    pub hit: bool,
}
