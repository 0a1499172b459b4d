//! The paths of a step's targets as rows of `step_paths` and `step_path_events`.

use crate::numbers::{int, us};
use crate::row::insert;
use plimsoll_evidence::{PathState, TargetPaths};
use rusqlite::Connection;

/// Writes the paths to each target.
pub(crate) fn write(db: &Connection, step: u32, targets: &[TargetPaths]) -> rusqlite::Result<()> {
    targets.iter().try_for_each(|t| write_target(db, step, t))
}

fn write_target(db: &Connection, step: u32, of: &TargetPaths) -> rusqlite::Result<()> {
    for (index, path) in of.paths.iter().enumerate() {
        insert(
            db,
            "step_paths",
            &[
                ("step", &step),
                ("target", &of.target),
                ("path", &(index as u32 + 1)),
                ("uri", &path.uri),
                ("state", &state_word(path.state)),
                ("ios", &int(path.ios)),
                ("errors", &int(path.errors)),
                ("reissued", &int(path.reissued)),
                ("times_down", &(of.times_down(index) as u32)),
                ("times_back", &(of.times_back(index) as u32)),
                ("service_mean_us", &path.service_mean_ns.map(us)),
            ],
        )?;
    }
    for (index, event) in of.events.iter().enumerate() {
        insert(
            db,
            "step_path_events",
            &[
                ("step", &step),
                ("target", &of.target),
                ("number", &(index as u32 + 1)),
                ("path", &(event.path + 1)),
                ("at_ns", &int(event.at_ns)),
                ("state", &state_word(event.state)),
                ("why", &event.why),
            ],
        )?;
    }
    Ok(())
}

/// The word of the `state` columns: the same as in the evidence's JSON.
fn state_word(state: PathState) -> &'static str {
    match state {
        PathState::Up => "up",
        PathState::Down => "down",
    }
}
