//! Every place once before any is repeated.

use crate::permutation::Permutation;
use crate::seed::seed_for;

/// One worker's part of a random order of places, and of new orders after it for ever.
///
/// All workers with the same seed share the orders: worker w of W takes the indices w, w + W, w + 2W, … of the endless
/// row of passes. Each pass has its own key, and is complete once every worker has gone through it.
#[derive(Debug, Clone)]
pub(crate) struct Coverage {
    order: Permutation,
    index: u64,
    workers: u64,
    pass: u64,
    seed: u64,
}

impl Coverage {
    /// Worker `worker`'s part of the orders of `count` places; `count` and `workers` are at least 1.
    pub(crate) fn new(count: u64, seed: u64, worker: u32, workers: u32) -> Self {
        let mut coverage = Coverage {
            order: Permutation::new(count, seed_for(seed, &[0])),
            index: worker.into(),
            workers: workers.into(),
            pass: 0,
            seed,
        };
        coverage.enter();
        coverage
    }

    /// The next place.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> u64 {
        let place = self.order.of(self.index);
        self.index += self.workers;
        if self.index >= self.order.len() {
            self.enter();
        }
        place
    }

    /// Goes on to the pass that the index lies in.
    #[cold]
    fn enter(&mut self) {
        let count = self.order.len();
        if self.index >= count {
            self.pass += self.index / count;
            self.index %= count;
            self.order = Permutation::new(count, seed_for(self.seed, &[self.pass]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_workers_together_visit_every_place_once_a_pass(
            count in 1u64..500, workers in 1u32..20, seed: u64, passes in 1u64..4
        ) {
            let mut visits = vec![0u64; count as usize];
            for worker in 0..workers {
                let mut coverage = Coverage::new(count, seed, worker, workers);
                let own = (count * passes).saturating_sub(worker.into()).div_ceil(workers.into());
                for _ in 0..own {
                    visits[coverage.next() as usize] += 1;
                }
            }
            prop_assert!(visits.iter().all(|v| *v == passes), "{:?}", visits);
        }
    }

    #[test]
    fn the_next_pass_has_another_order() {
        let mut coverage = Coverage::new(1000, 5, 0, 1);
        let first: Vec<u64> = (0..1000).map(|_| coverage.next()).collect();
        let second: Vec<u64> = (0..1000).map(|_| coverage.next()).collect();
        let same = first.iter().zip(&second).filter(|(a, b)| a == b).count();
        assert!(same < 10, "{same}");
    }
}
