//! How late replies leave: the lab's own error bar.

use plimsoll_measure::Histogram;
use std::sync::{Mutex, PoisonError};

/// How long after the model's time each reply was handed to its socket, nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct Lag(Mutex<Histogram>);

impl Lag {
    /// Counts replies that were due at these times and left at `now`.
    pub(crate) fn record(&self, now: u64, due: &[u64]) {
        let mut histogram = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for due in due {
            histogram.record(now.saturating_sub(*due));
        }
    }

    pub(crate) fn snapshot(&self) -> Histogram {
        let histogram = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        histogram.clone()
    }
}
