//! A LUN's address map: what each chunk holds.

use crate::words::Words;
use plimsoll_content::{mix64, prefetch};
use std::io;

/// Chunks whose background is decided together: 8 MiB of a LUN.
const PAGE: usize = 2048;

/// A chunk that was never written.
pub const UNMAPPED: u64 = 0;
/// A chunk that was written with zeros.
pub const ZERO: u64 = 1;
/// In a word: the chunk is [`UNMAPPED`], whatever the background of its page is.
const FORGOTTEN: u64 = 2;

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

/// Some neighbouring chunks: what those hold whose word is 0.
#[derive(Debug, Clone, Copy)]
struct Page {
    /// Some of the words are not 0, and have to be looked at.
    has_words: bool,
    /// Each chunk holds data like no other, made of this seed and its number; without a seed, none was ever written.
    seed: Option<u64>,
}

impl Page {
    /// What a chunk of it holds whose word is 0.
    #[inline]
    fn background(self, chunk: u64) -> u64 {
        self.seed.map_or(UNMAPPED, |s| filled(s, chunk))
    }
}

/// A LUN's chunks. A chunk is one word, so that looking it up costs one miss of the simulating machine's cache; memory
/// is taken when something is written, and none for what was filled at once.
#[derive(Debug)]
pub struct AddressMap {
    pages: Vec<Page>,
    words: Words,
    chunks: u64,
    /// Epochs; nothing until there is a snapshot.
    epochs: Vec<u32>,
    /// Chunks that hold data or zeros.
    pub mapped: u64,
    /// Chunks that hold zeros.
    pub zeros: u64,
}

impl AddressMap {
    /// The map of a LUN of `chunks` chunks, none written. An error where the system has no addresses for so many.
    pub fn new(chunks: u64) -> io::Result<Self> {
        let empty = Page {
            has_words: false,
            seed: None,
        };
        Ok(AddressMap {
            words: Words::new(chunks)?,
            pages: vec![empty; (chunks as usize).div_ceil(PAGE)],
            chunks,
            epochs: Vec::new(),
            mapped: 0,
            zeros: 0,
        })
    }

    /// From now on each chunk's epoch is kept. What was written before has epoch 0.
    pub fn keep_epochs(&mut self) {
        if self.epochs.is_empty() {
            // Made in one go, the system gives zeros without memory behind them: a snapshot of a large LUN is a moment.
            self.epochs = vec![0; self.chunks as usize];
        }
    }

    /// Fills the page that starts at a chunk with data like no other, if no chunk of it was written yet. How many chunks
    /// that are: 0 where it starts no page, goes past `end`, or holds something.
    pub fn fill_page(&mut self, chunk: u64, end: u64, seed: u64) -> u64 {
        let page = &mut self.pages[chunk as usize / PAGE];
        let whole = chunk.is_multiple_of(PAGE as u64) && chunk + PAGE as u64 <= end;
        if !whole || page.has_words || page.seed.is_some() {
            return 0;
        }
        page.seed = Some(seed);
        self.mapped += PAGE as u64;
        PAGE as u64
    }

    /// The first chunk after this one that may hold something.
    pub fn blank_until(&self, chunk: u64) -> u64 {
        let at = chunk as usize / PAGE;
        let page = self.pages[at];
        match page.has_words || page.seed.is_some() {
            true => chunk + 1,
            false => (at as u64 + 1) * PAGE as u64,
        }
    }

    /// The state of a chunk.
    #[inline]
    pub fn get(&self, chunk: u64) -> Chunk {
        let at = chunk as usize;
        let word = self.word(chunk);
        Chunk {
            content: word & CONTENT,
            in_journal: (word >> CONTENT_BITS) as u8,
            epoch: self.epochs.get(at).copied().unwrap_or(0),
        }
    }

    /// The content and the versions of a chunk, in one.
    #[inline]
    fn word(&self, chunk: u64) -> u64 {
        let page = self.pages[chunk as usize / PAGE];
        if !page.has_words {
            return page.background(chunk);
        }
        match self.words.get(chunk as usize) {
            0 => page.background(chunk),
            word if word & CONTENT == FORGOTTEN => word - FORGOTTEN,
            word => word,
        }
    }

    /// Has the word of a chunk fetched from memory while other work is done.
    #[inline]
    pub fn prefetch(&self, chunk: u64) {
        prefetch(self.words.bytes(chunk as usize));
    }

    /// Replaces the state of a chunk.
    #[inline]
    pub fn set(&mut self, chunk: u64, state: Chunk) {
        let at = chunk as usize;
        let old = self.word(chunk) & CONTENT;
        let content = match state.content {
            UNMAPPED => FORGOTTEN,
            content => content,
        };
        self.pages[at / PAGE].has_words = true;
        let versions = u64::from(state.in_journal) << CONTENT_BITS;
        self.words.set(at, content | versions);
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

/// What a chunk holds that was filled with others, made of this seed.
#[inline]
fn filled(seed: u64, chunk: u64) -> u64 {
    unique(mix64(seed ^ mix64(chunk)))
}

/// The name of data as a map keeps it: the lowest 55 bits of its fingerprint, and never one of the special values.
/// Of a hundred million different chunks, two are taken for one another with a chance of 13 %.
#[inline]
pub fn data(fingerprint: u64) -> u64 {
    let content = fingerprint & (UNIQUE - 1);
    if content <= FORGOTTEN {
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
        let mut map = AddressMap::new(10_000).unwrap();
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
        assert!([0, 1, 2, 1 << 55].iter().all(|f| data(*f) > FORGOTTEN));
        assert!(is_unique(unique(0)) && !is_unique(data(u64::MAX)) && !is_unique(ZERO));
    }

    #[test]
    fn a_page_filled_at_once_holds_different_data_in_each_chunk_until_it_is_written() {
        let mut map = AddressMap::new(10_000).unwrap();
        assert_eq!(map.fill_page(2048, 10_000, 5), 2048);
        assert_eq!(map.fill_page(2048, 10_000, 5), 0);
        assert_eq!(map.fill_page(8192, 10_000, 5), 0, "past the end");
        let state = |content| Chunk {
            content,
            ..Chunk::default()
        };
        let before: Vec<_> = (2048..4096).map(|c| map.get(c).content).collect();
        let mut different = before.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!((different.len(), map.mapped), (2048, 2048));
        map.set(3000, Chunk::default());
        let unique = |chunk| is_unique(map.get(chunk).content);
        assert!(!unique(3000) && unique(3001) && !unique(0));
        assert_eq!((map.get(3001).content, map.mapped), (before[953], 2047));
        map.set(3000, state(ZERO));
        assert_eq!(map.get(3000).content, ZERO);
        assert_eq!(map.mapped, 2048);
        assert_eq!(map.zeros, 1);
    }

    #[test]
    fn epochs_that_nothing_was_written_in_take_no_memory() {
        let pages = || {
            let text = std::fs::read_to_string("/proc/self/statm").unwrap();
            text.split(' ').nth(1).unwrap().parse::<u64>().unwrap()
        };
        // 1 GiB of epochs.
        let mut map = AddressMap::new(1 << 28).unwrap();
        let before = pages();
        map.keep_epochs();
        assert!(pages() < before + (256 << 20) / 4096);
        assert_eq!(map.get(1 << 27), Chunk::default());
    }

    #[test]
    fn gives_back_what_was_set_with_an_epoch_once_they_are_kept() {
        let mut map = AddressMap::new(10_000).unwrap();
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
