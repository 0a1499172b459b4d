//! Bitmaps.

/// Flags of numbered things.
#[derive(Debug, Clone)]
pub(crate) struct Bits {
    words: Vec<u64>,
    set: u64,
}

impl Bits {
    /// `count` flags, none of them set.
    pub(crate) fn new(count: u64) -> Self {
        Bits {
            words: vec![0; count.div_ceil(64) as usize],
            set: 0,
        }
    }

    pub(crate) fn get(&self, at: u64) -> bool {
        let word = self.words.get((at / 64) as usize);
        word.is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Sets or clears one; a number that is out of range is ignored.
    pub(crate) fn put(&mut self, at: u64, value: bool) {
        let Some(word) = self.words.get_mut((at / 64) as usize) else {
            return;
        };
        let mask = 1 << (at % 64);
        match (value, *word & mask != 0) {
            (true, false) => {
                *word |= mask;
                self.set += 1;
            }
            (false, true) => {
                *word &= !mask;
                self.set -= 1;
            }
            _ => {}
        }
    }

    /// Number of flags that are set.
    pub(crate) fn count(&self) -> u64 {
        self.set
    }
}
