//! A load against a latency by depth, without anything else of an array: what a fit asks again and again.

use super::MeasuredPoint;
use crate::depth::{DepthCurve, uniform};
use crate::persona::{DepthRow, LatencyParameters};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Shape of a latency's spread where no deviation was measured.
pub(super) const SHAPE: u32 = 4;

/// Result of a replayed load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replayed {
    /// Mean of the latencies expected at each arrival, microseconds: without the random spread of the single ones.
    pub mean_us: f64,
    /// The standard deviation, microseconds.
    pub sd_us: f64,
    /// The longest, microseconds.
    pub longest_us: f64,
}

/// Sends `requests` requests of a point's load, with at most `slots` in flight. The first fifth does not count.
pub fn replay(
    rows: &[DepthRow],
    point: &MeasuredPoint,
    slots: usize,
    requests: usize,
    seed: u64,
) -> Replayed {
    let latency = LatencyParameters {
        read_us: 0.0,
        write_us: 0.0,
        map_us: 0.0,
        depths: rows.to_vec(),
        spread_shape: SHAPE,
    };
    let mut curve = DepthCurve::new(&latency, 1.0, seed);
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut out: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
    let (mut due_ns, mut expected) = (0.0, 0.0);
    let (mut sum, mut squares, mut longest) = (0.0, 0.0, 0.0_f64);
    let counted = requests - requests / 5;
    for request in 0..requests {
        if point.is_limited {
            due_ns -= uniform(&mut random).ln() * 1e9 / point.rate;
        }
        let mut now = due_ns as u64;
        while out.peek().is_some_and(|back| back.0 <= now) {
            out.pop();
        }
        if out.len() >= slots {
            now = out.pop().map_or(now, |back| now.max(back.0));
        }
        let (time, mean_us) = curve.arrive_expected(now, uniform(&mut random) < point.read_share);
        out.push(Reverse(now + time));
        if request >= requests - counted {
            let time_us = time as f64 / 1e3;
            (sum, squares) = (sum + time_us, squares + time_us * time_us);
            longest = longest.max(time_us);
            expected += mean_us;
        }
    }
    let of = |total: f64| total / counted.max(1) as f64;
    Replayed {
        mean_us: of(expected),
        sd_us: (of(squares) - of(sum) * of(sum)).max(0.0).sqrt(),
        longest_us: longest,
    }
}
