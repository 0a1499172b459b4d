//! Samples and intervals, and the end.

use super::{HOST_LATE_NS, Mode, NEVER, Report, Worker};
use crate::backend::Backend;
use crate::backlog::PER_SAMPLE;
use crate::clock::Clock;
use plimsoll_measure::IntervalStats;
use std::sync::atomic::Ordering;

impl<B: Backend, C: Clock> Worker<B, C> {
    /// Ends every sample whose time is over, and with it intervals and the step.
    #[cold]
    pub(super) fn end_samples(&mut self) {
        let late_ns = self.now_ns.saturating_sub(self.next_sample_ns);
        if late_ns > HOST_LATE_NS && !B::SERIAL {
            // It was to look at the sample's end at the latest. What came back meanwhile may have been there for long.
            for pool in &mut self.pools {
                pool.was_not_seen(self.next_sample_ns, self.now_ns);
            }
        }
        while self.now_ns >= self.next_sample_ns {
            let at = self.next_sample_ns;
            self.end_sample(at);
            if at >= self.interval_end_ns {
                self.end_interval(at, false);
                self.enter_interval(at);
                if at >= self.counted_until_ns {
                    self.follow_from(at);
                    // Only the drain is left; no more samples.
                    self.next_sample_ns = NEVER;
                    self.look_later();
                    return;
                }
            }
            self.next_sample_ns = (at + self.timeline.sample_ns).min(self.interval_end_ns);
        }
        self.look_later();
        let over = |flag: &std::sync::atomic::AtomicBool| flag.load(Ordering::Relaxed);
        if over(&self.shared.too_many_errors) || over(&self.shared.abandon) {
            self.drain_from_now();
        }
    }

    /// The interval before `at_ns` has ended: what begins or ends with the next one.
    fn enter_interval(&mut self, at_ns: u64) {
        if at_ns >= self.timeline.warm_ns()
            && let Some(limits) = self.limits_after_warm_up.take()
        {
            self.budget = limits;
        }
        if at_ns >= self.timeline.counted_from_ns() {
            self.timed_from_ns = self.timeline.counted_from_ns();
        }
        if !self.shared.goes_on(self.interval - 1) {
            self.counted_until_ns = self.counted_until_ns.min(at_ns);
            if at_ns < self.timeline.counted_from_ns() {
                // It never came to the counted time: nothing was due in it.
                self.timed_from_ns = NEVER;
            }
        }
        self.interval_end_ns = self
            .timeline
            .interval_end_ns(at_ns)
            .min(self.counted_until_ns);
    }

    fn end_sample(&mut self, at_ns: u64) {
        self.measure_demand(at_ns);
        self.tally.sample();
        self.sample_start_ns = at_ns;
    }

    /// What each stream with a schedule asked for in the sample, and what of it waits for a slot at its end; over the sample
    /// the backlog is taken to have grown evenly.
    fn measure_demand(&mut self, at_ns: u64) {
        if !matches!(self.mode, Mode::Open | Mode::Mixed) {
            return;
        }
        let start = self.timeline.start_ns;
        let until = at_ns.min(self.end_ns).saturating_sub(start);
        let mut backlog = 0u64;
        self.look_behind(at_ns);
        for (stream, stats) in self.streams.iter_mut().zip(&mut self.tally.stats.streams) {
            // A call that blocks is the target's doing, whether slots are free or not.
            let demand = stream.demand(start, until, B::SERIAL, &mut self.countable, stats);
            if let Some(demand) = demand {
                backlog = backlog.saturating_add(demand.backlog_end);
                stats.due = stats.due.saturating_add(demand.due);
                stats.demand.push(demand);
            }
        }
        self.countable = PER_SAMPLE;
        let stats = &mut self.tally.stats;
        let mean = u128::from(stats.backlog_end) + u128::from(backlog);
        let area = mean * u128::from(at_ns - self.sample_start_ns) / 2;
        stats.backlog_integral_ns = stats.backlog_integral_ns.saturating_add(area as u64);
        stats.backlog_end = backlog;
    }

    fn end_interval(&mut self, at_ns: u64, drain: bool) {
        self.clock.anchor();
        let cpu = (self.worker_cpu)();
        self.tally.stats.worker_cpu_ns = cpu - self.cpu_at_ns;
        self.cpu_at_ns = cpu;
        let fresh = self
            .fresh
            .try_recv()
            .unwrap_or_else(|_| Box::new(IntervalStats::new(self.streams.len())));
        let backlog = self.tally.stats.backlog_end;
        let stats = self.tally.hand_over(at_ns, fresh);
        self.tally.stats.backlog_end = backlog;
        let report = Report::Interval {
            worker: self.number,
            number: self.interval,
            length_ns: at_ns - self.interval_start_ns,
            drain,
            stats,
            failures: std::mem::take(&mut self.failures),
        };
        for stream in &mut self.streams {
            stream.late_sampled = (0, 0);
        }
        // A receiver that's gone means that the run was given up: nothing more to tell anyone.
        let _ = self.reports.send(report);
        self.interval += 1;
        self.interval_start_ns = at_ns;
    }

    /// Ends the running interval where the step ended inside it, before its time; past the counted time, the drain.
    pub(super) fn end_early(&mut self) {
        let is_drain = self.interval_start_ns >= self.counted_until_ns;
        let now = match is_drain {
            true => self.now_ns,
            false => self.now_ns.min(self.counted_until_ns),
        };
        let counted = self.tally.counted() || !self.failures.is_empty();
        if !counted && (is_drain || now <= self.interval_start_ns) {
            return;
        }
        // An interval needs a length to have a rate.
        let at = now.max(self.interval_start_ns + 1);
        // The drain has no samples: it has no rate whose course they could show.
        let unsampled = at > self.sample_start_ns || self.tally.unsampled() > 0;
        if unsampled && !is_drain {
            self.end_sample(at.max(self.sample_start_ns));
        }
        self.end_interval(at, is_drain);
    }
}
