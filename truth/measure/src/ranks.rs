//! The ranks of values, which are the same whatever their distribution.

/// Rank of each value, from 0; equal values share their mean rank.
pub(crate) fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for group in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let shared = first as f64 + (group.len() - 1) as f64 / 2.0;
        group.iter().for_each(|i| ranks[*i] = shared);
        first += group.len();
    }
    ranks
}
