//! What is compared, and its units.

use super::StepKind;
use plimsoll_measure::histogram::{bucket_high_ns, bucket_low_ns, bucket_of};
use plimsoll_printable::human;
use serde::Serialize;
use std::fmt;

/// A figure of a step that runs are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Achieved rate, I/Os per second.
    Iops,
    /// Achieved rate, bytes per second.
    BytesPerSecond,
    /// Mean response time, ns.
    ResponseMean,
    /// Median of response time, ns.
    ResponseP50,
    /// 99th percentile of response time, ns.
    ResponseP99,
    /// 99.9th percentile of response time, ns.
    ResponseP999,
    /// Mean service time, ns.
    ServiceMean,
    /// CPU time of the process with its kernel workers per I/O, ns.
    CpuPerIo,
    /// Of a curve: the rate that is carried within a limit of response time, I/Os per second.
    Capacity,
    /// Of a disturbance: the longest time without a completion, ns.
    Blackout,
    /// Of a disturbance: until the first I/O completed, ns.
    FirstCompletion,
    /// Of a disturbance: until the last I/O that was out at its instant completed, ns.
    LastCompletion,
    /// Of a disturbance: the longest response, ns.
    LongestResponse,
    /// Of a disturbance: until the rate was back, ns.
    RateBack,
    /// Of a disturbance: I/Os that failed.
    Failed,
    /// Of a disturbance: I/Os that were not done in time.
    Late,
}

/// Length of a disturbance report's bins, ns.
const DISTURB_BIN_NS: f64 = 1e8;

/// Unit that a metric is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    PerSecond,
    BytesPerSecond,
    Nanoseconds,
    Ios,
}

impl Metric {
    /// All, in the order in which they are shown.
    pub const ALL: [Metric; 16] = [
        Metric::Iops,
        Metric::BytesPerSecond,
        Metric::ResponseMean,
        Metric::ResponseP50,
        Metric::ResponseP99,
        Metric::ResponseP999,
        Metric::ServiceMean,
        Metric::CpuPerIo,
        Metric::Capacity,
        Metric::Blackout,
        Metric::FirstCompletion,
        Metric::LastCompletion,
        Metric::LongestResponse,
        Metric::RateBack,
        Metric::Failed,
        Metric::Late,
    ];

    /// Name of the metric in tables and in `--fail-if`.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Iops => "iops",
            Metric::BytesPerSecond => "bytes",
            Metric::ResponseMean => "response",
            Metric::ResponseP50 => "p50",
            Metric::ResponseP99 => "p99",
            Metric::ResponseP999 => "p99.9",
            Metric::ServiceMean => "service",
            Metric::CpuPerIo => "cpu",
            Metric::Capacity => "capacity",
            Metric::Blackout => "blackout",
            Metric::FirstCompletion => "first",
            Metric::LastCompletion => "last",
            Metric::LongestResponse => "longest",
            Metric::RateBack => "back",
            Metric::Failed => "failed",
            Metric::Late => "late",
        }
    }

    /// The figure of a disturbance's report that it is; `None` of a metric of steps.
    pub(crate) fn of_disturbance(self) -> Option<&'static str> {
        Some(match self {
            Metric::Blackout => "blackout",
            Metric::FirstCompletion => "first_completion",
            Metric::LastCompletion => "last_completion",
            Metric::LongestResponse => "longest_response",
            Metric::RateBack => "recovery_time",
            Metric::Failed => "errors",
            Metric::Late => "dip_ios",
            _ => return None,
        })
    }

    /// Kind of thing that has the metric: a step, or an answer.
    pub(crate) fn kind(self) -> StepKind {
        match self {
            Metric::Capacity => StepKind::Capacity,
            _ if self.of_disturbance().is_some() => StepKind::Disturbance,
            _ => StepKind::Measured,
        }
    }

    /// True where more is better.
    pub fn more_is_better(self) -> bool {
        matches!(
            self,
            Metric::Iops | Metric::BytesPerSecond | Metric::Capacity
        )
    }

    /// True for what a saturated step has no meaningful value of.
    pub(crate) fn is_response(self) -> bool {
        self == Metric::ResponseMean || self.is_percentile()
    }

    /// True for a percentile.
    pub(crate) fn is_percentile(self) -> bool {
        matches!(
            self,
            Metric::ResponseP50 | Metric::ResponseP99 | Metric::ResponseP999
        )
    }

    /// Error that a value may have in every run alike: a percentile is known to its bucket. In the metric's unit.
    pub(crate) fn resolution(self, value: f64) -> f64 {
        match self {
            percentile if percentile.is_percentile() => {
                let bucket = bucket_of(value.max(0.0) as u64);
                (bucket_high_ns(bucket) - bucket_low_ns(bucket)) as f64 + 1.0
            }
            // They are read off bins.
            Metric::Blackout
            | Metric::FirstCompletion
            | Metric::LastCompletion
            | Metric::RateBack => DISTURB_BIN_NS,
            _ => 0.0,
        }
    }

    pub(crate) fn unit(self) -> Unit {
        match self {
            Metric::Iops | Metric::Capacity => Unit::PerSecond,
            Metric::BytesPerSecond => Unit::BytesPerSecond,
            Metric::Failed | Metric::Late => Unit::Ios,
            _ => Unit::Nanoseconds,
        }
    }

    /// A value of it for people.
    pub fn show(self, value: f64) -> String {
        self.unit().show(value)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Unit {
    fn show(self, value: f64) -> String {
        match self {
            Unit::PerSecond | Unit::Ios => human::rate(value),
            Unit::BytesPerSecond if value < 0.0 => format!("-{}/s", show_size(-value)),
            Unit::BytesPerSecond => format!("{}/s", show_size(value)),
            Unit::Nanoseconds => human::time(value),
        }
    }
}

/// Bytes, of which a mean may be no whole number: `4.00 KiB`.
pub(crate) fn show_size(bytes: f64) -> String {
    human::bytes(bytes.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_in_all_other_output() {
        for (metric, value, text) in [
            (Metric::Iops, 19_900.4, "19,900"),
            (Metric::Iops, -762.0, "-762"),
            (Metric::Iops, 12.34, "12.3"),
            (Metric::Iops, 0.0, "0"),
            (Metric::ResponseMean, 668.8, "669ns"),
            (Metric::ResponseMean, 999_700.0, "1.00ms"),
            (Metric::ResponseP99, -12_345.0, "-12.3us"),
            (Metric::CpuPerIo, 9.6, "10ns"),
            (Metric::BytesPerSecond, 81_510_000.0, "77.7 MiB/s"),
            (Metric::BytesPerSecond, -512.4, "-512 B/s"),
        ] {
            assert_eq!(metric.show(value), text);
        }
    }
}
