//! Finding the block with the fewest valid pages in constant time.

const NONE: u32 = u32::MAX;

/// Blocks that may be collected, in lists by their count of valid pages.
#[derive(Debug, Clone)]
pub struct Victims {
    /// The first block of the list for each count.
    heads: Vec<u32>,
    /// For each block its neighbours in the list.
    links: Vec<(u32, u32)>,
    /// No list below this one has a block.
    lowest: usize,
}

impl Victims {
    /// No block may be collected yet.
    pub fn new(blocks: usize, pages_per_block: usize) -> Self {
        Victims {
            heads: vec![NONE; pages_per_block + 1],
            links: vec![(NONE, NONE); blocks],
            lowest: pages_per_block,
        }
    }

    /// A block may be collected from now on.
    #[inline]
    pub fn insert(&mut self, block: u32, valid: usize) {
        let head = std::mem::replace(&mut self.heads[valid], block);
        self.links[block as usize] = (NONE, head);
        if head != NONE {
            self.links[head as usize].0 = block;
        }
        self.lowest = self.lowest.min(valid);
    }

    /// A block may not be collected any more.
    #[inline]
    pub fn remove(&mut self, block: u32, valid: usize) {
        let (before, after) = self.links[block as usize];
        match before {
            NONE => self.heads[valid] = after,
            b => self.links[b as usize].1 = after,
        }
        if after != NONE {
            self.links[after as usize].0 = before;
        }
    }

    /// The block with the fewest valid pages, taken out.
    pub fn take(&mut self) -> Option<u32> {
        while self.lowest < self.heads.len() && self.heads[self.lowest] == NONE {
            self.lowest += 1;
        }
        let block = *self.heads.get(self.lowest)?;
        self.remove(block, self.lowest);
        Some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn always_gives_a_block_with_the_fewest_valid_pages(
            valid in proptest::collection::vec(1..9_usize, 1..40),
            invalidated in proptest::collection::vec(0..40_usize, 0..80),
        ) {
            let mut valid = valid;
            let mut victims = Victims::new(valid.len(), 8);
            for (b, v) in valid.iter().enumerate() {
                victims.insert(b as u32, *v);
            }
            for at in invalidated {
                let b = at % valid.len();
                if valid[b] > 0 {
                    victims.remove(b as u32, valid[b]);
                    valid[b] -= 1;
                    victims.insert(b as u32, valid[b]);
                }
            }
            let taken: Vec<usize> = std::iter::from_fn(|| victims.take()).map(|b| valid[b as usize]).collect();
            valid.sort_unstable();
            prop_assert_eq!(taken, valid);
        }
    }
}
