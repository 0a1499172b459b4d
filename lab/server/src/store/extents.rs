//! Which chunk of a LUN holds what.

use super::pool::{Chunk, Pool};
use super::{ExtentKind, Run, StoreError};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Chunks of an extent, which are allocated together: 256 KiB.
pub(crate) const EXTENT: u64 = 64;
const SHARDS: u64 = 64;
/// What the places of an extent's chunks take, bytes.
pub(super) const PLACES: u64 = EXTENT * size_of::<Slot>() as u64 + 64;

/// What a chunk holds.
#[derive(Debug, Default)]
pub(crate) enum Slot {
    #[default]
    Hole,
    Zero,
    Data(Arc<Chunk>),
}

impl Slot {
    pub(crate) fn kind(&self) -> ExtentKind {
        match self {
            Slot::Hole => ExtentKind::Hole,
            Slot::Zero => ExtentKind::Zero,
            Slot::Data(_) => ExtentKind::Data,
        }
    }
}

/// What an extent holds that is not a hole.
#[derive(Debug)]
pub(crate) enum Extent {
    /// Zeros that were written, all of it.
    Zeros,
    Slots(Box<[Slot; EXTENT as usize]>),
}

impl Extent {
    fn slot(&self, chunk: u64) -> &Slot {
        match self {
            Extent::Zeros => &Slot::Zero,
            Extent::Slots(slots) => &slots[(chunk % EXTENT) as usize],
        }
    }
}

type Extents = HashMap<u64, Extent>;

/// The chunks of one LUN. Neighbouring extents are under different locks, so readers and writers seldom meet.
#[derive(Debug)]
pub(crate) struct Volume {
    shards: [RwLock<Extents>; SHARDS as usize],
}

impl Volume {
    pub(crate) fn new() -> Self {
        Volume {
            shards: std::array::from_fn(|_| RwLock::default()),
        }
    }

    /// Looks at a chunk.
    #[inline]
    pub(crate) fn look<T>(&self, chunk: u64, look: impl FnOnce(&Slot) -> T) -> T {
        let extent = chunk / EXTENT;
        match self.shard(extent).get(&extent) {
            Some(held) => look(held.slot(chunk)),
            None => look(&Slot::Hole),
        }
    }

    /// Changes a chunk by what it holds; gives what it held. A failed change leaves it. Where the extent has no places for
    /// its chunks yet, they are taken from the pool's limit.
    pub(crate) fn change(
        &self,
        chunk: u64,
        pool: &Pool,
        change: impl FnOnce(&Slot) -> Result<Slot, StoreError>,
    ) -> Result<Slot, StoreError> {
        let extent = chunk / EXTENT;
        let mut shard = self.shard_mut(extent);
        let zeros = match shard.get_mut(&extent) {
            Some(Extent::Slots(slots)) => {
                let slot = &mut slots[(chunk % EXTENT) as usize];
                let new = change(slot)?;
                return Ok(std::mem::replace(slot, new));
            }
            Some(Extent::Zeros) => true,
            None => false,
        };
        let all = || match zeros {
            true => Slot::Zero,
            false => Slot::Hole,
        };
        pool.admit(PLACES)?;
        let new = change(&all()).inspect_err(|_| pool.give_back(PLACES))?;
        let mut slots = Box::new(std::array::from_fn(|_| all()));
        slots[(chunk % EXTENT) as usize] = new;
        shard.insert(extent, Extent::Slots(slots));
        Ok(all())
    }

    /// Makes a hole of an extent, or zeros; gives what it held.
    pub(crate) fn forget(&self, extent: u64, zeros: bool) -> Option<Extent> {
        if zeros {
            return self.shard_mut(extent).insert(extent, Extent::Zeros);
        }
        // Most of a large range was never written: readers need not wait for that to be found out.
        if !self.shard(extent).contains_key(&extent) {
            return None;
        }
        self.shard_mut(extent).remove(&extent)
    }

    /// What the chunks of a range begin with, and for how many of them, as far as one extent tells, or several that
    /// were never written.
    pub(crate) fn run(&self, chunks: Range<u64>) -> Run {
        let mut at = chunks.start;
        let mut kind = None;
        while at < chunks.end {
            let extent = at / EXTENT;
            let end = ((extent + 1) * EXTENT).min(chunks.end);
            match self.shard(extent).get(&extent) {
                None if kind.is_none_or(|k| k == ExtentKind::Hole) => {
                    kind = Some(ExtentKind::Hole);
                    at = end;
                }
                None => break,
                Some(slots) => {
                    let first = *kind.get_or_insert_with(|| slots.slot(at).kind());
                    let same = |c: &u64| slots.slot(*c).kind() == first;
                    let len = (at..end).take_while(same).count() as u64;
                    at += len;
                    if at < end {
                        break;
                    }
                }
            }
        }
        Run {
            len: at - chunks.start,
            kind: kind.unwrap_or(ExtentKind::Hole),
        }
    }

    #[cfg(test)]
    pub(crate) fn extents(&self) -> usize {
        (0..SHARDS).map(|n| self.shard(n).len()).sum()
    }

    fn shard(&self, extent: u64) -> RwLockReadGuard<'_, Extents> {
        let shard = &self.shards[(extent % SHARDS) as usize];
        shard.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn shard_mut(&self, extent: u64) -> RwLockWriteGuard<'_, Extents> {
        let shard = &self.shards[(extent % SHARDS) as usize];
        shard.write().unwrap_or_else(PoisonError::into_inner)
    }
}
