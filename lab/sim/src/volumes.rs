//! What the host's paths to the arrays did in a step, in the form in which a multipath client tells it.

use crate::multipath::MultipathArray;
use plimsoll_array::path::Path;
use plimsoll_engine::export::{ClientPathState, PathEvent, PathReport, VolumeReport};

/// Begins a step: what happened before it is forgotten.
pub(crate) fn begin(models: &mut [MultipathArray]) -> Vec<Vec<Path>> {
    let look = |model: &mut MultipathArray| {
        model.take_story();
        model.array.front_end().paths().to_vec()
    };
    models.iter_mut().map(look).collect()
}

/// The paths of each array that has lost one or got it back in the step; times from `start_ns`. `before` are its paths when the
/// step began.
pub(crate) fn of_step(
    models: &mut [MultipathArray],
    names: &[String],
    before: &[Vec<Path>],
    start_ns: u64,
) -> Vec<VolumeReport> {
    let each = models.iter_mut().zip(names).zip(before);
    let report = |((model, name), before): ((&mut MultipathArray, &String), &Vec<Path>)| {
        let story = model.take_story();
        let now = model.array.front_end().paths();
        let path = |(number, (b, a)): (usize, (&Path, &Path))| PathReport {
            uri: format!("path {number}"),
            ios: a.requests - b.requests,
            // A request that a path refused or swallowed was sent again.
            errors: 0,
            moved: story.moved[number],
            // Of its reads the array's own account tells.
            read_bytes: 0,
            hole_bytes: 0,
            service_ns: 0,
        };
        let event = |(at_ns, path, back): &(u64, usize, bool)| PathEvent {
            at_ns: at_ns.saturating_sub(start_ns),
            path: *path,
            state: match back {
                true => ClientPathState::Up,
                false => ClientPathState::Down,
            },
            why: match back {
                true => String::new(),
                false => "requests were refused, or not answered in time".into(),
            },
        };
        (!story.changes.is_empty()).then(|| VolumeReport {
            target: name.clone(),
            paths: before.iter().zip(now).enumerate().map(path).collect(),
            events: story.changes.iter().map(event).collect(),
            unconfirmed: 0,
        })
    };
    each.filter_map(report).collect()
}
