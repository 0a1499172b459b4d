//! A distribution of times.

use plimsoll_evidence::Estimate;
use plimsoll_measure::Histogram;
use serde::Serialize;
use serde_json::{Map, Value};

/// The percentiles of every distribution, as their keys.
const PERCENTILES: [&str; 9] = ["1", "10", "50", "90", "95", "99", "99.9", "99.99", "99.999"];

/// One distribution of times, in microseconds.
#[derive(Serialize)]
pub(super) struct Latency {
    mean_us: Option<f64>,
    mean_ci95_us: Option<f64>,
    min_us: Option<f64>,
    max_us: Option<f64>,
    stddev_us: Option<f64>,
    percentiles_us: Map<String, Value>,
}

impl Latency {
    /// Of a histogram, with the interval of its mean where one was computed.
    pub(super) fn of(histogram: &Histogram, mean: Option<&Estimate>) -> Self {
        let us = |ns: u64| ns as f64 / 1e3;
        let percentiles_us = PERCENTILES
            .iter()
            .map(|p| {
                let q = p.parse::<f64>().unwrap_or(0.0) / 100.0;
                let value = supported(histogram, q).map(us);
                ((*p).to_owned(), Value::from(value))
            })
            .collect();
        Latency {
            mean_us: histogram.mean_ns().map(|ns| ns / 1e3),
            mean_ci95_us: mean.and_then(|m| m.half_width).map(|ns| ns / 1e3),
            min_us: histogram.min_ns().map(us),
            max_us: histogram.max_ns().map(us),
            stddev_us: histogram.std_dev_ns().map(|ns| ns / 1e3),
            percentiles_us,
        }
    }
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
