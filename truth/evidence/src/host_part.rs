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

    /// Whether its own part of the load was past what its targets carry.
    pub fn is_saturated(&self) -> bool {
        self.saturation.is_some_and(|s| s.saturated)
    }
}

/// A host whose part of a step is missing. What it told before is in the intervals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostHost {
    /// Its number in [`crate::Environment::hosts`], from 1.
    pub host: u32,
    /// What it was called.
    pub name: String,
    /// What became of it.
    pub why: String,
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
