//! A LUN's address map: what each chunk holds.

/// Chunks whose state is allocated together: 8 MiB of a LUN take 16 KiB.
const PAGE: usize = 2048;

/// A chunk that was never written.
pub const UNMAPPED: u64 = 0;
/// A chunk that was written with zeros.
pub const ZERO: u64 = 1;

/// Bits of a content; the versions in the journal are above them.
const CONTENT_BITS: u32 = 56;
const CONTENT: u64 = (1 << CONTENT_BITS) - 1;

/// What the map knows of one chunk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Chunk {
    /// [`UNMAPPED`], [`ZERO`], or the name of its data: see [`data`].
    pub content: u64,
    /// How many of its versions are in the journal.
    pub in_journal: u8,
    /// The LUN's snapshot count when it was last written, its lowest 16 bits.
    pub epoch: u16,
}

/// A LUN's chunks. A chunk is one word, so that looking it up costs one miss of the simulating machine's cache; memory
/// is taken when the first chunk of a page is written.
#[derive(Debug, Clone)]
pub struct AddressMap {
    pages: Vec<Option<Box<[u64; PAGE]>>>,
    chunks: u64,
    /// Epochs; nothing until there is a snapshot.
    epochs: Vec<u16>,
    /// Chunks that hold data or zeros.
    pub mapped: u64,
    /// Chunks that hold zeros.
    pub zeros: u64,
}

impl AddressMap {
    /// The map of a LUN of `chunks` chunks, none written.
    pub fn new(chunks: u64) -> Self {
        AddressMap {
            pages: vec![None; (chunks as usize).div_ceil(PAGE)],
            chunks,
            epochs: Vec::new(),
            mapped: 0,
            zeros: 0,
        }
    }

    /// From now on each chunk's epoch is kept. What was written before has epoch 0.
    pub fn keep_epochs(&mut self) {
        self.epochs.resize(self.chunks as usize, 0);
    }

    /// The state of a chunk.
    #[inline]
    pub fn get(&self, chunk: u64) -> Chunk {
        let at = chunk as usize;
        match &self.pages[at / PAGE] {
            None => Chunk::default(),
            Some(page) => {
                let word = page[at % PAGE];
                Chunk {
                    content: word & CONTENT,
                    in_journal: (word >> CONTENT_BITS) as u8,
                    epoch: self.epochs.get(at).copied().unwrap_or(0),
                }
            }
        }
    }

    /// Replaces the state of a chunk.
    #[inline]
    pub fn set(&mut self, chunk: u64, state: Chunk) {
        let at = chunk as usize;
        let page = self.pages[at / PAGE].get_or_insert_with(|| Box::new([UNMAPPED; PAGE]));
        let word = &mut page[at % PAGE];
        let old = *word & CONTENT;
        *word = state.content | u64::from(state.in_journal) << CONTENT_BITS;
        if let Some(epoch) = self.epochs.get_mut(at) {
            *epoch = state.epoch;
        }
        if (old <= ZERO) | (state.content <= ZERO) {
            self.mapped += u64::from(state.content != UNMAPPED);
            self.mapped -= u64::from(old != UNMAPPED);
            self.zeros += u64::from(state.content == ZERO);
            self.zeros -= u64::from(old == ZERO);
        }
    }
}

/// The name of data as a map keeps it: the lowest 56 bits of its fingerprint, and never one of the two special values.
/// Of a hundred million different chunks, two are taken for one another with a chance of 7 %.
#[inline]
pub fn data(fingerprint: u64) -> u64 {
    let content = fingerprint & CONTENT;
    if content <= ZERO {
        content | 1 << (CONTENT_BITS - 1)
    } else {
        content
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_is_mapped_and_what_is_zero() {
        let mut map = AddressMap::new(10_000);
        assert_eq!(map.get(9999), Chunk::default());
        let state = |content| Chunk {
            content,
            ..Chunk::default()
        };
        map.set(9999, state(data(77)));
        map.set(3, state(ZERO));
        assert_eq!((map.mapped, map.zeros), (2, 1));
        map.set(9999, state(ZERO));
        map.set(3, state(UNMAPPED));
        assert_eq!((map.mapped, map.zeros), (1, 1));
        assert!(data(0) > ZERO && data(1) > ZERO && data(1 << 56) > ZERO);
    }

    #[test]
    fn gives_back_what_was_set_with_an_epoch_once_they_are_kept() {
        let mut map = AddressMap::new(10_000);
        let state = Chunk {
            content: data(u64::MAX),
            in_journal: 255,
            epoch: 0,
        };
        map.set(5000, state);
        map.keep_epochs();
        assert_eq!(map.get(5000), state);
        let later = Chunk { epoch: 7, ..state };
        map.set(5000, later);
        assert_eq!((map.get(5000), map.get(5001)), (later, Chunk::default()));
    }
}
