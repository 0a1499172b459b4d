//! What an array told of itself, redacted: how its work was spread, and where its data came from.

use super::{Relative, words};
use plimsoll_evidence::{ArrayEvidence, Bucket, shares};
use serde::Serialize;

/// One array over one step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Array {
    /// Requests to flash and disks, of those from hosts.
    pub back_end: Option<Relative>,
    /// Sources of what was read, as parts of all that was read.
    pub read_source: Vec<(&'static str, Relative)>,
    /// Destinations of what was written, as parts of all that was written.
    pub write_destination: Vec<(&'static str, Relative)>,
    /// Busy share of the busiest core.
    pub busiest_core: Option<Relative>,
    /// Busy share of the cores in the mean.
    pub mean_core: Option<Relative>,
    /// Busy share of the busiest port.
    pub busiest_port: Option<Relative>,
    /// Filled share of the journal at the end.
    pub journal: Option<Relative>,
    /// Pages programmed, of those that were written.
    pub write_amplification: Option<Relative>,
    /// Space that data took, of its own size.
    pub stored: Option<Relative>,
}

pub(super) fn array(array: &ArrayEvidence) -> Array {
    let reduction = array.reduction;
    Array {
        back_end: array.back_end_ratio().and_then(Relative::share),
        read_source: places(&array.read_source),
        write_destination: places(&array.write_destination),
        busiest_core: array
            .busiest_core()
            .and_then(|(_, core)| Relative::share(core.utilisation)),
        mean_core: array.mean_core().and_then(Relative::share),
        busiest_port: array.busiest_port().and_then(Relative::share),
        journal: array
            .journal
            .and_then(|j| j.fill())
            .and_then(Relative::share),
        write_amplification: array.write_amplification.and_then(Relative::share),
        stored: reduction.and_then(|r| Relative::of(r.stored_bytes as f64, r.new_bytes as f64)),
    }
}

/// The shares of the places whose names are known; the others are one.
fn places(buckets: &[Bucket]) -> Vec<(&'static str, Relative)> {
    let mut known = Vec::new();
    let mut others = 0.0;
    for (place, share) in shares(buckets) {
        match (words::known(words::PLACES, place), Relative::share(share)) {
            (Some(place), Some(share)) => known.push((place, share)),
            _ => others += share,
        }
    }
    let others = Relative::share(others).filter(|o| o.percent() > 0.0);
    known.extend(others.map(|share| ("elsewhere", share)));
    known
}
