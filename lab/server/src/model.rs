//! The array against the clock.

use plimsoll_array::{Array, Completion, Fault, FaultError, Io, PathState, Persona};
use plimsoll_content::{Identity, identify_bytes, identify_uncompressed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The array, and when it was started.
#[derive(Debug)]
pub(crate) struct Model {
    started: Instant,
    /// Answers leave at the model's time.
    pub timing: bool,
    /// What the array makes of a chunk's bytes. It looks for what compresses only where it compresses.
    pub identify: fn(&[u8]) -> Identity,
    array: Mutex<Array>,
}

impl Model {
    pub(crate) fn new(array: Array, persona: &Persona, timing: bool) -> Self {
        let compresses = persona.reduction.compression;
        Model {
            identify: if compresses {
                identify_bytes
            } else {
                identify_uncompressed
            },
            started: Instant::now(),
            timing,
            array: Mutex::new(array),
        }
    }

    /// Nanoseconds since the start.
    #[inline]
    pub(crate) fn now(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    /// How long it is until then.
    pub(crate) fn until(&self, ns: u64) -> Duration {
        Duration::from_nanos(ns.saturating_sub(self.now()))
    }

    /// When the array will be done with it.
    #[inline]
    pub(crate) fn submit(&self, io: &Io) -> Completion {
        let mut array = self.array();
        // The array's time must not go back, so it is read when nobody else can be first.
        let now = self.now();
        array.submit(now, io)
    }

    /// Something goes wrong, or right again.
    pub(crate) fn inject(&self, fault: &Fault) -> Result<(), FaultError> {
        let mut array = self.array();
        let now = self.now();
        array.inject(now, fault)
    }

    /// Takes a snapshot of a LUN; false when there is none of this number.
    pub(crate) fn snapshot(&self, lun: u32) -> bool {
        let mut array = self.array();
        let now = self.now();
        array.snapshot(now, lun)
    }

    pub(crate) fn path(&self, path: u32) -> PathState {
        self.look(|array, _| {
            let found = array.front_end().paths().get(path as usize);
            found.map_or(PathState::Down, |p| p.state)
        })
    }

    /// The array as it is now, and the time.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Array, u64) -> T) -> T {
        let mut array = self.array();
        let now = self.now();
        array.catch_up(now);
        look(&array, now)
    }

    /// A panic elsewhere leaves a model that still answers.
    fn array(&self) -> MutexGuard<'_, Array> {
        self.array.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
