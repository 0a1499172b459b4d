//! A host that starves: the thread that issues the I/O gets less and less processor time, and the array can't help it.

use crate::persona::HostParameters;
use crate::station::Station;

/// The host's issuing thread, in front of the array.
#[derive(Debug, Clone)]
pub struct Host {
    issue: Station,
    /// (From when, nanoseconds; the time for each I/O, nanoseconds), linear between.
    shares: Vec<(f64, f64)>,
}

impl Host {
    /// A host with the given course of its rate; `scale` divides the rate.
    pub fn new(p: &HostParameters, scale: f64) -> Self {
        let shares = p.course.iter().map(|c| (c.at_s * 1e9, c.iops / scale));
        Host {
            issue: Station::default(),
            shares: shares.collect(),
        }
    }

    /// When a request that the program issues now reaches the array.
    pub fn issue(&mut self, now: u64) -> u64 {
        let start = now + self.issue.wait(now);
        let service = 1e9 / self.rate(start as f64);
        self.issue.finish(now, service as u64)
    }

    fn rate(&self, at: f64) -> f64 {
        let above = self.shares.partition_point(|s| s.0 <= at);
        match (
            above.checked_sub(1).map(|i| self.shares[i]),
            self.shares.get(above),
        ) {
            (Some(a), Some(b)) => a.1 + (b.1 - a.1) * (at - a.0) / (b.0 - a.0),
            (Some(only), None) | (None, Some(&only)) => only.1,
            (None, None) => f64::INFINITY,
        }
    }
}
