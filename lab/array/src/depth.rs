//! Latency that depends on how many requests are in flight: an array that is known only by its measured curve.

use crate::persona::{DepthRow, LatencyParameters};
use plimsoll_content::mix64;
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
    /// Latencies vary as a gamma distribution of this shape; 0: they don't.
    spread_shape: u32,
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
        DepthCurve {
            rows: rows.collect(),
            spread_shape: p.spread_shape,
            in_flight: BinaryHeap::new(),
            random: seed,
        }
    }

    /// A request comes; how long it takes, nanoseconds.
    pub fn arrive(&mut self, now: u64, read: bool) -> u64 {
        while self.in_flight.peek().is_some_and(|r| r.0 <= now) {
            self.in_flight.pop();
        }
        let mean = self.mean_us(self.in_flight.len() as f64 + 1.0, read);
        let time = (mean * self.spread() * 1e3) as u64;
        self.in_flight.push(Reverse(now + time));
        time
    }

    /// No request takes less, nanoseconds.
    pub fn least_ns(&self, read: bool) -> u64 {
        if self.spread_shape > 0 {
            return 0;
        }
        let of = |r: &DepthRow| if read { r.read_us } else { r.write_us };
        let least = self.rows.iter().map(of).fold(f64::INFINITY, f64::min);
        (least * 1e3) as u64
    }

    /// The mean latency at a depth, microseconds. Below the first row it is that of the first; beyond the last one it
    /// grows with the depth, so that the rate stays.
    fn mean_us(&self, depth: f64, read: bool) -> f64 {
        let of = |r: &DepthRow| if read { r.read_us } else { r.write_us };
        let above = self.rows.partition_point(|r| r.depth < depth);
        match (
            above.checked_sub(1).map(|i| &self.rows[i]),
            self.rows.get(above),
        ) {
            (Some(low), Some(high)) => {
                let t = (depth - low.depth) / (high.depth - low.depth);
                of(low) + t * (of(high) - of(low))
            }
            (None, Some(first)) => of(first),
            (Some(last), None) => of(last) * depth / last.depth,
            (None, None) => 0.0,
        }
    }

    /// A factor with mean 1.
    fn spread(&mut self) -> f64 {
        if self.spread_shape == 0 {
            return 1.0;
        }
        let mut product = 1.0;
        for _ in 0..self.spread_shape {
            self.random = self.random.wrapping_add(1);
            product *= ((mix64(self.random) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        }
        -product.ln() / f64::from(self.spread_shape)
    }
}
