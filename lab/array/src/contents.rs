//! What the chunks hold: the map of each LUN, and which data is there how often.

use crate::dedupe::Fingerprints;
use crate::io::{CHUNK, Io, IoKind};
use crate::lun::Lun;
use crate::map::{Chunk, UNMAPPED, ZERO, data, is_unique, unique};
use crate::persona::{Persona, PersonaError, ReductionParameters};
use plimsoll_content::{Identity, mix64};
use std::ops::Range;

/// What was found when a chunk got new content.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Replaced {
    /// The array held the same data already.
    pub known: bool,
    /// A snapshot needs the old content, so the new one went elsewhere.
    pub redirected: bool,
}

/// The LUNs, and the data that is in them.
#[derive(Debug)]
pub(crate) struct Contents {
    pub luns: Vec<Lun>,
    /// Chunks of each.
    pub lun_chunks: u64,
    pub reduction: ReductionParameters,
    fingerprints: Fingerprints,
    /// Chunks that hold data like no other, of which the index knows nothing.
    unique: u64,
    /// Makes what is drawn by chance, and data like no other.
    serial: u64,
}

impl Contents {
    /// Empty LUNs of so many chunks.
    pub fn new(persona: &Persona, lun_chunks: u64, seed: u64) -> Result<Self, PersonaError> {
        let count = persona.luns.count;
        let luns: Result<Vec<Lun>, _> = (0..count).map(|_| Lun::new(lun_chunks)).collect();
        let bytes = lun_chunks * u64::from(count) * CHUNK;
        let luns = luns.map_err(|why| PersonaError::Memory {
            persona: persona.name.clone(),
            gib: bytes as f64 / (1_u64 << 30) as f64,
            why,
        })?;
        Ok(Contents {
            luns,
            lun_chunks,
            reduction: persona.reduction,
            fingerprints: Fingerprints::default(),
            unique: 0,
            serial: mix64(seed),
        })
    }

    /// The next of a row of numbers that look like chance.
    #[inline]
    pub fn draw(&mut self) -> u64 {
        self.serial += 1;
        mix64(self.serial)
    }

    /// A chunk's number in the whole array.
    #[inline]
    pub fn key(&self, lun: u32, chunk: u64) -> u64 {
        u64::from(lun) * self.lun_chunks + chunk
    }

    /// What decides on which core and die a chunk is placed: its data where the array deduplicates, else its address.
    #[inline]
    pub fn placement(&self, key: u64, content: u64) -> u64 {
        if self.reduction.dedupe && content > ZERO {
            content
        } else {
            key
        }
    }

    /// Different chunks that are held; 0 where the persona does not deduplicate.
    pub fn distinct_chunks(&self) -> u64 {
        match self.reduction.dedupe {
            true => self.fingerprints.distinct() + self.unique,
            false => 0,
        }
    }

    /// Puts new content into the map.
    #[inline]
    pub fn replace(&mut self, lun: u32, chunk: u64, content: u64, journalled: u8) -> Replaced {
        let shared = |content| self.reduction.dedupe && content > ZERO && !is_unique(content);
        if shared(content) {
            self.fingerprints.prefetch(content);
        }
        let l = &mut self.luns[lun as usize];
        let old = l.map.get(chunk);
        if shared(old.content) {
            self.fingerprints.prefetch(old.content);
        }
        let new = Chunk {
            content,
            in_journal: old.in_journal + journalled,
            epoch: l.snapshots.epoch(),
        };
        l.map.set(chunk, new);
        let redirected = l.snapshots.need(old.epoch) && old.content > UNMAPPED;
        if redirected && old.content > ZERO {
            l.snapshots.keep(old.content, old.epoch);
        }
        let known = shared(content) && self.fingerprints.refer(content);
        self.unique += u64::from(is_unique(content));
        if !redirected {
            self.release(old.content);
        }
        Replaced { known, redirected }
    }

    /// Drops a reference to content.
    #[inline]
    pub fn release(&mut self, content: u64) {
        if is_unique(content) {
            self.unique -= 1;
        } else if self.reduction.dedupe && content > ZERO {
            self.fingerprints.release(content);
        }
    }

    /// Fills what it can of the page that the chunk is in, up to `end`, with data like no other: how many chunks that were.
    pub fn fill_page(&mut self, lun: u32, chunk: u64, end: u64, seed: u64) -> u64 {
        let filled = self.luns[lun as usize].map.fill_page(chunk, end, seed);
        self.unique += filled;
        filled
    }

    /// Those of the chunks that the LUN has; none where there is no such LUN.
    pub fn within(&self, lun: u32, chunks: Range<u64>) -> Range<u64> {
        if lun as usize >= self.luns.len() {
            return 0..0;
        }
        chunks.start..chunks.end.min(self.lun_chunks)
    }

    /// What a chunk of a write holds, as the map keeps it, and the bytes that it takes.
    #[inline]
    pub fn written(&mut self, io: &Io, chunk: u64, at: usize) -> (u64, u32) {
        match io.blocks.get(at) {
            Some(Identity::Zero) if io.covers(chunk) => match self.reduction.zeros {
                true => (ZERO, 0),
                false => (data(ZERO), CHUNK as u32),
            },
            Some(Identity::Data {
                fingerprint,
                compressed,
            }) if io.covers(chunk) => (data(*fingerprint), self.stored_size(*compressed)),
            _ => (unique(self.draw()), CHUNK as u32),
        }
    }

    /// What a chunk that holds `content` holds after a trim or zeros; none where it stays.
    pub fn unwritten(&mut self, io: &Io, chunk: u64, content: u64) -> Option<u64> {
        match (io.op, io.covers(chunk)) {
            (IoKind::Trim, true) => Some(UNMAPPED),
            (IoKind::Trim, false) => None,
            (_, false) if content > ZERO => Some(unique(self.draw())),
            _ => Some(ZERO),
        }
    }

    #[inline]
    fn stored_size(&self, compressed: u32) -> u32 {
        if self.reduction.compression {
            compressed
                .next_multiple_of(self.reduction.granule.max(1))
                .min(CHUNK as u32)
        } else {
            CHUNK as u32
        }
    }
}
