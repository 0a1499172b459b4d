//! Every different chunk once.

use super::{CHUNK, StoreError};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

const SHARDS: usize = 64;

/// What a chunk takes: its bytes, and its counts, fingerprint and places in the tables.
const COST: u64 = CHUNK as u64 + 96;

/// A chunk's bytes, shared by everybody who holds the same.
#[derive(Debug)]
pub(crate) struct Chunk {
    fingerprint: u64,
    pub bytes: [u8; CHUNK],
}

/// Chunks by their fingerprint, as long as somebody holds them.
type Shard = HashMap<u64, Weak<Chunk>>;

/// All chunks.
#[derive(Debug)]
pub(crate) struct Pool {
    shards: Box<[Mutex<Shard>]>,
    held: AtomicU64,
    limit: u64,
}

impl Pool {
    /// An empty pool that takes at most `limit` bytes.
    pub(crate) fn new(limit: u64) -> Self {
        Pool {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            held: AtomicU64::new(0),
            limit,
        }
    }

    /// The chunk with these bytes: one that is held, or a new one. Two chunks of one fingerprint that are not equal,
    /// which only an adversary makes, are both held, and one of them cannot be shared.
    pub(crate) fn intern(
        &self,
        fingerprint: u64,
        bytes: &[u8; CHUNK],
    ) -> Result<Arc<Chunk>, StoreError> {
        let mut shard = self.shard(fingerprint);
        match shard.get(&fingerprint).and_then(Weak::upgrade) {
            Some(held) if held.bytes == *bytes => Ok(held),
            Some(other) => {
                drop(shard);
                self.release(other);
                self.new_chunk(fingerprint, bytes)
            }
            None => {
                let chunk = self.new_chunk(fingerprint, bytes)?;
                shard.insert(fingerprint, Arc::downgrade(&chunk));
                Ok(chunk)
            }
        }
    }

    /// Takes so many bytes of the limit.
    pub(crate) fn admit(&self, bytes: u64) -> Result<(), StoreError> {
        if self.held.fetch_add(bytes, Ordering::Relaxed) + bytes > self.limit {
            self.give_back(bytes);
            return Err(StoreError::Full);
        }
        Ok(())
    }

    /// Gives so many bytes of the limit back.
    pub(crate) fn give_back(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn new_chunk(&self, fingerprint: u64, bytes: &[u8; CHUNK]) -> Result<Arc<Chunk>, StoreError> {
        self.admit(COST)?;
        let bytes = *bytes;
        Ok(Arc::new(Chunk { fingerprint, bytes }))
    }

    /// One holder less; the last one takes the chunk with it.
    pub(crate) fn release(&self, chunk: Arc<Chunk>) {
        let fingerprint = chunk.fingerprint;
        if Arc::into_inner(chunk).is_none() {
            return;
        }
        self.give_back(COST);
        let mut shard = self.shard(fingerprint);
        // Somebody may have put an equal one there since.
        if shard
            .get(&fingerprint)
            .is_some_and(|c| c.strong_count() == 0)
        {
            shard.remove(&fingerprint);
        }
    }

    pub(crate) fn held_bytes(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    pub(crate) fn limit_bytes(&self) -> u64 {
        self.limit
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        (0..SHARDS as u64).all(|n| self.shard(n).is_empty())
    }

    fn shard(&self, fingerprint: u64) -> MutexGuard<'_, Shard> {
        let shard = &self.shards[(fingerprint % SHARDS as u64) as usize];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
