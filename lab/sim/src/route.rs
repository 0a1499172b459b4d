//! Ways of requests to LUNs.

/// Where a slot's requests go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SlotRoute {
    /// Which array.
    pub model: usize,
    /// Which of its LUNs.
    pub lun: u32,
    /// The one path that they take; `None`: all in turn.
    pub path: Option<u32>,
    /// Where the target begins on the LUN, bytes.
    pub offset: u64,
    /// From the place of one of a tree's files on the LUN to that of the next, bytes; 0 where the target is no tree.
    pub stride: u64,
}
