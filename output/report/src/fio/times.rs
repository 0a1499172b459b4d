//! Latencies in fio's blocks and buckets.

use super::Form;
use plimsoll_measure::Histogram;
use serde_json::{Map, Value, json};

/// Upper bounds of the buckets of `latency_ns` and `latency_us`, in the unit of each.
pub(super) const BELOW_1000: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];
/// Bounds of `latency_ms`, ms; what is longer is in one of its own.
pub(super) const MILLISECONDS: [u64; 11] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000];

/// A block without samples.
pub(super) fn empty() -> Value {
    json!({ "min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0 })
}

/// A block of a histogram, with these percentiles, percent.
pub(super) fn of(times: &Histogram, percentiles: Option<&[f64]>, form: Form) -> Value {
    if times.is_empty() {
        return empty();
    }
    let mut block = json!({
        "min": times.min_ns(), "max": times.max_ns(),
        "mean": times.mean_ns(), "stddev": times.std_dev_ns().unwrap_or_default(),
        "N": times.count(),
    });
    let Some(percentiles) = percentiles else {
        return block;
    };
    let of = |p: &f64| (format!("{p:.6}"), json!(times.quantile_ns(p / 100.0)));
    block["percentile"] = Value::Object(percentiles.iter().map(of).collect());
    if form == Form::JsonPlus {
        // fio's key is the middle of a bucket.
        let bins = times
            .buckets()
            .map(|(low, high, count)| ((low + (high - low) / 2).to_string(), json!(count)));
        block["bins"] = Value::Object(bins.collect());
    }
    block
}

/// The percent of all I/Os that took no longer than each bound and longer than the bound before it, in a unit of so many ns. The buckets
/// of the next smaller unit are not in the first one of this.
pub(super) fn within(times: &Histogram, unit_ns: u64, bounds: &[u64]) -> Value {
    let from_ns = if unit_ns == 1 { 0 } else { unit_ns };
    let mut counts = vec![0u64; bounds.len() + 1];
    for (low, high, count) in times.buckets() {
        let middle = low + (high - low) / 2;
        if middle >= from_ns {
            let place = bounds.partition_point(|b| b * unit_ns <= middle);
            counts[place] += count;
        }
    }
    let percent = |count: u64| match times.count() {
        0 => 0.0,
        all => count as f64 * 100.0 / all as f64,
    };
    let mut out = Map::new();
    for (bound, count) in bounds.iter().zip(&counts) {
        out.insert(bound.to_string(), json!(percent(*count)));
    }
    if bounds.len() == MILLISECONDS.len() {
        let longer = counts[bounds.len()];
        out.insert(">=2000".into(), json!(percent(longer)));
    }
    Value::Object(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_io_is_in_one_bucket_of_one_unit() {
        let mut times = Histogram::new();
        for ns in [
            1,
            600,
            1_500,
            90_000,
            999_000,
            1_500_000,
            700_000_000,
            3_000_000_000,
        ] {
            times.record(ns);
        }
        let blocks = [
            within(&times, 1, &BELOW_1000),
            within(&times, 1_000, &BELOW_1000),
            within(&times, 1_000_000, &MILLISECONDS),
        ];
        let sum: f64 = blocks
            .iter()
            .flat_map(|b| b.as_object().unwrap().values())
            .map(|v| v.as_f64().unwrap())
            .sum();
        assert!((sum - 100.0).abs() < 1e-9, "{blocks:?}");
        assert_eq!(blocks[0]["2"], 12.5);
        assert_eq!(blocks[0]["750"], 12.5);
        assert_eq!(blocks[1]["2"], 12.5);
        assert_eq!(blocks[1]["100"], 12.5);
        assert_eq!(blocks[1]["1000"], 12.5);
        assert_eq!(blocks[2]["2"], 12.5);
        assert_eq!(blocks[2]["750"], 12.5);
        assert_eq!(blocks[2][">=2000"], 12.5);
    }

    #[test]
    fn percentiles_have_six_decimals_and_bins_are_all_of_it() {
        let mut times = Histogram::new();
        (1..=1000).for_each(|n| times.record(n * 1_000));
        let block = of(&times, Some(&[50.0, 99.9]), Form::JsonPlus);
        let median = block["percentile"]["50.000000"].as_u64().unwrap();
        assert!(median.abs_diff(500_000) < 8_000, "{median}");
        assert!(block["percentile"]["99.900000"].is_u64());
        let bins: u64 = block["bins"]
            .as_object()
            .unwrap()
            .values()
            .map(|n| n.as_u64().unwrap())
            .sum();
        assert_eq!(bins, 1000);
        assert_eq!(of(&times, None, Form::JsonPlus).get("percentile"), None);
        assert_eq!(of(&Histogram::new(), Some(&[50.0]), Form::Json), empty());
    }
}
