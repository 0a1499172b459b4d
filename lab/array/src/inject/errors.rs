//! Errors that requests meet.

use crate::io::{Io, IoKind};

/// Requests that fail.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Errors {
    pub number: u64,
    pub rate: f64,
    pub lun: Option<u32>,
    pub from: u64,
    pub to: u64,
    pub op: Option<IoKind>,
}

impl Errors {
    /// True for a request that these errors are about.
    pub fn concern(&self, io: &Io) -> bool {
        self.lun.is_none_or(|l| l == io.lun)
            && self
                .op
                .is_none_or(|o| o == io.op || o == IoKind::Write && io.op == IoKind::Zero)
            && io.offset < self.to
            && io.offset + u64::from(io.len) > self.from
    }
}
