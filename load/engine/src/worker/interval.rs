//! Samples and intervals, and the end.

use super::{Mode, NEVER, Report, Worker};
use crate::backend::Backend;
use crate::backlog::PER_SAMPLE;
use crate::clock::Clock;
use plimsoll_measure::IntervalStats;
use std::sync::atomic::Ordering;

impl<B: Backend, C: Clock> Worker<B, C> {
    /// No more is issued; what is out may come back until the deadline.
    #[cold]
    pub(super) fn drain_from_now(&mut self) {
        if !self.draining {
            self.draining = true;
            self.end_ns = self.end_ns.min(self.now_ns);
        }
    }

    /// Ends every sample whose time is over, and with it intervals and the step.
    #[cold]
    pub(super) fn end_samples(&mut self) {
        while self.now_ns >= self.next_sample_ns {
            let at = self.next_sample_ns;
            self.end_sample(at);
            if at >= self.interval_end_ns {
                self.end_interval(at);
                self.interval_end_ns = at
                    .saturating_add(self.timeline.interval_ns)
                    .min(self.counted_until_ns);
                if !self.draining && self.shared.stop.load(Ordering::Relaxed) {
                    self.stopped = true;
                    self.counted_until_ns = at;
                }
                if at >= self.counted_until_ns {
                    self.drain_from_now();
                    // Only the drain is left; no more samples.
                    self.next_sample_ns = NEVER;
                    return;
                }
            }
            self.next_sample_ns = (at + self.timeline.sample_ns).min(self.interval_end_ns);
        }
        let over = |flag: &std::sync::atomic::AtomicBool| flag.load(Ordering::Relaxed);
        if over(&self.shared.too_many_errors) || over(&self.shared.abandon) {
            self.drain_from_now();
        }
    }

    fn end_sample(&mut self, at_ns: u64) {
        self.measure_backlog(at_ns);
        self.tally.sample();
        self.sample_start_ns = at_ns;
    }

    /// Due but not issued, at the end of a sample; over the sample it's taken to have grown evenly.
    fn measure_backlog(&mut self, at_ns: u64) {
        if !matches!(self.mode, Mode::Open | Mode::Mixed) {
            return;
        }
        let until = at_ns
            .min(self.end_ns)
            .saturating_sub(self.timeline.start_ns);
        let mut backlog = 0u64;
        self.look_behind(at_ns);
        for (stream, stats) in self.streams.iter_mut().zip(&mut self.tally.stats.streams) {
            stream.backlog.advance_to(until, &mut self.countable);
            backlog = backlog.saturating_add(stream.behind());
            stats.due = stats.due.saturating_add(stream.newly_due());
        }
        self.countable = PER_SAMPLE;
        let stats = &mut self.tally.stats;
        let mean = u128::from(stats.backlog_end) + u128::from(backlog);
        let area = mean * u128::from(at_ns - self.sample_start_ns) / 2;
        stats.backlog_integral_ns = stats.backlog_integral_ns.saturating_add(area as u64);
        stats.backlog_end = backlog;
    }

    fn end_interval(&mut self, at_ns: u64) {
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
            stats,
            failures: std::mem::take(&mut self.failures),
        };
        // A receiver that's gone means that the run was given up: nothing more to tell anyone.
        let _ = self.reports.send(report);
        self.interval += 1;
        self.interval_start_ns = at_ns;
    }

    /// Ends the running interval where the step ended inside it, before its time.
    pub(super) fn end_early(&mut self) {
        if self.interval_start_ns >= self.counted_until_ns {
            return;
        }
        let now = self.now_ns.min(self.counted_until_ns);
        let counted = self.tally.stats.ios() > 0 || !self.failures.is_empty();
        if now <= self.interval_start_ns && !counted {
            return;
        }
        // An interval needs a length to have a rate.
        let at = now.max(self.interval_start_ns + 1);
        if at > self.sample_start_ns || self.tally.unsampled() > 0 {
            self.end_sample(at.max(self.sample_start_ns));
        }
        self.end_interval(at);
    }
}
