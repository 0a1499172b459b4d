//! A worker's counters of the running interval, handed over whole at its end.

use plimsoll_measure::{IntervalStats, Sample};

/// Counters between two hand-overs.
#[derive(Debug)]
pub struct Tally {
    /// The running interval.
    pub stats: Box<IntervalStats>,
    /// Sum of completion stamps minus sum of submit stamps since the interval's start, wrapping: with the I/Os still in
    /// flight counted up to now, it's the integral of the depth.
    depth_balance: u64,
    in_flight: u64,
    /// I/Os of the interval that are in its rate only.
    pub untimed: u64,
    /// I/Os of the interval that are in its times only.
    given_up: u64,
    sampled: Sampled,
}

/// What the interval had counted when its last sample ended.
#[derive(Debug, Clone, Copy, Default)]
struct Sampled {
    ios: u64,
    bytes: u64,
    timed: u64,
    response_ns: u128,
    service_ns: u128,
}

impl Tally {
    /// Empty, for so many streams.
    pub fn new(streams: usize) -> Self {
        Tally {
            stats: Box::new(IntervalStats::new(streams)),
            depth_balance: 0,
            in_flight: 0,
            untimed: 0,
            given_up: 0,
            sampled: Sampled::default(),
        }
    }

    /// I/Os in flight.
    #[inline(always)]
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// One I/O went out.
    #[inline(always)]
    pub fn submitted(&mut self, at_ns: u64) {
        self.depth_balance = self.depth_balance.wrapping_sub(at_ns);
        self.in_flight += 1;
        if self.in_flight > self.stats.depth_max {
            self.stats.depth_max = self.in_flight;
        }
    }

    /// One I/O came back.
    #[inline(always)]
    pub fn completed(&mut self, at_ns: u64) {
        self.depth_balance = self.depth_balance.wrapping_add(at_ns);
        self.in_flight -= 1;
    }

    /// One I/O that came back, and was out for so long, counts in no depth.
    #[cold]
    pub fn leave_out(&mut self, out_ns: u64) {
        self.depth_balance = self.depth_balance.wrapping_sub(out_ns);
    }

    /// I/Os that were given up have their times in the histograms.
    #[cold]
    pub fn gave_up(&mut self, ios: u64) {
        self.given_up += ios;
    }

    /// I/Os counted since the last sample.
    pub fn unsampled(&self) -> u64 {
        self.stats.ios() - self.sampled.ios
    }

    /// True where anything was counted in the interval.
    pub fn counted(&self) -> bool {
        self.stats.ios() > 0 || self.given_up > 0
    }

    /// Ends a sample: what came since the last one.
    pub fn sample(&mut self) {
        let mut total = Sampled::default();
        for op in self.stats.ops() {
            total.ios += op.ios;
            total.response_ns += op.response.exact_sum_ns();
            total.service_ns += op.service.exact_sum_ns();
        }
        total.bytes = self.stats.bytes();
        total.timed = total.ios + self.given_up - self.untimed;
        let last = std::mem::replace(&mut self.sampled, total);
        let since = |sum: u128, last: u128| u64::try_from(sum - last).unwrap_or(u64::MAX);
        self.stats.samples.push(Sample {
            ios: total.ios - last.ios,
            bytes: total.bytes - last.bytes,
            timed: total.timed - last.timed,
            response_sum_ns: since(total.response_ns, last.response_ns),
            service_sum_ns: since(total.service_ns, last.service_ns),
        });
    }

    /// Ends the interval at `now_ns` and starts the next on `fresh` counters; returns the ended one's.
    pub fn hand_over(&mut self, now_ns: u64, fresh: Box<IntervalStats>) -> Box<IntervalStats> {
        let still = self.in_flight.wrapping_mul(now_ns);
        let integral = self.depth_balance.wrapping_add(still) as i64;
        // A worker that was kept from its CPU stamps I/Os after the interval's end, which it has not seen yet: they were
        // out for less than no time in it, and the next makes up for it.
        let (counted, owed) = (integral.max(0), integral.min(0));
        self.stats.depth_integral_ns = counted as u64;
        self.depth_balance = (owed as u64).wrapping_sub(still);
        self.sampled = Sampled::default();
        (self.untimed, self.given_up) = (0, 0);
        let ended = std::mem::replace(&mut self.stats, fresh);
        self.stats.depth_max = self.in_flight;
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_depth_integral_counts_ios_across_an_intervals_edge() {
        let mut t = Tally::new(1);
        t.submitted(10);
        t.submitted(20);
        t.completed(50);
        let first = t.hand_over(100, Box::new(IntervalStats::new(1)));
        // One I/O from 10 to 50 or 100, the other from 20: (50-10) + (100-20).
        assert_eq!(first.depth_integral_ns, 40 + 80);
        assert_eq!(first.depth_max, 2);
        t.completed(130);
        let second = t.hand_over(200, Box::new(IntervalStats::new(1)));
        assert_eq!(second.depth_integral_ns, 30);
        assert_eq!(second.depth_max, 1);
    }

    #[test]
    fn ios_that_went_out_after_the_end_of_their_interval_make_no_negative_depth() {
        let mut t = Tally::new(1);
        t.submitted(130);
        t.submitted(140);
        let first = t.hand_over(100, Box::new(IntervalStats::new(1)));
        assert_eq!(first.depth_integral_ns, 0);
        t.completed(150);
        t.completed(150);
        let second = t.hand_over(200, Box::new(IntervalStats::new(1)));
        assert_eq!(second.depth_integral_ns, 20 + 10);
    }
}
