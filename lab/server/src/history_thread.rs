//! The looks at an array that its history is made of.

use crate::connection::Lab;
use crate::history::PERIOD;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle, park_timeout};
use std::time::Instant;

/// Thread that keeps what the array did, for pages that are opened later. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct HistoryThread {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl HistoryThread {
    /// Begins to look.
    pub(crate) fn start(lab: Arc<Lab>) -> std::io::Result<Self> {
        let is_over = Arc::new(AtomicBool::new(false));
        let over = is_over.clone();
        let thread = Builder::new()
            .name("lab history".to_owned())
            .spawn(move || look(&lab, &over))?;
        Ok(HistoryThread {
            is_over,
            thread: Some(thread),
        })
    }
}

impl Drop for HistoryThread {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // One that panicked has nothing to say any more.
            let _ = thread.join();
        }
    }
}

fn look(lab: &Lab, is_over: &AtomicBool) {
    let mut next = Instant::now() + PERIOD;
    while !is_over.load(Ordering::Relaxed) {
        let wait = next.saturating_duration_since(Instant::now());
        if wait.is_zero() {
            lab.model.look(|array, now| lab.history.keep(array, now));
            // What was missed is not made up for.
            next = (next + PERIOD).max(Instant::now());
        }
        park_timeout(wait);
    }
}
