//! One interval of one of several hosts in a few numbers: what shows how the hosts went beside each other.

use crate::{Interval, Phase};

/// Work of one host in an interval, without histograms and addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostInterval {
    /// Number of the host in [`crate::Environment::hosts`], from 1.
    pub host: u32,
    /// Number in its step, from 1; the same number is the same time on all hosts.
    pub number: u32,
    /// Start of the interval, ns from the step's start.
    pub start_ns: u64,
    /// Length of the interval, ns.
    pub length_ns: u64,
    /// Phase of the step, which tells whether the interval counts.
    pub phase: Phase,
    /// Completed I/Os.
    pub ios: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// I/Os whose response times are known.
    pub timed: u64,
    /// The sum of these, ns.
    pub response_sum_ns: u64,
}

impl HostInterval {
    /// Host's part of an interval; its times are those of its samples.
    pub fn of(interval: &Interval) -> Self {
        let samples = || interval.stats.samples.iter();
        let sum = |all: &mut dyn Iterator<Item = u64>| all.fold(0, u64::saturating_add);
        HostInterval {
            host: interval.host,
            number: interval.number,
            start_ns: interval.start_ns,
            length_ns: interval.length_ns,
            phase: interval.phase,
            ios: interval.stats.ios(),
            errors: interval.stats.errors(),
            timed: sum(&mut samples().map(|s| s.timed)),
            response_sum_ns: sum(&mut samples().map(|s| s.response_sum_ns)),
        }
    }
}
