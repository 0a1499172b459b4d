//! Whether a series holds still, and what change of it would have been seen.

use super::drop::ERRORS;
use super::shape::{left_by_line, left_by_step};
use crate::average::{mean, median};
use plimsoll_measure::{CorrelationTime, snia_window, theil_sen};

/// The window of the specification, in equal slices of the series.
const SLICES: usize = 5;
/// A series shorter than this holds no window.
const VALUES_MIN: usize = 25;
/// A trend of less than this share over the series is none.
const DRIFT: f64 = 0.10;
/// A trend that is as likely by chance as this is none.
const CHANCE: f64 = 0.01;
/// Shares of the series that are left out at its start, tried in this order.
const STARTS: [f64; 4] = [0.0, 0.2, 0.4, 0.6];
/// A standard normal value is below this 95 times in a hundred.
const POWER: f64 = 1.645;
/// A change is supposed to last for so much of the time, at its end.
const LAST: f64 = 0.1;

/// Stillness of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stillness {
    /// From this value on its level stays.
    Steady(usize),
    /// Drift: a rise (or a fall, below 0) all the while, over the whole series by this share of its mean.
    Drifts(f64),
    /// Neither.
    Never,
    /// Series too short to tell.
    Unknown,
}

/// Stillness of a series: SNIA's window over five equal slices of it, or of its end.
pub fn stillness(values: &[f64]) -> Stillness {
    if values.len() < VALUES_MIN {
        return Stillness::Unknown;
    }
    match drift(values) {
        Some(share) => Stillness::Drifts(share),
        None => settled(values),
    }
}

/// The same, with no word about a drift that ends.
pub fn settled(values: &[f64]) -> Stillness {
    if values.len() < VALUES_MIN {
        return Stillness::Unknown;
    }
    for share in STARTS {
        let start = (values.len() as f64 * share) as usize;
        let rest = &values[start..];
        if rest.len() >= VALUES_MIN && is_steady(rest) {
            return Stillness::Steady(start);
        }
    }
    Stillness::Never
}

/// By the slices' means, or by their medians: a stall moves the one, an oscillation the other, and neither is a change.
fn is_steady(values: &[f64]) -> bool {
    let n = values.len();
    let slices = (0..SLICES).map(|i| &values[i * n / SLICES..(i + 1) * n / SLICES]);
    let (means, medians): (Vec<f64>, Vec<f64>) = slices.map(|s| (mean(s), median(s))).unzip();
    [means, medians]
        .iter()
        .any(|levels| snia_window(levels).is_some_and(|w| w.steady))
}

/// The share by which a series rises or falls all the while.
fn drift(values: &[f64]) -> Option<f64> {
    if left_by_step(values) <= left_by_line(values) {
        return None;
    }
    let trend = theil_sen(values, 0.95).ok()?;
    let share = trend.slope * values.len() as f64 / mean(values);
    (share.abs() >= DRIFT && trend.p < CHANCE).then_some(share)
}

/// About the drop, as a share, that would have been seen 95 times in a hundred if it had lasted for the last tenth of a series,
/// by the error of the means of both parts; `None` where that cannot be told. It supposes that whoever looks knows the place, and
/// that the noise is normal. `oscillates`: the series has an oscillation, which its tenths have little of.
pub fn expected_drop(values: &[f64], oscillates: bool) -> Option<f64> {
    let level = mean(values);
    let residuals: Vec<f64> = values.iter().map(|v| v - level).collect();
    let n = values.len() as f64;
    let parts = 1.0 / (n * LAST) + 1.0 / (n * (1.0 - LAST));
    let time = CorrelationTime::of(&residuals).filter(|_| !oscillates);
    let error = match time {
        Some(time) => (variance(&residuals) * time.samples * parts).sqrt(),
        // Too short for its correlation, or of none that dies away: how its tenths differ is seen all the same.
        None => {
            let size = (n * LAST) as usize;
            let tenths: Vec<f64> = residuals.chunks_exact(size.max(1)).map(mean).collect();
            (variance(&tenths) * (1.0 + LAST / (1.0 - LAST))).sqrt()
        }
    };
    (level > 0.0 && values.len() >= VALUES_MIN).then(|| (ERRORS + POWER) * error / level)
}

/// Of values around 0.
fn variance(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>() / (values.len().max(2) - 1) as f64
}
