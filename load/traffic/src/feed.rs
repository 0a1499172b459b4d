//! I/Os that come from elsewhere.

use crate::Io;
use plimsoll_content::verify::Journal;
use std::sync::Arc;

/// Where a stream's I/Os come from, in the place of addresses that are drawn.
#[derive(Debug, Clone)]
pub enum Fed {
    /// Reads of what a writer of the journal has written.
    ReadBack(Arc<Journal>, u32),
}

impl Fed {
    /// The next I/O; `None` where there is no more.
    pub(crate) fn next(&mut self) -> Option<Io> {
        match self {
            Fed::ReadBack(journal, writer) => {
                let (offset, length) = journal.next_read(*writer)?;
                Some(Io {
                    offset,
                    length,
                    op: 0,
                    hit: false,
                })
            }
        }
    }
}
