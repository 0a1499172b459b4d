//! One host's part of a step that several hosts carried out together.

use crate::{End, Estimate, Finding, Saturation};
use serde::{Deserialize, Serialize};

/// Part of one of several hosts in a step. The host's own record has all of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostPart {
    /// Number of the host in [`crate::Environment::hosts`], from 1.
    pub host: u32,
    /// Name of the host in the run.
    pub name: String,
    /// Worker threads.
    pub workers: u32,
    /// Rate that it was asked for, I/Os per second; `None` in a closed loop.
    pub offered: Option<f64>,
    /// Completed I/Os.
    pub ios: u64,
    /// Bytes they moved.
    pub bytes: u64,
    /// All that failed.
    pub errors: u64,
    /// Achieved rate, I/Os per second.
    pub rate: Estimate,
    /// Mean response time, ns.
    pub response_mean_ns: Estimate,
    /// 99th percentile of response times, ns; `None` where there are too few.
    pub response_p99_ns: Option<u64>,
    /// The longest response time, ns; `None` where nothing came back.
    pub response_max_ns: Option<u64>,
    /// Mean service time, ns.
    pub service_mean_ns: Estimate,
    /// Mean I/Os in flight.
    pub depth_mean: f64,
    /// Saturation of the host's own part of the load: whether it was past what its targets carry; `None` where it had no schedule.
    pub saturation: Option<Saturation>,
    /// I/Os that its generator itself issued late.
    pub late_by_host: u64,
    /// Reason for the end of the host's part.
    pub end: End,
    /// Beginning of the host's part beside that of all.
    pub start: StartTogether,
    /// Findings about the host's part alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

impl HostPart {
    /// A part that ran to its end, and of which nothing is known: nothing was done, and all that may be counted is zero. Whoever
    /// knows more writes `HostPart { ios, ..HostPart::new(…) }`.
    pub fn new(host: u32, name: impl Into<String>) -> HostPart {
        HostPart {
            host,
            name: name.into(),
            workers: 0,
            offered: None,
            ios: 0,
            bytes: 0,
            errors: 0,
            rate: Estimate::default(),
            response_mean_ns: Estimate::default(),
            response_p99_ns: None,
            response_max_ns: None,
            service_mean_ns: Estimate::default(),
            depth_mean: 0.0,
            saturation: None,
            late_by_host: 0,
            end: End::Elapsed,
            start: StartTogether::default(),
            findings: Vec::new(),
        }
    }

    /// True where the host's own part of the load was past what its targets carry.
    pub fn is_saturated(&self) -> bool {
        self.saturation.is_some_and(|s| s.saturated)
    }
}

/// A host whose part of a step is missing. What it told before is in the intervals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostHost {
    /// Number of the host in [`crate::Environment::hosts`], from 1.
    pub host: u32,
    /// Name of the host in the run.
    pub name: String,
    /// Reason for the loss of the host.
    pub why: String,
}

/// Beginning of a host's part, and how well it is known to be that of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct StartTogether {
    /// The instant, on the host's own CLOCK_MONOTONIC, ns.
    pub at_ns: u64,
    /// Largest distance of that from the common instant, either way, ns: what round trips leave open about the host's clock.
    pub bound_ns: u64,
    /// Delay of the host's first I/O after that instant, ns.
    pub late_ns: u64,
    /// Drift of the host's clock from the controller's, parts per million; `None` where it was not watched long enough.
    pub drift_ppm: Option<f64>,
}
