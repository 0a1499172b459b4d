//! The load of one core dealt to all of them.

use super::{Repair, Repaired, relative};
use plimsoll_evidence::{ArrayEvidence, StepEvidence};

/// A core that is as busy as this is full.
const FULL: f64 = 0.95;
/// A station below this has room.
const NEXT: f64 = 0.98;
/// I/Os in flight have to be enough for the rate, with so much to spare.
const SPARE: f64 = 1.5;

/// The utilisation law (Denning and Buzen, 1978): each I/O asks for so much time of all cores together, whatever core does it. Where
/// the busiest core is full, the same work dealt evenly is full at `busiest / mean` times the rate, if no other station is full before,
/// and if enough I/Os are in flight for it: one for each core, and those of Little's law with the fastest service that was seen.
pub(crate) fn even_owner(step: &StepEvidence, array: &ArrayEvidence) -> Repair {
    const WHAT: &str = "With the load even on all cores";
    const HOW: &str =
        "the busiest core's utilisation over the mean, up to the next station that fills";
    if step.offered.is_some() {
        return Err("the load was on schedule, so its rate was not the array's");
    }
    if step.arrays.len() != 1 {
        return Err("several arrays carried the load, and how it was dealt to them would change");
    }
    let (Some((_, busiest)), Some(mean)) = (array.busiest_core(), array.mean_core()) else {
        return Err("the array does not tell how busy its cores were");
    };
    if busiest.utilisation < FULL {
        return Err("the busiest core was not full, so something else was the limit as well");
    }
    if mean <= 0.0 {
        return Err("the array does not tell how busy its cores were");
    }
    let media = array.media.iter().map(|m| m.utilisation);
    let others = media.chain(array.busiest_port()).fold(0.0, f64::max);
    let gain = (busiest.utilisation / mean).min(NEXT / others.max(1e-9));
    let value = step.rate.mean * gain;
    let fastest_s = step.service.quantile_ns(0.02).unwrap_or(0) as f64 / 1e9;
    if value * fastest_s * SPARE > step.depth_mean || step.depth_mean < array.cores.len() as f64 {
        return Err(
            "it is not known whether so many I/Os in flight would fill all cores with an even load",
        );
    }
    Repaired::by_model(WHAT, value, relative(step.rate), HOW)
}
