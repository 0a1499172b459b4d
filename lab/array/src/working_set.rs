//! The working set: how much of a LUN was touched lately.

use crate::io::CHUNK;
use plimsoll_content::mix64;
use serde::Serialize;
use std::collections::HashMap;

/// One chunk in so many is watched (spatial sampling by hash, as SHARDS does: Waldspurger et al., FAST 2015).
const SAMPLE: u64 = 64;

/// Bytes touched in a window of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct WorkingSetSize {
    /// By reads.
    pub read: u64,
    /// By writes.
    pub write: u64,
    /// By either.
    pub union: u64,
}

/// When the watched chunks were last read and written, nanoseconds.
#[derive(Debug, Clone, Default)]
pub struct WorkingSet {
    seen: HashMap<u64, (Option<u64>, Option<u64>)>,
}

impl WorkingSet {
    /// A chunk is touched.
    #[inline]
    pub fn touch(&mut self, now: u64, chunk: u64, write: bool) {
        if mix64(chunk).is_multiple_of(SAMPLE) {
            let times = self.seen.entry(chunk).or_default();
            let time = if write { &mut times.1 } else { &mut times.0 };
            *time = Some(now);
        }
    }

    /// What was touched in the `window` nanoseconds before `now`; an estimate from a sample.
    pub fn size(&self, now: u64, window: u64) -> WorkingSetSize {
        let since = now.saturating_sub(window);
        let mut size = WorkingSetSize::default();
        for (read, write) in self.seen.values() {
            let [read, write] = [read, write].map(|t| t.is_some_and(|t| t >= since));
            size.read += u64::from(read);
            size.write += u64::from(write);
            size.union += u64::from(read || write);
        }
        let bytes = |chunks| chunks * SAMPLE * CHUNK;
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
        let mut set = WorkingSet::default();
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
