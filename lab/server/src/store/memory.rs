//! Data in memory: thin, and every different chunk once.

use super::extents::{EXTENT, Extent, PLACES, Slot, Volume};
use super::pool::Pool;
use super::{CHUNK, Run, StoreError, pieces};
use plimsoll_content::{Identity, identify_uncompressed};
use std::ops::Range;

/// Data in memory.
#[derive(Debug)]
pub(crate) struct MemoryStore {
    volumes: Vec<Volume>,
    pool: Pool,
}

impl MemoryStore {
    pub(crate) fn new(luns: usize, limit: u64) -> Self {
        MemoryStore {
            volumes: (0..luns).map(|_| Volume::new()).collect(),
            pool: Pool::new(limit),
        }
    }

    #[inline]
    pub(crate) fn read(&self, lun: u32, offset: u64, buffer: &mut [u8]) {
        let volume = &self.volumes[lun as usize];
        let mut rest = buffer;
        for (chunk, part) in pieces(offset..offset + rest.len() as u64) {
            let (here, next) = rest.split_at_mut(part.len());
            volume.look(chunk, |slot| match slot {
                Slot::Data(chunk) => here.copy_from_slice(&chunk.bytes[part]),
                Slot::Hole | Slot::Zero => here.fill(0),
            });
            rest = next;
        }
    }

    pub(crate) fn write(
        &self,
        lun: u32,
        offset: u64,
        bytes: &[u8],
        blocks: &[Identity],
    ) -> Result<(), StoreError> {
        let mut rest = bytes;
        for (i, (chunk, part)) in pieces(offset..offset + bytes.len() as u64).enumerate() {
            let (here, next) = rest.split_at(part.len());
            match (here.try_into(), blocks.get(i)) {
                (Ok(whole), Some(identity)) => {
                    let slot = self.hold(whole, *identity)?;
                    self.change(lun, chunk, |_| Ok(slot))?;
                }
                _ => self.overlay(lun, chunk, part, |place| place.copy_from_slice(here))?,
            }
            rest = next;
        }
        Ok(())
    }

    pub(crate) fn zero(&self, lun: u32, range: Range<u64>, keep: bool) -> Result<(), StoreError> {
        const EXTENT_BYTES: u64 = EXTENT * CHUNK as u64;
        let mut at = range.start;
        while at < range.end {
            let end = ((at / EXTENT_BYTES + 1) * EXTENT_BYTES).min(range.end);
            if end - at == EXTENT_BYTES {
                let held = self.volumes[lun as usize].forget(at / EXTENT_BYTES, keep);
                if let Some(Extent::Slots(slots)) = held {
                    self.pool.give_back(PLACES);
                    slots.into_iter().for_each(|slot| self.release(slot));
                }
            } else {
                self.zero_chunks(lun, at..end, keep)?;
            }
            at = end;
        }
        Ok(())
    }

    pub(crate) fn run(&self, lun: u32, range: Range<u64>) -> Run {
        let chunk = CHUNK as u64;
        let first = range.start / chunk;
        let run = self.volumes[lun as usize].run(first..range.end.div_ceil(chunk));
        Run {
            len: ((first + run.len) * chunk).min(range.end) - range.start,
            ..run
        }
    }

    pub(crate) fn held_bytes(&self) -> u64 {
        self.pool.held_bytes()
    }

    pub(crate) fn limit_bytes(&self) -> u64 {
        self.pool.limit_bytes()
    }

    fn zero_chunks(&self, lun: u32, range: Range<u64>, keep: bool) -> Result<(), StoreError> {
        let is_hole = |slot: &Slot| matches!(slot, Slot::Hole);
        for (chunk, part) in pieces(range) {
            if !keep && self.volumes[lun as usize].look(chunk, is_hole) {
                continue;
            }
            if part.len() < CHUNK {
                self.overlay(lun, chunk, part, |place| place.fill(0))?;
            } else {
                let slot = if keep { Slot::Zero } else { Slot::Hole };
                self.change(lun, chunk, |_| Ok(slot))?;
            }
        }
        Ok(())
    }

    /// Changes a part of a chunk. Nobody sees it half done.
    fn overlay(
        &self,
        lun: u32,
        chunk: u64,
        part: Range<usize>,
        put: impl FnOnce(&mut [u8]),
    ) -> Result<(), StoreError> {
        self.change(lun, chunk, |old| {
            let mut bytes = match old {
                Slot::Data(chunk) => chunk.bytes,
                Slot::Hole | Slot::Zero => [0; CHUNK],
            };
            put(&mut bytes[part]);
            self.hold(&bytes, identify_uncompressed(&bytes))
        })
    }

    fn hold(&self, bytes: &[u8; CHUNK], identity: Identity) -> Result<Slot, StoreError> {
        match identity {
            Identity::Zero => Ok(Slot::Zero),
            Identity::Data { fingerprint, .. } => {
                Ok(Slot::Data(self.pool.intern(fingerprint, bytes)?))
            }
        }
    }

    fn change(
        &self,
        lun: u32,
        chunk: u64,
        change: impl FnOnce(&Slot) -> Result<Slot, StoreError>,
    ) -> Result<(), StoreError> {
        self.release(self.volumes[lun as usize].change(chunk, &self.pool, change)?);
        Ok(())
    }

    fn release(&self, slot: Slot) {
        if let Slot::Data(chunk) = slot {
            self.pool.release(chunk);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ExtentKind;

    const WHOLE: Range<u64> = 0..1 << 20;

    fn put(store: &MemoryStore, chunk: u64, byte: u8) {
        let bytes = [byte; CHUNK];
        let blocks = [identify_uncompressed(&bytes)];
        store
            .write(0, chunk * CHUNK as u64, &bytes, &blocks)
            .unwrap();
    }

    #[test]
    fn equal_chunks_come_and_go_on_all_threads_at_once_and_none_is_lost_or_torn() {
        let store = MemoryStore::new(1, u64::MAX);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let store = &store;
                scope.spawn(move || {
                    let mut read = [0; CHUNK];
                    for turn in 0..20_000_u64 {
                        let chunk = (turn * 7 + thread) % 5;
                        put(store, chunk, (turn % 3) as u8);
                        store.read(0, (chunk + 1) % 5 * CHUNK as u64, &mut read);
                        assert!(read.iter().all(|b| *b == read[0]), "torn");
                    }
                });
            }
        });
        assert!(store.held_bytes() <= PLACES + 2 * (CHUNK as u64 + 96));
        store.zero(0, WHOLE, false).unwrap();
        assert_eq!(store.held_bytes(), 0);
        assert!(store.pool.is_empty());
    }

    #[test]
    fn chunks_of_one_fingerprint_that_differ_are_both_held() {
        let store = MemoryStore::new(1, u64::MAX);
        let lie = [Identity::Data {
            fingerprint: 7,
            compressed: 0,
        }];
        for (chunk, byte) in [(0, 1), (1, 2), (2, 1)] {
            store
                .write(0, chunk * CHUNK as u64, &[byte; CHUNK], &lie)
                .unwrap();
        }
        let mut read = [0; 3 * CHUNK];
        store.read(0, 0, &mut read);
        let seen: Vec<_> = read.chunks(CHUNK).map(|c| c[0]).collect();
        assert_eq!(seen, [1, 2, 1]);
        store.zero(0, WHOLE, true).unwrap();
        assert_eq!(store.held_bytes(), 0);
        assert!(store.pool.is_empty());
    }

    #[test]
    fn an_extent_of_zeros_takes_no_places_and_reads_as_zeros_and_is_data_again_when_written() {
        let store = MemoryStore::new(1, u64::MAX);
        put(&store, 3, 9);
        store.zero(0, WHOLE, true).unwrap();
        assert_eq!(store.held_bytes(), 0);
        assert_eq!(
            store.run(0, WHOLE),
            Run {
                len: 1 << 20,
                kind: ExtentKind::Zero
            }
        );
        put(&store, 5, 7);
        let mut read = [1; 7 * CHUNK];
        store.read(0, 0, &mut read);
        let seen: Vec<_> = read.chunks(CHUNK).map(|c| c[0]).collect();
        assert_eq!(seen, [0, 0, 0, 0, 0, 7, 0]);
        assert_eq!(
            store.run(0, WHOLE),
            Run {
                len: 5 * CHUNK as u64,
                kind: ExtentKind::Zero
            }
        );
    }

    #[test]
    fn the_places_of_scattered_chunks_count_and_when_there_is_no_room_nothing_changes() {
        let one = PLACES + CHUNK as u64 + 96;
        let store = MemoryStore::new(1, 2 * one);
        let far = |n: u64| n * EXTENT;
        put(&store, far(0), 1);
        put(&store, far(1), 2);
        assert_eq!(store.held_bytes(), 2 * one);
        let bytes = [3; CHUNK];
        let blocks = [identify_uncompressed(&bytes)];
        let at = far(2) * CHUNK as u64;
        assert!(matches!(
            store.write(0, at, &bytes, &blocks),
            Err(StoreError::Full)
        ));
        let hole = store.run(0, at..at + CHUNK as u64);
        assert_eq!(hole.kind, ExtentKind::Hole);
        store.zero(0, 0..1 << 20, false).unwrap();
        assert_eq!(store.held_bytes(), 0);
        store.write(0, at, &bytes, &blocks).unwrap();
    }

    #[test]
    fn trims_of_what_was_never_written_take_no_memory() {
        let store = MemoryStore::new(1, u64::MAX);
        for chunk in 0..1000 {
            let at = chunk * EXTENT * CHUNK as u64;
            store.zero(0, at..at + 100, false).unwrap();
            store.zero(0, at + 8192..at + 12288, false).unwrap();
        }
        assert_eq!(store.volumes[0].extents(), 0);
    }
}
