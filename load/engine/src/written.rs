//! Memory of which blocks of a target were written, for content that depends on it.

use plimsoll_content::Rewrites;
use std::sync::{Arc, Mutex, PoisonError};

/// Memory of the blocks of one target that were written, for all steps and workers: one memory for each size
/// of block.
#[derive(Debug, Default)]
pub struct Written(Mutex<Vec<(u64, Arc<Rewrites>)>>);

impl Written {
    /// The memory of `blocks` blocks of `unit` bytes; `None` where they are too many to be remembered.
    pub(crate) fn of(&self, unit: u64, blocks: u64) -> Option<Arc<Rewrites>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, rewrites)) = known.iter().find(|(u, _)| *u == unit) {
            return Some(Arc::clone(rewrites));
        }
        let rewrites = Arc::new(Rewrites::new(blocks)?);
        known.push((unit, Arc::clone(&rewrites)));
        Some(rewrites)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_writes_a_target_shares_a_memory_for_each_size_of_block() {
        let written = Written::default();
        let of = |unit, blocks| written.of(unit, blocks).expect("fits");
        of(4096, 100).count(7..8);
        assert!(of(4096, 100).is_odd(7));
        assert!(!of(8192, 50).is_odd(7));
        assert!(written.of(512, u64::MAX).is_none());
    }
}
