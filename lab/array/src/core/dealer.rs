//! Which core does the work that is bound to none.

use super::Core;

/// Such work goes to the least busy core; that evens out what chance does. But over time every core does the same share
/// of it, however busy it is with its own: none takes so many parts more than another.
const LEAD: u32 = 4096;
/// Parts until the leads are looked at again.
const ROUND: u32 = 64;

/// Deals work to the cores that are there.
#[derive(Debug, Clone)]
pub(super) struct Dealer {
    /// The cores, in order.
    cores: Vec<u32>,
    /// How many parts more each has taken than the one that took the fewest.
    ahead: Vec<u32>,
    left: u32,
}

impl Dealer {
    /// Deals to these cores, of which there is at least one.
    pub fn new(cores: Vec<u32>) -> Self {
        Dealer {
            ahead: vec![0; cores.len()],
            cores,
            left: ROUND,
        }
    }

    /// The cores to which it deals.
    pub fn cores(&self) -> &[u32] {
        &self.cores
    }

    /// The core that takes the next part.
    #[inline]
    pub fn next(&mut self, all: &[Core]) -> usize {
        if self.left == 0 {
            let last = self.ahead.iter().min().copied().unwrap_or(0);
            self.ahead.iter_mut().for_each(|a| *a -= last);
            self.left = ROUND;
        }
        self.left -= 1;
        let (mut least, mut at) = (u64::MAX, 0);
        for (i, (core, ahead)) in self.cores.iter().zip(&self.ahead).enumerate() {
            // Without a branch: which core is least busy cannot be foretold.
            let far = u64::from(*ahead >= LEAD) << 63;
            let free_at = all[*core as usize].station.free_at() | far;
            at = if free_at < least { i } else { at };
            least = least.min(free_at);
        }
        self.ahead[at] += 1;
        self.cores[at] as usize
    }
}
