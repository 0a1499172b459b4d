//! What workers wait at until every one is ready.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Opening: the time at which the clocks of all begin, and their work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Opening {
    /// The clocks' zero on CLOCK_MONOTONIC, ns; it is past.
    pub epoch_ns: u64,
    /// Start of the I/O on these clocks, ns.
    pub start_ns: u64,
}

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
    Open(Opening),
    Abandoned,
}

impl Gate {
    /// Lets all workers go.
    pub fn open(&self, opening: Opening) {
        self.set(State::Open(opening));
    }

    /// Sends all workers home.
    pub fn abandon(&self) {
        self.set(State::Abandoned);
    }

    /// Waits for the one or the other; `None` where there's nothing to do.
    pub fn wait(&self) -> Option<Opening> {
        let mut state = self.lock();
        loop {
            match *state {
                State::Shut => {
                    state = self
                        .changed
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                State::Open(opening) => return Some(opening),
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
        let opening = Opening {
            epoch_ns: 7,
            start_ns: 9,
        };
        for (open, expected) in [(true, Some(opening)), (false, None)] {
            let gate = Arc::new(Gate::default());
            let waiting: Vec<_> = (0..4)
                .map(|_| Arc::clone(&gate))
                .map(|gate| std::thread::spawn(move || gate.wait()))
                .collect();
            if open {
                gate.open(opening)
            } else {
                gate.abandon()
            }
            for thread in waiting {
                assert_eq!(thread.join().ok(), Some(expected));
            }
        }
    }
}
