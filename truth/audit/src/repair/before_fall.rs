//! Before the host began to starve.

use super::{Repair, Repaired};
use crate::Part;
use crate::blame::Blame;
use plimsoll_evidence::StepEvidence;
use plimsoll_measure::mean_interval;

/// The array's own mean time over all of the step is no longer than this, of an I/O's whole time before the fall.
const FLAT: f64 = 1.1;
/// And no more than this of an I/O's whole time in the step: the rest was spent outside of it.
const OUTSIDE: f64 = 0.8;

/// The rate before a fall, where the host is to blame for it and the fall was outside of the array: by its own clock an I/O never took it longer than the whole of
/// an I/O took before, by Little's law the depth over the rate.
pub(crate) fn before_fall(step: &StepEvidence, before: &[Part], blame: &Blame) -> Repair {
    if !matches!(blame, Blame::Host(_)) {
        return Err("the fall is not known to be the host's");
    }
    let own: Option<f64> = step
        .arrays
        .iter()
        .filter_map(|a| a.mean_ns())
        .reduce(f64::max);
    let Some(own) = own else {
        return Err("the array's own times are not known, so the fall may be its own");
    };
    let rates: Vec<f64> = before.iter().map(Part::rate).collect();
    let mut sorted = rates.clone();
    sorted.sort_by(f64::total_cmp);
    let Some(middle) = sorted.get(sorted.len() / 2) else {
        return Err("nothing is known of the time before");
    };
    let whole_before_ns = step.depth_mean * 1e9 / middle.max(1e-9);
    if own > FLAT * whole_before_ns || own > OUTSIDE * step.service_mean_ns.mean {
        return Err("the array itself may have become slower, so the fall may be its own");
    }
    let half = mean_interval(&rates).and_then(|i| i.half_width);
    let relative = half.map_or(0.1, |half| half / middle.max(1e-9));
    Repaired::by_model(
        "Without the host's fall",
        *middle,
        relative,
        "the median before it, as the array's own time stayed short",
    )
}
