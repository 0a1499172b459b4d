//! The rising series that is nearest to a noisy one.

/// Isotonic regression with equal weights, by pooling adjacent violators (Ayer et al. 1955): the non-decreasing series
/// with the least squared distance.
pub fn isotonic(values: &[f64]) -> Vec<f64> {
    // Pools of neighbours that share their mean: (sum, how many).
    let mut pools: Vec<(f64, usize)> = Vec::with_capacity(values.len());
    for value in values {
        let mut pool = (*value, 1);
        while let Some((sum, count)) = pools.last() {
            if sum / *count as f64 <= pool.0 / pool.1 as f64 {
                break;
            }
            pool = (pool.0 + sum, pool.1 + count);
            pools.pop();
        }
        pools.push(pool);
    }
    pools
        .iter()
        .flat_map(|(sum, count)| std::iter::repeat_n(sum / *count as f64, *count))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn violators_share_their_mean() {
        assert_eq!(isotonic(&[1.0, 3.0, 2.0, 5.0]), [1.0, 2.5, 2.5, 5.0]);
        assert_eq!(isotonic(&[3.0, 2.0, 1.0]), [2.0, 2.0, 2.0]);
        assert_eq!(isotonic(&[]), [0.0; 0]);
    }

    proptest! {
        #[test]
        fn the_result_rises_keeps_the_sum_and_leaves_rising_series_alone(
            mut values in prop::collection::vec(0.0..1e6f64, 1..50),
        ) {
            let fitted = isotonic(&values);
            prop_assert!(fitted.windows(2).all(|w| w[0] <= w[1]));
            let (a, b): (f64, f64) = (values.iter().sum(), fitted.iter().sum());
            prop_assert!((a - b).abs() < 1e-3);
            values.sort_by(f64::total_cmp);
            prop_assert_eq!(isotonic(&values), values);
        }
    }
}
