//! What an array really carries at a mean response of 1 ms: by a simulation of its own, which shares no code with the product,
//! of far more I/Os than a curve has.

use crate::draw::Draw;
use crate::variant::Variant;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const LIMIT_US: f64 = 1000.0;
/// Places about the capacity at which the response is simulated, as shares of it.
const ABOUT: [f64; 5] = [0.984, 0.992, 1.0, 1.008, 1.016];

/// The capacity, I/Os per second, by `ios` I/Os at each of five rates about it.
pub fn capacity(variant: &Variant, ios: u64, seed: u64) -> f64 {
    let (mut low, mut high) = (0.0, 1.1 * variant.most());
    for step in 0..14 {
        let rate = (low + high) / 2.0;
        match mean_us(variant, rate, ios / 20, seed ^ step) > LIMIT_US {
            true => high = rate,
            false => low = rate,
        }
    }
    let first = (low + high) / 2.0;
    // A parabola through the logarithms, by least squares: its place at the limit.
    let seen: Vec<(f64, f64)> = ABOUT
        .iter()
        .enumerate()
        .map(|(n, share)| {
            let mean = mean_us(variant, first * share, ios, seed ^ (100 + n as u64));
            (share.ln(), (mean / LIMIT_US).ln())
        })
        .collect();
    first * root(&parabola(&seen)).exp()
}

/// Mean response of Poisson arrivals, us.
fn mean_us(variant: &Variant, rate: f64, ios: u64, seed: u64) -> f64 {
    let mut draw = Draw(seed);
    let mut out: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
    let (mut now_ns, mut sum_us, mut counted) = (0.0, 0.0, 0u64);
    let table = Table::of(variant);
    for n in 0..ios + ios / 10 {
        now_ns += draw.exponential() * 1e9 / rate;
        while out.peek().is_some_and(|r| r.0 as f64 <= now_ns) {
            out.pop();
        }
        let read = draw.uniform() < 0.7;
        let mean = table.latency_us(out.len() + 1, read);
        let took = mean * draw.gamma(variant.shape);
        out.push(Reverse((now_ns + took * 1e3) as u64));
        // The first tenth fills it.
        if n >= ios / 10 {
            sum_us += took;
            counted += 1;
        }
        if out.len() > 100_000 {
            return f64::INFINITY;
        }
    }
    sum_us / counted as f64
}

/// The latencies of whole numbers in flight.
struct Table {
    reads: Vec<f64>,
    writes: Vec<f64>,
}

impl Table {
    fn of(variant: &Variant) -> Self {
        let all = |read| {
            (0..=100_001)
                .map(|n| variant.latency_us(f64::from(n), read))
                .collect()
        };
        Table {
            reads: all(true),
            writes: all(false),
        }
    }

    fn latency_us(&self, depth: usize, read: bool) -> f64 {
        match read {
            true => self.reads[depth],
            false => self.writes[depth],
        }
    }
}

/// Coefficients `a + b x + c x^2` by the normal equations.
fn parabola(points: &[(f64, f64)]) -> [f64; 3] {
    let mut m = [[0.0; 4]; 3];
    for (x, y) in points {
        let powers = [1.0, *x, x * x];
        for (i, row) in m.iter_mut().enumerate() {
            for (j, power) in powers.iter().enumerate() {
                row[j] += powers[i] * power;
            }
            row[3] += powers[i] * y;
        }
    }
    for i in 0..3 {
        let pivot = m[i];
        for (j, row) in m.iter_mut().enumerate() {
            if i != j {
                let factor = row[i] / pivot[i];
                row.iter_mut()
                    .zip(pivot)
                    .for_each(|(a, b)| *a -= factor * b);
            }
        }
    }
    [m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2]]
}

/// Where it is 0, near 0.
fn root([a, b, c]: &[f64; 3]) -> f64 {
    let mut x = 0.0;
    for _ in 0..20 {
        x -= (a + b * x + c * x * x) / (b + 2.0 * c * x);
    }
    x
}
