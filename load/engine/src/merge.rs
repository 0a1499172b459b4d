//! Workers' intervals put together, in order.

use crate::layout::WorkerLayout;
use crate::outcome::{MergedInterval, WorkerTime};
use crate::worker::{Failure, Timeline};
use plimsoll_measure::IntervalStats;
use plimsoll_plan::Step;
use std::collections::BTreeMap;

/// One worker's part of an interval.
pub struct Part {
    /// The interval, from 1.
    pub number: u32,
    /// The worker's part of it, ns.
    pub length_ns: u64,
    /// True for the time after the end.
    pub drain: bool,
    /// Time that the worker's thread was ready to run and had no CPU, ns; `None` where the kernel does not tell.
    pub waited_ns: Option<u64>,
    /// The counters, by the worker's own streams.
    pub stats: Box<IntervalStats>,
    /// Errors in it.
    pub failures: Vec<Failure>,
}

/// Merges what workers report.
pub struct Merger {
    /// Worker's stream -> the step's stream, by worker.
    stream_of: Vec<Vec<usize>>,
    kinds: Vec<&'static str>,
    streams: usize,
    timeline: Timeline,
    /// The last interval that each worker has ended; `None` once it's done.
    reached: Vec<Option<u32>>,
    open: BTreeMap<u32, MergedInterval>,
    /// Number and end (ns from the start) of the last interval that was handed on.
    last: (u32, u64),
    /// What came back after the end.
    drain: Option<MergedInterval>,
}

impl Merger {
    /// Merge of these workers' streams.
    pub fn new(step: &Step, layouts: &[WorkerLayout], timeline: Timeline) -> Self {
        Merger {
            stream_of: layouts
                .iter()
                .map(|l| l.streams.iter().map(|s| s.stream).collect())
                .collect(),
            kinds: layouts.iter().map(|l| l.kind.name()).collect(),
            streams: step.streams.len(),
            timeline,
            reached: vec![Some(0); layouts.len()],
            open: BTreeMap::new(),
            last: (0, 0),
            drain: None,
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
    pub fn add(&mut self, worker: usize, part: Part) -> Box<IntervalStats> {
        let (streams, workers) = (self.streams, self.reached.len());
        let number = part.number;
        let empty = || MergedInterval {
            number,
            start_ns: self.timeline.interval_start_ns(number),
            length_ns: part.length_ns,
            drain: part.drain,
            stats: IntervalStats::new(streams),
            worker_busy: vec![0.0; workers],
            worker_times: Some(vec![WorkerTime::default(); workers]),
            failures: Vec::new(),
            carried: Vec::new(),
        };
        let merged = if part.drain {
            self.drain.get_or_insert_with(empty)
        } else {
            self.reached[worker] = Some(number);
            self.open.entry(number).or_insert_with(empty)
        };
        let mut stats = part.stats;
        merged.length_ns = merged.length_ns.max(part.length_ns);
        merged.worker_busy[worker] = stats.worker_cpu_ns as f64 / part.length_ns.max(1) as f64;
        merged.worker_times = merged.worker_times.take().and_then(|mut times| {
            times[worker] = WorkerTime {
                ran_ns: stats.worker_cpu_ns,
                waited_ns: part.waited_ns?,
            };
            Some(times)
        });
        for (own, theirs) in self.stream_of[worker].iter().zip(&stats.streams) {
            merged.stats.streams[*own].merge(theirs);
        }
        let own_streams = std::mem::take(&mut stats.streams);
        merged.stats.merge(&stats);
        stats.streams = own_streams;
        merged.failures.extend(part.failures);
        stats.clear();
        stats
    }

    /// A worker has ended.
    pub fn done(&mut self, worker: usize) {
        self.reached[worker] = None;
    }

    /// Nothing more is expected of anyone; returns the workers that still ran.
    pub fn give_up(&mut self) -> Vec<usize> {
        let running = (0..self.reached.len())
            .filter(|w| self.reached[*w].is_some())
            .collect();
        self.reached.fill(None);
        running
    }

    /// Hands on every interval that all running workers have ended, and at last what came back after the end.
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
            self.last = (merged.number, merged.start_ns + merged.length_ns);
            sink(merged);
        }
        if self.running() > 0 {
            return;
        }
        if let Some(drain) = self.drain.take() {
            let (number, end_ns) = self.last;
            sink(MergedInterval {
                number: number + 1,
                start_ns: end_ns,
                ..drain
            });
        }
    }
}
