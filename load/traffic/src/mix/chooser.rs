//! A random choice by weight.

use crate::generator::Generator;

/// Chooses among streams at random, each by its weight, in constant time (Walker's alias method, 1977, with the table
/// built as Vose, 1991).
#[derive(Debug, Clone)]
pub struct Chooser {
    columns: Vec<Column>,
    generator: Generator,
}

/// A column stays itself below `keep` (in 2^-64ths), and is `alias` otherwise.
#[derive(Debug, Clone, Copy)]
struct Column {
    keep: u64,
    alias: u32,
}

impl Chooser {
    /// Chooses indices of `weights`. Weights that are negative or not finite count as 0; where none is above 0 all
    /// count alike.
    pub fn new(weights: &[f64], seed: u64) -> Self {
        Chooser {
            columns: columns(weights),
            generator: Generator::new(seed),
        }
    }

    /// The next choice; always 0 where there is nothing to choose from.
    #[inline]
    #[allow(
        clippy::should_implement_trait,
        reason = "an endless source, not an iterator to be adapted"
    )]
    pub fn next(&mut self) -> usize {
        let n = self.columns.len();
        if n <= 1 {
            return 0;
        }
        // The product's upper half chooses the column, its lower half is uniform within it.
        let product = u128::from(self.generator.bits()) * n as u128;
        let index = (product >> 64) as usize;
        let column = self.columns[index];
        if (product as u64) < column.keep {
            index
        } else {
            column.alias as usize
        }
    }
}

fn columns(weights: &[f64]) -> Vec<Column> {
    let mut clean: Vec<f64> = weights
        .iter()
        .map(|w| if w.is_finite() { w.max(0.0) } else { 0.0 })
        .collect();
    if clean.iter().sum::<f64>() <= 0.0 {
        clean.fill(1.0);
    }
    let mean = clean.iter().sum::<f64>() / clean.len() as f64;
    let mut scaled: Vec<f64> = clean.iter().map(|w| w / mean).collect();
    let mut columns: Vec<Column> = (0..scaled.len())
        .map(|i| Column {
            keep: u64::MAX,
            alias: i as u32,
        })
        .collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) =
        (0..scaled.len()).partition(|i| scaled[*i] < 1.0);
    while let (Some(s), Some(l)) = (small.pop(), large.pop()) {
        columns[s] = Column {
            keep: (scaled[s] * 2f64.powi(64)) as u64,
            alias: l as u32,
        };
        scaled[l] -= 1.0 - scaled[s];
        if scaled[l] < 1.0 {
            small.push(l)
        } else {
            large.push(l)
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_follow_the_weights() {
        let weights = [5.0, 0.0, 1.0, 3.0, 1.0];
        let mut chooser = Chooser::new(&weights, 4);
        let mut counts = [0u64; 5];
        const DRAWS: u64 = 1_000_000;
        for _ in 0..DRAWS {
            counts[chooser.next()] += 1;
        }
        assert_eq!(counts[1], 0);
        for (w, c) in weights.iter().zip(counts) {
            let p = w / 10.0;
            let sd = (DRAWS as f64 * p * (1.0 - p)).sqrt();
            assert!(
                (c as f64 - DRAWS as f64 * p).abs() <= 5.0 * sd,
                "{counts:?}"
            );
        }
    }

    #[test]
    fn one_stream_or_none_is_always_the_first() {
        assert_eq!(Chooser::new(&[3.0], 1).next(), 0);
        assert_eq!(Chooser::new(&[], 1).next(), 0);
    }

    #[test]
    fn without_usable_weights_all_are_alike() {
        let mut chooser = Chooser::new(&[0.0, f64::NAN, -3.0], 9);
        let mut counts = [0u64; 3];
        for _ in 0..30_000 {
            counts[chooser.next()] += 1;
        }
        assert!(
            counts.iter().all(|c| (9_500..10_500).contains(c)),
            "{counts:?}"
        );
    }
}
