//! Samples and intervals, and the end.

use super::{HOST_LATE_NS, Mode, NEVER, Report, ThreadTime, Timeline, Worker};
use crate::backend::Backend;
use crate::backlog::PER_SAMPLE;
use crate::clock::Clock;
use plimsoll_measure::{Demand, IntervalStats};
use std::sync::atomic::Ordering;

/// The running sample and the running interval.
pub(super) struct Sampling {
    /// End of the sample, ns.
    pub next_sample_ns: u64,
    /// The next sample's end, or the next edge of a stream's window where that is before it.
    pub next_look_ns: u64,
    pub sample_start_ns: u64,
    /// The interval's number, from 1.
    pub interval: u32,
    pub interval_start_ns: u64,
    pub interval_end_ns: u64,
    /// The thread's time when the interval began.
    pub thread_time: ThreadTime,
}

impl Sampling {
    /// The first of a step.
    pub fn of(timeline: &Timeline) -> Self {
        let start_ns = timeline.start_ns;
        let interval_end_ns = timeline.interval_end_ns(start_ns);
        Sampling {
            next_sample_ns: (start_ns + timeline.sample_ns).min(interval_end_ns),
            next_look_ns: 0,
            sample_start_ns: start_ns,
            interval: 1,
            interval_start_ns: start_ns,
            interval_end_ns,
            thread_time: ThreadTime::default(),
        }
    }
}

impl<B: Backend, C: Clock> Worker<B, C> {
    /// Ends every sample whose time is over, and with it intervals and the step.
    #[cold]
    pub(super) fn end_samples(&mut self) {
        let late_ns = self.now_ns.saturating_sub(self.sampling.next_sample_ns);
        if late_ns > HOST_LATE_NS && !B::SERIAL {
            // It was to look at the sample's end at the latest. What came back meanwhile may have been there for long.
            for pool in &mut self.pools {
                pool.was_not_seen(self.sampling.next_sample_ns, self.now_ns);
            }
        }
        while self.now_ns >= self.sampling.next_sample_ns {
            let at = self.sampling.next_sample_ns;
            self.end_sample(at);
            if at >= self.sampling.interval_end_ns {
                self.end_interval(at, false);
                self.enter_interval(at);
                if at >= self.ending.counted_until_ns {
                    self.follow_from(at);
                    // Only the drain is left; no more samples.
                    self.sampling.next_sample_ns = NEVER;
                    self.look_later();
                    return;
                }
            }
            self.sampling.next_sample_ns =
                (at + self.orders.timeline.sample_ns).min(self.sampling.interval_end_ns);
        }
        self.look_later();
        self.keep_depths();
        if self.dependencies.is_some() {
            // What others' ends mean is looked at before anything else is issued.
            self.sampling.next_look_ns = self.now_ns;
        }
        let over = |flag: &std::sync::atomic::AtomicBool| flag.load(Ordering::Relaxed);
        if over(&self.line.shared.too_many_errors) || over(&self.line.shared.abandon) {
            self.drain_from_now();
        }
    }

    /// The interval before `at_ns` has ended: what begins or ends with the next one.
    fn enter_interval(&mut self, at_ns: u64) {
        if at_ns >= self.orders.timeline.warm_ns()
            && let Some(limits) = self.limits_after_warm_up.take()
        {
            self.budget = limits;
        }
        if at_ns >= self.orders.timeline.counted_from_ns() {
            self.ending.timed_from_ns = self.orders.timeline.counted_from_ns();
        }
        if !self.line.shared.goes_on(self.sampling.interval - 1) {
            self.ending.counted_until_ns = self.ending.counted_until_ns.min(at_ns);
            if at_ns < self.orders.timeline.counted_from_ns() {
                // It never came to the counted time: nothing was due in it.
                self.ending.timed_from_ns = NEVER;
            }
        }
        self.sampling.interval_end_ns = self
            .orders
            .timeline
            .interval_end_ns(at_ns)
            .min(self.ending.counted_until_ns);
    }

    fn end_sample(&mut self, at_ns: u64) {
        self.measure_demand(at_ns);
        self.tally.sample();
        self.sampling.sample_start_ns = at_ns;
    }

    /// What each stream with a schedule asked for in the sample, and what of it waits for a slot at its end; over the sample
    /// the backlog is taken to have grown evenly.
    fn measure_demand(&mut self, at_ns: u64) {
        if !matches!(self.orders.mode, Mode::Open | Mode::Mixed) {
            return;
        }
        let start = self.orders.timeline.start_ns;
        let until = at_ns.min(self.ending.end_ns).saturating_sub(start);
        let mut backlog = 0u64;
        self.look_behind(at_ns);
        for (stream, stats) in self.streams.iter_mut().zip(&mut self.tally.stats.streams) {
            // A call that blocks is the target's doing, whether slots are free or not.
            let demand = stream.demand(
                start,
                until,
                B::SERIAL,
                &mut self.due_queue.countable,
                stats,
            );
            if let Some(mut demand) = demand {
                if self.sampling.sample_start_ns < stream.counts_from_ns {
                    // Of a sample before it counts, nobody asks what was due and done.
                    demand = Demand {
                        backlog_end: demand.backlog_end,
                        ..Demand::default()
                    };
                }
                backlog = backlog.saturating_add(demand.backlog_end);
                stats.due = stats.due.saturating_add(demand.due);
                stats.demand.push(demand);
            }
        }
        self.due_queue.countable = PER_SAMPLE;
        let stats = &mut self.tally.stats;
        let mean = u128::from(stats.backlog_end) + u128::from(backlog);
        let area = mean * u128::from(at_ns - self.sampling.sample_start_ns) / 2;
        stats.backlog_integral_ns = stats.backlog_integral_ns.saturating_add(area as u64);
        stats.backlog_end = backlog;
    }

    fn end_interval(&mut self, at_ns: u64, drain: bool) {
        self.tools.clock.anchor();
        let time = (self.tools.thread_time)();
        let before = std::mem::replace(&mut self.sampling.thread_time, time);
        self.tally.stats.worker_cpu_ns = time.ran_ns - before.ran_ns;
        let waited_ns = time.waited_ns.zip(before.waited_ns);
        let fresh = self
            .line
            .fresh
            .try_recv()
            .unwrap_or_else(|_| Box::new(IntervalStats::new(self.streams.len())));
        let from_ns = self.sampling.interval_start_ns;
        for index in 0..self.streams.len() {
            let waits = self.streams[index].exhausted && self.has_in_flight(index);
            let busy_ns = self.streams[index].busy_ns(from_ns, at_ns, waits);
            self.tally.stats.streams[index].busy_ns = busy_ns;
        }
        let backlog = self.tally.stats.backlog_end;
        let stats = self.tally.hand_over(at_ns, fresh);
        self.tally.stats.backlog_end = backlog;
        let report = Report::Interval {
            worker: self.orders.number,
            number: self.sampling.interval,
            length_ns: at_ns - self.sampling.interval_start_ns,
            drain,
            waited_ns: waited_ns.map(|(now, before)| now.saturating_sub(before)),
            stats,
            failures: std::mem::take(&mut self.failures),
        };
        for stream in &mut self.streams {
            stream.enter_interval();
        }
        // A receiver that's gone means that the run was given up: nothing more to tell anyone.
        let _ = self.line.reports.send(report);
        self.sampling.interval += 1;
        self.sampling.interval_start_ns = at_ns;
    }

    /// Ends the running interval where the step ended inside it, before its time; past the counted time, the drain.
    pub(super) fn end_early(&mut self) {
        let is_drain = self.sampling.interval_start_ns >= self.ending.counted_until_ns;
        let now = match is_drain {
            true => self.now_ns,
            false => self.now_ns.min(self.ending.counted_until_ns),
        };
        let counted = self.tally.counted() || !self.failures.is_empty();
        if !counted && (is_drain || now <= self.sampling.interval_start_ns) {
            return;
        }
        // An interval needs a length to have a rate.
        let at = now.max(self.sampling.interval_start_ns + 1);
        // The drain has no samples: it has no rate whose course they could show.
        let unsampled = at > self.sampling.sample_start_ns || self.tally.unsampled() > 0;
        if unsampled && !is_drain {
            self.end_sample(at.max(self.sampling.sample_start_ns));
        }
        self.end_interval(at, is_drain);
    }
}
