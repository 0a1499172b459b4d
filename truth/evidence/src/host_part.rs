//! One host's part of a step that several hosts carried out together.

use crate::{End, Estimate, Finding, Saturation};
use serde::{Deserialize, Serialize};

/// What one of several hosts did in a step. Its own record has all of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostPart {
    /// Its number in [`crate::Environment::hosts`], from 1.
    pub host: u32,
    /// What it was called.
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
    /// 99 of 100 responses took no longer, ns; `None` where there are too few.
    pub response_p99_ns: Option<u64>,
    /// The longest response time, ns; `None` where nothing came back.
    pub response_max_ns: Option<u64>,
    /// Mean service time, ns.
    pub service_mean_ns: Estimate,
    /// Mean I/Os in flight.
    pub depth_mean: f64,
    /// Whether its own part of the load was past what its targets carry; `None` where it had no schedule.
    pub saturation: Option<Saturation>,
    /// I/Os that its generator itself issued late.
    pub late_by_host: u64,
    /// Why its part ended.
    pub end: End,
    /// When it began.
    pub start: StartTogether,
    /// What was doubtful about its part alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// How well a host's beginning is known to be that of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct StartTogether {
    /// The instant, on the host's own CLOCK_MONOTONIC, ns.
    pub at_ns: u64,
    /// How far from the common instant that may be, either way, ns: what round trips leave open about the host's clock.
    pub bound_ns: u64,
    /// How much later than that instant its I/O began, ns.
    pub late_ns: u64,
    /// How fast the host's clock drifts from the controller's, parts per million; `None` where it was not watched long enough.
    pub drift_ppm: Option<f64>,
}
