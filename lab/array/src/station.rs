//! A server with a queue, as one number: the time until which it is busy.

/// One first-come-first-served server.
///
/// Work is always charged at the instant when the request reaches the array, at every station that it will visit.
/// Charging a later station at the time when the earlier one will be done would reserve it in the future and leave it
/// idle before: one slow core would then slow all others. Where a request is split over several stations of a kind, the
/// longest of their waits counts: each part is in its queue from the start, so their sum would count time twice, and a
/// closed loop on it would swing between crowd and idleness.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Station {
    busy_until: u64,
    /// Work done or promised, nanoseconds.
    pub work_ns: u64,
    /// Requests taken.
    pub requests: u64,
}

impl Station {
    /// How long a request that comes now would wait, nanoseconds.
    #[inline]
    pub fn wait(&self, now: u64) -> u64 {
        self.busy_until.saturating_sub(now)
    }

    /// When it will have nothing more to do, nanoseconds.
    #[inline]
    pub fn free_at(&self) -> u64 {
        self.busy_until
    }

    /// Of the work taken, how much is done by `now`, nanoseconds. Behind a host that starves, work is taken before its
    /// time, and the idle time until then counts as not done.
    pub fn done_ns(&self, now: u64) -> u64 {
        self.work_ns.saturating_sub(self.wait(now))
    }

    /// Takes `service` nanoseconds of work; returns how long it waits before it is started.
    #[inline]
    pub fn take(&mut self, now: u64, service: u64) -> u64 {
        let wait = self.wait(now);
        self.busy_until = self.busy_until.max(now) + service;
        self.work_ns += service;
        self.requests += 1;
        wait
    }

    /// Takes work, and returns when it is done.
    #[inline]
    pub fn finish(&mut self, now: u64, service: u64) -> u64 {
        self.take(now, service);
        self.busy_until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_queues_behind_earlier_work_and_idle_time_is_not_saved() {
        let mut station = Station::default();
        assert_eq!(station.take(100, 50), 0);
        assert_eq!(station.take(120, 50), 30);
        assert_eq!(station.finish(1000, 7), 1007);
        assert_eq!(station.work_ns, 107);
        assert_eq!(station.requests, 3);
    }

    #[test]
    fn what_is_taken_before_its_time_is_not_done() {
        let mut station = Station::default();
        station.take(100, 50);
        assert_eq!([0, 120, 150].map(|now| station.done_ns(now)), [0, 20, 50]);
    }
}
