//! What workers wait at until every one is ready.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Opened once, for all, or never.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Shut,
    /// Open; the clocks' zero on CLOCK_MONOTONIC, ns.
    Open(u64),
    Abandoned,
}

impl Gate {
    /// Lets all workers go; their clocks begin at `epoch_ns` on CLOCK_MONOTONIC.
    pub fn open(&self, epoch_ns: u64) {
        self.set(State::Open(epoch_ns));
    }

    /// Sends all workers home.
    pub fn abandon(&self) {
        self.set(State::Abandoned);
    }

    /// Waits for the one or the other: the epoch, or `None` where there's nothing to do.
    pub fn wait(&self) -> Option<u64> {
        let mut state = self.lock();
        loop {
            match *state {
                State::Shut => {
                    state = self
                        .changed
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                State::Open(epoch_ns) => return Some(epoch_ns),
                State::Abandoned => return None,
            }
        }
    }

    fn set(&self, to: State) {
        *self.lock() = to;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Whoever held it may have died; a state is whole all the same.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn all_go_with_the_same_epoch_or_none_goes() {
        for (open, expected) in [(true, Some(7)), (false, None)] {
            let gate = Arc::new(Gate::default());
            let waiting: Vec<_> = (0..4)
                .map(|_| Arc::clone(&gate))
                .map(|gate| std::thread::spawn(move || gate.wait()))
                .collect();
            if open {
                gate.open(7)
            } else {
                gate.abandon()
            }
            for thread in waiting {
                assert_eq!(thread.join().ok(), Some(expected));
            }
        }
    }
}
