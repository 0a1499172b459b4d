//! Amounts in tables: times, percentiles, rates of bytes and counts, and a dash where there is none.

use crate::human;
use plimsoll_evidence::Estimate;
use plimsoll_measure::Histogram;

const MIB: f64 = 1024.0 * 1024.0;

pub(super) fn percentile(histogram: &Histogram, q: f64) -> String {
    time_or_dash(histogram.supported_quantile_ns(q))
}

pub(super) fn time_or_dash(ns: Option<u64>) -> String {
    ns.map_or_else(|| "—".into(), |ns| human::time(ns as f64))
}

pub(super) fn mean_time(estimate: &Estimate) -> String {
    if estimate.mean > 0.0 {
        human::time(estimate.mean)
    } else {
        "—".into()
    }
}

pub(super) fn mib_per_s(bytes_per_s: f64) -> f64 {
    bytes_per_s / MIB
}

pub(super) fn plural(n: u64, what: &str) -> String {
    format!(
        "{} {what}{}",
        human::count(n),
        if n == 1 { "" } else { "s" }
    )
}
