//! What an analytics page shows.

use crate::io::{CHUNK, IoKind, Served};
use serde::Serialize;

/// Requests of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Requests {
    /// How many.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How long the array had them in sum, nanoseconds.
    pub array_ns: u64,
}

impl Requests {
    /// Adds a request. A sum of times behind an endless backlog stays at the most that can be counted.
    #[inline]
    pub(crate) fn add(&mut self, bytes: u32, array_ns: u64) {
        self.count += 1;
        self.bytes += u64::from(bytes);
        self.array_ns = self.array_ns.saturating_add(array_ns);
    }

    /// The mean time in the array, nanoseconds.
    pub fn mean_ns(&self) -> f64 {
        self.array_ns as f64 / self.count.max(1) as f64
    }
}

/// Everything that is counted; all of it only grows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Reads at the front end.
    pub reads: Requests,
    /// Writes at the front end.
    pub writes: Requests,
    /// Ranges that a host gave up, at the front end.
    pub trims: Requests,
    /// Writes of zeros that nobody sent.
    pub zeroes: Requests,
    /// Flushes at the front end; they move no bytes.
    pub flushes: Requests,
    /// Requests that were refused, swallowed or invalid.
    pub failed: u64,
    /// Chunks read, by where they were found.
    pub read_source: [u64; Served::COUNT],
    /// Chunks written, by where they went.
    pub write_destination: [u64; Served::COUNT],
    /// Reads of flash and disk, neighbouring chunks taken together.
    pub media_reads: u64,
    /// Writes to flash and disk, as batched by the journal and its drain.
    pub media_writes: u64,
    /// Bytes of new data written, before compression.
    pub new_bytes: u64,
    /// Bytes that they take.
    pub stored_bytes: u64,
    /// Chunks that a snapshot still needs and that were written elsewhere.
    pub redirected: u64,
    /// Versions of chunks that were overwritten in the journal and never reached the media.
    pub superseded: u64,
}

impl Counters {
    /// The requests of a kind.
    pub fn of(&mut self, op: IoKind) -> &mut Requests {
        match op {
            IoKind::Read => &mut self.reads,
            IoKind::Write => &mut self.writes,
            IoKind::Trim => &mut self.trims,
            IoKind::Zero => &mut self.zeroes,
            IoKind::Flush => &mut self.flushes,
        }
    }

    /// The share of the chunks read that were found in one place.
    pub fn read_share(&self, served: Served) -> f64 {
        share(&self.read_source, served)
    }

    /// The share of the chunks written that went to one place.
    pub fn write_share(&self, served: Served) -> f64 {
        share(&self.write_destination, served)
    }

    /// What was counted after `earlier`.
    pub fn since(&self, earlier: &Counters) -> Counters {
        let requests = |a: Requests, b: Requests| Requests {
            count: a.count - b.count,
            bytes: a.bytes - b.bytes,
            array_ns: a.array_ns - b.array_ns,
        };
        let chunks = |a: &[u64; Served::COUNT], b: &[u64; Served::COUNT]| {
            std::array::from_fn(|i| a[i] - b[i])
        };
        Counters {
            reads: requests(self.reads, earlier.reads),
            writes: requests(self.writes, earlier.writes),
            trims: requests(self.trims, earlier.trims),
            zeroes: requests(self.zeroes, earlier.zeroes),
            flushes: requests(self.flushes, earlier.flushes),
            failed: self.failed - earlier.failed,
            read_source: chunks(&self.read_source, &earlier.read_source),
            write_destination: chunks(&self.write_destination, &earlier.write_destination),
            media_reads: self.media_reads - earlier.media_reads,
            media_writes: self.media_writes - earlier.media_writes,
            new_bytes: self.new_bytes - earlier.new_bytes,
            stored_bytes: self.stored_bytes - earlier.stored_bytes,
            redirected: self.redirected - earlier.redirected,
            superseded: self.superseded - earlier.superseded,
        }
    }

    /// New data written over the space that it takes; 1 when none was written.
    pub fn compression(&self) -> f64 {
        self.new_bytes.max(CHUNK) as f64 / self.stored_bytes.max(CHUNK) as f64
    }
}

fn share(chunks: &[u64; Served::COUNT], served: Served) -> f64 {
    chunks[served as usize] as f64 / chunks.iter().sum::<u64>().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_of_times_stays_at_the_most_that_can_be_counted() {
        let mut requests = Requests::default();
        requests.add(512, u64::MAX - 1);
        requests.add(512, 1_000_000);
        let most = Requests {
            count: 2,
            bytes: 1024,
            array_ns: u64::MAX,
        };
        assert_eq!(requests, most);
    }
}
