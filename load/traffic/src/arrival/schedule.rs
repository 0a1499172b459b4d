//! Arrivals at rates that change.

use super::process::Process;
use super::timeline::Timeline;
use plimsoll_plan::Arrival;

/// One worker's part of intended starts at rates one after the other, repeated for ever.
///
/// A process of one event a unit runs through the integral of the rate (the standard construction of an inhomogeneous
/// process), so a gap that crosses a border is long in the one part and short in the other by the right amounts, and
/// exponential arrivals stay exactly Poisson.
#[derive(Debug, Clone)]
pub struct Schedule {
    process: Process,
    parts: Box<[Part]>,
    /// Events of all parts together.
    cycle_events: f64,
    cycle_ns: f64,
    /// The part that the last event lies in, when it began, and how many events it has seen.
    part: usize,
    began: Timeline,
    seen: f64,
    next_ns: u64,
}

#[derive(Debug, Clone, Copy)]
struct Part {
    length_ns: f64,
    events: f64,
    ns_per_event: f64,
}

impl Schedule {
    /// Arrivals of a stream at these rates (per second, all workers together), each for this many nanoseconds; see
    /// [`crate::Arrivals::new`] for the rest. A rate that is not above 0 is a pause. Where no part has an arrival none
    /// ever comes: [`Schedule::next_ns`] is then `u64::MAX`.
    pub fn new(
        segments: &[(f64, u64)],
        arrival: Arrival,
        seed: u64,
        worker: u32,
        workers: u32,
    ) -> Self {
        let parts: Box<[Part]> = segments
            .iter()
            .filter(|(_, length)| *length > 0)
            .map(|(rate, length)| {
                let rate = if *rate > 0.0 { *rate } else { 0.0 };
                Part {
                    length_ns: *length as f64,
                    events: rate * *length as f64 / 1e9,
                    ns_per_event: 1e9 / rate,
                }
            })
            .collect();
        let mut schedule = Schedule {
            process: Process::new(arrival, seed, worker, workers),
            cycle_events: parts.iter().map(|p| p.events).sum(),
            cycle_ns: parts.iter().map(|p| p.length_ns).sum(),
            parts,
            part: 0,
            began: Timeline::START,
            seen: 0.0,
            next_ns: 0,
        };
        schedule.advance();
        schedule
    }

    /// The next intended start, ns from the step's start.
    #[inline]
    pub fn next_ns(&mut self) -> u64 {
        let ns = self.next_ns;
        self.advance();
        ns
    }

    /// Intended start that [`Schedule::next_ns`] will give.
    #[inline]
    pub fn peek_ns(&self) -> u64 {
        self.next_ns
    }

    /// Number of this worker's intended starts that are expected from `from_ns` to `to_ns`, ns from the step's start.
    pub fn expected(&self, from_ns: u64, to_ns: u64) -> f64 {
        let events = self.events_until(to_ns) - self.events_until(from_ns);
        events.max(0.0) / f64::from(self.process.workers())
    }

    /// The integral of the rate from the step's start: events of all workers.
    fn events_until(&self, ns: u64) -> f64 {
        if self.cycle_events <= 0.0 {
            return 0.0;
        }
        let cycles = (ns as f64 / self.cycle_ns).floor();
        let mut left_ns = ns as f64 - cycles * self.cycle_ns;
        let mut events = cycles * self.cycle_events;
        for part in &self.parts {
            let inside_ns = left_ns.clamp(0.0, part.length_ns);
            events += part.events * (inside_ns / part.length_ns);
            left_ns -= part.length_ns;
        }
        events
    }

    fn advance(&mut self) {
        if self.cycle_events <= 0.0 || self.next_ns == u64::MAX {
            self.next_ns = u64::MAX;
            return;
        }
        let gaps = self.process.gaps();
        if gaps == 0 {
            // The first event is at the start, or where a pause at the start ends.
            self.walk(0.0);
        }
        for _ in 0..gaps {
            let gap = self.process.gap();
            self.walk(gap);
        }
        let into_ns = self.seen * self.parts[self.part].ns_per_event;
        self.next_ns = self.began.later(Timeline::span(into_ns)).ns();
    }

    #[inline(always)]
    fn walk(&mut self, gap: f64) {
        if gap < self.parts[self.part].events - self.seen {
            self.seen += gap;
        } else {
            self.cross(gap);
        }
    }

    /// Goes on by a gap that ends in another part, or in a later round.
    fn cross(&mut self, mut gap: f64) {
        let cycles = (gap / self.cycle_events).floor();
        if cycles > 0.0 {
            // A whole cycle ends where it began.
            self.began = self.began.later(Timeline::span(cycles * self.cycle_ns));
            gap -= cycles * self.cycle_events;
        }
        loop {
            let part = self.parts[self.part];
            let left = part.events - self.seen;
            if gap < left || self.began.ns() == u64::MAX {
                self.seen += gap;
                return;
            }
            gap = (gap - left).max(0.0);
            self.began = self.began.later(Timeline::span(part.length_ns));
            self.seen = 0.0;
            self.part = if self.part + 1 == self.parts.len() {
                0
            } else {
                self.part + 1
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arrivals;

    const SECOND: u64 = 1_000_000_000;

    fn until(schedule: &mut Schedule, end: u64) -> Vec<u64> {
        std::iter::from_fn(|| (schedule.peek_ns() < end).then(|| schedule.next_ns())).collect()
    }

    #[test]
    fn each_part_gets_its_rate_in_every_round() {
        let parts = [(1000.0, SECOND), (0.0, SECOND / 2), (5000.0, 2 * SECOND)];
        for arrival in [Arrival::Even, Arrival::Exponential, Arrival::Uniform] {
            let all: Vec<u64> = (0..3)
                .flat_map(|w| until(&mut Schedule::new(&parts, arrival, 4, w, 3), 35 * SECOND))
                .collect();
            let round = 3 * SECOND + SECOND / 2;
            let within = |from: u64, to: u64| {
                all.iter()
                    .filter(|t| (from..to).contains(&(**t % round)))
                    .count() as f64
            };
            assert_eq!(within(SECOND, SECOND * 3 / 2), 0.0, "{arrival:?}");
            // Ten rounds; a Poisson count deviates by its root.
            for (got, expected) in [
                (within(0, SECOND), 1e4),
                (within(SECOND * 3 / 2, round), 1e5),
            ] {
                let tolerance = if arrival == Arrival::Even {
                    1.0
                } else {
                    4.5 * f64::sqrt(expected)
                };
                assert!(
                    (got - expected).abs() <= tolerance,
                    "{arrival:?}: {got} of {expected}"
                );
            }
        }
    }

    /// Each gap is walked, so that a border rounds the same for all.
    #[test]
    fn however_many_workers_there_are_they_share_one_schedule() {
        let third = SECOND / 3;
        let parts = [
            (0.0, SECOND / 7),
            (3e4, third),
            (0.0, 1),
            (7e3, third),
            (11.0, 1_000_001),
        ];
        for arrival in [Arrival::Even, Arrival::Uniform] {
            let all = |workers: u32| {
                let own = |w| {
                    until(
                        &mut Schedule::new(&parts, arrival, 4, w, workers),
                        5 * SECOND,
                    )
                };
                let mut all: Vec<u64> = (0..workers).flat_map(own).collect();
                all.sort_unstable();
                all
            };
            let whole = all(1);
            assert!(whole.len() > 50_000, "{}", whole.len());
            for workers in [2, 3, 4, 8, 16] {
                assert!(all(workers) == whole, "{arrival:?}, {workers} workers");
            }
        }
    }

    #[test]
    fn what_is_expected_is_the_integral_of_the_rate() {
        let parts = [(1000.0, SECOND), (0.0, SECOND / 2), (5000.0, 2 * SECOND)];
        for (from, to) in [
            (0, 35 * SECOND),
            (SECOND / 3, SECOND + SECOND / 4),
            (SECOND, SECOND * 3 / 2),
            (5 * SECOND, 17 * SECOND + 1),
        ] {
            for (worker, workers) in [(0, 1), (2, 3)] {
                let mut schedule = Schedule::new(&parts, Arrival::Even, 4, worker, workers);
                let expected = schedule.expected(from, to);
                let starts = until(&mut schedule, to);
                let within = starts.iter().filter(|t| **t >= from).count() as f64;
                assert!(
                    (within - expected).abs() <= 1.0,
                    "{from} {to}: {within} {expected}"
                );
            }
        }
        let never = Schedule::new(&[(0.0, SECOND)], Arrival::Even, 1, 0, 1);
        assert_eq!(never.expected(0, 5 * SECOND), 0.0);
    }

    #[test]
    fn one_part_is_a_constant_rate() {
        for arrival in [Arrival::Even, Arrival::Exponential, Arrival::Uniform] {
            let mut varying = Schedule::new(&[(12_345.0, 7 * SECOND)], arrival, 4, 1, 2);
            let mut steady = Arrivals::new(12_345.0, arrival, 4, 1, 2);
            for i in 0..100_000 {
                let (a, b) = (varying.next_ns(), steady.next_ns());
                assert!(a.abs_diff(b) <= 1, "{arrival:?}, arrival {i}: {a} {b}");
            }
        }
    }

    #[test]
    fn parts_shorter_than_a_gap_are_averaged() {
        // 0.1 events a round of 1 ms: 100 a second.
        let mut schedule = Schedule::new(
            &[(100.0, 500_000), (100.0, 500_000)],
            Arrival::Even,
            1,
            0,
            1,
        );
        let starts = until(&mut schedule, 10 * SECOND);
        assert!((999..=1001).contains(&starts.len()), "{}", starts.len());
    }

    #[test]
    fn without_any_rate_nothing_ever_arrives() {
        for parts in [&[][..], &[(0.0, SECOND)], &[(5.0, 0)]] {
            assert_eq!(
                Schedule::new(parts, Arrival::Even, 1, 0, 1).next_ns(),
                u64::MAX
            );
        }
    }
}
