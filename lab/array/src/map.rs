//! A LUN's address map: what each chunk holds.

use plimsoll_content::{mix64, prefetch};

/// Chunks whose state is allocated together: 8 MiB of a LUN take 16 KiB.
const PAGE: usize = 2048;

/// A chunk that was never written.
pub const UNMAPPED: u64 = 0;
/// A chunk that was written with zeros.
pub const ZERO: u64 = 1;

/// Bits of a content; the versions in the journal are above them.
const CONTENT_BITS: u32 = 56;
const CONTENT: u64 = (1 << CONTENT_BITS) - 1;
/// Of a content: its data is like no other.
const UNIQUE: u64 = 1 << (CONTENT_BITS - 1);

/// What the map knows of one chunk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Chunk {
    /// [`UNMAPPED`], [`ZERO`], or the name of its data: see [`data`] and [`unique`].
    pub content: u64,
    /// How many of its versions are in the journal.
    pub in_journal: u8,
    /// How many snapshots of the LUN had been taken when it was last written.
    pub epoch: u32,
}

/// Some neighbouring chunks.
#[derive(Debug, Clone)]
enum Page {
    /// None was ever written.
    Empty,
    /// Each holds data like no other, made of this seed and its number; it takes no memory.
    Unique(u64),
    /// A word for each.
    Words(Box<[u64; PAGE]>),
}

/// A LUN's chunks. A chunk is one word, so that looking it up costs one miss of the simulating machine's cache; memory
/// is taken when the first chunk of a page is written.
#[derive(Debug, Clone)]
pub struct AddressMap {
    pages: Vec<Page>,
    chunks: u64,
    /// Epochs; nothing until there is a snapshot.
    epochs: Vec<u32>,
    /// Chunks that hold data or zeros.
    pub mapped: u64,
    /// Chunks that hold zeros.
    pub zeros: u64,
}

impl AddressMap {
    /// The map of a LUN of `chunks` chunks, none written.
    pub fn new(chunks: u64) -> Self {
        AddressMap {
            pages: vec![Page::Empty; (chunks as usize).div_ceil(PAGE)],
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

    /// Fills the page that starts at a chunk with data like no other, if no chunk of it was written yet. How many chunks
    /// that are: 0 where it starts no page, goes past `end`, or holds something.
    pub fn fill_page(&mut self, chunk: u64, end: u64, seed: u64) -> u64 {
        let page = &mut self.pages[chunk as usize / PAGE];
        let whole = chunk.is_multiple_of(PAGE as u64) && chunk + PAGE as u64 <= end;
        if !whole || !matches!(page, Page::Empty) {
            return 0;
        }
        *page = Page::Unique(seed);
        self.mapped += PAGE as u64;
        PAGE as u64
    }

    /// The state of a chunk.
    #[inline]
    pub fn get(&self, chunk: u64) -> Chunk {
        let at = chunk as usize;
        let word = match &self.pages[at / PAGE] {
            Page::Empty => return Chunk::default(),
            Page::Unique(seed) => filled(*seed, chunk),
            Page::Words(words) => words[at % PAGE],
        };
        Chunk {
            content: word & CONTENT,
            in_journal: (word >> CONTENT_BITS) as u8,
            epoch: self.epochs.get(at).copied().unwrap_or(0),
        }
    }

    /// Has the word of a chunk fetched from memory while other work is done.
    #[inline]
    pub fn prefetch(&self, chunk: u64) {
        let at = chunk as usize;
        if let Some(Page::Words(words)) = self.pages.get(at / PAGE) {
            prefetch(&words[at % PAGE]);
        }
    }

    /// Replaces the state of a chunk.
    #[inline]
    pub fn set(&mut self, chunk: u64, state: Chunk) {
        let at = chunk as usize;
        let page = &mut self.pages[at / PAGE];
        if !matches!(page, Page::Words(..)) {
            page.write_out(chunk);
        }
        let Page::Words(words) = page else { return };
        let word = &mut words[at % PAGE];
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

impl Page {
    /// Makes words of it; `chunk` is any of its chunks.
    #[cold]
    fn write_out(&mut self, chunk: u64) {
        let first = chunk - chunk % PAGE as u64;
        let seed = match self {
            Page::Unique(seed) => Some(*seed),
            Page::Empty | Page::Words(..) => None,
        };
        let word = |at: usize| seed.map_or(UNMAPPED, |s| filled(s, first + at as u64));
        *self = Page::Words(Box::new(std::array::from_fn(word)));
    }
}

/// What a chunk of a [`Page::Unique`] holds.
#[inline]
fn filled(seed: u64, chunk: u64) -> u64 {
    unique(mix64(seed ^ mix64(chunk)))
}

/// The name of data as a map keeps it: the lowest 55 bits of its fingerprint, and never one of the two special values.
/// Of a hundred million different chunks, two are taken for one another with a chance of 13 %.
#[inline]
pub fn data(fingerprint: u64) -> u64 {
    let content = fingerprint & (UNIQUE - 1);
    if content <= ZERO {
        content | 1 << (CONTENT_BITS - 2)
    } else {
        content
    }
}

/// A name for data of which it is known that there is no other like it: nothing has to be looked up to find that out.
/// `number` decides where it is placed, and two may have the same.
#[inline]
pub fn unique(number: u64) -> u64 {
    data(number) | UNIQUE
}

/// True for a name that [`unique`] gave.
#[inline]
pub fn is_unique(content: u64) -> bool {
    content & UNIQUE != 0
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
        assert!(data(0) > ZERO && data(1) > ZERO && data(1 << 55) > ZERO);
        assert!(is_unique(unique(0)) && !is_unique(data(u64::MAX)) && !is_unique(ZERO));
    }

    #[test]
    fn a_page_filled_at_once_holds_different_data_in_each_chunk_until_it_is_written() {
        let mut map = AddressMap::new(10_000);
        assert_eq!(map.fill_page(2048, 10_000, 5), 2048);
        assert_eq!(map.fill_page(2048, 10_000, 5), 0);
        assert_eq!(map.fill_page(8192, 10_000, 5), 0, "past the end");
        let before: Vec<_> = (2048..4096).map(|c| map.get(c).content).collect();
        let mut different = before.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!((different.len(), map.mapped), (2048, 2048));
        map.set(3000, Chunk::default());
        let unique = |chunk| is_unique(map.get(chunk).content);
        assert!(!unique(3000) && unique(3001) && !unique(0));
        assert_eq!((map.get(3001).content, map.mapped), (before[953], 2047));
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
