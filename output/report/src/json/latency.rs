//! A distribution of times.

use super::us;
use plimsoll_evidence::Estimate;
use plimsoll_measure::Histogram;
use serde_json::{Map, Value, json};

/// The percentiles of every distribution, as their keys.
const PERCENTILES: [&str; 9] = ["1", "10", "50", "90", "95", "99", "99.9", "99.99", "99.999"];

/// A histogram in microseconds, with the interval of its mean where one was computed.
pub(super) fn latency(histogram: &Histogram, mean: Option<&Estimate>) -> Value {
    let percentile = |p: &&str| {
        let q = p.parse::<f64>().unwrap_or(0.0) / 100.0;
        ((*p).to_owned(), json!(us(supported(histogram, q))))
    };
    json!({
        "mean_us": histogram.mean_ns().map(|ns| ns / 1e3),
        "mean_ci95_us": mean.and_then(|m| m.half_width).map(|ns| ns / 1e3),
        "min_us": us(histogram.min_ns()),
        "max_us": us(histogram.max_ns()),
        "stddev_us": histogram.std_dev_ns().map(|ns| ns / 1e3),
        "percentiles_us": PERCENTILES.iter().map(percentile).collect::<Map<_, _>>(),
    })
}

/// A quantile with at least 10 values on its far side: above it from the median on, below it else.
fn supported(histogram: &Histogram, q: f64) -> Option<u64> {
    if q < 0.5 {
        histogram.supported_quantile_ns(1.0 - q)?;
        histogram.quantile_ns(q)
    } else {
        histogram.supported_quantile_ns(q)
    }
}
