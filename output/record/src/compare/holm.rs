//! Many tests at once.

/// The chances of several tests, each made larger so that the chance of even one wrong claim among them stays below the
/// level that the claims are held against (Holm 1979, *A simple sequentially rejective multiple test procedure*). It needs
/// no independence: steps and metrics of one run go together.
pub(crate) fn adjusted(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|&x, &y| chances[x].total_cmp(&chances[y]));
    let mut adjusted = vec![1.0; chances.len()];
    let mut least: f64 = 0.0;
    for (rank, &at) in order.iter().enumerate() {
        let left = (chances.len() - rank) as f64;
        least = least.max(left * chances[at]).min(1.0);
        adjusted[at] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_a_worked_example() {
        // R 4: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm"), and by hand: 4 x 0.005, 3 x 0.01, 2 x 0.03, and 0.04 raised to
        // the one before.
        let adjusted = adjusted(&[0.01, 0.04, 0.03, 0.005]);
        for (got, wanted) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((got - wanted).abs() < 1e-12, "{adjusted:?}");
        }
    }

    #[test]
    fn one_test_stays_as_it_is_and_no_chance_is_above_one() {
        assert_eq!(adjusted(&[0.04]), [0.04]);
        assert_eq!(adjusted(&[0.9, 0.8]), [1.0, 1.0]);
        assert_eq!(adjusted(&[]), Vec::<f64>::new());
    }
}
