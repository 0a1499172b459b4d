//! Snapshots by redirect-on-write: which there are, and what old content they need.
//!
//! A LUN's *epoch* is the number of snapshots that were ever taken of it; it never goes back, whatever is deleted.
//! Content that was written in epoch `w` and replaced in epoch `r` is what the snapshots with the numbers `w + 1` to `r`
//! show. As long as one of them exists, the content is kept; the new one is written elsewhere.

use crate::array::Array;
use crate::tier::EXTENT;

/// The most snapshots of a LUN.
const MOST: usize = 1024;
/// Chunks of old content beyond which no snapshot is taken any more: 64 GiB.
const MOST_KEPT: u64 = 1 << 24;

/// Why no snapshot is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// No such LUN.
    #[error("there is no LUN {0}")]
    NoLun(u32),
    /// It has as many as it may.
    #[error("LUN {lun} has {MOST} snapshots, and an array keeps no more; delete some first")]
    Full {
        /// The one of which a snapshot was asked for, from 0.
        lun: u32,
    },
    /// What they keep is too much.
    #[error(
        "the snapshots keep 64 GiB of old content, and the lab has no memory for more; delete some first"
    )]
    Kept,
}

/// A snapshot of a LUN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Snapshot {
    /// Its number, from 1, which is never used again.
    pub number: u32,
    /// When it was taken, nanoseconds.
    pub at_ns: u64,
}

/// Content that was replaced, and that a snapshot needs.
#[derive(Debug, Clone, Copy)]
struct Kept {
    content: u64,
    /// The epoch in which it was written.
    written: u32,
    /// The epoch in which it was replaced.
    replaced: u32,
}

/// The snapshots of a LUN.
#[derive(Debug, Clone, Default)]
pub struct Snapshots {
    /// Those that exist, by their numbers.
    each: Vec<Snapshot>,
    epoch: u32,
    /// The number of the last one that exists; 0 where there is none.
    newest: u32,
    kept: Vec<Kept>,
}

impl Snapshots {
    /// Those that exist, by their numbers.
    pub fn each(&self) -> &[Snapshot] {
        &self.each
    }

    /// Chunks of old content that are kept for them; zeros take nothing.
    pub fn kept_chunks(&self) -> u64 {
        self.kept.len() as u64
    }

    /// How many were ever taken.
    #[inline]
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// True where one shows what was written in that epoch and is still there.
    #[inline]
    pub(crate) fn need(&self, written: u32) -> bool {
        written < self.newest
    }

    /// Keeps content that they need, and that is replaced now.
    #[cold]
    pub(crate) fn keep(&mut self, content: u64, written: u32) {
        self.kept.push(Kept {
            content,
            written,
            replaced: self.epoch,
        });
    }

    /// Takes one; its number.
    fn take(&mut self, at_ns: u64) -> u32 {
        self.epoch += 1;
        self.newest = self.epoch;
        let number = self.epoch;
        self.each.push(Snapshot { number, at_ns });
        number
    }

    /// Deletes one, and gives the contents that none needs any more; nothing where there is none of this number.
    fn delete(&mut self, number: u32) -> Option<Vec<u64>> {
        let at = self.each.binary_search_by_key(&number, |s| s.number).ok()?;
        self.each.remove(at);
        let before = at.checked_sub(1).map_or(0, |at| self.each[at].number);
        let after = self.each.get(at).map_or(u32::MAX, |s| s.number);
        self.newest = self.each.last().map_or(0, |s| s.number);
        let showed = |k: &Kept| k.written < number && number <= k.replaced;
        let shown = |k: &Kept| k.written < before || after <= k.replaced;
        let gone = self.kept.extract_if(.., |k| showed(k) && !shown(k));
        Some(gone.map(|k| k.content).collect())
    }
}

impl Array {
    /// Takes a snapshot of a LUN: its map is kept, and what is written from now on goes elsewhere. Its number, from 1.
    pub fn snapshot(&mut self, now_ns: u64, lun: u32) -> Result<u32, SnapshotError> {
        let kept: u64 = self
            .contents
            .luns
            .iter()
            .map(|l| l.snapshots.kept_chunks())
            .sum();
        let l = self.contents.luns.get_mut(lun as usize);
        let l = l.ok_or(SnapshotError::NoLun(lun))?;
        if l.snapshots.each.len() >= MOST {
            return Err(SnapshotError::Full { lun });
        }
        if kept >= MOST_KEPT {
            return Err(SnapshotError::Kept);
        }
        let number = l.snapshots.take(now_ns);
        l.map.keep_epochs();
        self.snapshot_work(now_ns, lun);
        Ok(number)
    }

    /// Deletes a snapshot of a LUN, and with it the old content that no other needs. It costs what taking one does. False
    /// when there is none of this number.
    pub fn delete_snapshot(&mut self, now_ns: u64, lun: u32, number: u32) -> bool {
        let l = self.contents.luns.get_mut(lun as usize);
        let Some(gone) = l.and_then(|l| l.snapshots.delete(number)) else {
            return false;
        };
        gone.into_iter()
            .for_each(|content| self.contents.release(content));
        self.snapshot_work(now_ns, lun);
        true
    }

    /// Takes a snapshot of each LUN for which the first write to a chunk copies what was there, which takes so long each
    /// time, ns. False where none is taken.
    pub(crate) fn begin_copies(&mut self, now: u64, copy_ns: u64) -> bool {
        for lun in 0..self.contents.luns.len() as u32 {
            if let Ok(number) = self.snapshot(now, lun) {
                self.copied.push((lun, number));
            }
        }
        if self.copied.is_empty() {
            return false;
        }
        self.times.copy = copy_ns;
        true
    }

    /// Deletes those snapshots; false where there are none.
    pub(crate) fn end_copies(&mut self, now: u64) -> bool {
        self.times.copy = 0;
        let copied = std::mem::take(&mut self.copied);
        for (lun, number) in &copied {
            self.delete_snapshot(now, *lun, *number);
        }
        !copied.is_empty()
    }

    /// Work on the map, for the owner of the LUN's beginning.
    fn snapshot_work(&mut self, now: u64, lun: u32) {
        if let Some(cores) = &mut self.cores {
            cores.owner_work(now, u64::from(lun) * EXTENT, self.times.snapshot);
        }
    }
}
