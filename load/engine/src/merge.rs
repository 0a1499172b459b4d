//! Workers' intervals put together, in order.

use crate::layout::WorkerLayout;
use crate::run::MergedInterval;
use crate::worker::{Failure, Timeline};
use plimsoll_measure::IntervalStats;
use plimsoll_plan::Step;
use std::collections::BTreeMap;

/// Merges what workers report.
pub struct Merger {
    /// Worker's stream -> the step's stream, by worker.
    stream_of: Vec<Vec<usize>>,
    kinds: Vec<&'static str>,
    streams: usize,
    interval_ns: u64,
    /// The last interval that each worker has ended; `None` once it's done.
    reached: Vec<Option<u32>>,
    open: BTreeMap<u32, MergedInterval>,
    /// The last interval that counts.
    last: u32,
    /// The failures of intervals that don't.
    dropped: Vec<Failure>,
}

impl Merger {
    /// For these workers.
    pub fn new(step: &Step, layouts: &[WorkerLayout], timeline: Timeline) -> Self {
        Merger {
            stream_of: layouts
                .iter()
                .map(|l| l.streams.iter().map(|s| s.stream).collect())
                .collect(),
            kinds: layouts.iter().map(|l| name(l.kind)).collect(),
            streams: step.streams.len(),
            interval_ns: timeline.interval_ns,
            reached: vec![Some(0); layouts.len()],
            open: BTreeMap::new(),
            last: u32::MAX,
            dropped: Vec::new(),
        }
    }

    /// Workers that go on.
    pub fn running(&self) -> u32 {
        self.reached.iter().filter(|r| r.is_some()).count() as u32
    }

    /// A worker's backend.
    pub fn backend_name(&self, worker: usize) -> &'static str {
        self.kinds[worker]
    }

    /// Adds one worker's interval, and gives its memory back, cleared.
    pub fn add(
        &mut self,
        worker: usize,
        number: u32,
        length_ns: u64,
        mut stats: Box<IntervalStats>,
        failures: Vec<Failure>,
    ) -> Box<IntervalStats> {
        let (streams, workers) = (self.streams, self.reached.len());
        let merged = self.open.entry(number).or_insert_with(|| MergedInterval {
            number,
            start_ns: u64::from(number - 1) * self.interval_ns,
            length_ns,
            stats: IntervalStats::new(streams),
            worker_busy: vec![0.0; workers],
            failures: Vec::new(),
        });
        merged.length_ns = merged.length_ns.max(length_ns);
        merged.worker_busy[worker] = stats.worker_cpu_ns as f64 / length_ns.max(1) as f64;
        for (own, theirs) in self.stream_of[worker].iter().zip(&stats.streams) {
            merged.stats.streams[*own].merge(theirs);
        }
        let own_streams = std::mem::take(&mut stats.streams);
        merged.stats.merge(&stats);
        stats.streams = own_streams;
        merged.failures.extend(failures);
        self.reached[worker] = Some(number);
        stats.clear();
        stats
    }

    /// A worker has ended. Where it was `stopped`, its last interval is the step's last: others that were a moment ahead
    /// have ended one more, which would show a part of the load only.
    pub fn done(&mut self, worker: usize, stopped: bool) {
        let reached = self.reached[worker].take();
        if let Some(last) = reached.filter(|_| stopped) {
            self.last = self.last.min(last);
        }
    }

    /// Nothing more is expected of anyone; returns the workers that still ran.
    pub fn give_up(&mut self) -> Vec<usize> {
        let running = (0..self.reached.len())
            .filter(|w| self.reached[*w].is_some())
            .collect();
        self.reached.fill(None);
        running
    }

    /// Hands on every interval that all running workers have ended.
    pub fn emit(&mut self, sink: &mut impl FnMut(MergedInterval)) {
        let ready = self
            .reached
            .iter()
            .flatten()
            .min()
            .copied()
            .unwrap_or(u32::MAX);
        while let Some(entry) = self.open.first_entry() {
            if *entry.key() > ready {
                break;
            }
            let merged = entry.remove();
            if merged.number <= self.last {
                sink(merged);
            } else {
                self.dropped.extend(merged.failures);
            }
        }
    }

    /// The first failures of intervals that some workers had begun when the others were stopped.
    pub fn take_dropped(&mut self) -> Vec<Failure> {
        std::mem::take(&mut self.dropped)
    }
}

fn name(kind: crate::backend::choose::Kind) -> &'static str {
    use crate::backend::choose::Kind;
    match kind {
        Kind::Uring => "io_uring",
        Kind::Libaio => "libaio",
        Kind::Psync => "psync",
        Kind::Null => "null",
        Kind::Nbd | Kind::NbdAlone => "nbd",
    }
}
