//! What an array really carries at a mean response of 1 ms: by a simulation of its own, which shares no code with the product,
//! of far more I/Os than a curve has.

use crate::draw::gamma;
use crate::variant::Variant;
use plimsoll_draw::Draw;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The limit of the mean, us.
pub const LIMIT_US: f64 = 1000.0;
/// Places about the capacity at which the response is simulated, as shares of it.
const ABOUT: [f64; 5] = [0.984, 0.992, 1.0, 1.008, 1.016];
/// So far from the middle, as a logarithm of the rate, they are believed.
const FAR: f64 = 0.04;
/// An error is taken from so many runs at least, and there are no more than so many.
const RUNS: std::ops::Range<usize> = 10..1000;

/// Statistic of the response that is limited.
#[derive(Clone, Copy, PartialEq)]
pub enum Limited {
    Mean,
    P99,
}

/// A capacity, I/Os per second, and how sure it is.
#[derive(Clone, Copy)]
pub struct Truth {
    pub rate: f64,
    /// Standard error, as a share of the rate.
    pub error: f64,
}

/// The capacity at this limit, us, to within this standard error, as a share of it.
///
/// A search and a curve through five rates say where to look, and how the response grows there. Then runs of so many I/Os, each
/// with random numbers of its own at the best rate so far, say how far from the capacity that is. They scatter, and so their
/// mean has an error that does not rest on any model.
pub fn capacity(
    variant: &Variant,
    (of, limit_us): (Limited, f64),
    ios: u64,
    wanted: f64,
    seed: u64,
) -> Truth {
    let table = Table::of(variant);
    let mut seeds = Draw(seed.wrapping_mul(0xd134_2543_de82_ef95));
    let mut off = |rate: f64, ios: u64| {
        (response(&table, (of, variant.shape), rate, ios, seeds.bits()) / limit_us).ln()
    };
    let (mut low, mut high) = (0.0, 1.1 * variant.most());
    for _ in 0..14 {
        let rate = (low + high) / 2.0;
        match off(rate, ios / 5) > 0.0 {
            true => high = rate,
            false => low = rate,
        }
    }
    let mut first = ((low + high) / 2.0).ln();
    // A parabola through the logarithms, by least squares: its place at the limit, and its slope there. Far from its points it says
    // nothing, and a search of few I/Os may end there: then the same once more, further on.
    let slope = loop {
        let seen: Vec<(f64, f64)> = ABOUT
            .iter()
            .map(|share| (share.ln(), off(first.exp() * share, ios)))
            .collect();
        let curve = parabola(&seen);
        let root = root(&curve);
        if root.abs() <= FAR {
            first += root;
            break curve[1] + 2.0 * curve[2] * root;
        }
        let mean = seen.iter().map(|(_, y)| y).sum::<f64>();
        first -= FAR.copysign(mean);
    };
    let mut found: Vec<f64> = Vec::new();
    loop {
        let (mean, error) = mean_and_error(&found);
        let best = if found.len() < RUNS.start {
            first
        } else {
            mean
        };
        if found.len() >= RUNS.end || found.len() >= RUNS.start && error <= wanted {
            return Truth {
                rate: mean.exp(),
                error,
            };
        }
        found.push(best - off(best.exp(), ios) / slope);
    }
}

/// With its standard error.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}

/// Place where the mean response between two rates bends most, and its standard error: on the curve of many more rates than were measured,
/// the one farthest below the straight line from the first to the last (Satopaa and others 2011).
///
/// All rates of a curve have the same random numbers, so that what chance does to them it does to all alike, and the place is
/// that of a smooth curve; the mean of several curves with different ones.
pub fn knee(variant: &Variant, ends: (f64, f64), ios: u64, seed: u64) -> (f64, f64) {
    const CURVES: u64 = 5;
    let table = Table::of(variant);
    let of = |n: u64| knee_of(&table, variant.shape, ends, ios, seed ^ (1000 + n));
    let found: Vec<f64> = (0..CURVES).map(of).collect();
    mean_and_error(&found)
}

fn knee_of(table: &Table, shape: u32, (low, high): (f64, f64), ios: u64, seed: u64) -> f64 {
    const RATES: usize = 50;
    let rate = |n: f64| low + (high - low) * n / RATES as f64;
    let of = |n: usize| response(table, (Limited::Mean, shape), rate(n as f64), ios, seed);
    let curve: Vec<f64> = (0..=RATES).map(of).collect();
    let (first, last) = (curve[0], curve[RATES]);
    let below = |n: usize| n as f64 / RATES as f64 - (curve[n] - first) / (last - first);
    let best = (1..RATES).max_by(|a, b| below(*a).total_cmp(&below(*b)));
    let best = best.unwrap_or(1);
    // The top of a parabola through it and its neighbours.
    let (before, at, after) = (below(best - 1), below(best), below(best + 1));
    let bent = before - 2.0 * at + after;
    let beside = if bent < 0.0 {
        (before - after) / (2.0 * bent)
    } else {
        0.0
    };
    rate(best as f64 + beside.clamp(-1.0, 1.0))
}

/// Mean response of Poisson arrivals, or its 99th percentile, us.
pub fn response_us(variant: &Variant, of: Limited, rate: f64, ios: u64, seed: u64) -> f64 {
    response(&Table::of(variant), (of, variant.shape), rate, ios, seed)
}

fn response(table: &Table, (of, shape): (Limited, u32), rate: f64, ios: u64, seed: u64) -> f64 {
    let mut draw = Draw(seed);
    let mut out: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
    let mut now_ns = 0.0;
    let mut all_us: Vec<f64> = Vec::with_capacity(ios as usize);
    for n in 0..ios + ios / 10 {
        now_ns += draw.exponential() * 1e9 / rate;
        while out.peek().is_some_and(|r| r.0 as f64 <= now_ns) {
            out.pop();
        }
        let read = draw.inside() < 0.7;
        let mean = table.latency_us(out.len() + 1, read);
        let took = mean * gamma(&mut draw, shape);
        out.push(Reverse((now_ns + took * 1e3) as u64));
        // The first tenth fills it.
        if n >= ios / 10 {
            all_us.push(took);
        }
        if out.len() > 100_000 {
            return f64::INFINITY;
        }
    }
    match of {
        Limited::Mean => all_us.iter().sum::<f64>() / all_us.len() as f64,
        Limited::P99 => {
            let at = all_us.len() * 99 / 100;
            *all_us.select_nth_unstable_by(at, f64::total_cmp).1
        }
    }
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

/// Zero of a + b x + c x² near 0.
fn root([a, b, c]: &[f64; 3]) -> f64 {
    let mut x = 0.0;
    for _ in 0..20 {
        x -= (a + b * x + c * x * x) / (b + 2.0 * c * x);
    }
    x
}
