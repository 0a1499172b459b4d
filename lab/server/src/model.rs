//! The array against the clock.

use plimsoll_array::{
    Array, CHUNK, Completion, Fault, FaultError, Io, Op, PathState, Persona, SnapshotError, Status,
};
use plimsoll_content::{Identity, identify_bytes, identify_uncompressed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How far behind the array may be where nobody waits for it, nanoseconds.
const HORIZON: u64 = 10_000_000;
/// Who has had a short request within this time will have another one, nanoseconds.
const LATELY: u64 = 100_000_000;
/// How long a piece of a long read takes its port, nanoseconds.
const PORT_TIME: u64 = 250_000;
/// The shortest and the longest piece, bytes.
const SHORTEST: u64 = 16 << 10;
const LONGEST: u64 = 256 << 10;
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
    /// Pieces of long reads and writes, bytes.
    pieces: (u64, u64),
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    array: Array,
    /// How far its time is ahead of the clock, nanoseconds; 0 with timing on.
    ahead: u64,
    /// When the last request came that is not a piece of a long one, nanoseconds since the start.
    last_short: u64,
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
            pieces: pieces(&array, persona),
            started: Instant::now(),
            timing,
            inner: Mutex::new(Inner {
                array,
                ahead: 0,
                last_short: 0,
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

    /// When the array will be done with it.
    #[inline]
    pub(crate) fn submit(&self, io: &Io) -> Completion {
        let mut inner = self.inner();
        inner.last_short = self.now();
        let completion = self.submit_to(&mut inner, io);
        if completion.status == Status::Done {
            inner.array.count(io, completion.array_ns);
        }
        completion
    }

    /// The same for a piece of a long request, which is not counted.
    pub(crate) fn submit_piece(&self, io: &Io) -> Completion {
        self.submit_to(&mut self.inner(), io)
    }

    /// A long request is done, of which the array had the pieces for so long, nanoseconds.
    pub(crate) fn count(&self, io: &Io, array_ns: u64) {
        self.inner().array.count(io, array_ns);
    }

    #[inline]
    fn submit_to(&self, inner: &mut Inner, io: &Io) -> Completion {
        // The array's time must not go back, so it is read when nobody else can be first.
        let now = self.now() + inner.ahead;
        let completion = inner.array.submit_piece(now, io);
        if !self.timing && completion.status == Status::Done {
            let further = (completion.at_ns - now).saturating_sub(HORIZON);
            inner.ahead = inner.ahead.saturating_add(further).min(FURTHEST);
        }
        completion
    }

    /// A piece of a long read or write, bytes: a port is not taken for much longer by it than by a short one. A write's is
    /// as long as it has to be to go where the whole would go.
    pub(crate) fn piece_bytes(&self, op: Op) -> u64 {
        match op {
            Op::Write => self.pieces.1,
            _ => self.pieces.0,
        }
    }

    /// Somebody has had a short request lately.
    pub(crate) fn is_shared(&self) -> bool {
        let last = self.inner().last_short;
        last > 0 && self.now() - last.min(self.now()) < LATELY
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
    pub(crate) fn path(&self, path: u32) -> PathState {
        self.look(|array, _| {
            let found = array.front_end().paths().get(path as usize);
            found.map_or(PathState::Down, |p| p.state)
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

/// The pieces of long reads and writes, bytes.
fn pieces(array: &Array, persona: &Persona) -> (u64, u64) {
    let carried = array.front_end().carries(PORT_TIME) / CHUNK * CHUNK;
    let read = carried.clamp(SHORTEST, LONGEST);
    // A write past the journal stays one.
    let past = persona.journal.map_or(0, |j| u64::from(j.bypass_kib) << 10);
    let past = (past / CHUNK + 1) * CHUNK;
    (read, read.max(past))
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
            op: Op::Write,
            offset: chunk << 12,
            len: 4096,
            blocks: &[],
        };
        let mut before = 0;
        for chunk in 0..64 {
            let done = model.submit(&write(chunk)).at_ns;
            assert!(done >= before, "{done} after {before}");
            before = done;
        }
    }
}
