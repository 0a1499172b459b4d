//! What is compared, and its units.

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
}

/// What a metric is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    PerSecond,
    BytesPerSecond,
    Nanoseconds,
}

impl Metric {
    /// All, in the order in which they are shown.
    pub const ALL: [Metric; 8] = [
        Metric::Iops,
        Metric::BytesPerSecond,
        Metric::ResponseMean,
        Metric::ResponseP50,
        Metric::ResponseP99,
        Metric::ResponseP999,
        Metric::ServiceMean,
        Metric::CpuPerIo,
    ];

    /// Its word in tables and in `--fail-if`.
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
        }
    }

    /// True where more is better.
    pub fn more_is_better(self) -> bool {
        matches!(self, Metric::Iops | Metric::BytesPerSecond)
    }

    /// True for what a saturated step has no meaningful value of.
    pub(crate) fn is_response(self) -> bool {
        matches!(
            self,
            Metric::ResponseMean | Metric::ResponseP50 | Metric::ResponseP99 | Metric::ResponseP999
        )
    }

    pub(crate) fn unit(self) -> Unit {
        match self {
            Metric::Iops => Unit::PerSecond,
            Metric::BytesPerSecond => Unit::BytesPerSecond,
            _ => Unit::Nanoseconds,
        }
    }

    /// A value of it for people, with 4 digits.
    pub(crate) fn show(self, value: f64) -> String {
        self.unit().show(value)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Unit {
    /// (factor, name), the largest first.
    pub(crate) fn scale(self) -> &'static [(f64, &'static str)] {
        match self {
            Unit::PerSecond => &[(1e6, "M"), (1e3, "k"), (1.0, "")],
            Unit::BytesPerSecond => &[
                (1_073_741_824.0, "GiB/s"),
                (1_048_576.0, "MiB/s"),
                (1024.0, "KiB/s"),
                (1.0, "B/s"),
            ],
            Unit::Nanoseconds => &[(1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns")],
        }
    }

    fn show(self, value: f64) -> String {
        let scale = self.scale();
        let smallest = scale[scale.len() - 1];
        let (factor, name) = scale
            .iter()
            .copied()
            .find(|(f, _)| value.abs() >= *f)
            .unwrap_or(smallest);
        let scaled = value / factor;
        let decimals = if scaled.abs() >= 1000.0 {
            0
        } else if scaled.abs() >= 100.0 {
            1
        } else if scaled.abs() >= 10.0 {
            2
        } else {
            3
        };
        format!(
            "{scaled:.decimals$}{}{name}",
            if name.is_empty() { "" } else { " " }
        )
    }
}
