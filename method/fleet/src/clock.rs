//! What another host's clock shows, from round trips: an offset with a bound that holds, not one that is likely.
//!
//! A round trip leaves at t0 and is back at t3 on this host's clock; the other's showed t1 when it came and t2 when it left. As
//! nothing arrives before it leaves, the other's clock is ahead by at least t2 - t3 and at most t1 - t0. Each round trip says so;
//! where their ranges overlap the offset is. What a range says of another instant is wider by what two clocks can drift apart
//! until then.

use std::collections::VecDeque;

/// Largest drift of two clocks against each other, parts per million: CLOCK_MONOTONIC is slewed by at most 500 (adjtimex(2)), and its
/// crystal is good to less than 100.
const DRIFT_PPM: i128 = 600;
/// Round trips that are remembered.
const KEPT: usize = 64;
/// Over how long a drift is told, ns.
const DRIFT_OVER_NS: u64 = 5_000_000_000;

/// CLOCK_MONOTONIC of this host, ns: the clock that steps are begun by.
pub fn now_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// One round trip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundTrip {
    /// Left, this host's clock, ns.
    pub sent_ns: u64,
    /// Came, the other's clock, ns.
    pub received_ns: u64,
    /// Was answered, the other's clock, ns.
    pub answered_ns: u64,
    /// Came back, this host's clock, ns.
    pub back_ns: u64,
}

/// Lead of the other host's clock, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offset {
    /// In the middle.
    pub ns: i128,
    /// At most so much more or less.
    pub bound_ns: u64,
}

/// Another host's clock.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    trips: VecDeque<RoundTrip>,
    /// The tightest of the first ones, for the drift.
    first: Option<RoundTrip>,
}

impl RoundTrip {
    /// False where nothing can have made such a trip.
    fn is_possible(&self) -> bool {
        self.back_ns >= self.sent_ns && self.answered_ns >= self.received_ns
    }

    fn length_ns(&self) -> u64 {
        self.back_ns - self.sent_ns
    }

    /// Lead of the other host's clock at `at_ns`, at least and at most.
    fn range(&self, at_ns: u64) -> (i128, i128) {
        let away = at_ns
            .abs_diff(self.sent_ns)
            .max(at_ns.abs_diff(self.back_ns));
        let drift = i128::from(away) * DRIFT_PPM / 1_000_000 + 1;
        let least = i128::from(self.answered_ns) - i128::from(self.back_ns) - drift;
        let most = i128::from(self.received_ns) - i128::from(self.sent_ns) + drift;
        (least, most)
    }

    fn middle(&self) -> f64 {
        let (there, here) = (
            self.received_ns as f64 + self.answered_ns as f64,
            self.sent_ns as f64 + self.back_ns as f64,
        );
        (there - here) / 2.0
    }
}

impl Clock {
    /// Adds what was seen.
    pub fn add(&mut self, trip: RoundTrip) {
        if !trip.is_possible() {
            return;
        }
        if self.first.is_none_or(|f| {
            trip.length_ns() < f.length_ns() && trip.sent_ns < f.sent_ns + 1_000_000_000
        }) {
            self.first = Some(trip);
        }
        self.trips.push_back(trip);
        if self.trips.len() > KEPT {
            self.trips.pop_front();
        }
    }

    /// Number of round trips that are remembered.
    pub fn trips(&self) -> usize {
        self.trips.len()
    }

    /// Lead of the other host's clock when this host's shows `at_ns`; `None` where nothing is known, or the round trips contradict each
    /// other: a clock was set, or a host stood still in a way that no drift is.
    pub fn offset(&self, at_ns: u64) -> Option<Offset> {
        let mut ranges = self.trips.iter().map(|t| t.range(at_ns));
        let first = ranges.next()?;
        let (least, most) = ranges.fold(first, |(least, most), (l, m)| (least.max(l), most.min(m)));
        if least > most {
            return None;
        }
        let ns = least + (most - least) / 2;
        Some(Offset {
            ns,
            bound_ns: u64::try_from((most - ns).max(ns - least)).unwrap_or(u64::MAX),
        })
    }

    /// Time that the other host's clock shows when this host's shows `at_ns`, and the largest error of it, either way.
    pub fn there(&self, at_ns: u64) -> Option<(u64, u64)> {
        let offset = self.offset(at_ns)?;
        let there = u64::try_from(i128::from(at_ns) + offset.ns).ok()?;
        Some((there, offset.bound_ns))
    }

    /// The longest that a round trip of late took, ns.
    pub fn longest_trip_ns(&self) -> u64 {
        self.trips
            .iter()
            .map(RoundTrip::length_ns)
            .max()
            .unwrap_or(0)
    }

    /// Drift of the other host's clock, parts per million, positive where it runs faster; `None` where it was not watched long enough for
    /// the round trips to tell.
    pub fn drift_ppm(&self) -> Option<f64> {
        let first = self.first?;
        let late = self.trips.iter().rev().take(KEPT / 4);
        let last = late.min_by_key(|t| t.length_ns())?;
        let apart = last.sent_ns.checked_sub(first.sent_ns)?;
        if apart < DRIFT_OVER_NS {
            return None;
        }
        Some((last.middle() - first.middle()) / apart as f64 * 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A clock that is ahead by `offset` at 1000 s, and runs faster by `ppm`.
    fn shows(offset: i64, ppm: f64, at_ns: u64) -> u64 {
        let since = at_ns as f64 - 1e12;
        (i128::from(at_ns) + i128::from(offset) + (since * ppm / 1e6) as i128) as u64
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn the_instant_is_met_within_the_bound(
            offset in -10_000_000_000i64..10_000_000_000,
            ppm in -50.0f64..50.0,
            ways in proptest::collection::vec((0u64..40_000_000, 0u64..40_000_000, 0u64..3_000_000), 1..100),
            lead in 0u64..5_000_000_000,
        ) {
            let mut clock = Clock::default();
            let mut now = 1_000_000_000_000u64;
            for (there, back, stays) in ways {
                let (came, left) = (now + there, now + there + stays);
                clock.add(RoundTrip {
                    sent_ns: now,
                    received_ns: shows(offset, ppm, came),
                    answered_ns: shows(offset, ppm, left),
                    back_ns: left + back,
                });
                now += 100_000_000;
            }
            let start = now + lead;
            let (there, bound) = clock.there(start).expect("known");
            let truth = shows(offset, ppm, start);
            prop_assert!(there.abs_diff(truth) <= bound + 1, "{} off, bound {}", there.abs_diff(truth), bound);
        }
    }

    /// Round trips of 200 us over `seconds`.
    fn watched(offset: i64, ppm: f64, seconds: u64) -> (Clock, u64) {
        let mut clock = Clock::default();
        let mut now = 1_000_000_000_000u64;
        for trip in 0..seconds * 10 {
            let there = 80_000 + (trip * 7_919) % 40_000;
            let came = now + there;
            clock.add(RoundTrip {
                sent_ns: now,
                received_ns: shows(offset, ppm, came),
                answered_ns: shows(offset, ppm, came + 5_000),
                back_ns: came + 5_000 + 100_000,
            });
            now += 100_000_000;
        }
        (clock, now)
    }

    #[test]
    fn short_round_trips_give_a_tight_bound_and_the_drift() {
        let (clock, now) = watched(7_000_000_000, 50.0, 60);
        let (there, bound) = clock.there(now + 1_000_000_000).expect("known");
        assert!(bound < 1_000_000, "{bound}");
        assert!(there.abs_diff(shows(7_000_000_000, 50.0, now + 1_000_000_000)) <= bound);
        let drift = clock.drift_ppm().expect("watched for long");
        assert!((drift - 50.0).abs() < 5.0, "{drift}");
        assert_eq!(watched(0, 0.0, 2).0.drift_ppm(), None);
    }

    #[test]
    fn a_clock_that_was_set_has_no_offset() {
        let (mut clock, now) = watched(0, 0.0, 2);
        clock.add(RoundTrip {
            sent_ns: now,
            received_ns: now + 3_000_000_000,
            answered_ns: now + 3_000_000_000,
            back_ns: now + 100_000,
        });
        assert_eq!(clock.offset(now), None);
    }

    #[test]
    fn what_cannot_have_been_is_not_believed() {
        let mut clock = Clock::default();
        clock.add(RoundTrip {
            sent_ns: 10,
            received_ns: 5,
            answered_ns: 4,
            back_ns: 20,
        });
        clock.add(RoundTrip {
            sent_ns: 10,
            received_ns: 5,
            answered_ns: 6,
            back_ns: 9,
        });
        assert_eq!(clock.trips(), 0);
        assert_eq!(clock.offset(0), None);
    }
}
