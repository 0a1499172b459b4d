//! Open targets of a run, until nobody uses them any more.

use plimsoll_engine::OpenTarget;
use std::ops::Deref;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A worker that is through lets its target go once the kernel has taken its backend apart, some hundredths of a second later.
const PATIENCE: Duration = Duration::from_secs(2);
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

/// Open targets of a run. Dropping them waits for workers that still hold one, so that the targets' marks are renewed before the
/// program ends; not for long, for one that is stuck in a system call never lets go.
pub(crate) struct OpenTargets(Vec<Arc<OpenTarget>>);

impl OpenTargets {
    pub fn new(targets: Vec<Arc<OpenTarget>>) -> Self {
        OpenTargets(targets)
    }
}

impl Deref for OpenTargets {
    type Target = Vec<Arc<OpenTarget>>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Drop for OpenTargets {
    fn drop(&mut self) {
        let begun = Instant::now();
        let is_held = |target: &Arc<OpenTarget>| Arc::strong_count(target) > 1;
        while self.0.iter().any(is_held) && begun.elapsed() < PATIENCE {
            sleep(BETWEEN_LOOKS);
        }
    }
}
