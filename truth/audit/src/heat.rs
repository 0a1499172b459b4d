//! How a workload's accesses fall on the owners of an array's slices, as its plan alone tells.
//!
//! Slice `s` of a LUN belongs to owner `s mod n`. The accesses are a sum of areas, each of them alike from its first byte to
//! its last, and of a part that is even by its making.

use crate::{PlanView, StreamAt};
use plimsoll_plan::{
    Distribution, HOTBAND, HOTBAND_MEGABYTE, HitPlacement, HitSpec, HotbandMode, Mix, Pattern,
    RangeSpec, hotband_size,
};

/// Into so many areas a bell curve is cut.
const PIECES: u32 = 512;

/// Places that accesses fall on, with their shares.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Places {
    /// (first byte, end, share of all accesses).
    areas: Vec<(u64, u64, f64)>,
    /// The share that every owner has the same of.
    even: f64,
    /// The share of the one block that has most; it is at one owner, wherever that is.
    block: f64,
}

impl Places {
    /// Heat of a workload; `None` where all of the target is used alike, or where nothing is known of it.
    pub fn of(view: &PlanView<'_>, s: &StreamAt<'_>) -> Option<Self> {
        let range = view.range(s);
        if let Some(hits) = &s.stream.address.hits {
            return of_hits(hits, &s.stream.mix, range, &s.stream.address.range);
        }
        match &s.stream.address.pattern {
            // How large a band is decides little of how its first slices are used.
            Pattern::Random {
                distribution: Distribution::Hotband(mode),
                ..
            } => of_hotband(*mode, &s.stream.mix, range.unwrap_or((0, NOMINAL))),
            Pattern::Random { distribution, .. } => {
                let (from, to) = range?;
                let blocks = (to - from) / s.stream.largest().0.max(1);
                of_distribution(distribution, (from, to), blocks)
            }
            _ => None,
        }
    }

    /// The share of all accesses that the busiest of `owners` has; `None` where the areas' rest is not known.
    pub fn share(&self, slice: u64, owners: u64) -> Option<f64> {
        let mut shares = vec![(self.even - self.block) / owners as f64; owners as usize];
        for (from, to, share) in &self.areas {
            let length = to.checked_sub(*from).filter(|length| *length > 0)?;
            for (owner, sum) in (0..).zip(&mut shares) {
                let below = |end| owned_below(end, owner, slice, owners);
                *sum += share * (below(*to) - below(*from)) as f64 / length as f64;
            }
        }
        shares
            .into_iter()
            .reduce(f64::max)
            .map(|most| most + self.block)
    }

    /// True where it is one block that makes an owner hot, and not an area.
    pub fn is_of_a_block(&self) -> bool {
        self.block > 0.0
    }
}

/// Bytes below `end` that belong to an owner.
fn owned_below(end: u64, owner: u64, slice: u64, owners: u64) -> u64 {
    let turn = slice * owners;
    let rest = (end % turn).saturating_sub(owner * slice).min(slice);
    end / turn * slice + rest
}

fn of_hits(
    hits: &HitSpec,
    mix: &Mix,
    range: Option<(u64, u64)>,
    asked: &RangeSpec,
) -> Option<Places> {
    // Dealt over all owners by their making.
    if hits.placement != HitPlacement::Contiguous {
        return None;
    }
    let moved = mix.read + mix.write;
    let share =
        (hits.read_percent * mix.read + hits.write_percent * mix.write) / 100.0 / moved.max(1e-9);
    let start = match (range, asked) {
        (Some((from, _)), _) => from,
        (None, RangeSpec::Bytes(from, _) | RangeSpec::Clipped { from, .. }) => from.0,
        (None, _) => 0,
    };
    let end = start.saturating_add(hits.area.0);
    let mut places = Places {
        areas: vec![(start, end, share)],
        ..Places::default()
    };
    match range {
        Some((_, to)) if to > end => places.areas.push((end, to, 1.0 - share)),
        _ => places.even = 1.0 - share,
    }
    (hits.area.0 > 0 && share > 0.0).then_some(places)
}

/// The band that its draws wrap around in; writes lie a hundredth of it behind reads.
fn of_hotband(mode: HotbandMode, mix: &Mix, (from, to): (u64, u64)) -> Option<Places> {
    let band = (to - from) - (to - from) % HOTBAND_MEGABYTE;
    let moved = mix.read + mix.write;
    if band == 0 || moved <= 0.0 {
        return None;
    }
    let mut areas = Vec::new();
    let size = |point: usize| hotband_size(point) as u64 * mode.bytes_of_megabyte();
    for (shift, part) in [(0, mix.read / moved), (band / 100, mix.write / moved)] {
        for (point, pair) in HOTBAND.windows(2).enumerate() {
            let (start, length) = (size(point), size(point + 1) - size(point));
            let share = part * (pair[1] - pair[0]);
            if length >= band {
                areas.push((from, from + band, share));
                continue;
            }
            let start = (start + shift) % band;
            let first = length.min(band - start);
            let of = |bytes: u64| share * bytes as f64 / length as f64;
            areas.push((from + start, from + start + first, of(first)));
            areas.push((from, from + length - first, of(length - first)));
        }
    }
    areas.retain(|(from, to, share)| from < to && *share > 0.0);
    Some(Places {
        areas,
        ..Places::default()
    })
}

fn of_distribution(
    distribution: &Distribution,
    (from, to): (u64, u64),
    blocks: u64,
) -> Option<Places> {
    let length = (to - from) as f64;
    let area = |a: f64, b: f64, share: f64| {
        let at = |part: f64| from + (part.clamp(0.0, 1.0) * length) as u64;
        (at(a), at(b), share)
    };
    let one_block = |share: f64| Places {
        even: 1.0,
        block: share,
        ..Places::default()
    };
    match distribution {
        Distribution::Uniform | Distribution::Hotband(_) | Distribution::Poisson(_) => None,
        // The ranks are scattered over the blocks: only the first is so much that it matters where it lies.
        Distribution::Zipf(s) => Some(one_block(1.0 / harmonic(blocks, *s))),
        Distribution::Pareto(h) if (0.0..1.0).contains(h) && *h > 0.0 => {
            let power = (1.0 - h).ln() / h.ln();
            Some(one_block((1.0 / blocks.max(1) as f64).powf(power)))
        }
        Distribution::Pareto(_) => None,
        Distribution::Normal(percent) => {
            let width = 8.0 * percent / 100.0 / f64::from(PIECES);
            let pieces: Vec<(f64, f64)> = (0..PIECES)
                .map(|i| {
                    let z = 8.0 * (f64::from(i) + 0.5) / f64::from(PIECES) - 4.0;
                    (0.5 + z * percent / 100.0, (-z * z / 2.0).exp())
                })
                .filter(|(at, _)| (0.0..1.0).contains(at))
                .collect();
            let all: f64 = pieces.iter().map(|(_, weight)| weight).sum();
            let areas = pieces
                .into_iter()
                .map(|(at, weight)| area(at - width / 2.0, at + width / 2.0, weight / all))
                .filter(|(from, to, _)| from < to);
            Some(Places {
                areas: areas.collect(),
                ..Places::default()
            })
        }
        Distribution::Zoned(zones) => {
            let mut at = 0.0;
            let mut areas = Vec::new();
            for (share, width) in zones {
                areas.push(area(at, at + width / 100.0, share / 100.0));
                at += width / 100.0;
            }
            areas.retain(|(from, to, share)| from < to && *share > 0.0);
            Some(Places {
                areas,
                ..Places::default()
            })
        }
    }
}

/// The sum of 1/k^s for k up to n: the first 10,000 terms, and the integral behind them (Euler and Maclaurin).
fn harmonic(n: u64, s: f64) -> f64 {
    let first = n.clamp(1, 10_000);
    let sum: f64 = (1..=first).map(|k| (k as f64).powf(-s)).sum();
    let (a, b) = (first as f64, n.max(1) as f64);
    let rest = match (s - 1.0).abs() < 1e-9 {
        true => (b / a).ln(),
        false => (b.powf(1.0 - s) - a.powf(1.0 - s)) / (1.0 - s),
    };
    sum + rest
}

/// The bytes that a workload uses; of a range that is not known [`NOMINAL`].
pub fn range_bytes(view: &PlanView<'_>, s: &StreamAt<'_>) -> u64 {
    view.range(s).map_or(NOMINAL, |(from, to)| to - from)
}

/// The largest share of a workload's accesses that goes to a thousandth of its range.
pub fn share_of_thousandth(view: &PlanView<'_>, s: &StreamAt<'_>) -> Option<f64> {
    share_of_part(view, s, THOUSANDTH)
}

/// The largest share of a workload's accesses that goes to such a part of its range, above 0 and below 1; `None` where all of it is
/// used alike, or in turn. The formulas are those of the distributions; the size of a range that is not known is taken for
/// [`NOMINAL`].
pub fn share_of_part(view: &PlanView<'_>, s: &StreamAt<'_>, of_range: f64) -> Option<f64> {
    let range = range_bytes(view, s);
    if let Some(hits) = &s.stream.address.hits {
        let mix = &s.stream.mix;
        let share = (hits.read_percent * mix.read + hits.write_percent * mix.write)
            / 100.0
            / (mix.read + mix.write).max(1e-9);
        let part = of_range * range as f64 / hits.area.0.max(1) as f64;
        return Some(share * part.min(1.0));
    }
    let Pattern::Random { distribution, .. } = &s.stream.address.pattern else {
        return None;
    };
    match distribution {
        Distribution::Uniform | Distribution::Hotband(_) | Distribution::Poisson(_) => None,
        Distribution::Zipf(exponent) => {
            let blocks = range / s.stream.largest().0.max(1);
            let first = (blocks as f64 * of_range) as u64;
            (first > 0).then(|| harmonic(first, *exponent) / harmonic(blocks, *exponent))
        }
        Distribution::Pareto(h) if (0.0..1.0).contains(h) && *h > 0.0 => {
            Some(of_range.powf((1.0 - h).ln() / h.ln()))
        }
        Distribution::Pareto(_) => None,
        Distribution::Normal(percent) => {
            let deviations = of_range / 2.0 / (percent / 100.0).max(1e-12);
            Some(within(deviations))
        }
        Distribution::Zoned(zones) => Some(densest(zones, of_range)),
    }
}

const THOUSANDTH: f64 = 1e-3;
/// Bytes.
const NOMINAL: u64 = 16 << 30;

/// The share of the densest zones on such a part of the range.
fn densest(zones: &[(f64, f64)], of_range: f64) -> f64 {
    let mut zones = zones.to_vec();
    zones.sort_by(|a, b| (b.0 * a.1).total_cmp(&(a.0 * b.1)));
    let (mut left, mut sum) = (of_range * 100.0, 0.0);
    for (share, width) in zones {
        let part = if width <= left { 1.0 } else { left / width };
        sum += share / 100.0 * part;
        left = (left - width).max(0.0);
    }
    sum
}

/// The share of a normal distribution within so many deviations on each side of its middle: erf(z / √2) by Abramowitz and Stegun,
/// 7.1.26, to 1.5e-7.
fn within(deviations: f64) -> f64 {
    let x = deviations / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let of_t = [
        1.061_405_429,
        -1.453_152_027,
        1.421_413_741,
        -0.284_496_736,
        0.254_829_592,
    ];
    let polynomial = of_t.iter().fold(0.0, |sum, a| (sum + a) * t);
    1.0 - polynomial * (-x * x).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_behind_a_zipf_distribution_is_that_of_its_terms() {
        for s in [0.5, 0.99, 1.0, 1.2] {
            let terms: f64 = (1..=200_000u64).map(|k| (k as f64).powf(-s)).sum();
            let sum = harmonic(200_000, s);
            assert!((sum / terms - 1.0).abs() < 1e-3, "{s}: {sum} {terms}");
        }
    }

    #[test]
    fn what_covers_all_slices_is_even_and_what_is_in_one_is_not() {
        let mib = 1 << 20;
        let all = Places {
            areas: vec![(0, 64 * mib, 1.0)],
            ..Places::default()
        };
        assert!((all.share(mib, 8).unwrap() - 0.125).abs() < 1e-12);
        let one = Places {
            areas: vec![(3 * mib, 4 * mib, 1.0)],
            ..Places::default()
        };
        assert_eq!(one.share(mib, 8), Some(1.0));
    }
}
