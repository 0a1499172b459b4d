//! One I/O, as a stream draws it.

/// One I/O to issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Io {
    /// Where it starts, bytes from the start of the target's usable part.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
    /// 0 read, 1 write, 2 trim: the numbers that the measurements use; or [`crate::SYNC`], out of a log.
    pub op: u8,
    /// It belongs to the hit area.
    pub hit: bool,
}
