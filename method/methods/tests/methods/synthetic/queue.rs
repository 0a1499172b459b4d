//! A queue, I/O by I/O: arrivals, slots, servers that may freeze, and a host that may stop. What the judge is told of it is
//! counted here, and so is the truth, from the I/Os themselves.

use super::SECOND_NS;
use plimsoll_draw::Draw;
use plimsoll_evidence::{Interval, Phase};
use plimsoll_measure::{Demand, IntervalStats, Sample};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub const SAMPLE_NS: u64 = SECOND_NS / 10;

#[derive(Clone, Copy, PartialEq)]
pub enum Law {
    Random,
    Even,
}

#[derive(Clone)]
pub struct Sim {
    pub seed: u64,
    /// Offered, I/Os per second, and how they come.
    pub rate: f64,
    pub arrival: Law,
    /// The target: so many servers, each so long busy with an I/O, s.
    pub servers: usize,
    pub service_s: f64,
    pub service: Law,
    pub slots: usize,
    pub warmup_s: u64,
    pub seconds: u64,
    pub interval_s: u64,
    /// From the counted time's start, s: (from, to). The target does nothing…
    pub freezes: Vec<(f64, f64)>,
    /// …or the generator.
    pub absences: Vec<(f64, f64)>,
}

impl Sim {
    /// A queue that is offered this share of what it carries.
    pub fn at(load: f64, rate: f64, servers: usize, slots: usize, seconds: u64, seed: u64) -> Self {
        Sim {
            seed,
            rate,
            arrival: Law::Random,
            servers,
            service_s: load * servers.min(slots) as f64 / rate,
            service: Law::Random,
            slots,
            warmup_s: 2,
            seconds,
            interval_s: seconds,
            freezes: Vec::new(),
            absences: Vec::new(),
        }
    }
}

/// One I/O, ns.
#[derive(Clone, Copy)]
pub struct Io {
    pub due: u64,
    pub issue: u64,
    pub done: u64,
    pub waited_for_slot: bool,
    pub late_by_host: bool,
    /// Delay of its start after it could have gone out, with a slot free.
    pub late_ns: u64,
}

/// Course of a step: what the judge sees, and what was.
pub struct Course {
    pub intervals: Vec<Interval>,
    /// Response times of all I/Os that were due in the counted time, ns.
    pub responses: Vec<u64>,
}

impl Course {
    /// Number of the I/Os that took longer.
    pub fn longer_than(&self, seconds: f64) -> u64 {
        let limit = (seconds * 1e9) as u64;
        self.responses.iter().filter(|r| **r > limit).count() as u64
    }

    pub fn mean_ns(&self) -> f64 {
        self.responses.iter().sum::<u64>() as f64 / self.responses.len() as f64
    }
}

fn by(draw: &mut Draw, law: Law, mean: f64) -> f64 {
    match law {
        Law::Even => mean,
        Law::Random => mean * draw.exponential(),
    }
}

pub fn run(sim: &Sim) -> Course {
    let from = sim.warmup_s * SECOND_NS;
    let to = from + sim.seconds * SECOND_NS;
    let shifted = |times: &[(f64, f64)]| -> Vec<(u64, u64)> {
        let ns = |s: f64| from + (s * 1e9) as u64;
        times.iter().map(|(a, b)| (ns(*a), ns(*b))).collect()
    };
    let (freezes, absences) = (shifted(&sim.freezes), shifted(&sim.absences));
    let awake = |t: u64| {
        let asleep = absences.iter().find(|(a, b)| (*a..*b).contains(&t));
        asleep.map_or(t, |(_, b)| *b)
    };
    let mut draw = Draw(sim.seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let zeros = |n: usize| (0..n).map(|_| Reverse(0u64)).collect::<BinaryHeap<_>>();
    let (mut slots, mut servers) = (zeros(sim.slots), zeros(sim.servers));
    let mut counts = Counts::new(from, to, 10 * sim.interval_s as usize);
    let mut clock = 0.0;
    loop {
        clock += by(&mut draw, sim.arrival, 1e9 / sim.rate);
        let due = clock as u64;
        if due >= to {
            break;
        }
        let Reverse(slot_free) = slots.pop().unwrap();
        let ready = awake(due);
        let issue = ready.max(slot_free);
        let Reverse(server_free) = servers.pop().unwrap();
        let work = by(&mut draw, sim.service, sim.service_s * 1e9) as u64;
        let served = serve(issue.max(server_free), work, &freezes);
        servers.push(Reverse(served));
        let done = awake(served);
        slots.push(Reverse(done));
        counts.add(Io {
            due,
            issue,
            done,
            waited_for_slot: slot_free > due && ready == due,
            late_by_host: ready > due,
            late_ns: issue - due.max(slot_free),
        });
    }
    counts.finish()
}

/// End of work that begins at `start`, where the target does nothing in the freezes.
fn serve(start: u64, work: u64, freezes: &[(u64, u64)]) -> u64 {
    let mut done = start + work;
    for (a, b) in freezes {
        if start < *b && done > *a {
            done += b - (*a).max(start);
        }
    }
    done
}

/// Counters as an engine has them.
pub struct Counts {
    from: u64,
    to: u64,
    per_interval: usize,
    samples: Vec<Sample>,
    demand: Vec<Demand>,
    /// Due less issued, by the sample in which each happened.
    waiting: Vec<i64>,
    drained: IntervalStats,
    intervals: Vec<IntervalStats>,
    responses: Vec<u64>,
}

impl Counts {
    /// Of the time from here to there, in intervals of so many samples.
    pub fn new(from: u64, to: u64, per_interval: usize) -> Self {
        let samples = ((to - from) / SAMPLE_NS) as usize;
        let intervals = samples / per_interval;
        Counts {
            from,
            to,
            per_interval,
            samples: vec![Sample::default(); samples],
            demand: vec![Demand::default(); samples],
            waiting: vec![0; samples],
            drained: IntervalStats::new(1),
            intervals: (0..intervals).map(|_| IntervalStats::new(1)).collect(),
            responses: Vec::new(),
        }
    }

    pub fn add(&mut self, io: Io) {
        let (from, to) = (self.from, self.to);
        let sample = |t: u64| ((t - from) / SAMPLE_NS) as usize;
        let inside = |t: u64| (from..to).contains(&t);
        let before = |t: u64| if t < from { 0 } else { sample(t) };
        let is_timed = io.due >= from;
        let (response, service) = (io.done - io.due, io.done - io.issue);
        if is_timed {
            self.responses.push(response);
            self.demand[sample(io.due)].due += 1;
        }
        if io.due < to {
            self.waiting[before(io.due)] += 1;
        }
        if io.issue < to {
            self.waiting[before(io.issue)] -= 1;
        }
        if inside(io.issue) {
            let demand = &mut self.demand[sample(io.issue)];
            demand.late_for_slot += u64::from(io.waited_for_slot);
            demand.late_by_host += u64::from(io.late_by_host);
            let interval = sample(io.issue) / self.per_interval;
            self.intervals[interval].lateness.record(io.late_ns);
        } else if io.issue >= to && is_timed {
            self.drained.streams[0].late_for_slot += u64::from(io.waited_for_slot);
        }
        if inside(io.done) {
            let sums = &mut self.samples[sample(io.done)];
            sums.ios += 1;
            sums.bytes += 4096;
            self.demand[sample(io.done)].done += 1;
            let interval = sample(io.done) / self.per_interval;
            let reads = &mut self.intervals[interval].streams[0].ops[0];
            reads.ios += 1;
            reads.bytes += 4096;
            if is_timed {
                sums.timed += 1;
                sums.response_sum_ns += response;
                sums.service_sum_ns += service;
                reads.response.record(response);
                reads.service.record(service);
            }
        } else if io.done >= to && is_timed {
            let reads = &mut self.drained.streams[0].ops[0];
            reads.ios += 1;
            reads.bytes += 4096;
            reads.response.record(response);
            reads.service.record(service);
        }
    }

    pub fn finish(mut self) -> Course {
        let mut backlog = 0;
        for (demand, change) in self.demand.iter_mut().zip(&self.waiting) {
            backlog += change;
            demand.backlog_end = u64::try_from(backlog).expect("issued before it was due");
        }
        let per_interval = self.per_interval;
        let mut intervals: Vec<Interval> = Vec::new();
        for (n, mut stats) in self.intervals.into_iter().enumerate() {
            let part = n * per_interval..(n + 1) * per_interval;
            stats.samples = self.samples[part.clone()].to_vec();
            let stream = &mut stats.streams[0];
            stream.demand = self.demand[part].to_vec();
            stream.due = stream.demand.iter().map(|d| d.due).sum();
            stream.late_for_slot = stream.demand.iter().map(|d| d.late_for_slot).sum();
            stream.late_by_host = stream.demand.iter().map(|d| d.late_by_host).sum();
            stats.backlog_end = stream.demand.last().map_or(0, |d| d.backlog_end);
            let length_ns = per_interval as u64 * SAMPLE_NS;
            let start_ns = self.from + n as u64 * length_ns;
            intervals.push(interval(n, start_ns, length_ns, Phase::Counted, stats));
        }
        intervals.push(interval(
            intervals.len(),
            self.to,
            SECOND_NS,
            Phase::Drain,
            self.drained,
        ));
        Course {
            intervals,
            responses: self.responses,
        }
    }
}

fn interval(
    n: usize,
    start_ns: u64,
    length_ns: u64,
    phase: Phase,
    stats: IntervalStats,
) -> Interval {
    Interval::new(
        1,
        n as u32 + 1,
        start_ns..start_ns + length_ns,
        phase,
        stats,
    )
}
