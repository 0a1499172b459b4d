//! A LUN's address map: what each chunk holds.

/// Chunks whose state is allocated together.
const PAGE: usize = 256;

/// A chunk that was never written.
pub const UNMAPPED: u64 = 0;
/// A chunk that was written with zeros.
pub const ZERO: u64 = 1;

/// What the map knows of one chunk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Chunk {
    /// [`UNMAPPED`], [`ZERO`], or the fingerprint of its data.
    pub content: u64,
    /// How many of its versions are in the journal.
    pub in_journal: u8,
    /// The LUN's snapshot count when it was last written, its lowest 16 bits.
    pub epoch: u16,
}

/// The chunks of 1 MiB. Kept apart by field, so that a chunk costs 11 bytes.
#[derive(Debug, Clone)]
struct Page {
    content: [u64; PAGE],
    in_journal: [u8; PAGE],
    epoch: [u16; PAGE],
}

/// A LUN's chunks; memory is taken when the first chunk of a MiB is written.
#[derive(Debug, Clone)]
pub struct AddressMap {
    pages: Vec<Option<Box<Page>>>,
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
            mapped: 0,
            zeros: 0,
        }
    }

    /// The state of a chunk.
    #[inline]
    pub fn get(&self, chunk: u64) -> Chunk {
        let (page, at) = (chunk as usize / PAGE, chunk as usize % PAGE);
        match &self.pages[page] {
            None => Chunk::default(),
            Some(page) => Chunk {
                content: page.content[at],
                in_journal: page.in_journal[at],
                epoch: page.epoch[at],
            },
        }
    }

    /// Replaces the state of a chunk.
    #[inline]
    pub fn set(&mut self, chunk: u64, state: Chunk) {
        let (page, at) = (chunk as usize / PAGE, chunk as usize % PAGE);
        let page = self.pages[page].get_or_insert_with(|| {
            Box::new(Page {
                content: [UNMAPPED; PAGE],
                in_journal: [0; PAGE],
                epoch: [0; PAGE],
            })
        });
        let old = page.content[at];
        self.mapped =
            self.mapped + u64::from(state.content != UNMAPPED) - u64::from(old != UNMAPPED);
        self.zeros = self.zeros + u64::from(state.content == ZERO) - u64::from(old == ZERO);
        page.content[at] = state.content;
        page.in_journal[at] = state.in_journal;
        page.epoch[at] = state.epoch;
    }
}

/// A fingerprint as a map keeps it: never one of the two special values.
#[inline]
pub fn data(fingerprint: u64) -> u64 {
    if fingerprint <= ZERO {
        fingerprint | 1 << 63
    } else {
        fingerprint
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_is_mapped_and_what_is_zero() {
        let mut map = AddressMap::new(1000);
        assert_eq!(map.get(999), Chunk::default());
        let state = |content| Chunk {
            content,
            ..Chunk::default()
        };
        map.set(999, state(data(77)));
        map.set(3, state(ZERO));
        assert_eq!((map.mapped, map.zeros), (2, 1));
        map.set(999, state(ZERO));
        map.set(3, state(UNMAPPED));
        assert_eq!((map.mapped, map.zeros), (1, 1));
        assert!(data(0) > ZERO && data(1) > ZERO);
    }
}
