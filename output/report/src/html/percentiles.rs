//! Percentiles: the few that tables print, and the many that a plot draws.

use plimsoll_measure::Histogram;
use serde_json::{Value, json};

/// Points per decade of the plot's axis: ten, and five where there are many steps.
fn per_decade(steps: usize) -> u32 {
    if steps > 100 { 5 } else { 10 }
}

/// Decades of the plot's axis: up to 99.9999 %.
const DECADES: u32 = 6;

/// The fewest values beyond a percentile that support it.
const SUPPORT: f64 = 10.0;

/// The statistics of one histogram that tables print. Times ns; null where empty or not supported by the sample.
pub(super) fn latency(histogram: &Histogram) -> Value {
    json!({
        "mean_ns": histogram.mean_ns(),
        "std_dev_ns": histogram.std_dev_ns(),
        "min_ns": histogram.min_ns(),
        "p50_ns": histogram.supported_quantile_ns(0.5),
        "p90_ns": histogram.supported_quantile_ns(0.9),
        "p95_ns": histogram.supported_quantile_ns(0.95),
        "p99_ns": histogram.supported_quantile_ns(0.99),
        "p999_ns": histogram.supported_quantile_ns(0.999),
        "p9999_ns": histogram.supported_quantile_ns(0.9999),
        "max_ns": histogram.max_ns(),
    })
}

/// The plot's axis: 1/(1-q), so that 1 is the minimum, 2 the median, and 100 the 99th percentile; some a decade.
pub(super) fn grid(steps: usize) -> Vec<f64> {
    let each = per_decade(steps);
    (0..=each * DECADES)
        .map(|i| 10f64.powf(f64::from(i) / f64::from(each)))
        .collect()
}

/// The values at the points of [`grid`], ns, as far as the sample supports them: the list ends where fewer than 10
/// values lie beyond.
pub(super) fn curve(histogram: &Histogram, steps: usize) -> Vec<u64> {
    let count = histogram.count();
    let (Some(min_ns), Some(max_ns)) = (histogram.min_ns(), histogram.max_ns()) else {
        return Vec::new();
    };
    let mut buckets = histogram.buckets();
    let (mut seen, mut high_ns) = (0u64, min_ns);
    let mut values = Vec::new();
    for x in grid(steps) {
        if count as f64 / x + 1e-6 < SUPPORT {
            break;
        }
        let rank = (((1.0 - 1.0 / x) * count as f64).ceil() as u64).clamp(1, count);
        while seen < rank {
            let Some((_, bucket_high_ns, n)) = buckets.next() else {
                break;
            };
            seen = seen.saturating_add(n);
            high_ns = bucket_high_ns;
        }
        values.push(high_ns.min(max_ns).max(min_ns));
    }
    if let Some(first) = values.first_mut() {
        *first = min_ns;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(count: u64) -> Histogram {
        let mut h = Histogram::new();
        (1..=count).for_each(|v| h.record(v * 1000));
        h
    }

    #[test]
    fn the_plot_agrees_with_the_histogram_at_every_point() {
        let h = ramp(50_000);
        for (x, value) in grid(1).into_iter().zip(curve(&h, 1)).skip(1) {
            assert_eq!(h.quantile_ns(1.0 - 1.0 / x), Some(value), "at {x}");
        }
        assert_eq!(curve(&h, 1)[0], 1000);
    }

    #[test]
    fn the_plot_ends_where_ten_values_lie_beyond() {
        let points = curve(&ramp(10_000), 1).len();
        assert_eq!(points, 31, "10,000 values support 99.9 %, the 31st point");
        assert_eq!(
            curve(&ramp(10_000), 330).len(),
            16,
            "one of two for many steps"
        );
        assert!(curve(&ramp(9), 1).is_empty());
        assert!(curve(&Histogram::new(), 1).is_empty());
    }

    #[test]
    fn a_sample_of_1000_has_a_p99_and_no_p999() {
        let latency = latency(&ramp(1000));
        assert!(latency["p99_ns"].is_u64());
        assert!(latency["p999_ns"].is_null());
        assert_eq!(latency["max_ns"], 1_000_000);
    }
}
