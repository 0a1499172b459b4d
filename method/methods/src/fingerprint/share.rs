//! Whether the owners are as many as it seems, and how much of an I/O's work is theirs.
//!
//! Blocks all over the target that have one owner, two, four, or all of them: with m owners the time for an I/O, where the
//! target is the limit, is T(m) = a + b/m. What is bound to an owner takes b, for m of them work side by side; the rest
//! takes a, whoever does it, as all n do. All the work is n a + b, the owner's share b / (n a + b).

use super::levels::Rounds;
use super::script::{Order, Probe, ReadArea, Script, Stop};
use super::slices::{Dealing, ReadResult};
use crate::average::mean;
use plimsoll_measure::student_t;
use plimsoll_plan::{FINGERPRINT_BLOCK, FINGERPRINT_DEPTH};

/// A block.
const BLOCK: u64 = FINGERPRINT_BLOCK.0;
/// Places at once: so many blocks in each turn.
const PLACES: u64 = 16;
/// Number of blocks that a place has at most…
const TURNS: u64 = 256;
/// …and at least: with fewer it says too little.
const TURNS_LEAST: u64 = 4;
/// Rounds of all sets.
const ROUNDS: usize = 6;
/// Probes before them, until the first owner is hot.
const HEAT: usize = 4;
/// A set is faster where it is so by this many standard errors, and by 3 %.
const CLEAR: f64 = 4.0;
const GAP_LEAST: f64 = 0.03;
/// Error of the model, which leaves out work that is not quite even over the owners. Half of an interval is at least so much, and so much
/// more as a part of the share.
const MODEL_ERROR: (f64, f64) = (0.02, 0.03);
/// The times of an I/O may be off the model by so much, beside chance.
const OFF_MODEL: f64 = 0.05;

/// The owner's share, with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Share {
    pub share: f64,
    pub low: f64,
    pub high: f64,
}

/// The rate of blocks that so many owners have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OfOwners {
    pub owners: u64,
    /// I/Os per second, with the 95 % interval over the rounds.
    pub rate: f64,
    pub interval: Option<(f64, f64)>,
}

/// Result of sets of blocks over the whole target.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Confirmed {
    pub dealing: Dealing,
    pub share: Result<Share, String>,
    /// (owners, mean rate) of each set.
    pub sets: Vec<OfOwners>,
}

/// Blocks in the slices of some owners, all over the target.
#[derive(Debug, Clone)]
struct Set {
    owners: u64,
    /// First byte of each of the set's places; they are read at once, and lie in different slices of a turn where they can.
    starts: Vec<u64>,
    /// From one block of a place to its next.
    stride: u64,
}

impl Set {
    /// The first `owners` owners, one slice of each in a turn.
    fn first(d: &Dealing, owners: u64) -> Self {
        let begin = |owner: u64| match owner {
            0 => 0,
            _ => d.first_end + (owner - 1) * d.slice,
        };
        let each = PLACES / owners;
        let place = |i: u64| begin(i % owners) + inside(d, i / owners, each);
        Set {
            owners,
            starts: (0..each * owners).map(place).collect(),
            stride: d.slice * d.owners,
        }
    }

    /// Each slice that is a multiple of `slices`: places side by side, so that the owners are in use at the same time.
    fn every(d: &Dealing, slices: u64) -> Self {
        let step = d.slice * slices;
        Set {
            owners: d.owners / slices,
            starts: (0..PLACES)
                .map(|i| i * step + inside(d, i, PLACES))
                .collect(),
            stride: step * PLACES,
        }
    }

    /// Number of times that each place fits into the target.
    fn turns(&self, size: u64) -> u64 {
        let last = self.starts.iter().max().copied().unwrap_or(0) + BLOCK;
        size.checked_sub(last)
            .map_or(0, |left| left / self.stride + 1)
    }

    fn probe(&self, script: &Script<'_>, turns: u64) -> Probe {
        let place = |from: &u64| {
            ReadArea::new(
                *from,
                from + self.stride * (turns - 1) + BLOCK,
                Order::Every(self.stride),
            )
        };
        // So many in flight that no owner of the set runs dry by chance.
        let depth = script
            .depth
            .max(FINGERPRINT_DEPTH.min(32 * self.owners as u32));
        Probe::reads(
            format!("blocks of {} owners", self.owners),
            self.starts.iter().map(place).collect(),
            depth,
        )
    }
}

/// The `i`-th of `count` places in a slice.
fn inside(d: &Dealing, i: u64, count: u64) -> u64 {
    i * (d.first_end / count / BLOCK * BLOCK)
}

/// The sets that are read: one owner, two, four, all, and for each prime factor of their number as many as it says, so that
/// a number that is a multiple of the true one is found out.
fn sets(d: &Dealing) -> Vec<Set> {
    let mut sets = vec![Set::first(d, 1)];
    for m in [2, 4] {
        if m < d.owners {
            sets.push(Set::first(d, m));
        }
    }
    let factors = prime_factors(d.owners).into_iter();
    let others = factors.filter(|p| *p < d.owners);
    sets.extend(others.map(|p| Set::every(d, d.owners / p)));
    sets.push(Set::every(d, 1));
    sets
}

fn prime_factors(mut n: u64) -> Vec<u64> {
    let mut factors = Vec::new();
    let mut p = 2;
    while p * p <= n {
        if n.is_multiple_of(p) {
            factors.push(p);
        }
        while n.is_multiple_of(p) {
            n /= p;
        }
        p += 1;
    }
    if n > 1 {
        factors.push(n);
    }
    factors
}

/// Confirms a dealing, and finds the owner's share.
pub(crate) fn confirm(script: &mut Script<'_>, first: Dealing) -> ReadResult<Confirmed> {
    let mut dealing = first;
    loop {
        let sets = sets(&dealing);
        let fits = sets.iter().map(|set| set.turns(script.size)).min();
        let turns = TURNS.min(fits.unwrap_or(0));
        if turns < TURNS_LEAST {
            return Ok(Err(
                "the target is too small to confirm it with blocks all over it".into(),
            ));
        }
        let rounds = measure(script, &sets, turns)?;
        let means = rounds.means();
        let error = rounds.sd().unwrap_or(f64::INFINITY) * (2.0 / rounds.0.len() as f64).sqrt();
        let faster = |at: usize| means[at] - means[0] > (CLEAR * error).max(GAP_LEAST);
        let all = sets.len() - 1;
        if !faster(all) {
            return Ok(Err(
                "near its start the target looks dealt to owners, but blocks all over it of one owner are as fast as those of all".into(),
            ));
        }
        let factors = prime_factors(dealing.owners);
        let of_factor = |p: u64| match p == dealing.owners {
            true => Some(all),
            false => (1..all).rev().find(|at| sets[*at].owners == p),
        };
        // Blocks of what were p owners are as slow as those of one: the turn is shorter.
        let shorter = factors
            .iter()
            .find(|p| of_factor(**p).is_some_and(|at| !faster(at)));
        if let Some(p) = shorter {
            dealing.owners /= p;
            continue;
        }
        let of_owners = |((set, mean), interval): ((&Set, &f64), _)| OfOwners {
            owners: set.owners,
            rate: mean.exp(),
            interval,
        };
        let each = sets.iter().zip(&means).zip(rounds.intervals());
        return Ok(Ok(Confirmed {
            dealing,
            share: share(&sets, &rounds, dealing.owners),
            sets: each.map(of_owners).collect(),
        }));
    }
}

fn measure(script: &mut Script<'_>, sets: &[Set], turns: u64) -> Result<Rounds, Stop> {
    for _ in 0..HEAT {
        let probe = sets[0].probe(script, turns);
        script.measure(&probe)?;
    }
    let mut rounds = Rounds::default();
    for _ in 0..ROUNDS {
        let mut row = Vec::new();
        for set in sets {
            let probe = set.probe(script, turns);
            row.push(script.measure(&probe)?.log());
        }
        rounds.0.push(row);
    }
    Ok(rounds)
}

/// The share by a fit to each round; the rounds' spread is its error.
fn share(sets: &[Set], rounds: &Rounds, owners: u64) -> Result<Share, String> {
    let fitted = |row: &Vec<f64>| {
        let points: Vec<(f64, f64)> = sets
            .iter()
            .zip(row)
            .map(|(set, log)| (set.owners as f64, (-log).exp()))
            .collect();
        fit(&points)
    };
    let (a, b) = fitted(&rounds.means());
    let sd = rounds.sd().unwrap_or(f64::INFINITY) / (rounds.0.len() as f64).sqrt();
    for (set, log) in sets.iter().zip(rounds.means()) {
        let off = ((a + b / set.owners as f64) * log.exp()).ln().abs();
        if off.is_nan() || off > OFF_MODEL.max(3.0 * sd) {
            return Err(
                "the rates of one, two and all owners do not fit together: something else limits the faster ones".into(),
            );
        }
    }
    let of = |(a, b): (f64, f64)| (b / (owners as f64 * a + b)).clamp(0.0, 1.0);
    let each: Vec<f64> = rounds.0.iter().map(|row| of(fitted(row))).collect();
    let middle = of((a, b));
    let n = each.len();
    let scatter = each.iter().map(|s| (s - mean(&each)).powi(2)).sum::<f64>() / (n - 1) as f64;
    let chance = student_t(0.975, n - 1) * (scatter / n as f64).sqrt();
    let half = chance.hypot(MODEL_ERROR.0 + MODEL_ERROR.1 * middle);
    Ok(Share {
        share: middle,
        low: (middle - half).max(0.0),
        high: (middle + half).min(1.0),
    })
}

/// Least squares of (a + b/m) / T(m) - 1.
fn fit(points: &[(f64, f64)]) -> (f64, f64) {
    let (mut uu, mut uv, mut vv, mut u1, mut v1) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (m, t) in points {
        let (u, v) = (1.0 / t, 1.0 / (m * t));
        uu += u * u;
        uv += u * v;
        vv += v * v;
        u1 += u;
        v1 += v;
    }
    let det = uu * vv - uv * uv;
    ((u1 * vv - v1 * uv) / det, (v1 * uu - u1 * uv) / det)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_finds_what_the_times_were_made_of() {
        let points: Vec<_> = [1.0, 2.0, 4.0, 12.0].map(|m| (m, 3.0 + 7.0 / m)).to_vec();
        let (a, b) = fit(&points);
        assert!((a - 3.0).abs() < 1e-9 && (b - 7.0).abs() < 1e-9);
        assert_eq!(prime_factors(24), [2, 3]);
        assert_eq!(prime_factors(7), [7]);
    }
}
