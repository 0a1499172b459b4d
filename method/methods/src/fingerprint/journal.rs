//! The journal: a burst of writes goes fast until it is full, and then as fast as it drains.

use super::script::{Order, Probe, ReadArea, Script};
use super::slices::ReadResult;
use crate::average::mean;
use plimsoll_plan::{Bytes, ContentSpec};

/// A write of the burst: small enough for any journal, large enough to fill one.
const BLOCK: u64 = 32 << 10;
/// In flight.
const DEPTH: u32 = 16;
/// A part of the burst, ms, and how many there are at most.
const PART_MS: u64 = 500;
const PARTS: usize = 60;
/// Parts on each side of the drop, at least.
const SIDE: usize = 4;
/// The rate falls by so much, at least, in logarithms: to 80 %.
const DROP: f64 = 0.223;
/// The drain may rest until so much of the room is full, so that data that is rewritten soon is written once: for so much of
/// the time it may have drained nothing.
const IDLE: f64 = 0.25;
/// In standard errors.
const CLEAR: f64 = 8.0;

/// Size of a burst until writes wait, with its bounds by how exactly the time of the drop is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Journal {
    pub bytes: u64,
    pub low: u64,
    pub high: u64,
}

/// The room for a burst.
pub(crate) fn journal(script: &mut Script<'_>) -> ReadResult<Journal> {
    let whole = ReadArea::new(0, script.size / BLOCK * BLOCK, Order::Random);
    let probe = Probe {
        block: BLOCK,
        warmup_ms: 0,
        elapsed_ms: PART_MS,
        writes: Some(ContentSpec::Unique),
        ..Probe::reads("burst of writes".into(), vec![whole], DEPTH)
    };
    let mut rates = Vec::new();
    while rates.len() < PARTS {
        rates.push(script.measure(&probe)?.rate);
        if let Some(at) = drop(&rates) {
            return Ok(Ok(room(&rates, at)));
        }
    }
    let written = rates.iter().sum::<f64>() * BLOCK as f64 * PART_MS as f64 / 1e3;
    Ok(Err(format!(
        "a burst of {} went on at one rate: there is none, or it is larger or drains as fast",
        Bytes((written as u64) >> 20 << 20)
    )))
}

/// The part from which the rate is lower for good: once, and clearly.
fn drop(rates: &[f64]) -> Option<usize> {
    let logs: Vec<f64> = rates.iter().map(|r| r.ln()).collect();
    let last = (logs.len() + 1).checked_sub(SIDE)?;
    let all: f64 = logs.iter().sum();
    let count = logs.len() as f64;
    // The split with the least squares about the means of both sides has these means farthest from that of all.
    let (mut before, mut apart) = (0.0, Vec::new());
    for (i, log) in logs.iter().enumerate() {
        let n = i as f64;
        let between = (before - all * n / count).powi(2) / (n * (count - n)).max(1.0);
        apart.push(between);
        before += log;
    }
    let at = (SIDE..last).max_by(|a, b| apart[*a].total_cmp(&apart[*b]))?;
    let cost = |part: &[f64]| {
        let middle = mean(part);
        part.iter().map(|x| (x - middle).powi(2)).sum::<f64>()
    };
    let (before, after) = logs.split_at(at);
    let fell = mean(before) - mean(after);
    let variance = (cost(before) + cost(after)) / (logs.len() - 2) as f64;
    let error = (variance * (1.0 / before.len() as f64 + 1.0 / after.len() as f64)).sqrt();
    (fell > DROP && fell > CLEAR * error).then_some(at)
}

/// Bytes that came in before the drop, less what was drained meanwhile, at the rate at which it goes on.
fn room(rates: &[f64], at: usize) -> Journal {
    // In the first part after the drop some writes still found room.
    let (fast, slow) = (mean(&rates[..at]), mean(&rates[at + 1..]));
    // What is out when a part ends comes in too, though no rate has it.
    let second = PART_MS as f64 / 1e3 + f64::from(DEPTH) / fast;
    let until = |parts: f64| ((fast - slow) * BLOCK as f64 * parts * second).max(0.0) as u64;
    // The drop was within a part of where it is seen.
    Journal {
        bytes: until(at as f64),
        low: until(at as f64 - 1.0),
        high: until(at as f64 + 1.0) + (IDLE * slow * BLOCK as f64 * at as f64 * second) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drop_is_found_and_a_wandering_rate_is_none() {
        let rates: Vec<f64> = (0..20)
            .map(|i| if i < 12 { 1000.0 } else { 400.0 } + f64::from(i % 3))
            .collect();
        assert_eq!(drop(&rates), Some(12));
        let found = room(&rates, 12);
        let truth = 600 * 6 * BLOCK;
        assert!(found.low <= truth && truth <= found.high, "{found:?}");
        // The room was full half way through a part, and hardly anything drains.
        let mixed: Vec<f64> = (0..20)
            .map(|i| [1000.0, 505.0, 10.0][(i / 12 + i / 13).min(2)])
            .collect();
        let found = room(&mixed, drop(&mixed).expect("a drop"));
        let truth = 990 * 6 * BLOCK + 495 * BLOCK / 2;
        assert!(found.low <= truth && truth <= found.high, "{found:?}");
        let slow: Vec<f64> = (0..40).map(|i| 1000.0 * 0.99f64.powi(i)).collect();
        assert!(drop(&slow[..20]).is_none());
        assert_eq!(drop(&[1000.0; 6]), None);
    }
}
