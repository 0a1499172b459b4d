//! What was issued, one by one, for whoever wants a log of it.
//!
//! Each worker keeps what it issues in a chunk of its own and hands that over when it is full, so that workers meet once in
//! thousands of I/Os. All of it stays in memory until the step is over: a log that is written meanwhile would disturb what it
//! is a log of.

use crate::backend::Action;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// I/Os of a chunk: 192 KiB.
const CHUNK: usize = 8192;

/// One I/O or sync, as it went out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Issued {
    /// From the step's beginning, ns.
    pub at_ns: u64,
    /// Address in its file, bytes.
    pub offset: u64,
    /// Bytes; 0 for a sync.
    pub length: u32,
    /// Index of the file among the target's, from 0.
    pub file: u16,
    /// Action of the I/O.
    pub action: Action,
}

/// I/Os of one stream, in the order in which one worker issued them.
#[derive(Debug)]
pub struct Chunk {
    /// The step, by the number that [`StepTrace`] gave it.
    pub step: u32,
    /// The stream in it, counted from 0.
    pub stream: u32,
    /// I/Os of the chunk.
    pub ios: Vec<Issued>,
}

/// Trace of the I/Os that were issued in all steps of a run.
#[derive(Debug)]
pub struct Trace {
    workloads: BTreeSet<String>,
    most: u64,
    kept: AtomicU64,
    found: Mutex<Found>,
}

/// Contents of a trace.
#[derive(Debug, Default)]
pub struct Found {
    /// In no order: those of different workers come as they are full.
    pub chunks: Vec<Chunk>,
    /// The step and the time, ns, of the first I/O for which there was no room; nothing from there on is complete.
    pub ends: Option<(u32, u64)>,
}

impl Trace {
    /// Trace of the streams of these workloads, at most so many I/Os: each takes 24 bytes.
    pub fn new(workloads: BTreeSet<String>, most: u64) -> Self {
        Trace {
            workloads,
            most,
            kept: AtomicU64::new(0),
            found: Mutex::default(),
        }
    }

    /// All of it so far, once.
    pub fn take(&self) -> Found {
        std::mem::take(&mut *self.found.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, chunk: Chunk) {
        let Some(first) = chunk.ios.first() else {
            return;
        };
        let count = chunk.ios.len() as u64;
        let is_room = self.kept.fetch_add(count, Ordering::Relaxed) + count <= self.most;
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if is_room {
            found.chunks.push(chunk);
        } else {
            let at = (chunk.step, first.at_ns);
            found.ends = Some(found.ends.map_or(at, |ends| ends.min(at)));
        }
    }
}

/// A trace with the number of the step that is to be in it.
#[derive(Debug, Clone)]
pub struct StepTrace {
    /// Trace that the step's chunks go to.
    pub trace: Arc<Trace>,
    /// Number of the step in its chunks.
    pub step: u32,
}

impl StepTrace {
    /// Where a worker keeps what it issues of a stream; `None` where nobody wants that workload's.
    pub(crate) fn lane(&self, workload: &str, stream: usize) -> Option<Lane> {
        self.trace.workloads.contains(workload).then(|| Lane {
            of: self.clone(),
            stream: stream as u32,
            ios: Vec::with_capacity(CHUNK),
        })
    }
}

/// I/Os that one worker issued of one stream since it handed over a chunk.
#[derive(Debug)]
pub struct Lane {
    of: StepTrace,
    stream: u32,
    ios: Vec<Issued>,
}

impl Lane {
    /// One more.
    #[inline]
    pub(crate) fn push(&mut self, issued: Issued) {
        self.ios.push(issued);
        if self.ios.len() == CHUNK {
            self.hand_over(CHUNK);
        }
    }

    /// No more will come.
    pub(crate) fn end(&mut self) {
        self.hand_over(0);
    }

    #[cold]
    fn hand_over(&mut self, next: usize) {
        let ios = std::mem::replace(&mut self.ios, Vec::with_capacity(next));
        self.of.trace.add(Chunk {
            step: self.of.step,
            stream: self.stream,
            ios,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issued(at_ns: u64) -> Issued {
        Issued {
            at_ns,
            offset: 0,
            length: 512,
            file: 0,
            action: Action::Read,
        }
    }

    #[test]
    fn what_no_longer_fits_says_from_when_on_nothing_is_complete() {
        let most = 2 * CHUNK as u64;
        let trace = Arc::new(Trace::new(["a".to_string()].into(), most));
        let step = StepTrace {
            trace: Arc::clone(&trace),
            step: 3,
        };
        assert!(step.lane("b", 0).is_none());
        let mut lanes = [step.lane("a", 0), step.lane("a", 1)].map(|l| l.expect("wanted"));
        for at in 0..2 * CHUNK as u64 + 1 {
            lanes[0].push(issued(at));
        }
        lanes[1].push(issued(7));
        lanes.iter_mut().for_each(Lane::end);
        let found = trace.take();
        assert_eq!(found.chunks.len(), 2);
        assert_eq!(found.ends, Some((3, 7)));
        assert_eq!(size_of::<Issued>(), 24);
    }
}
