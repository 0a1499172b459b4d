//! What came due of one stream and what of it was done, sample by sample.

use crate::folded::{Folded, Join};
use crate::growth::Flow;
use crate::pieces::{SAMPLE_NS, demands};
use crate::series::is_spoiled;
use plimsoll_evidence::Interval;
use plimsoll_measure::{Demand, StreamStats};
use plimsoll_plan::Window;

/// One stream's counted time, in samples of 100 ms; of a long step in longer parts. Where what was done is not told by sample,
/// as in imported runs, in intervals: what came back in an interval shows nothing of its samples.
#[derive(Debug, Clone, Default)]
pub struct OwnFlows {
    /// Time in which the stream works.
    window: Window,
    parts: Folded<Part>,
    /// I/Os that came due, and that came back, of the whole counted time.
    totals: (u64, u64),
}

#[derive(Debug, Clone, Copy, Default)]
struct Part {
    length_ns: u64,
    /// Part of the length in which the stream worked, ns.
    own_ns: u64,
    due: u64,
    done: u64,
    late_by_host: u64,
}

impl Join for Part {
    fn join(&mut self, next: &Part) {
        self.length_ns += next.length_ns;
        self.own_ns += next.own_ns;
        self.due += next.due;
        self.done += next.done;
        self.late_by_host += next.late_by_host;
    }
}

impl OwnFlows {
    /// Of a stream that works in this window.
    pub fn of(window: Window) -> Self {
        OwnFlows {
            window,
            ..OwnFlows::default()
        }
    }

    /// Adds the next counted interval.
    pub fn add(&mut self, interval: &Interval, stats: &StreamStats) {
        let end_ns = interval.start_ns.saturating_add(interval.length_ns);
        self.totals.0 += stats.due;
        self.totals.1 += stats.done();
        if stats.demand.is_empty() {
            let whole = Demand {
                due: stats.due,
                done: stats.done(),
                late_by_host: stats.late_by_host,
                ..Demand::default()
            };
            self.push(interval.start_ns, end_ns, &whole);
            return;
        }
        let demands = demands(interval, stats);
        let (mut from_ns, last) = (interval.start_ns, demands.len() - 1);
        for (n, demand) in demands.iter().enumerate() {
            let to_ns = match n == last {
                true => end_ns,
                false => from_ns.saturating_add(SAMPLE_NS),
            };
            self.push(from_ns, to_ns, demand);
            from_ns = to_ns;
        }
    }

    fn push(&mut self, from_ns: u64, to_ns: u64, demand: &Demand) {
        self.parts.push(Part {
            length_ns: to_ns - from_ns,
            own_ns: self.window.overlap_ns(from_ns, to_ns),
            due: demand.due,
            done: demand.done,
            late_by_host: demand.late_by_host,
        });
    }

    /// All of the counted time; see [`crate::series::Series::flows`].
    pub fn all(&self, start_ns: u64, spoiled: &impl Fn(f64, f64) -> bool) -> Vec<Flow> {
        let flows = self.flows(start_ns, spoiled);
        flows.map(|(_, flow)| flow).collect()
    }

    /// The parts in which the stream worked: silence by plan is no part of its course, and what comes back in it was not
    /// done in its time.
    pub fn own(&self, start_ns: u64, spoiled: &impl Fn(f64, f64) -> bool) -> Vec<Flow> {
        let worked = self.flows(start_ns, spoiled).filter(|(p, _)| p.own_ns > 0);
        let flows = worked.map(|(part, flow)| Flow {
            seconds: part.own_ns as f64 / 1e9,
            ..flow
        });
        flows.collect()
    }

    fn flows(
        &self,
        start_ns: u64,
        spoiled: &impl Fn(f64, f64) -> bool,
    ) -> impl Iterator<Item = (&Part, Flow)> {
        let mut at = start_ns as f64 / 1e9;
        self.parts.parts().iter().map(move |part| {
            let from = at;
            at += part.length_ns as f64 / 1e9;
            let absent = spoiled(from, at);
            let flow = Flow {
                seconds: at - from,
                due: part.due as f64,
                done: part.done as f64,
                late: part.late_by_host as f64,
                spoiled: is_spoiled(part.late_by_host, part.due) || absent,
                absent,
            };
            (part, flow)
        })
    }

    /// I/Os that came due, and that came back, in all of the counted time.
    pub fn totals(&self) -> (u64, u64) {
        self.totals
    }
}
