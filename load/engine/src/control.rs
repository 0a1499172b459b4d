//! Control of a running step from other threads.

use crate::worker::Shared;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Stops a running step from elsewhere.
#[derive(Debug, Clone, Default)]
pub struct Control {
    shared: Arc<Shared>,
}

impl Control {
    /// Ends the step when its running interval does.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// True once [`Control::stop`] was called.
    pub fn stopped(&self) -> bool {
        self.shared.stop.load(Ordering::Relaxed)
    }

    /// Ends the running step when its interval does, and only that one: enough was seen of it.
    pub fn end_step(&self) {
        self.shared.seen_enough.store(true, Ordering::Relaxed);
    }

    /// True once [`Control::end_step`] was called for the running step, or the last one.
    pub fn step_ended(&self) -> bool {
        self.shared.seen_enough.load(Ordering::Relaxed)
    }

    /// True where [`Control::end_step`] was called since this was asked last: for a step that is carried out elsewhere.
    pub fn take_step_end(&self) -> bool {
        self.shared.seen_enough.swap(false, Ordering::Relaxed)
    }

    /// The last step is over: when it began is not when the next one does.
    pub fn forget_beginning(&self) {
        self.shared.began_ns.store(0, Ordering::Release);
    }

    /// Stream `stream` of the running step, or of the one that begins next, has at most `most` I/Os in flight: where the load is a
    /// closed loop and the stream has slots of its own. Workers see it within 100 ms; what is in flight comes back first.
    pub fn limit_depth(&self, stream: usize, most: u32) {
        self.shared.depths.set(stream, most);
    }

    /// Every stream may use all of its slots.
    pub fn free_depths(&self) {
        self.shared.depths.clear();
    }

    /// Time at which the running step began, CLOCK_MONOTONIC ns; `None` until it has, and in virtual time.
    pub fn began_ns(&self) -> Option<u64> {
        match self.shared.began_ns.load(Ordering::Acquire) {
            0 => None,
            ns => Some(ns),
        }
    }

    /// What the workers of the step share that begins.
    pub(crate) fn begin_step(&self) -> Arc<Shared> {
        self.shared.errors.store(0, Ordering::Relaxed);
        self.shared.fsync_errors.store(0, Ordering::Relaxed);
        self.shared.too_many_errors.store(false, Ordering::Relaxed);
        self.shared.abandon.store(false, Ordering::Relaxed);
        self.shared.begin();
        Arc::clone(&self.shared)
    }

    /// Failed I/Os and fsyncs of the step, past the one that ended it too.
    pub(crate) fn errors(&self) -> u64 {
        self.shared.errors.load(Ordering::Relaxed)
    }

    /// The fsyncs among those that count.
    pub(crate) fn fsync_errors(&self) -> u64 {
        self.shared.fsync_errors.load(Ordering::Relaxed)
    }

    /// True once too many of them failed.
    pub(crate) fn too_many_errors(&self) -> bool {
        self.shared.too_many_errors.load(Ordering::Relaxed)
    }
}
