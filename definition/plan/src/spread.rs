//! A hit area that loads all owners of an array's slices alike, whatever the array is.
//!
//! Arrays spread slices of a LUN over their cores, nodes or disks: slice `s` belongs to owner `s mod n`. How large the
//! slices are and how many owners there are is seldom known. Places that are even for one array are uneven for another:
//! dealt over slices of 1 MiB, they leave three of four slices of 256 KiB empty.
//!
//! Here the places lie on a lattice: place `i` is the `i * stride mod count`-th of the range. Every array that is looked
//! for (slices of 64 KiB to 16 MiB, 2 to 64 owners) sees it as a sequence of Kronecker's kind, whose evenness depends on the
//! stride alone (Niederreiter, Random Number Generation and Quasi-Monte Carlo Methods, 1992, ch. 3). A small search takes
//! the stride whose worst array is best.

use crate::Bytes;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Slices that are looked for: powers of two from 64 KiB…
const LEAST_SLICE_BITS: u32 = 16;
/// …to 16 MiB.
const LARGEST_SLICE_BITS: u32 = 24;
/// Owners that are looked for, at most.
const MOST_OWNERS: u64 = 64;
/// Places that are looked at: with more of them the area only becomes more even.
const MOST_LOOKED_AT: u64 = 4096;
/// Strides that are tried for an area of 256 places; for a larger one fewer, as it is looked at longer.
const TRIES: u64 = 512;
/// The golden ratio's fractional part, and that of the plastic number: strides that no ratio of small numbers is near.
const FIRST: f64 = 0.618_033_988_749_894_9;
const NEXT: f64 = 0.754_877_666_246_692_7;

/// Where an area's cells may lie: two runs of places, one cell wide each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Places {
    /// (byte of the first place, number of places) of each run.
    pub runs: [(u64, u64); 2],
    /// Bytes from one place to the next.
    pub step: u64,
}

/// How the cells of an area are placed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Cell `i` is at place `i * stride mod count`.
    pub stride: u64,
    /// The place `p` holds cell `p * inverse mod count`.
    pub inverse: u64,
    /// The array that sees it least evenly.
    pub worst: Imbalance,
}

/// How uneven one array sees an area.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Imbalance {
    /// The busiest owner's part of the area, as a multiple of the busiest owner's part of the whole range.
    pub factor: f64,
    /// The array's slices.
    pub slice: Bytes,
    /// How many owners they are dealt to.
    pub owners: u64,
}

impl Places {
    /// How many there are.
    pub fn count(&self) -> u64 {
        self.runs[0].1 + self.runs[1].1
    }

    fn offset(&self, place: u64) -> u64 {
        let [(first, in_first), (second, _)] = self.runs;
        match place.checked_sub(in_first) {
            None => first + place * self.step,
            Some(place) => second + place * self.step,
        }
    }
}

/// The best placement of `cells` cells on `places`, of which there must be at least one. The same for the same numbers.
pub fn spread(places: &Places, cells: u64) -> Spread {
    // Every worker of a stream asks the same.
    static KNOWN: Mutex<Option<HashMap<(Places, u64), Spread>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    *known
        .entry((*places, cells))
        .or_insert_with(|| search(places, cells))
}

fn search(places: &Places, cells: u64) -> Spread {
    let count = places.count();
    let looked_at = cells.min(MOST_LOOKED_AT);
    let arrays = arrays(places);
    let tries = (TRIES * 256 / looked_at.max(1)).clamp(32, TRIES);
    let mut offsets = Vec::new();
    let mut fraction = FIRST;
    let mut best: Option<(u64, Imbalance)> = None;
    for _ in 0..tries {
        let stride = coprime((fraction * count as f64) as u64, count);
        fraction = (fraction + NEXT).fract();
        offsets.clear();
        let mut place = 0;
        for _ in 0..looked_at {
            offsets.push(places.offset(place));
            place = (place + stride) % count;
        }
        let limit = best.map_or(f64::INFINITY, |(_, worst)| worst.factor);
        if let Some(worst) = worst(&offsets, &arrays, limit) {
            best = Some((stride, worst));
        }
    }
    let (stride, worst) = best.unwrap_or((1, Imbalance::NONE));
    Spread {
        stride,
        inverse: inverse(stride, count),
        worst,
    }
}

/// An array that is looked for, and the part of the range that its busiest owner has.
#[derive(Debug, Clone, Copy)]
struct Array {
    slice_bits: u32,
    owners: u64,
    busiest: f64,
}

/// Those that see more than one slice of the range, the ones with most owners first: they are the hardest.
fn arrays(places: &Places) -> Vec<Array> {
    let all: u64 = places.count() * places.step;
    let mut arrays = Vec::new();
    for owners in (2..=MOST_OWNERS).rev() {
        for slice_bits in LEAST_SLICE_BITS..=LARGEST_SLICE_BITS {
            if all >> slice_bits < 2 {
                continue;
            }
            let owned = |owner| -> u64 {
                let below = |end: u64| owned_below(end, owner, slice_bits, owners);
                let runs = places.runs.iter();
                runs.map(|(start, count)| below(start + count * places.step) - below(*start))
                    .sum()
            };
            let busiest = (0..owners).map(owned).max().unwrap_or(all);
            arrays.push(Array {
                slice_bits,
                owners,
                busiest: busiest as f64 / all as f64,
            });
        }
    }
    arrays
}

/// Bytes below `end` that belong to an owner.
fn owned_below(end: u64, owner: u64, slice_bits: u32, owners: u64) -> u64 {
    let (slice, turn) = (1u64 << slice_bits, owners << slice_bits);
    let rest = (end % turn).saturating_sub(owner << slice_bits).min(slice);
    end / turn * slice + rest
}

/// The array that sees the offsets least evenly; `None` where one sees them as unevenly as `limit`.
fn worst(offsets: &[u64], arrays: &[Array], limit: f64) -> Option<Imbalance> {
    let mut worst = Imbalance::NONE;
    for array in arrays {
        let mut cells = [0u32; MOST_OWNERS as usize];
        for offset in offsets {
            cells[((offset >> array.slice_bits) % array.owners) as usize] += 1;
        }
        let most = cells.iter().max().copied().unwrap_or_default();
        let factor = f64::from(most) / offsets.len() as f64 / array.busiest;
        if factor >= limit {
            return None;
        }
        if factor > worst.factor {
            worst = Imbalance {
                factor,
                slice: Bytes(1 << array.slice_bits),
                owners: array.owners,
            };
        }
    }
    Some(worst)
}

/// The array that sees these offsets least evenly: how many of them the busiest owner has, as a multiple of what it must
/// have. Only arrays that have dealt all owners a slice within `span` bytes count; of a known one its slices and owners. `None` where
/// there are none.
pub fn worst_seen(offsets: &[u64], span: u64, known: Option<(Bytes, u64)>) -> Option<Imbalance> {
    let sizes = (LEAST_SLICE_BITS..=LARGEST_SLICE_BITS).map(|bits| Bytes(1 << bits));
    let any = sizes.flat_map(|slice| {
        let owners = 2..=MOST_OWNERS.min(span / slice.0);
        owners.map(move |owners| (slice, owners))
    });
    let arrays: Vec<(Bytes, u64)> = match known {
        Some(known) => vec![known],
        None => any.collect(),
    };
    let seen = arrays
        .into_iter()
        .map(|(slice, owners)| seen_by(offsets, slice, owners));
    seen.filter(|seen| seen.factor > 0.0).reduce(|worst, next| {
        if next.factor > worst.factor {
            next
        } else {
            worst
        }
    })
}

/// Number of offsets that the busiest of these owners has.
fn seen_by(offsets: &[u64], slice: Bytes, owners: u64) -> Imbalance {
    let mut seen = vec![0u32; owners.max(1) as usize];
    for offset in offsets {
        seen[(offset / slice.0.max(1) % owners.max(1)) as usize] += 1;
    }
    let most = seen.iter().max().copied().unwrap_or_default();
    let must = (offsets.len() as u64).div_ceil(owners.max(1)).max(1);
    Imbalance {
        factor: f64::from(most) / must as f64,
        slice,
        owners,
    }
}

impl Imbalance {
    /// A range of one slice.
    const NONE: Imbalance = Imbalance {
        factor: 1.0,
        slice: Bytes(1 << LEAST_SLICE_BITS),
        owners: 2,
    };
}

fn coprime(from: u64, count: u64) -> u64 {
    (from.max(1)..)
        .find(|stride| gcd(*stride, count) == 1)
        .map_or(1, |stride| stride % count.max(1))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The number that times `stride` is 1 modulo `count` (extended Euclid); both have no common divisor.
fn inverse(stride: u64, count: u64) -> u64 {
    let modulus = i128::from(count.max(1));
    let (mut r, mut next_r) = (modulus, i128::from(stride));
    let (mut t, mut next_t) = (0i128, 1i128);
    while next_r != 0 {
        let quotient = r / next_r;
        (r, next_r) = (next_r, r - quotient * next_r);
        (t, next_t) = (next_t, t - quotient * next_t);
    }
    t.rem_euclid(modulus) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn whole(bytes: u64, step: u64) -> Places {
        Places {
            runs: [(0, bytes / step), (0, 0)],
            step,
        }
    }

    /// Counted by what an array does, not by what the search does.
    fn busiest(places: &Places, cells: u64, slice: u64, owners: u64) -> f64 {
        let spread = spread(places, cells);
        let mut by_owner = HashMap::new();
        for cell in 0..cells {
            let place = u128::from(cell) * u128::from(spread.stride) % u128::from(places.count());
            *by_owner
                .entry(places.offset(place as u64) / slice % owners)
                .or_insert(0u64) += 1;
        }
        *by_owner.values().max().unwrap() as f64 * owners as f64 / cells as f64
    }

    #[test]
    fn arrays_that_nobody_told_of_see_256_cells_evenly() {
        for (bytes, step) in [
            (10 * GIB, 4096),
            (100 * GIB + 7 * 8192, 8192),
            (1 << 40, 4096),
        ] {
            let places = whole(bytes, step);
            let (kib, mib) = (1 << 10, 1 << 20);
            for (slice, owners) in [
                (256 * kib, 12),
                (512 * kib, 7),
                (mib, 8),
                (64 * kib, 16),
                (16 * mib, 6),
                (4 * mib, 3),
                (2 * mib, 16),
            ] {
                let hottest = busiest(&places, 256, slice, owners);
                assert!(hottest <= 1.36, "{bytes} {slice} {owners}: {hottest}");
            }
            let worst = spread(&places, 256).worst;
            assert!(worst.factor < 2.8, "{worst:?}");
            // The stated worst case is what an array sees.
            let seen = busiest(&places, 256, worst.slice.0, worst.owners);
            assert!((seen / worst.factor - 1.0).abs() < 0.01, "{worst:?} {seen}");
        }
    }

    #[test]
    fn larger_areas_are_more_even() {
        let places = whole(100 * GIB, 8192);
        let factor = |cells| spread(&places, cells).worst.factor;
        assert!(factor(2048) < 1.5 && factor(2048) < factor(256));
    }

    #[test]
    fn a_stride_has_an_inverse_and_reaches_every_place() {
        for count in [1, 2, 3, 16, 97, 1000, 4096] {
            let places = whole(count * 512, 512);
            let spread = spread(&places, count.div_ceil(2));
            let mut seen: Vec<u64> = (0..count).map(|i| i * spread.stride % count).collect();
            for (cell, place) in seen.iter().enumerate() {
                assert_eq!(place * spread.inverse % count, cell as u64, "{count}");
            }
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len() as u64, count);
        }
    }

    #[test]
    fn an_owners_bytes_are_counted_over_whole_and_broken_turns() {
        // Slices of 64 KiB, 3 owners: 0 1 2 0 1 …
        let below = |end, owner| owned_below(end, owner, 16, 3);
        assert_eq!(below(5 << 16, 0), 2 << 16);
        assert_eq!(below((4 << 16) + 100, 1), (1 << 16) + 100);
        assert_eq!(below(100, 2), 0);
    }
}
