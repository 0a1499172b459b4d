//! What requests cost in core time, by part, computed once.

use super::Demand;
use crate::persona::{CoreCost, CoreParameters};

/// The core time of a chunk, nanoseconds, by who bears it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// The owner of the address.
    pub bound: u64,
    /// The core on which the data is placed.
    pub placed: u64,
    /// Any core.
    pub free: u64,
}

/// The cost of every kind of chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Costs {
    /// The first chunk of a request, with the request's own cost…
    first: [Parts; Demand::COUNT],
    /// …and where the owner turns from reads to writes or back.
    turned: [Parts; Demand::COUNT],
    further: [Parts; Demand::COUNT],
    /// How much longer a request takes for each further chunk when nobody waits, nanoseconds at full size.
    longer: [f64; Demand::COUNT],
    /// Some request costs no core time at all.
    pub may_be_nothing: bool,
    /// Some work must be done by a certain core.
    pub binds: bool,
}

impl Costs {
    /// The costs of a persona; core time multiplies by `scale`, a request's own time doesn't.
    pub fn new(p: &CoreParameters, scale: f64) -> Self {
        let parts = |ns: f64| {
            let cost = ns * scale;
            let bound = (cost * p.owner_share) as u64;
            let placed = (cost * p.fingerprint_share) as u64;
            Parts {
                bound,
                placed,
                free: cost as u64 - bound - placed,
            }
        };
        // The owner does its part one after the other, the rest goes on at all cores at once.
        let cores = f64::from(p.controllers * p.per_controller);
        let alone = p.owner_share + (1.0 - p.owner_share) / cores;
        let each = Demand::ALL.map(|d| of(p, d));
        let first = each.map(|c| parts(c.base_ns + c.chunk_ns));
        Costs {
            binds: first.iter().any(|p| p.bound + p.placed > 0),
            may_be_nothing: first.iter().any(|p| p.bound + p.placed + p.free == 0),
            first,
            turned: each.map(|c| parts(c.base_ns + c.chunk_ns + p.switch_ns)),
            further: each.map(|c| parts(c.chunk_ns)),
            longer: each.map(|c| c.chunk_ns * alone),
        }
    }

    /// The same where each part takes so many times as long.
    pub fn stretched(&self, by: f64) -> Self {
        let longer = |parts: Parts| {
            let of = |ns: u64| (ns as f64 * by) as u64;
            Parts {
                bound: of(parts.bound),
                placed: of(parts.placed),
                free: of(parts.free),
            }
        };
        Costs {
            first: self.first.map(longer),
            turned: self.turned.map(longer),
            further: self.further.map(longer),
            ..*self
        }
    }

    #[inline]
    pub fn first(&self, demand: Demand, turned: bool) -> Parts {
        let table = if turned { &self.turned } else { &self.first };
        table[demand as usize]
    }

    #[inline]
    pub fn further(&self, demand: Demand) -> Parts {
        self.further[demand as usize]
    }

    #[inline]
    pub fn longer(&self, chunks: u64, demand: Demand) -> u64 {
        if chunks < 2 {
            return 0;
        }
        ((chunks - 1) as f64 * self.longer[demand as usize]) as u64
    }
}

fn of(p: &CoreParameters, demand: Demand) -> CoreCost {
    let written = |factor: f64| CoreCost {
        base_ns: p.write.base_ns * factor,
        chunk_ns: p.write.chunk_ns * factor,
    };
    match demand {
        Demand::Read => p.read,
        Demand::Write => p.write,
        Demand::Duplicate => written(p.duplicate_factor),
        Demand::Zero => written(p.zero_factor),
    }
}
