//! Many words that are zero at first and take no memory until they are written.

use memmap2::{Advice, MmapMut, MmapOptions};
use std::io;

const WORD: usize = size_of::<u64>();

/// So many 64-bit words, looked up at random.
///
/// They are a mapping of their own, on huge pages where the system has them: a look-up that misses the processor's caches
/// then seldom misses its table of pages too, which costs as much again.
#[derive(Debug)]
pub(crate) struct Words(MmapMut);

impl Words {
    /// All zero. An error where the system does not even give the addresses.
    pub fn new(count: u64) -> io::Result<Self> {
        let bytes = usize::try_from(count)
            .ok()
            .and_then(|c| c.checked_mul(WORD));
        let bytes = bytes.ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapOptions::new()
            .len(bytes.max(WORD))
            .no_reserve_swap()
            .map_anon()?;
        // A kernel without huge pages has none to give; the words are the same.
        let _ = map.advise(Advice::HugePage);
        Ok(Words(map))
    }

    #[inline]
    pub fn get(&self, at: usize) -> u64 {
        u64::from_ne_bytes(*self.bytes(at))
    }

    #[inline]
    pub fn set(&mut self, at: usize, word: u64) {
        let start = at * WORD;
        self.0[start..start + WORD].copy_from_slice(&word.to_ne_bytes());
    }

    /// The bytes of a word.
    #[inline]
    pub fn bytes(&self, at: usize) -> &[u8; WORD] {
        let start = at * WORD;
        let bytes = self.0[start..start + WORD].first_chunk();
        bytes.expect("a slice of a word's length is a word")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_zero_until_they_are_set_and_are_not_taken_from_memory() {
        // 4 TiB: more than any machine that runs this has.
        let mut words = Words::new(1 << 39).unwrap();
        words.set((1 << 39) - 1, 7);
        words.set(12_345, u64::MAX);
        assert_eq!(words.get((1 << 39) - 1), 7);
        assert_eq!([words.get(12_345), words.get(12_346)], [u64::MAX, 0]);
    }

    #[test]
    fn more_than_there_are_addresses_is_an_error() {
        assert!(Words::new(u64::MAX).is_err());
        assert!(Words::new(1 << 60).is_err());
        assert_eq!(Words::new(0).unwrap().0.len(), 8);
    }
}
