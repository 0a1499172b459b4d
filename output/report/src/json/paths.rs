//! The paths of a step's targets.

use plimsoll_evidence::{PathEvent, PathState, PathUse, TargetPaths};
use serde::Serialize;

/// The paths to one target.
#[derive(Serialize)]
pub(crate) struct Paths<'a> {
    target: &'a str,
    paths: Vec<Path<'a>>,
    events: Vec<Event<'a>>,
    unconfirmed_writes: u64,
}

#[derive(Serialize)]
struct Path<'a> {
    uri: &'a str,
    state: PathState,
    ios: u64,
    errors: u64,
    reissued: u64,
    times_down: usize,
    times_back: usize,
    service_mean_us: Option<f64>,
}

#[derive(Serialize)]
struct Event<'a> {
    at_s: f64,
    uri: &'a str,
    state: PathState,
    why: &'a str,
}

impl<'a> Paths<'a> {
    pub(crate) fn of(paths: &'a TargetPaths) -> Self {
        let path = |(at, p): (usize, &'a PathUse)| Path {
            uri: &p.uri,
            state: p.state,
            ios: p.ios,
            errors: p.errors,
            reissued: p.reissued,
            times_down: paths.times_down(at),
            times_back: paths.times_back(at),
            service_mean_us: p.service_mean_ns.map(|ns| ns / 1e3),
        };
        let event = |e: &'a PathEvent| Event {
            at_s: e.at_ns as f64 / 1e9,
            uri: paths.paths.get(e.path as usize).map_or("", |p| &p.uri),
            state: e.state,
            why: &e.why,
        };
        Paths {
            target: &paths.target,
            paths: paths.paths.iter().enumerate().map(path).collect(),
            events: paths.events.iter().map(event).collect(),
            unconfirmed_writes: paths.unconfirmed_writes,
        }
    }
}
