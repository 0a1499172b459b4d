//! The paths of a step's targets.

use plimsoll_evidence::{PathEvent, PathUse, TargetPaths};
use serde_json::{Value, json};

/// The paths to one target.
pub(crate) fn paths(all: &TargetPaths) -> Value {
    let path = |(at, p): (usize, &PathUse)| {
        json!({
            "uri": p.uri,
            "state": p.state,
            "ios": p.ios,
            "errors": p.errors,
            "reissued": p.reissued,
            "read_bytes": p.read_bytes,
            "hole_bytes": p.hole_bytes,
            "times_down": all.times_down(at),
            "times_back": all.times_back(at),
            "service_mean_us": p.service_mean_ns.map(|ns| ns / 1e3),
        })
    };
    let event = |e: &PathEvent| {
        json!({
            "at_s": e.at_ns as f64 / 1e9,
            "uri": all.paths.get(e.path as usize).map_or("", |p| &p.uri),
            "state": e.state,
            "why": e.why,
        })
    };
    json!({
        "target": all.target,
        "paths": all.paths.iter().enumerate().map(path).collect::<Vec<_>>(),
        "events": all.events.iter().map(event).collect::<Vec<_>>(),
        "unconfirmed_writes": all.unconfirmed_writes,
    })
}
