//! The array against the clock.

use crate::pace::Pace;
use plimsoll_array::{
    Array, Completion, Fault, FaultError, Io, IoKind, PathCondition, Persona, SnapshotError, Status,
};
use plimsoll_content::{Identity, identify_bytes, identify_uncompressed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How far behind the array may be where nobody waits for it, nanoseconds.
const HORIZON: u64 = 10_000_000;
/// How far its time may run ahead, nanoseconds: a century, far from the end of its clock.
const FURTHEST: u64 = 1 << 62;

/// The array, and when it was started.
///
/// With timing off clients are faster than the array, and its queues would grow for ever. So its time runs as fast as it
/// has to there: what it counts is what it would have counted when it was kept busy.
#[derive(Debug)]
pub(crate) struct Model {
    started: Instant,
    /// Answers leave at the model's time.
    pub timing: bool,
    /// What the array makes of a chunk's bytes. It looks for what compresses only where it compresses.
    pub identify: fn(&[u8]) -> Identity,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    array: Array,
    /// How far its time is ahead of the clock, nanoseconds; 0 with timing on.
    ahead: u64,
    pace: Pace,
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
            inner: Mutex::new(Inner {
                pace: Pace::new(&array, persona),
                array,
                ahead: 0,
            }),
        }
    }

    /// Nanoseconds since the start: the array's time, where replies leave at it.
    #[inline]
    pub(crate) fn now(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    /// How long it is until then.
    pub(crate) fn until(&self, ns: u64) -> Duration {
        Duration::from_nanos(ns.saturating_sub(self.now()))
    }

    /// When the array will be done with it. It is short for the others when `by` is the light connection that has it.
    #[inline]
    pub(crate) fn submit(&self, io: &Io, by: Option<u64>) -> Completion {
        let mut inner = self.inner();
        // The array's time must not go back, so it is read when nobody else can be first.
        let clock = self.now();
        if let Some(who) = by {
            inner.pace.note_short(who, clock);
        }
        let now = clock + inner.ahead;
        let completion = inner.array.submit(now, io);
        self.run_ahead(&mut inner, now, &completion);
        completion
    }

    /// The same for a piece of a long request of `whole` bytes, which is not counted; and how long its line is taken,
    /// nanoseconds.
    pub(crate) fn submit_piece(&self, io: &Io, whole: u32, shared: bool) -> (Completion, u64) {
        let mut guard = self.inner();
        let inner = &mut *guard;
        let now = self.now() + inner.ahead;
        let pace = &mut inner.pace;
        let (completion, takes) = pace.submit_piece(&mut inner.array, now, io, whole, shared);
        self.run_ahead(inner, now, &completion);
        (completion, if self.timing { takes } else { 0 })
    }

    /// A long request is done, of which the array had the pieces for so long, nanoseconds.
    pub(crate) fn count(&self, io: &Io, array_ns: u64) {
        self.inner().array.count(io, array_ns);
    }

    /// With timing off the array's time runs as fast as it has to.
    #[inline]
    fn run_ahead(&self, inner: &mut Inner, now: u64, completion: &Completion) {
        if !self.timing && completion.status == Status::Done {
            let further = (completion.at_ns - now).saturating_sub(HORIZON);
            inner.ahead = inner.ahead.saturating_add(further).min(FURTHEST);
        }
    }

    /// Whether somebody else has had short requests lately, and how long a piece of a long one is then, bytes.
    pub(crate) fn piece(&self, who: u64, op: IoKind, whole: u32) -> (bool, u64) {
        let inner = self.inner();
        let shared = inner.pace.is_shared(who, self.now());
        (shared, inner.pace.piece_bytes(op, whole, shared))
    }

    /// A read or write of this length has to stand in line.
    pub(crate) fn is_long(&self, who: u64, len: u32) -> bool {
        let (inner, now) = (self.inner(), self.now());
        let behind = inner.array.backlog(now + inner.ahead);
        inner.pace.is_long(who, now, len, behind)
    }

    /// A connection has much in flight. What it may have, bytes and requests, where there is no more for all.
    pub(crate) fn share(&self, who: u64) -> Option<(u64, usize)> {
        let (mut inner, now) = (self.inner(), self.now());
        inner.pace.note_heavy(who, now);
        let behind = inner.array.backlog(now + inner.ahead);
        inner.pace.share(who, now, behind)
    }

    /// Something goes wrong, or right again.
    pub(crate) fn inject(&self, fault: &Fault) -> Result<(), FaultError> {
        let mut inner = self.inner();
        let now = self.now() + inner.ahead;
        inner.array.inject(now, fault)
    }

    /// Takes a snapshot of a LUN; its number there, from 1.
    pub(crate) fn snapshot(&self, lun: u32) -> Result<u32, SnapshotError> {
        let mut inner = self.inner();
        let now = self.now() + inner.ahead;
        inner.array.snapshot(now, lun)
    }

    /// Deletes a snapshot; false when there is none of this number.
    pub(crate) fn delete_snapshot(&self, lun: u32, number: u32) -> bool {
        let mut inner = self.inner();
        let now = self.now() + inner.ahead;
        inner.array.delete_snapshot(now, lun, number)
    }

    /// The state of a path; one that is not there is down.
    pub(crate) fn path(&self, path: u32) -> PathCondition {
        self.look(|array, _| {
            let found = array.front_end().paths().get(path as usize);
            found.map_or(PathCondition::Down, |p| p.state)
        })
    }

    /// The array as it is now, and its time.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Array, u64) -> T) -> T {
        let mut inner = self.inner();
        let now = self.now() + inner.ahead;
        inner.array.catch_up(now);
        look(&inner.array, now)
    }

    /// A panic elsewhere leaves a model that still answers.
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_timing_off_requests_that_wait_for_ever_never_turn_the_arrays_time_back() {
        let persona = Persona::named("hybrid-hci").unwrap();
        let model = Model::new(Array::new(&persona, 1024.0, 1).unwrap(), &persona, false);
        let full = r#"{"fault":"journal-full","drain":1e-18}"#;
        model.inject(&serde_json::from_str(full).unwrap()).unwrap();
        let write = |chunk: u64| Io {
            lun: 0,
            path: 0,
            op: IoKind::Write,
            offset: chunk << 12,
            len: 4096,
            blocks: &[],
        };
        let mut before = 0;
        for chunk in 0..64 {
            let done = model.submit(&write(chunk), None).at_ns;
            assert!(done >= before, "{done} after {before}");
            before = done;
        }
    }
}
