//! How long a slot pauses before its next I/O.

use crate::generator::Generator;
use plimsoll_plan::{Arrival, Nanos, Think};

/// Draws think times.
#[derive(Debug, Clone)]
pub struct ThinkTimes {
    mean_ns: f64,
    spread: Arrival,
    generator: Generator,
}

impl ThinkTimes {
    /// Think times of this mean and spread.
    pub fn new(think: &Think, seed: u64) -> Self {
        let Nanos(mean_ns) = think.time;
        ThinkTimes {
            mean_ns: mean_ns as f64,
            spread: think.spread,
            generator: Generator::new(seed),
        }
    }

    /// The next one, ns.
    pub fn next_ns(&mut self) -> u64 {
        let means = match self.spread {
            Arrival::Even => 1.0,
            Arrival::Uniform => 2.0 * self.generator.unit(),
            Arrival::Exponential => self.generator.exponential(),
        };
        (self.mean_ns * means) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (mean, mean of squares), in means.
    fn moments(spread: Arrival) -> (f64, f64) {
        let think = Think::new(Nanos(1_000_000), 1, spread);
        const N: usize = 200_000;
        let mut times = ThinkTimes::new(&think, 5);
        let drawn = (0..N).map(|_| times.next_ns() as f64 / 1e6);
        drawn.fold((0.0, 0.0), |(sum, squares), t| {
            (sum + t / N as f64, squares + t * t / N as f64)
        })
    }

    #[test]
    fn they_have_the_mean_and_the_spread_that_was_asked_for() {
        for (spread, squares) in [
            (Arrival::Even, 1.0),
            (Arrival::Uniform, 4.0 / 3.0),
            (Arrival::Exponential, 2.0),
        ] {
            let (mean, found) = moments(spread);
            assert!((mean - 1.0).abs() < 0.01, "{spread:?}: {mean}");
            assert!((found / squares - 1.0).abs() < 0.03, "{spread:?}: {found}");
        }
    }
}
