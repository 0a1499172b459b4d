//! What is asked of the array, and what it answers.

use plimsoll_content::Identity;
use serde::{Deserialize, Serialize};

/// Bytes of a chunk: the unit of the address map, of reduction and of per-chunk cost.
pub const CHUNK: u64 = 4096;

/// Kind of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IoKind {
    /// Returns data.
    Read,
    /// Stores data.
    Write,
    /// Forgets data; the range reads as zeros and takes no space.
    Trim,
    /// Makes a range read as zeros that nobody sends: only the map changes, whatever the range's length.
    Zero,
    /// Makes earlier writes durable. All are durable when they are acknowledged, so it costs a round trip.
    Flush,
}

/// One request.
#[derive(Debug, Clone, Copy)]
pub struct Io<'a> {
    /// Number of the LUN, from 0.
    pub lun: u32,
    /// Over which path, from 0.
    pub path: u32,
    /// Kind of the request.
    pub op: IoKind,
    /// Start of the request in the LUN, bytes.
    pub offset: u64,
    /// Length of the request, bytes.
    pub len: u32,
    /// Content of a write: one identity for each chunk that it touches, in order. A chunk without one, or one that is written in part,
    /// holds data like no other.
    pub blocks: &'a [Identity],
}

impl Io<'_> {
    /// A read over path 0.
    pub fn read(lun: u32, offset: u64, len: u32) -> Io<'static> {
        Io {
            lun,
            path: 0,
            op: IoKind::Read,
            offset,
            len,
            blocks: &[],
        }
    }

    /// The bytes that go over the path.
    pub(crate) fn carried(&self) -> u32 {
        match self.op {
            IoKind::Read | IoKind::Write => self.len,
            IoKind::Trim | IoKind::Zero | IoKind::Flush => 0,
        }
    }

    /// The chunks that the request touches: the first, and one past the last.
    pub(crate) fn chunks(&self) -> (u64, u64) {
        let end = self.offset + u64::from(self.len);
        (self.offset / CHUNK, end.div_ceil(CHUNK))
    }

    /// True when `chunk` is covered from its first byte to its last.
    pub(crate) fn covers(&self, chunk: u64) -> bool {
        let start = chunk * CHUNK;
        self.offset <= start && start + CHUNK <= self.offset + u64::from(self.len)
    }
}

/// Outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// Success: the request was served.
    Done,
    /// The path said that it is down.
    PathDown,
    /// The request vanished; nothing will ever be answered.
    Lost,
    /// No such LUN or path, a length of 0, or past the LUN's end.
    Invalid,
    /// The array could not do it: an injected error. What a write held is not stored.
    MediaError,
}

/// Place where a request, or a chunk of it, was served: the buckets of an analytics page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(usize)]
pub enum Served {
    /// Nothing behind the front end was asked.
    FrontEnd,
    /// A chunk that was never written.
    Unmapped,
    /// Zeros known from the address map.
    Zero,
    /// Zeros that are still in the journal.
    JournalZero,
    /// Data that the array holds already: a reference.
    Duplicate,
    /// Data that is still in the journal.
    Journal,
    /// The DRAM cache.
    Cache,
    /// Flash of the node that owns the request.
    LocalFlash,
    /// Flash of another node.
    RemoteFlash,
    /// The disk tier.
    Disk,
}

impl Served {
    /// Number of places.
    pub const COUNT: usize = 10;

    /// All of them, in the order of their numbers.
    pub const ALL: [Served; Self::COUNT] = [
        Served::FrontEnd,
        Served::Unmapped,
        Served::Zero,
        Served::JournalZero,
        Served::Duplicate,
        Served::Journal,
        Served::Cache,
        Served::LocalFlash,
        Served::RemoteFlash,
        Served::Disk,
    ];

    /// Name on a page and in a record.
    pub fn name(self) -> &'static str {
        match self {
            Served::FrontEnd => "front end",
            Served::Unmapped => "unmapped",
            Served::Zero => "zero",
            Served::JournalZero => "journal zero",
            Served::Duplicate => "duplicate",
            Served::Journal => "journal",
            Served::Cache => "cache",
            Served::LocalFlash => "local flash",
            Served::RemoteFlash => "remote flash",
            Served::Disk => "disk",
        }
    }

    /// True when it costs a request to flash or disk.
    pub fn is_media(self) -> bool {
        matches!(
            self,
            Served::LocalFlash | Served::RemoteFlash | Served::Disk
        )
    }
}

/// Completion of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// Time at which the host sees the answer, nanoseconds; [`u64::MAX`] for never.
    pub at_ns: u64,
    /// Time that the array itself had the request, nanoseconds.
    pub array_ns: u64,
    /// Outcome of the request.
    pub status: Status,
    /// Place where the slowest of its chunks was served.
    pub served: Served,
}
