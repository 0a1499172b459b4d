//! Arrays like the persona `curve-8k`, drawn: other latencies, other parallelism, another bend, another scatter, another size.

use crate::draw::{between, factor};
use plimsoll_draw::Draw;
use std::fmt::Write;

/// The rows of the persona, as published with it: requests in flight, a read's mean latency and a write's, us.
const ROWS: [(f64, f64, f64); 16] = [
    (1.0, 549.7, 410.7),
    (7.0, 583.0, 437.3),
    (25.0, 684.9, 519.0),
    (46.0, 781.4, 592.0),
    (75.0, 872.0, 650.0),
    (98.0, 990.8, 739.8),
    (108.0, 1016.8, 767.8),
    (120.0, 1083.0, 836.2),
    (140.0, 1248.3, 1005.3),
    (170.0, 1497.0, 1257.0),
    (220.0, 1905.3, 1670.3),
    (300.0, 2520.5, 2283.7),
    (400.0, 3313.9, 3074.9),
    (480.0, 3972.9, 3705.1),
    (500.0, 4139.2, 3864.2),
    (512.0, 3988.6, 3736.6),
];

/// One array.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// Requests in flight, a read's mean latency and a write's, us; at the scale at which it is simulated.
    pub rows: Vec<(f64, f64, f64)>,
    /// Latencies vary as a gamma distribution of this shape.
    pub shape: u32,
    /// Divisor of the depths.
    pub scale: f64,
}

impl Variant {
    /// The persona itself, at a scale.
    pub fn itself(scale: f64) -> Self {
        let rows = ROWS.map(|(depth, read, write)| (depth / scale, read, write));
        Variant {
            rows: rows.to_vec(),
            shape: 4,
            scale,
        }
    }

    /// The `n`-th array.
    pub fn drawn(n: u64) -> Self {
        let mut draw = Draw(n.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x6375_7276_6538_6b00);
        let scale = factor(&mut draw, 1.0, 16.0);
        let latency = factor(&mut draw, 0.6, 1.4);
        let parallel = factor(&mut draw, 0.6, 1.6);
        // The bend is sharper or rounder: what is added by load, by this power of what is published.
        let power = between(&mut draw, 0.85, 1.25);
        let shape = 1 + (draw.inside() * 8.0) as u32;
        let mut rows: Vec<(f64, f64, f64)> = Vec::new();
        for (depth, read, write) in ROWS {
            let wobble = between(&mut draw, 0.97, 1.03);
            let bent = |us: f64, first: f64| latency * wobble * first * (us / first).powf(power);
            let depth = depth * parallel / scale;
            let mut row = (depth, bent(read, ROWS[0].1), bent(write, ROWS[0].2));
            if let Some(last) = rows.last() {
                // More in flight never carries less: latency grows no faster than the depth.
                let most = depth / last.0;
                row.1 = row.1.min(last.1 * most);
                row.2 = row.2.min(last.2 * most);
            }
            rows.push(row);
        }
        Variant { rows, shape, scale }
    }

    /// The persona as text.
    pub fn toml(&self) -> String {
        let mut text = format!(
            "name = \"variant\"\nabout = \"Drawn\"\nscale = 1.0\n\n[luns]\ncount = 1\ngib = 64.0\n\n[ports]\ncount = 2\n\
             paths = 2\nmib_s = 1e6\ncommand_us = 0.0\n\n[latency]\nread_us = 0.0\nwrite_us = 0.0\nspread_shape = {}\n\
             depths = [\n",
            self.shape
        );
        for (depth, read, write) in &self.rows {
            let _ = writeln!(
                text,
                "    {{ depth = {depth:.6}, read_us = {read:.4}, write_us = {write:.4} }},"
            );
        }
        text.push_str("]\n");
        text
    }

    /// The mean latency with so many in flight, us; as the persona's format says: that of the first row below it, and beyond
    /// the last one in proportion to the depth.
    pub fn latency_us(&self, depth: f64, read: bool) -> f64 {
        let of = |row: &(f64, f64, f64)| if read { row.1 } else { row.2 };
        let last = self.rows[self.rows.len() - 1];
        if depth >= last.0 {
            return of(&last) * depth / last.0;
        }
        let mut low = self.rows[0];
        for high in &self.rows {
            if high.0 >= depth {
                let part = if high.0 > low.0 {
                    (depth - low.0) / (high.0 - low.0)
                } else {
                    0.0
                };
                return of(&low) + part.max(0.0) * (of(high) - of(&low));
            }
            low = *high;
        }
        of(&last)
    }

    /// The most that it carries, by its rows, I/Os per second.
    pub fn most(&self) -> f64 {
        let rate = |row: &(f64, f64, f64)| row.0 / (0.7 * row.1 + 0.3 * row.2) * 1e6;
        self.rows.iter().map(rate).fold(0.0, f64::max)
    }
}
