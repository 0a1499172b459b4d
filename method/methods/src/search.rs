//! The depth at which a target carries most.

use plimsoll_plan::DepthSearch;
use plimsoll_plan::depth::WORTH;

/// So many depths in a row that bring nothing end the search: one may be a bad moment.
const FUTILE: usize = 2;

/// Progress of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Searched {
    /// Depth that is to be tried.
    Try(u32),
    /// End of the search.
    Found {
        /// The depth: no greater one carried more that is worth it.
        depth: u32,
        /// True where the last depth of all was the best: greater ones might carry more.
        at_limit: bool,
    },
}

/// Progress of a search whose first steps reached these rates, I/Os per second.
pub fn searched(search: &DepthSearch, rates: &[f64]) -> Searched {
    let depths: Vec<u32> = search.depths().collect();
    let mut best = 0;
    for (at, rate) in rates.iter().enumerate().take(depths.len()) {
        if *rate > (1.0 + WORTH) * rates[best] {
            best = at;
        }
        if at - best >= FUTILE {
            return found(&depths, best);
        }
    }
    match depths.get(rates.len()) {
        Some(next) => Searched::Try(*next),
        None => found(&depths, best),
    }
}

fn found(depths: &[u32], best: usize) -> Searched {
    Searched::Found {
        depth: depths[best],
        at_limit: best + 1 == depths.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_plan::Nanos;

    /// Outcome of a search on a target of which the rate at each depth is known, and the number of its steps.
    fn on(rate: impl Fn(u32) -> f64) -> (u32, bool, usize) {
        let search = DepthSearch {
            first: 16,
            most: 1024,
            warmup: Nanos::secs(1),
            elapsed: Nanos::secs(3),
        };
        let mut rates = Vec::new();
        loop {
            match searched(&search, &rates) {
                Searched::Try(depth) => rates.push(rate(depth)),
                Searched::Found { depth, at_limit } => return (depth, at_limit, rates.len()),
            }
        }
    }

    #[test]
    fn the_depth_that_carries_most_is_found() {
        // A server that is full at 100: 128 is the first that fills it.
        let (depth, at_limit, steps) = on(|d| f64::from(d.min(100)) * 1000.0);
        assert_eq!((depth, at_limit, steps), (128, false, 6));
        // The array of which 32 slots show 40 %.
        let array = |d| match d {
            16 => 26_000.0,
            32 => 48_104.0,
            64 => 85_000.0,
            128 => 119_128.0,
            256 => 128_000.0,
            512 => 130_794.0,
            _ => 131_000.0,
        };
        assert_eq!(on(array).0, 512);
        // One that never gets enough.
        assert_eq!(on(f64::from), (1024, true, 7));
        // One that has enough with the first.
        assert_eq!(on(|_| 5000.0), (16, false, 3));
        // One that is down.
        assert_eq!(on(|_| 0.0), (16, false, 3));
    }

    #[test]
    fn one_bad_moment_does_not_end_a_search_and_small_gains_add_up() {
        let bad = |d| if d == 64 { 10.0 } else { f64::from(d) };
        assert_eq!(on(bad).0, 1024);
        let slow = |d: u32| 1.015_f64.powi(d.ilog2() as i32);
        assert_eq!(on(slow).0, 1024);
    }
}
