//! The paths to a multipath target, as they did in one step.

use serde::{Deserialize, Serialize};

/// Paths to one target, with their work and events in a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetPaths {
    /// The target's name.
    pub target: String,
    /// Paths, in the plan's order.
    pub paths: Vec<PathUse>,
    /// Events of going down and coming back, in order.
    pub events: Vec<PathEvent>,
    /// Writes that counted as done while an earlier copy of them might still arrive and overwrite what came after.
    pub unconfirmed_writes: u64,
}

impl TargetPaths {
    /// Number of times a path went down in the step; one that could not be reached at its start counts.
    pub fn times_down(&self, path: usize) -> usize {
        self.times(path, PathState::Down)
    }

    /// Number of times a path came back in the step.
    pub fn times_back(&self, path: usize) -> usize {
        self.times(path, PathState::Up)
    }

    fn times(&self, path: usize, state: PathState) -> usize {
        let of_path = |e: &&PathEvent| e.path as usize == path && e.state == state;
        self.events.iter().filter(of_path).count()
    }

    /// True where there is more to say than that the one path worked.
    pub fn is_notable(&self) -> bool {
        let clean = |p: &PathUse| {
            p.state == PathState::Up && p.errors == 0 && p.reissued == 0 && p.hole_bytes == 0
        };
        self.paths.len() > 1
            || !self.events.is_empty()
            || self.unconfirmed_writes > 0
            || !self.paths.iter().all(clean)
    }
}

/// Work and state of one path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathUse {
    /// Address that the path leads to: `nbd://host:10809/lun0`.
    pub uri: String,
    /// State at the step's end.
    pub state: PathState,
    /// I/Os that were answered well, the warm-up's too.
    pub ios: u64,
    /// I/Os that were answered with an error.
    pub errors: u64,
    /// I/Os that were taken off it, and sent again on another path or later.
    pub reissued: u64,
    /// Bytes that its reads brought, the warm-up's too; 0 in records of earlier versions.
    #[serde(default)]
    pub read_bytes: u64,
    /// Bytes of `read_bytes` that the server did not send: it said that nothing is stored there.
    #[serde(default)]
    pub hole_bytes: u64,
    /// Mean time from a request to its answer, ns; `None` where none was answered.
    pub service_mean_ns: Option<f64>,
}

/// A path that went down or came back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathEvent {
    /// Time from the step's start, ns.
    pub at_ns: u64,
    /// Index of the path among the target's, from 0.
    pub path: u32,
    /// State from then on.
    pub state: PathState,
    /// Reason why it went down; empty where it came back.
    pub why: String,
}

/// State of a path: whether it carries I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathState {
    /// The path carries I/O.
    Up,
    /// The path carries no I/O.
    Down,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(path: u32, state: PathState) -> PathEvent {
        PathEvent {
            at_ns: 0,
            path,
            state,
            why: String::new(),
        }
    }

    fn target(paths: usize, events: Vec<PathEvent>) -> TargetPaths {
        let path = PathUse {
            uri: "nbd://a/x".into(),
            state: PathState::Up,
            ios: 1,
            errors: 0,
            reissued: 0,
            read_bytes: 4096,
            hole_bytes: 0,
            service_mean_ns: Some(1.0),
        };
        TargetPaths {
            target: "lun".into(),
            paths: vec![path; paths],
            events,
            unconfirmed_writes: 0,
        }
    }

    #[test]
    fn failures_and_returns_are_counted_by_path() {
        let (up, down) = (PathState::Up, PathState::Down);
        let events = vec![event(1, down), event(1, up), event(1, down), event(0, down)];
        let target = target(2, events);
        assert_eq!([0, 1].map(|p| target.times_down(p)), [1, 2]);
        assert_eq!([0, 1].map(|p| target.times_back(p)), [0, 1]);
    }

    #[test]
    fn one_path_that_worked_is_not_notable() {
        assert!(!target(1, Vec::new()).is_notable());
        assert!(target(2, Vec::new()).is_notable());
        assert!(target(1, vec![event(0, PathState::Down)]).is_notable());
        let mut failed = target(1, Vec::new());
        failed.paths[0].errors = 1;
        assert!(failed.is_notable());
        let mut holes = target(1, Vec::new());
        holes.paths[0].hole_bytes = 1;
        assert!(holes.is_notable());
    }
}
