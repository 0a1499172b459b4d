//! Which chunk of a LUN holds what.

use super::pool::Chunk;
use super::{Kind, Run};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Chunks of an extent, which are allocated together: 256 KiB.
pub(crate) const EXTENT: u64 = 64;
const SHARDS: u64 = 64;

/// What a chunk holds.
#[derive(Debug, Default)]
pub(crate) enum Slot {
    #[default]
    Hole,
    Zero,
    Data(Arc<Chunk>),
}

impl Slot {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Slot::Hole => Kind::Hole,
            Slot::Zero => Kind::Zero,
            Slot::Data(_) => Kind::Data,
        }
    }
}

type Extents = HashMap<u64, Box<[Slot; EXTENT as usize]>>;

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
            Some(slots) => look(&slots[(chunk % EXTENT) as usize]),
            None => look(&Slot::Hole),
        }
    }

    /// Changes a chunk by what it holds; gives what it held. A failed change leaves it.
    pub(crate) fn change<E>(
        &self,
        chunk: u64,
        change: impl FnOnce(&Slot) -> Result<Slot, E>,
    ) -> Result<Slot, E> {
        let extent = chunk / EXTENT;
        let mut shard = self.shard_mut(extent);
        let slots = shard
            .entry(extent)
            .or_insert_with(|| Box::new(std::array::from_fn(|_| Slot::Hole)));
        let slot = &mut slots[(chunk % EXTENT) as usize];
        let new = change(slot)?;
        Ok(std::mem::replace(slot, new))
    }

    /// Makes a hole of an extent; gives what it held.
    pub(crate) fn forget(&self, extent: u64) -> Option<Box<[Slot; EXTENT as usize]>> {
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
                None if kind.is_none_or(|k| k == Kind::Hole) => {
                    kind = Some(Kind::Hole);
                    at = end;
                }
                None => break,
                Some(slots) => {
                    let first = *kind.get_or_insert_with(|| slots[(at % EXTENT) as usize].kind());
                    let same = |c: &u64| slots[(*c % EXTENT) as usize].kind() == first;
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
            kind: kind.unwrap_or(Kind::Hole),
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
