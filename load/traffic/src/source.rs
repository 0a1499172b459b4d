//! I/Os that come from elsewhere.

use crate::io::Io;
use plimsoll_content::verify::Journal;
use plimsoll_plan::Op;
use std::sync::Arc;

/// An I/O out of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    /// Due time, ns from the stream's beginning; never before that of the I/O above it.
    pub due_ns: u64,
    /// Offset, bytes from the start of the target's usable part.
    pub offset: u64,
    /// Bytes; 0 for a sync.
    pub length: u32,
    /// Operation.
    pub op: Op,
}

/// Reader of a stream's I/Os from their source, where they are not drawn.
#[derive(Debug, Clone)]
pub enum SourceReader {
    /// Reads of what a writer of the journal has written.
    ReadBack(Arc<Journal>, u32),
    /// I/Os of a log, in their order.
    Replay(Replayed),
}

/// I/Os out of a log, and which of them is next.
#[derive(Debug, Clone)]
pub struct Replayed {
    ios: Arc<Vec<Recorded>>,
    next: usize,
}

impl Replayed {
    /// All of them, from the first.
    pub fn new(ios: Arc<Vec<Recorded>>) -> Self {
        Replayed { ios, next: 0 }
    }
}

impl Iterator for Replayed {
    type Item = Recorded;

    fn next(&mut self) -> Option<Recorded> {
        let io = self.ios.get(self.next).copied()?;
        self.next += 1;
        Some(io)
    }
}

impl SourceReader {
    /// The next I/O; `None` where there is no more.
    pub(crate) fn next(&mut self) -> Option<Io> {
        match self {
            SourceReader::ReadBack(journal, writer) => {
                let (offset, length) = journal.next_read(*writer)?;
                Some(Io {
                    offset,
                    length,
                    op: Op::Read,
                    hit: false,
                })
            }
            SourceReader::Replay(replayed) => {
                let io = replayed.next()?;
                Some(Io {
                    offset: io.offset,
                    length: io.length,
                    op: io.op,
                    hit: false,
                })
            }
        }
    }
}
