//! What was written is made durable at a step's end, where its targets ask for that.

use crate::EngineError;
use crate::backend::Action;
use crate::backend::nbd::Volume;
use crate::clock::RealClock;
use crate::target::OpenTarget;
use crate::worker::{Failure, FailureKind};
use plimsoll_plan::{Durability, Step};
use std::sync::Arc;

/// Syncs what the step wrote, and returns what failed. `start_ns` is the step's start on CLOCK_MONOTONIC.
///
/// The last fsync is the one that tells of everything written back from the page cache that no other asked for: its error
/// is the only sign that written data are lost.
pub(crate) fn sync_at_end(step: &Step, targets: &[Arc<OpenTarget>], start_ns: u64) -> Vec<Failure> {
    let mut failures = Vec::new();
    if !step.writes() {
        return failures;
    }
    let used = step.depths.iter().map(|d| &targets[d.target.0 as usize]);
    for target in used.filter(|t| is_synced(t)) {
        // Without MULTI_CONN it would say nothing of what the workers' connections wrote, and is not asked.
        let volumes = target
            .opened
            .volume()
            .into_iter()
            .filter(|volume| volume.many);
        let flushed = volumes.map(|volume| flush(volume));
        let synced = target.opened.members().iter().map(|member| {
            let result = match target.durability {
                Durability::FdatasyncEvery(_) => member.file.sync_data(),
                _ => member.file.sync_all(),
            };
            result.map_err(|e| e.raw_os_error().unwrap_or(libc::EIO))
        });
        for errno in flushed.chain(synced).filter_map(Result::err) {
            failures.push(Failure {
                target: target.name.clone(),
                path: None,
                action: Action::Sync,
                offset: 0,
                length: 0,
                at_ns: RealClock::monotonic_ns().saturating_sub(start_ns),
                kind: FailureKind::Errno(errno),
            });
        }
    }
    failures
}

fn is_synced(target: &OpenTarget) -> bool {
    matches!(
        target.durability,
        Durability::FsyncAtEnd | Durability::FsyncEvery(_) | Durability::FdatasyncEvery(_)
    )
}

/// Asks the export's server to flush; the error number where it does not.
fn flush(volume: &Volume) -> Result<(), i32> {
    let mut client = volume.client(false).map_err(|error| match error {
        EngineError::Nbd { source, .. } => source.errno(),
        _ => libc::EIO,
    })?;
    let flushed = client.flush().map_err(|e| e.errno());
    client.leave();
    flushed
}
