//! What one interval comes to, as the terminal's lines show it.

use plimsoll_evidence::Interval;
use plimsoll_measure::{Histogram, IntervalStats, OpStats};

/// The figures of one interval. Times ns, rates per second of the interval's measured length.
#[derive(Debug, Clone, PartialEq)]
pub struct IntervalFigures {
    /// Completed I/Os per second.
    pub rate: f64,
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// Mean response; `None` where nothing completed.
    pub response_mean_ns: Option<f64>,
    /// 99th percentile of response; `None` where fewer than 10 I/Os lie beyond it.
    pub response_p99_ns: Option<u64>,
    /// Mean service; `None` where nothing completed.
    pub service_mean_ns: Option<f64>,
    /// Mean I/Os in flight.
    pub depth: f64,
    /// Share of all CPUs in user mode and in the kernel, 0..=1; `None` where not observable.
    pub cpu: Option<f64>,
    /// Failed I/Os.
    pub errors: u64,
}

impl IntervalFigures {
    /// The figures of `interval`.
    pub fn of(interval: &Interval) -> Self {
        let stats = &interval.stats;
        let seconds = interval.length_ns.max(1) as f64 / 1e9;
        let response = merged(stats, |op| &op.response);
        IntervalFigures {
            rate: stats.ios() as f64 / seconds,
            bytes_per_s: stats.bytes() as f64 / seconds,
            response_mean_ns: response.mean_ns(),
            response_p99_ns: response.supported_quantile_ns(0.99),
            service_mean_ns: merged(stats, |op| &op.service).mean_ns(),
            depth: stats.depth_integral_ns as f64 / interval.length_ns.max(1) as f64,
            cpu: interval.cpu.as_ref().map(|c| c.user + c.system),
            errors: stats.errors(),
        }
    }
}

fn merged(stats: &IntervalStats, which: impl Fn(&OpStats) -> &Histogram) -> Histogram {
    let mut all = Histogram::new();
    for op in stats.ops().filter(|op| op.ios > 0) {
        all.merge(which(op));
    }
    all
}
