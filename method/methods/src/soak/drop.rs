//! A drop that lasts: the level changes at one place, and does not come back.
//!
//! The places come from change points. What makes one of them a cliff is judged on its own: a stall comes back, an
//! oscillation comes back again and again, and a drift has no place.

use super::shape::{block_means, falling, left_by_cliff, left_by_line};
use super::wave::wave;
use crate::average::{mean, median};
use plimsoll_measure::{CorrelationTime, Segment, Segments, segments};

/// Each side of a cliff has at least so many values.
const SIDE_MIN: usize = 8;
/// And this share of all.
const SIDE_SHARE: f64 = 0.02;
/// On each side so many block means at most are held against the middle between the levels.
const BLOCKS: usize = 20;
/// Share of the block means that are on the right side of it.
const LASTING: f64 = 0.8;
/// The last tenth of what comes after is too.
const LAST: f64 = 0.1;
/// The difference is at least so many standard errors. By chance the largest of some hundred places has this in fewer than one
/// series in a hundred.
pub const ERRORS: f64 = 4.0;
/// Half of a fall is done within this share of all.
const SOON: f64 = 0.15;
/// A fall has begun where the level has lost this share of the whole drop.
const BEGUN: f64 = 0.1;
/// The levels about a cliff are those of this share of all on either side.
const BESIDE: f64 = 0.1;
/// Least difference of those levels, as a multiple of the difference of levels about other places, of which there are at least `OTHERS`.
const OUT: f64 = 3.0;
const OTHERS: usize = 16;
/// The place of a change in a mean is known to within so many times its squared ratio of noise to change (Bai 1994, "Least squares
/// estimation of a shift in linear processes": 95 %).
const PLACE: f64 = 11.0;

/// A drop that lasts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drop {
    /// The first value of the fall.
    pub at: usize,
    /// Values that this may be off.
    pub give_or_take: usize,
    /// The first value of the new level, as far as one place parts them best.
    pub to: usize,
    /// Mean before.
    pub before: f64,
    /// Mean after.
    pub after: f64,
    /// 95 % interval of the share that is lost.
    pub share: (f64, f64),
}

impl Drop {
    /// The share that is lost.
    pub fn lost(&self) -> f64 {
        1.0 - self.after / self.before
    }
}

/// The drop of at least this share that explains a series best; `None`: there is none, or none that could be told from chance.
pub fn lasting_drop(values: &[f64], least: f64) -> Option<Drop> {
    let side = SIDE_MIN.max((values.len() as f64 * SIDE_SHARE) as usize);
    segments(values)
        .and_then(|segments| at_change(values, &segments, side, least))
        .or_else(|| in_oscillation(values, side, least))
}

fn at_change(values: &[f64], segments: &Segments, side: usize, least: f64) -> Option<Drop> {
    let places = segments.changes().map(|c| c.at);
    let explained = |at: usize| {
        let (a, b) = (mean(&values[..at]), mean(&values[at..]));
        (a - b).powi(2) * at as f64 * (values.len() - at) as f64
    };
    let place = places
        .filter(|at| *at >= side && values.len() - at >= side)
        .filter(|at| lasts(values, *at, least))
        .max_by(|a, b| explained(*a).total_cmp(&explained(*b)))?;
    judged(values, place, segments).filter(|drop| stands_out(values, drop.at, drop.to))
}

/// True where no other place of the course parts levels that are nearly as far from each other. A level that walks at random falls
/// somewhere, and stays there as long as it stays anywhere; but it falls and rises elsewhere too.
fn stands_out(values: &[f64], at: usize, to: usize) -> bool {
    let (n, gap) = (values.len(), to - at);
    let beside = SIDE_MIN.max((n as f64 * BESIDE) as usize);
    let beside = beside.min(at).min(n - to);
    // A fall that takes long would leave too few other places to be held against.
    let gap = gap.min(beside);
    // Stalls are no levels, so that medians are compared.
    let fall = |place: usize| {
        let low = place + gap;
        median(&values[place - beside..place]) - median(&values[low..low + beside])
    };
    let others: Vec<f64> = (beside..=n - gap - beside)
        .step_by((beside / 5).max(1))
        .filter(|place| place.abs_diff(at) >= beside + gap)
        .map(fall)
        .collect();
    let squares: f64 = others.iter().map(|f| f * f).sum();
    others.len() < OTHERS || fall(at) >= OUT * (squares / others.len() as f64).sqrt()
}

/// Best drop in a series that swings. Such a series has no change points, for it has no noise to tell them from, so the place is the one
/// that parts it best; over whole periods it is judged as any other.
fn in_oscillation(values: &[f64], side: usize, least: f64) -> Option<Drop> {
    let n = values.len();
    let sum: f64 = values.iter().sum();
    let (mut before, mut best) = (0.0, (0.0, 0));
    for (at, value) in values.iter().enumerate() {
        let parts = (at as f64, (n - at) as f64);
        let fall = before / parts.0.max(1.0) - (sum - before) / parts.1;
        let explained = fall.max(0.0).powi(2) * parts.0 * parts.1;
        if at >= side && n - at >= side && explained > best.0 {
            best = (explained, at);
        }
        before += value;
    }
    let at = best.1;
    if at == 0 || !lasts(values, at, least) {
        return None;
    }
    let (high, low) = (mean(&values[..at]), mean(&values[at..]));
    let level = |i: usize| if i < at { 0.0 } else { high - low };
    let swings: Vec<f64> = values
        .iter()
        .enumerate()
        .map(|(i, v)| v + level(i))
        .collect();
    let batch = wave(&swings)?.period.round() as usize;
    let part = |start, end, mean| Segment { start, end, mean };
    let parts = vec![part(0, at, high), part(at, n, low)];
    judged(values, at, &Segments { parts, batch })
}

/// True where the level after a place stays below the level before it.
fn lasts(values: &[f64], at: usize, least: f64) -> bool {
    let (before, after) = values.split_at(at);
    let (high, low) = (mean(before), mean(after));
    let falls = |high: f64, low: f64| high > 0.0 && low <= high * (1.0 - least);
    if !falls(high, low) || !falls(median(before), median(after)) {
        return false;
    }
    let middle = (high + low) / 2.0;
    let share = |part: &[f64], holds: &dyn Fn(f64) -> bool| {
        let blocks = block_means(part, part.len().div_ceil(BLOCKS));
        blocks.iter().filter(|v| holds(**v)).count() as f64 / blocks.len() as f64
    };
    let last = (after.len() as f64 * LAST).ceil() as usize;
    share(before, &|v| v > middle) >= LASTING
        && share(after, &|v| v < middle) >= LASTING
        && mean(&after[after.len() - last..]) < middle
}

fn judged(values: &[f64], to: usize, segments: &Segments) -> Option<Drop> {
    let at = began(values, segments, to);
    let (before, after) = (&values[..at], &values[to..]);
    let (high, low) = (mean(before), mean(after));
    // The level may take long to settle, which is no noise.
    let fallen = &values[at..];
    let settling = fallen.iter().zip(falling(fallen)).map(|(v, f)| v - f);
    let residuals: Vec<f64> = before.iter().map(|v| v - high).chain(settling).collect();
    let spread = spread(&residuals, high)?;
    let of = |n: usize| spread / n as f64;
    let error = (of(before.len()) + of(after.len())).sqrt();
    let fall = high - low;
    let is_chance = fall < ERRORS * error;
    let is_slow = !is_sharp(values, at, (high + low) / 2.0);
    if is_chance || is_slow || left_by_line(values) <= left_by_cliff(values, at) {
        return None;
    }
    let lost = fall / high;
    let reach = 1.96 * error / high;
    let off = (PLACE * spread / fall.powi(2)).ceil();
    Some(Drop {
        at,
        give_or_take: (off as usize).max(segments.batch),
        to,
        before: high,
        after: low,
        share: (lost - reach, (lost + reach).min(1.0)),
    })
}

/// The variance of a mean of so many values, times their number: what is left around both levels, and for how long it resembles
/// itself.
fn spread(residuals: &[f64], level: f64) -> Option<f64> {
    let square = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64;
    if let Some(time) = CorrelationTime::of(residuals) {
        return Some(square(residuals) * time.samples);
    }
    // What swings resembles itself for ever. Over whole periods it is no noise.
    let around: Vec<f64> = residuals.iter().map(|r| level + r).collect();
    let period = wave(&around)?.period.round() as usize;
    let means = block_means(residuals, period);
    let time = CorrelationTime::of(&means)?.samples;
    Some(square(&means) * time * period as f64)
}

/// True where half of a fall is done soon after it began. A drift never is, at any place.
fn is_sharp(values: &[f64], at: usize, middle: f64) -> bool {
    let n = values.len() as f64;
    let soon = SIDE_MIN.max((n * SOON) as usize);
    let looked_at = SIDE_MIN.max((n * SIDE_SHARE) as usize);
    let from = (at + soon).min(values.len() - looked_at);
    mean(&values[from..from + looked_at]) < middle
}

/// Start of the fall to the level after `to`: the segments before it may be on their way already.
fn began(values: &[f64], segments: &Segments, to: usize) -> usize {
    let low = mean(&values[to..]);
    let mut at = to;
    for part in segments.parts.iter().rev().filter(|p| p.end <= to) {
        let high = mean(&values[..part.start]);
        if part.start == 0 || part.mean >= high - BEGUN * (high - low) {
            break;
        }
        at = part.start;
    }
    at
}
