//! What one worker, or all of them merged, counted in one interval.

use crate::Histogram;
use plimsoll_operation::{NAME_OP_COUNT, OP_COUNT, Op};
use serde::{Deserialize, Serialize};

/// Columns of a heat map: each target's address space in equal parts.
pub const HEAT_COLUMNS: usize = 256;

/// One operation of one stream in one interval.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OpStats {
    /// I/Os completed well.
    pub ios: u64,
    /// Bytes they moved; of trims, bytes that they discarded.
    pub bytes: u64,
    /// I/Os that failed (an errno, or short); they are in no histogram.
    pub errors: u64,
    /// Completion - intended start.
    pub response: Histogram,
    /// Completion - the stamp just before the submitting call.
    pub service: Histogram,
}

/// One stream (a workload on a target) in one interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StreamStats {
    /// By operation, indexed by [`Op`].
    pub ops: [OpStats; OP_COUNT],
    /// fsyncs and flushes that its writes made due; `None` before the first. They are no I/Os and have service times alone.
    #[serde(default)]
    pub syncs: Option<Box<OpStats>>,
    /// Operations on names of a tree, in the order of [`Op::ON_NAMES`]; `None` before the first.
    #[serde(default)]
    pub names: Option<Box<[OpStats; NAME_OP_COUNT]>>,
    /// Operations on a tree that its own brought with them, in the order of [`Op::BROUGHT`]; `None` before the first. They are no I/Os,
    /// have service times alone, and a record does not keep them.
    #[serde(default)]
    pub brought: Option<Box<[OpStats; Op::BROUGHT.len()]>>,
    /// Service times of I/Os that count and have no times, because they were due before the counted time, by operation; `None` before the
    /// first. Where a target is far behind, all of its I/Os are such. A record does not keep them.
    #[serde(default)]
    pub untimed: Option<Box<[Histogram; OP_COUNT]>>,
    /// Operations on a tree that found nothing to do: no such file, or none that nobody else worked on.
    #[serde(default)]
    pub blocked: u64,
    /// Operations on a tree by which its workers found that nothing will ever be left to do: each of them ended with it.
    #[serde(default)]
    pub ended_in_vain: u64,
    /// Accesses by address: [`HEAT_COLUMNS`] equal parts of the stream's target.
    pub heat: Vec<u32>,
    /// I/Os that found no free slot at their intended start (open loop).
    pub late_for_slot: u64,
    /// I/Os that the generator itself issued late, through no want of slots (open loop): it was kept from its CPU.
    pub late_by_host: u64,
    /// I/Os whose intended start fell into the interval (open loop), done or not.
    pub due: u64,
    /// The same and the backlog each 100 ms from the interval's start; empty in a closed loop.
    pub demand: Vec<Demand>,
    /// Length of its work in the interval, ns: from its beginning, or the end of its ramp, until it had nothing left to do and all was
    /// back. A stalled target makes it no shorter. A record does not keep it.
    #[serde(default)]
    pub busy_ns: u64,
}

impl Default for StreamStats {
    fn default() -> Self {
        StreamStats {
            ops: Default::default(),
            syncs: None,
            names: None,
            brought: None,
            untimed: None,
            blocked: 0,
            ended_in_vain: 0,
            heat: vec![0; HEAT_COLUMNS],
            late_for_slot: 0,
            late_by_host: 0,
            due: 0,
            demand: Vec::new(),
            busy_ns: 0,
        }
    }
}

/// I/Os that an open-loop stream asked for in one sample of 100 ms, and those of them that went out late.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Demand {
    /// I/Os whose intended start fell into it.
    pub due: u64,
    /// I/Os of the stream that came back in it while the stream worked, well or not, due whenever.
    pub done: u64,
    /// I/Os issued in it that had found no free slot at their intended start.
    pub late_for_slot: u64,
    /// I/Os issued in it that were late by the generator's own doing.
    pub late_by_host: u64,
    /// Due and not issued at its end.
    pub backlog_end: u64,
}

impl Demand {
    /// Adds another worker's part of the same 100 ms.
    pub fn merge(&mut self, other: &Demand) {
        add(&mut self.due, other.due);
        add(&mut self.done, other.done);
        add(&mut self.late_for_slot, other.late_for_slot);
        add(&mut self.late_by_host, other.late_by_host);
        add(&mut self.backlog_end, other.backlog_end);
    }
}

/// Counters sampled inside an interval, every 100 ms, for batch means.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Sample {
    /// Completed I/Os.
    pub ios: u64,
    /// Bytes they moved.
    pub bytes: u64,
    /// Completed I/Os whose times are in the sums; an I/O due before the counted time counts in its rate only.
    pub timed: u64,
    /// Sum of their response times, ns.
    pub response_sum_ns: u64,
    /// Sum of their service times, ns.
    pub service_sum_ns: u64,
}

impl Sample {
    /// Adds another worker's sample of the same 100 ms.
    pub fn merge(&mut self, other: &Sample) {
        add(&mut self.ios, other.ios);
        add(&mut self.bytes, other.bytes);
        add(&mut self.timed, other.timed);
        self.response_sum_ns = self.response_sum_ns.wrapping_add(other.response_sum_ns);
        self.service_sum_ns = self.service_sum_ns.wrapping_add(other.service_sum_ns);
    }
}

/// Counts of one interval, by one worker or merged.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct IntervalStats {
    /// By stream, in the step's order.
    pub streams: Vec<StreamStats>,
    /// Integral of I/Os in flight (submitted, not completed) over the interval, I/O x ns.
    pub depth_integral_ns: u64,
    /// Most I/Os in flight at once (of merged workers: the sum of their maxima).
    pub depth_max: u64,
    /// Integral of the backlog (due, not submitted) over the interval, I/O x ns.
    pub backlog_integral_ns: u64,
    /// Backlog at the interval's end, I/Os.
    pub backlog_end: u64,
    /// The generator's own lateness: actual issue - max(intended start, slot free), ns; open loop.
    pub lateness: Histogram,
    /// CPU time of the worker threads, ns.
    pub worker_cpu_ns: u64,
    /// Samples each 100 ms from the interval's start.
    pub samples: Vec<Sample>,
}

impl IntervalStats {
    /// Empty counters for `streams` streams.
    pub fn new(streams: usize) -> Self {
        IntervalStats {
            streams: (0..streams).map(|_| StreamStats::default()).collect(),
            ..Default::default()
        }
    }

    /// The counters of a part of a step among those of the whole: stream n of the part is stream `places[n]` of `streams`. The rest
    /// counted nothing.
    #[must_use]
    pub fn among(mut self, places: &[usize], streams: usize) -> IntervalStats {
        let own = std::mem::replace(
            &mut self.streams,
            (0..streams).map(|_| StreamStats::default()).collect(),
        );
        for (stream, place) in own.into_iter().zip(places) {
            if let Some(of_all) = self.streams.get_mut(*place) {
                *of_all = stream;
            }
        }
        self
    }

    /// Adds another worker's counters of the same interval.
    pub fn merge(&mut self, other: &IntervalStats) {
        if self.streams.len() < other.streams.len() {
            self.streams
                .resize_with(other.streams.len(), StreamStats::default);
        }
        for (mine, theirs) in self.streams.iter_mut().zip(&other.streams) {
            mine.merge(theirs);
        }
        add(&mut self.depth_integral_ns, other.depth_integral_ns);
        add(&mut self.depth_max, other.depth_max);
        add(&mut self.backlog_integral_ns, other.backlog_integral_ns);
        add(&mut self.backlog_end, other.backlog_end);
        self.lateness.merge(&other.lateness);
        add(&mut self.worker_cpu_ns, other.worker_cpu_ns);
        if self.samples.len() < other.samples.len() {
            self.samples.resize(other.samples.len(), Sample::default());
        }
        for (mine, theirs) in self.samples.iter_mut().zip(&other.samples) {
            mine.merge(theirs);
        }
    }

    /// Back to empty, keeping the memory.
    pub fn clear(&mut self) {
        for stream in &mut self.streams {
            stream.ops.iter_mut().for_each(OpStats::clear);
            stream.syncs.iter_mut().for_each(|syncs| syncs.clear());
            let names = stream.names.iter_mut().flat_map(|names| names.iter_mut());
            names.for_each(OpStats::clear);
            let brought = stream.brought.iter_mut().flat_map(|b| b.iter_mut());
            brought.for_each(OpStats::clear);
            let untimed = stream.untimed.iter_mut().flat_map(|u| u.iter_mut());
            untimed.for_each(Histogram::clear);
            stream.blocked = 0;
            stream.ended_in_vain = 0;
            stream.heat.fill(0);
            stream.late_for_slot = 0;
            stream.late_by_host = 0;
            stream.due = 0;
            stream.demand.clear();
            stream.busy_ns = 0;
        }
        self.depth_integral_ns = 0;
        self.depth_max = 0;
        self.backlog_integral_ns = 0;
        self.backlog_end = 0;
        self.lateness.clear();
        self.worker_cpu_ns = 0;
        self.samples.clear();
    }

    /// I/Os completed well, all streams and operations.
    pub fn ios(&self) -> u64 {
        total(self.ops().map(|o| o.ios))
    }

    /// Bytes moved, all streams and operations: what trims and syncs are about goes nowhere.
    pub fn bytes(&self) -> u64 {
        let by_op = self.streams.iter().flat_map(StreamStats::ios_by_op);
        total(
            by_op
                .filter(|(op, _)| *op != Op::Trim)
                .map(|(_, o)| o.bytes),
        )
    }

    /// Failed I/Os, all streams and operations; no fsyncs.
    pub fn failed_ios(&self) -> u64 {
        total(self.ops().map(|o| o.errors))
    }

    /// fsyncs and flushes that failed.
    pub fn failed_syncs(&self) -> u64 {
        let syncs = self.streams.iter().filter_map(|s| s.syncs.as_ref());
        total(syncs.map(|s| s.errors))
    }

    /// Errors: I/Os and fsyncs that failed.
    pub fn errors(&self) -> u64 {
        self.failed_ios().saturating_add(self.failed_syncs())
    }

    /// All counters by stream and operation.
    pub fn ops(&self) -> impl Iterator<Item = &OpStats> {
        self.streams
            .iter()
            .flat_map(StreamStats::ios_by_op)
            .map(|(_, stats)| stats)
    }

    /// Operations on trees that found nothing to do.
    pub fn blocked(&self) -> u64 {
        total(self.streams.iter().map(|s| s.blocked))
    }
}

impl StreamStats {
    /// Counters of each operation, and of syncs where there were any.
    pub fn by_op(&self) -> impl Iterator<Item = (Op, &OpStats)> {
        let syncs = self.syncs.as_deref().map(|syncs| (Op::Sync, syncs));
        self.ios_by_op().chain(syncs)
    }

    /// Counters of each operation that counts as an I/O: those on blocks, and those on names where there were any.
    pub fn ios_by_op(&self) -> impl Iterator<Item = (Op, &OpStats)> {
        let names = self.names.as_deref().into_iter().flatten();
        let on_blocks = Op::ALL.into_iter().zip(&self.ops);
        on_blocks.chain(Op::ON_NAMES.into_iter().zip(names))
    }

    /// I/Os that are behind it: they came back, well or not, or found nothing to do, which no faster target would have changed.
    pub fn done(&self) -> u64 {
        let came_back = self.ios_by_op().map(|(_, op)| op.ios + op.errors);
        came_back.fold(self.blocked, u64::saturating_add)
    }

    /// Counters of one operation that counts as an I/O.
    #[inline(always)]
    pub fn of(&mut self, op: Op) -> &mut OpStats {
        match op.place_on_names() {
            None => &mut self.ops[op as usize],
            Some(place) => &mut self.names_or_none_yet()[place],
        }
    }

    /// Counters of an operation that another brought with it; `None` for what none brings.
    pub fn brought(&mut self, op: Op) -> Option<&mut OpStats> {
        let place = Op::BROUGHT.iter().position(|one| *one == op)?;
        self.brought_or_none_yet().get_mut(place)
    }

    fn brought_or_none_yet(&mut self) -> &mut [OpStats; Op::BROUGHT.len()] {
        let nothing = || Box::new(std::array::from_fn(|_| OpStats::nothing()));
        self.brought.get_or_insert_with(nothing)
    }

    fn names_or_none_yet(&mut self) -> &mut [OpStats; NAME_OP_COUNT] {
        let nothing = || Box::new(std::array::from_fn(|_| OpStats::nothing()));
        self.names.get_or_insert_with(nothing)
    }

    /// Adds the service time of an I/O on blocks that was due before the counted time.
    pub fn add_untimed(&mut self, op: Op, service_ns: u64) {
        if let Some(times) = self.untimed_or_none_yet().get_mut(op as usize) {
            times.record(service_ns);
        }
    }

    fn untimed_or_none_yet(&mut self) -> &mut [Histogram; OP_COUNT] {
        let nothing = || Box::new(std::array::from_fn(|_| Histogram::empty()));
        self.untimed.get_or_insert_with(nothing)
    }

    /// Adds another worker's counters of the same stream.
    pub fn merge(&mut self, other: &StreamStats) {
        for (mine, theirs) in self.ops.iter_mut().zip(&other.ops) {
            mine.merge(theirs);
        }
        if let Some(theirs) = &other.syncs {
            self.syncs.get_or_insert_default().merge(theirs);
        }
        if let Some(theirs) = &other.names {
            let mine = self.names_or_none_yet().iter_mut();
            mine.zip(theirs.iter())
                .for_each(|(mine, theirs)| mine.merge(theirs));
        }
        if let Some(theirs) = &other.brought {
            let mine = self.brought_or_none_yet().iter_mut();
            mine.zip(theirs.iter())
                .for_each(|(mine, theirs)| mine.merge(theirs));
        }
        if let Some(theirs) = &other.untimed {
            let mine = self.untimed_or_none_yet().iter_mut();
            mine.zip(theirs.iter())
                .for_each(|(mine, theirs)| mine.merge(theirs));
        }
        add(&mut self.blocked, other.blocked);
        add(&mut self.ended_in_vain, other.ended_in_vain);
        for (mine, theirs) in self.heat.iter_mut().zip(&other.heat) {
            *mine = mine.saturating_add(*theirs);
        }
        add(&mut self.late_for_slot, other.late_for_slot);
        add(&mut self.late_by_host, other.late_by_host);
        add(&mut self.due, other.due);
        if self.demand.len() < other.demand.len() {
            self.demand.resize(other.demand.len(), Demand::default());
        }
        for (mine, theirs) in self.demand.iter_mut().zip(&other.demand) {
            mine.merge(theirs);
        }
        self.busy_ns = self.busy_ns.max(other.busy_ns);
    }
}

impl OpStats {
    /// No counts, in histograms that take no memory yet.
    pub fn nothing() -> OpStats {
        OpStats {
            ios: 0,
            bytes: 0,
            errors: 0,
            response: Histogram::empty(),
            service: Histogram::empty(),
        }
    }

    /// Back to empty, keeping the memory.
    pub fn clear(&mut self) {
        self.ios = 0;
        self.bytes = 0;
        self.errors = 0;
        self.response.clear();
        self.service.clear();
    }

    /// Adds other counters of the same operation.
    pub fn merge(&mut self, other: &OpStats) {
        add(&mut self.ios, other.ios);
        add(&mut self.bytes, other.bytes);
        add(&mut self.errors, other.errors);
        self.response.merge(&other.response);
        self.service.merge(&other.service);
    }
}

/// Adds to a counter, which stays at the largest number: a damaged record may say anything.
fn add(counter: &mut u64, more: u64) {
    *counter = counter.saturating_add(more);
}

/// The sum of counters, the largest number at most.
pub fn total(counters: impl IntoIterator<Item = u64>) -> u64 {
    counters.into_iter().fold(0, u64::saturating_add)
}
