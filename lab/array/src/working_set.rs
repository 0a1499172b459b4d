//! The working set: how much of a LUN was touched lately.

use crate::io::CHUNK;
use plimsoll_content::mix64;
use serde::Serialize;

/// Of a LUN at least so many chunks are watched, and less than twice as many: a percent or two of error.
const WATCHED: u64 = 4096;

/// Bytes touched in a window of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct WorkingSetSize {
    /// Bytes that any read has touched.
    pub read: u64,
    /// Bytes that any write has touched.
    pub write: u64,
    /// Bytes that either has touched.
    pub union: u64,
}

/// When the watched chunks were last read and written.
///
/// One chunk is watched in each group of neighbours, which one by a hash of the group: a spatial sample, as SHARDS takes it
/// (Waldspurger et al., FAST 2015).
#[derive(Debug, Clone)]
pub struct WorkingSet {
    /// log2 of a group's chunks.
    shift: u32,
    /// For each group when its chunk was read and written, nanoseconds and one; 0 for never.
    seen: Vec<(u64, u64)>,
}

impl WorkingSet {
    /// Nothing of a LUN of `chunks` was touched yet.
    pub fn new(chunks: u64) -> Self {
        let shift = (chunks / WATCHED).checked_ilog2().unwrap_or(0);
        WorkingSet {
            shift,
            seen: vec![(0, 0); (chunks >> shift) as usize + 1],
        }
    }

    /// A chunk is touched.
    #[inline]
    pub fn touch(&mut self, now: u64, chunk: u64, write: bool) {
        let group = chunk >> self.shift;
        if (mix64(group) ^ chunk) & ((1 << self.shift) - 1) != 0 {
            return;
        }
        if let Some(times) = self.seen.get_mut(group as usize) {
            let time = if write { &mut times.1 } else { &mut times.0 };
            *time = now + 1;
        }
    }

    /// What was touched in the `window` nanoseconds before `now`; an estimate from a sample.
    pub fn size(&self, now: u64, window: u64) -> WorkingSetSize {
        let since = now.saturating_sub(window);
        let mut size = WorkingSetSize::default();
        for (read, write) in &self.seen {
            let [read, write] = [read, write].map(|t| *t > since);
            size.read += u64::from(read);
            size.write += u64::from(write);
            size.union += u64::from(read || write);
        }
        let bytes = |chunks: u64| (chunks << self.shift) * CHUNK;
        WorkingSetSize {
            read: bytes(size.read),
            write: bytes(size.write),
            union: bytes(size.union),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_what_was_touched_in_a_window() {
        let mut set = WorkingSet::new(200_000);
        (0..100_000).for_each(|c| set.touch(10, c, false));
        (50_000..150_000).for_each(|c| set.touch(500, c, true));
        let near =
            |bytes: u64, chunks: f64| (bytes as f64 / CHUNK as f64 / chunks - 1.0).abs() < 0.1;
        let all = set.size(500, 500);
        assert!(
            near(all.read, 1e5) && near(all.write, 1e5) && near(all.union, 1.5e5),
            "{all:?}"
        );
        let late = set.size(500, 100);
        assert_eq!(late.read, 0);
        assert!(near(late.union, 1e5), "{late:?}");
    }
}
