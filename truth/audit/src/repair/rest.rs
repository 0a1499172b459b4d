//! Without the first interval: the others.

use super::{Repair, Repaired};
use crate::Part;
use plimsoll_measure::mean_interval;

/// The mean of all parts but the first, with its interval of confidence by batch means.
pub(crate) fn rest(parts: &[Part]) -> Repair {
    let Some((_, rest)) = parts.split_first() else {
        return Err("there are no intervals");
    };
    let rates: Vec<f64> = rest.iter().map(Part::rate).collect();
    let length: f64 = rest.iter().map(Part::seconds).sum();
    let ios: u64 = rest.iter().fold(0, |sum, p| sum.saturating_add(p.ios));
    let mean = ios as f64 / length.max(1e-9);
    let half = mean_interval(&rates).and_then(|i| i.half_width);
    let relative = half.map_or(0.1, |half| half / mean.max(1e-9));
    Repaired::by_model("Without it", mean, relative, "the mean of all the others")
}
