//! I/Os out of a log: each goes where the log says, when it says.
//!
//! A plan has what is to be read and what it says in sum ([`LogFacts`]); the I/Os themselves are read once more by whoever issues
//! them, and have to come to the same sum. So a plan stays small, and a log that changes meanwhile is found out before
//! anything is issued.

mod line;
mod reader;
mod sizes;

pub use line::{LogError, LogIo};
pub use reader::{LogName, LogSummary, Names, read_log};
pub use sizes::LogSizes;

use crate::bounds::RATE_MAX;
use crate::{Bytes, Mix, Nanos, Rate};
use plimsoll_operation::{OP_COUNT, Op};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// I/Os of a log, at most: whoever issues them has 24 bytes of memory for each, 768 MiB.
pub const LOG_IOS_MAX: u64 = 1 << 25;

/// A log that is replayed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replay {
    /// The file.
    pub log: PathBuf,
    /// What is made of it.
    #[serde(default, skip_serializing_if = "ReplayOptions::is_default")]
    pub options: ReplayOptions,
    /// What comes to be of it.
    #[serde(rename = "told")]
    pub facts: LogFacts,
}

/// What is made of a log's lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReplayOptions {
    /// Its times do not count: an I/O goes out when one before it is back.
    pub at_once: bool,
    /// Percent of the log's speed; 200 takes half of its time.
    pub speed: u32,
    /// Offsets are divided by this.
    pub scale: u32,
    /// Offsets are rounded down to multiples of this power of two; 1: they stay.
    pub align: u32,
    /// What is left out.
    pub skip: Vec<Op>,
}

impl Default for ReplayOptions {
    fn default() -> Self {
        ReplayOptions {
            at_once: false,
            speed: 100,
            scale: 1,
            align: 1,
            skip: Vec::new(),
        }
    }
}

impl ReplayOptions {
    fn is_default(&self) -> bool {
        *self == ReplayOptions::default()
    }
}

/// What a log's I/Os come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogFacts {
    /// Reads, writes and trims.
    pub ios: [u64; OP_COUNT],
    /// Their bytes.
    pub bytes: [u64; OP_COUNT],
    /// Syncs.
    pub syncs: u64,
    /// When the last of all is due; nothing where the log has no times.
    pub length: Nanos,
    /// Where the last byte of any file ends.
    pub end: Bytes,
    /// The line that says so.
    pub end_line: u64,
    /// A sum of all of it, in its order: two logs that have the same do the same, but for the names of their files.
    pub digest: u64,
}

impl LogFacts {
    /// Reads, writes and trims together.
    pub fn all_ios(&self) -> u64 {
        self.ios.iter().sum()
    }

    /// Bytes of all I/Os together.
    pub fn all_bytes(&self) -> u64 {
        self.bytes.iter().fold(0, |a, b| a.saturating_add(*b))
    }

    /// Percent of each operation.
    pub fn mix(&self) -> Mix {
        let all = self.all_ios().max(1) as f64;
        Mix::from(self.ios.map(|n| n as f64 * 100.0 / all))
    }
}

impl Replay {
    /// Whether its I/Os have times at which they are due.
    pub fn is_timed(&self) -> bool {
        !self.options.at_once && self.facts.length.0 > 0
    }

    /// Mean rate of the recording to three decimals, where it has times.
    pub fn rate(&self) -> Option<Rate> {
        if !self.is_timed() {
            return None;
        }
        let mean = self.facts.all_ios() as f64 / self.facts.length.as_secs_f64();
        let rounded = (mean * 1000.0).round().max(1.0) / 1000.0;
        Some(Rate(rounded.min(RATE_MAX.0)))
    }
}

/// Opens a log. Only a regular file is one: anything else may have no end.
///
/// # Errors
/// That it is not there, may not be read, or is no file.
pub fn open_log(path: &Path) -> io::Result<File> {
    let is_file = std::fs::metadata(path)?.is_file();
    if !is_file {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is no regular file",
        ));
    }
    File::open(path)
}
