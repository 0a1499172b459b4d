//! Each stream by itself: its sums, its rate and times, and whether its own schedule was carried.

use crate::folded::{Folded, Join};
use crate::growth::{Flow, growth};
use crate::op_tally::OpTally;
use crate::own_flows::OwnFlows;
use crate::saturation::saturation;
use crate::series::{estimate, or_mean};
use crate::slots::SlotWatch;
use plimsoll_evidence::{Interval, OpSummary, Saturation, StreamSummary};
use plimsoll_measure::{Histogram, StreamStats};
use plimsoll_plan::{Step, Stream, Window};

/// One stream's counted time.
#[derive(Debug)]
pub struct StreamJudge {
    summary: StreamSummary,
    window: Window,
    ops: OpTally,
    cells: Folded<Cell>,
    drained: Cell,
    /// Flows of its schedule, what came due and what was done; empty without a schedule.
    flows: OwnFlows,
    slots: SlotWatch,
}

/// Counts of a stream in one interval, or in several neighbours.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    length_ns: u64,
    /// Part of the length in which the stream worked, ns.
    own_ns: u64,
    ios: u64,
    timed: u64,
    response_ns: f64,
    service_ns: f64,
}

impl Cell {
    fn of(stats: &StreamStats, length_ns: u64, own_ns: u64) -> Self {
        let mut cell = Cell {
            length_ns,
            own_ns,
            ..Cell::default()
        };
        for (_, op) in stats.ios_by_op() {
            cell.ios += op.ios;
            cell.timed += op.response.count();
            cell.response_ns += op.response.exact_sum_ns() as f64;
            cell.service_ns += op.service.exact_sum_ns() as f64;
        }
        cell
    }
}

impl Join for Cell {
    fn join(&mut self, other: &Cell) {
        self.length_ns += other.length_ns;
        self.own_ns += other.own_ns;
        self.ios += other.ios;
        self.timed += other.timed;
        self.response_ns += other.response_ns;
        self.service_ns += other.service_ns;
    }
}

impl StreamJudge {
    /// Of a step's stream; `offered` is what its schedule asks for, I/Os per second.
    pub fn new(stream: &Stream, offered: Option<f64>) -> Self {
        StreamJudge {
            summary: StreamSummary {
                workload: stream.workload.clone(),
                target: stream.target.0,
                offered,
                ..StreamSummary::default()
            },
            window: stream.window.counted(),
            ops: OpTally::new(),
            cells: Folded::default(),
            drained: Cell::default(),
            flows: OwnFlows::of(stream.window.counted()),
            slots: SlotWatch::of(stream.window.counted()),
        }
    }

    /// Time in which the stream works and is counted.
    pub fn window(&self) -> Window {
        self.window
    }

    /// True where the stream has a schedule.
    pub fn is_scheduled(&self) -> bool {
        self.summary.offered.is_some()
    }

    /// Result of the stream's slots.
    pub fn slots(&self) -> &SlotWatch {
        &self.slots
    }

    /// Adds the next counted interval, in which it is the `index`-th stream.
    pub fn add(&mut self, interval: &Interval, index: usize) {
        let Some(stats) = interval.stats.streams.get(index) else {
            return;
        };
        self.ops.add(stats);
        if self.is_scheduled() {
            self.slots.add(interval, index);
            self.flows.add(interval, stats);
        }
        let end_ns = interval.start_ns.saturating_add(interval.length_ns);
        let own_ns = self.window.overlap_ns(interval.start_ns, end_ns);
        self.cells.push(Cell::of(stats, interval.length_ns, own_ns));
    }

    /// Adds what came back after the counted time: it has times, and no part in the rate.
    pub fn add_drained(&mut self, interval: &Interval, index: usize) {
        let Some(stats) = interval.stats.streams.get(index) else {
            return;
        };
        self.ops.add_drained(stats);
        if self.is_scheduled() {
            self.slots.add_drained(interval, index);
        }
        self.drained.join(&Cell::of(stats, 0, 0));
    }

    /// The parts of the time in which it worked. What came back later is in the last of them.
    fn own(&self) -> Vec<Cell> {
        let mut own: Vec<Cell> = Vec::new();
        for cell in self.cells.parts() {
            match own.last_mut() {
                Some(last) if cell.own_ns == 0 => last.join(cell),
                None if cell.own_ns == 0 => {}
                _ => own.push(*cell),
            }
        }
        own
    }

    /// Flows in all of the counted time, what came due and what was done, by sample.
    pub fn flows(&self, start_ns: u64, spoiled: &impl Fn(f64, f64) -> bool) -> Vec<Flow> {
        self.flows.all(start_ns, spoiled)
    }

    /// I/Os that came due, and that came back, in the counted time.
    pub fn totals(&self) -> (u64, u64) {
        self.flows.totals()
    }

    /// Saturation of this stream alone, by the samples in which it works; `None` without a schedule.
    pub fn saturation(
        &self,
        start_ns: u64,
        spoiled: &impl Fn(f64, f64) -> bool,
        service_s: Option<f64>,
    ) -> Option<Saturation> {
        self.is_scheduled().then(|| {
            let flows = self.flows.own(start_ns, spoiled);
            saturation(&growth(&flows, service_s), &self.slots)
        })
    }

    /// Summary of the stream.
    pub fn finish(self, saturation: Option<Saturation>) -> StreamSummary {
        let own = self.own();
        let own_s: f64 = own.iter().map(|c| c.own_ns as f64 / 1e9).sum();
        let column = |of: fn(&Cell) -> f64| own.iter().map(of).collect::<Vec<f64>>();
        // Without a drain, a last part of nothing would be one more batch.
        let drained = (self.drained.timed > 0).then_some(&self.drained);
        let with_drained =
            |of: fn(&Cell) -> f64| -> Vec<f64> { own.iter().chain(drained).map(of).collect() };
        let timed = with_drained(|c| c.timed as f64);
        let mean = |of| estimate(&with_drained(of), &timed);
        let (ops, syncs) = self.ops.finish();
        let mut service = Histogram::empty();
        ops.iter().for_each(|op| service.merge(&op.service));
        StreamSummary {
            ios: ops.iter().map(|o| o.ios).sum(),
            bytes: OpSummary::moved(&ops),
            errors: ops.iter().map(|o| o.errors).sum(),
            rate: estimate(
                &column(|c| c.ios as f64),
                &column(|c| c.own_ns as f64 / 1e9),
            ),
            counted_s: (!self.window.is_whole()).then_some(own_s),
            response_mean_ns: mean(|c| c.response_ns),
            service_mean_ns: or_mean(mean(|c| c.service_ns), &service),
            ops,
            syncs,
            saturation,
            ..self.summary
        }
    }
}

/// Rate that a step's stream is asked for by its schedule while it works, I/Os per second; `None` where it has none: in a closed loop,
/// unless it has a rate of its own, and of a percentage that was never resolved.
pub fn offered_to(step: &Step, index: usize) -> Option<f64> {
    use plimsoll_plan::Load;
    let stream = &step.streams[index];
    if let Some(rate) = stream.fixed_rate {
        return Some(rate.0);
    }
    let shares = step.shares();
    let part = match shares > 0.0 {
        true => stream.share / shares,
        false => 0.0,
    };
    let rate = match &step.load {
        Load::Max | Load::MaxShared | Load::PercentOfLast { .. } => return None,
        Load::Rate { rate, .. } => rate.0,
        Load::Schedule { segments, .. } => {
            let length: f64 = segments.iter().map(|s| s.length.as_secs_f64()).sum();
            let ios = segments.iter().map(|s| s.rate.0 * s.length.as_secs_f64());
            ios.sum::<f64>() / length.max(f64::MIN_POSITIVE)
        }
    };
    Some(rate * part)
}
