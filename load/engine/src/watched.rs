//! Workers as seen from outside while they run: the I/O that one is stuck in, and what the paths of NBD targets carried.

use crate::backend::nbd::{Access, Ledger, VolumeReport};
use crate::backend::psync::Current;
use crate::target::OpenTarget;
use crate::worker::{Failure, FailureKind};
use plimsoll_plan::Step;
use std::sync::Arc;

/// A worker as seen from outside.
pub(crate) struct Watched {
    pub current: Arc<Current>,
    /// Names of its files' or volumes' targets.
    pub targets: Vec<String>,
    pub volumes: Vec<Access>,
}

impl Watched {
    /// The I/O that the worker is stuck in; only the synchronous backend shows one.
    pub fn failure(&self, at_ns: u64) -> Option<Failure> {
        let stuck = self.current.stuck()?;
        Some(Failure {
            target: self
                .targets
                .get(stuck.file as usize)
                .cloned()
                .unwrap_or_default(),
            path: None,
            action: stuck.action,
            offset: stuck.offset,
            length: stuck.length,
            at_ns,
            kind: FailureKind::InFlight,
        })
    }
}

/// Reports of the paths, of each target of the step that is reached by NBD; `start_ns` is the step's start on
/// CLOCK_MONOTONIC.
pub(crate) fn volumes(
    step: &Step,
    targets: &[Arc<OpenTarget>],
    watched: &[Watched],
    start_ns: u64,
) -> Vec<VolumeReport> {
    let used = step.depths.iter().map(|d| &targets[d.target.0 as usize]);
    let report = |target: &Arc<OpenTarget>| {
        let volume = target.opened.volume()?;
        let ledgers: Vec<&Ledger> = ledgers_of(target, watched).collect();
        let paths = &volume.plan.paths;
        Some(VolumeReport::of(&target.name, paths, &ledgers, start_ns))
    };
    used.filter_map(report).collect()
}

/// I/Os that each path of each such target has carried so far.
pub(crate) fn carried(
    step: &Step,
    targets: &[Arc<OpenTarget>],
    watched: &[Watched],
) -> Vec<Vec<u64>> {
    let used = step.depths.iter().map(|d| &targets[d.target.0 as usize]);
    let of_target = |target: &Arc<OpenTarget>| {
        let paths = target.opened.volume()?.plan.paths.len();
        let of_path = |path| ledgers_of(target, watched).map(|l| l.carried(path)).sum();
        Some((0..paths).map(of_path).collect())
    };
    used.filter_map(of_target).collect()
}

/// The workers' ledgers of a target.
fn ledgers_of<'w>(
    target: &'w OpenTarget,
    watched: &'w [Watched],
) -> impl Iterator<Item = &'w Ledger> {
    watched.iter().filter_map(|w| {
        let at = w.targets.iter().position(|name| *name == target.name)?;
        w.volumes.get(at).map(|access| access.ledger.as_ref())
    })
}
