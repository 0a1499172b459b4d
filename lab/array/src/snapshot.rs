//! Snapshots by redirect-on-write: which there are, and what old content they need.
//!
//! A LUN's *epoch* is the number of snapshots that were ever taken of it; it never goes back, whatever is deleted.
//! Content that was written in epoch `w` and replaced in epoch `r` is what the snapshots with the numbers `w + 1` to `r`
//! show. As long as one of them exists, the content is kept; the new one is written elsewhere.

pub(crate) mod snapshots;

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
        if l.snapshots.each().len() >= MOST {
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
