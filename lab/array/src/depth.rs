//! Latency that depends on how many requests are in flight: an array that is known only by its measured curve.

mod spread;

use crate::persona::{DepthRow, LatencyParameters};
use spread::Spread;
pub(crate) use spread::uniform;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A server whose rate depends on its load.
///
/// A request that finds n in flight, itself included, takes S(n), interpolated between measured rows. With constant
/// latency at n in flight the rate is n / S(n) (Little's law), so a closed loop of n runs at exactly that rate, and an
/// open one at rate x settles where n / S(n) = x.
#[derive(Debug, Clone)]
pub struct DepthCurve {
    rows: Vec<DepthRow>,
    /// How the latencies of each row vary.
    spreads: Vec<Spread>,
    /// False where none does.
    varies: bool,
    in_flight: BinaryHeap<Reverse<u64>>,
    random: u64,
}

impl DepthCurve {
    /// Nobody in flight. `scale` divides the depths.
    pub fn new(p: &LatencyParameters, scale: f64, seed: u64) -> Self {
        let rows = p.depths.iter().map(|r| DepthRow {
            depth: r.depth / scale,
            ..*r
        });
        let spreads = p.depths.iter().map(|r| Spread::of(r, p.spread_shape));
        DepthCurve {
            rows: rows.collect(),
            spreads: spreads.collect(),
            varies: p.spread_shape > 0 || p.depths.iter().any(|r| r.sd_us.is_some()),
            in_flight: BinaryHeap::new(),
            random: seed,
        }
    }

    /// A request comes; how long it takes, nanoseconds.
    pub fn arrive(&mut self, now: u64, read: bool) -> u64 {
        self.arrive_expected(now, read).0
    }

    /// The same, with the mean of what it may take, microseconds.
    pub(crate) fn arrive_expected(&mut self, now: u64, read: bool) -> (u64, f64) {
        while self.in_flight.peek().is_some_and(|r| r.0 <= now) {
            self.in_flight.pop();
        }
        let (mean, low, high, t) = self.at(self.in_flight.len() as f64 + 1.0, read);
        let time_us = match (self.spreads.get(low), self.spreads.get(high)) {
            (Some(low), Some(high)) => spread::draw(mean, (low, high), t, &mut self.random),
            _ => mean,
        };
        let time = (time_us * 1e3) as u64;
        self.in_flight.push(Reverse(now + time));
        (time, mean)
    }

    /// No request takes less, nanoseconds.
    pub fn least_ns(&self, read: bool) -> u64 {
        if self.varies {
            return 0;
        }
        let of = |r: &DepthRow| if read { r.read_us } else { r.write_us };
        let least = self.rows.iter().map(of).fold(f64::INFINITY, f64::min);
        (least * 1e3) as u64
    }

    /// The mean latency at a depth, microseconds, and the rows that it lies between: how far it is from the first to the second. Below
    /// the first row it is that of the first; beyond the last one it grows with the depth, so that the rate stays.
    fn at(&self, depth: f64, read: bool) -> (f64, usize, usize, f64) {
        let of = |r: &DepthRow| if read { r.read_us } else { r.write_us };
        let above = self.rows.partition_point(|r| r.depth < depth);
        let below = above.checked_sub(1);
        match (below.map(|i| &self.rows[i]), self.rows.get(above)) {
            (Some(low), Some(high)) => {
                let t = (depth - low.depth) / (high.depth - low.depth);
                (of(low) + t * (of(high) - of(low)), above - 1, above, t)
            }
            (None, Some(first)) => (of(first), above, above, 0.0),
            (Some(last), None) => (of(last) * depth / last.depth, above - 1, above - 1, 0.0),
            (None, None) => (0.0, 0, 0, 0.0),
        }
    }
}
