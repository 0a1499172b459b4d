//! Where the warm-up of a series ends.

/// Samples in a batch.
const BATCH: usize = 5;
/// Fewest batches on which a truncation point means anything.
const MIN_BATCHES: usize = 10;

/// The answer of [`warm_up`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarmUp {
    /// So many samples from the start are warm-up; 0 where there is none.
    Ends(usize),
    /// The best cut lies in the second half: it does not end in this series.
    NotFound,
    /// Fewer than 50 samples.
    TooShort,
}

/// Number of samples to cut from the start, so that the rest has the most precise mean: MSER-5 (White 1997; White, Cobb and Spratt 2000).
///
/// With the series averaged in batches of 5, the cut `d` minimises `sum((z_i - mean_d)^2) / (n - d)^2` over the
/// batches that remain. Cuts in the second half are only tried as far as its first batch: a few batches at the end are
/// alike by chance (Hoad, Robinson and Davies 2010).
pub fn warm_up(series: &[f64]) -> WarmUp {
    let z: Vec<f64> = series
        .chunks_exact(BATCH)
        .map(|batch| batch.iter().sum::<f64>() / BATCH as f64)
        .collect();
    let n = z.len();
    if n < MIN_BATCHES {
        return WarmUp::TooShort;
    }
    let overall = z.iter().sum::<f64>() / n as f64;
    // Sums over the batches from d on, centred so that large means cost no digits.
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut best = (f64::INFINITY, 0);
    for d in (0..n).rev() {
        let v = z[d] - overall;
        sum += v;
        squares += v * v;
        let left = (n - d) as f64;
        let score = (squares - sum * sum / left).max(0.0) / (left * left);
        // `<=`: of equal cuts the earlier, which keeps more.
        if d <= n / 2 && score <= best.0 {
            best = (score, d);
        }
    }
    match best.1 < n / 2 {
        true => WarmUp::Ends(best.1 * BATCH),
        false => WarmUp::NotFound,
    }
}

/// The cut of [`warm_up`], where there is one.
pub fn mser5(series: &[f64]) -> Option<usize> {
    match warm_up(series) {
        WarmUp::Ends(samples) => Some(samples),
        WarmUp::NotFound | WarmUp::TooShort => None,
    }
}
