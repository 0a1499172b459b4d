//! What this process did itself.

use serde::{Deserialize, Serialize};

/// `/proc/self/io`: all of this process, the keeping of its record too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnIo {
    /// Bytes that system calls read, from a cache too.
    pub asked_read_bytes: u64,
    /// Bytes that system calls wrote, into a cache too.
    pub asked_written_bytes: u64,
    /// Bytes that the kernel fetched from devices for it.
    pub read_bytes: u64,
    /// Bytes that it made the kernel write to devices.
    pub written_bytes: u64,
    /// Bytes of those that were thrown away before they were written.
    pub cancelled_bytes: u64,
}

/// Cost of keeping the record to the device that it lies on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordKeeping {
    /// The whole disks below the file system that it lies on, by kernel name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disks: Vec<String>,
    /// Bytes by which the record and its log were written to.
    pub written_bytes: u64,
}

impl OwnIo {
    pub(super) fn append(&mut self, next: OwnIo) {
        self.asked_read_bytes = self.asked_read_bytes.saturating_add(next.asked_read_bytes);
        self.asked_written_bytes = self
            .asked_written_bytes
            .saturating_add(next.asked_written_bytes);
        self.read_bytes = self.read_bytes.saturating_add(next.read_bytes);
        self.written_bytes = self.written_bytes.saturating_add(next.written_bytes);
        self.cancelled_bytes = self.cancelled_bytes.saturating_add(next.cancelled_bytes);
    }
}

impl RecordKeeping {
    pub(super) fn append(&mut self, next: RecordKeeping) {
        self.written_bytes = self.written_bytes.saturating_add(next.written_bytes);
        self.disks = next.disks;
    }
}
