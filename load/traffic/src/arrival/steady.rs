//! Arrivals at one rate.

use super::process::Process;
use super::timeline::Timeline;
use plimsoll_plan::Arrival;

/// One worker's part of a stream's intended starts at a constant rate.
///
/// The schedule is absolute: it does not know when I/Os really start, so it cannot lose time, and fractions of
/// nanoseconds are kept, so it does not drift.
#[derive(Debug, Clone)]
pub struct Arrivals {
    process: Process,
    /// The mean gap of the whole stream, ns; infinite where nothing ever arrives.
    mean_ns: f64,
    next: Timeline,
}

impl Arrivals {
    /// Arrivals of a stream at `rate` per second, all workers together; this one is `worker` of `workers`. All workers
    /// get the same seed. A rate that is not above 0 never has an arrival: [`Arrivals::next_ns`] is then `u64::MAX`.
    pub fn new(rate: f64, arrival: Arrival, seed: u64, worker: u32, workers: u32) -> Self {
        let mean_ns = if rate > 0.0 {
            1e9 / rate
        } else {
            f64::INFINITY
        };
        let mut arrivals = Arrivals {
            process: Process::new(arrival, seed, worker, workers),
            mean_ns,
            next: Timeline::START,
        };
        arrivals.advance();
        arrivals
    }

    /// The next intended start, ns from the step's start.
    #[inline]
    pub fn next_ns(&mut self) -> u64 {
        let ns = self.next.ns();
        self.advance();
        ns
    }

    /// Intended start that [`Arrivals::next_ns`] will give.
    #[inline]
    pub fn peek_ns(&self) -> u64 {
        self.next.ns()
    }

    /// Number of this worker's intended starts that are expected from `from_ns` to `to_ns`, ns from the step's start.
    pub fn expected(&self, from_ns: u64, to_ns: u64) -> f64 {
        let span_ns = to_ns.saturating_sub(from_ns) as f64;
        span_ns / self.mean_ns / f64::from(self.process.workers())
    }

    #[inline(always)]
    fn advance(&mut self) {
        if self.mean_ns == f64::INFINITY {
            self.next = Timeline::span(f64::INFINITY);
            return;
        }
        let gaps = self.process.gaps();
        if self.process.is_even() {
            let gap = Timeline::span(self.mean_ns);
            self.next = self.next.later(gap.times(gaps));
            return;
        }
        for _ in 0..gaps {
            let gap = Timeline::span(self.process.gap() * self.mean_ns);
            self.next = self.next.later(gap);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Arrival; 3] = [Arrival::Exponential, Arrival::Uniform, Arrival::Even];

    fn starts(rate: f64, arrival: Arrival, seed: u64, workers: u32, each: usize) -> Vec<u64> {
        let mut all: Vec<u64> = (0..workers)
            .flat_map(|w| {
                let mut a = Arrivals::new(rate, arrival, seed, w, workers);
                (0..each).map(move |_| a.next_ns()).collect::<Vec<_>>()
            })
            .collect();
        all.sort_unstable();
        all
    }

    /// Anderson and Darling's A² of gaps against an exponential of a known mean. Above 6.0 with a chance of about 1 in
    /// 1000.
    fn anderson_darling(gaps: &mut [f64], mean: f64) -> f64 {
        gaps.sort_unstable_by(f64::total_cmp);
        let n = gaps.len();
        let sum: f64 = (0..n)
            .map(|i| {
                let low = -(-gaps[i] / mean).exp_m1();
                let high = -gaps[n - 1 - i] / mean;
                (2 * i + 1) as f64 * (low.max(1e-300).ln() + high)
            })
            .sum();
        -(n as f64) - sum / n as f64
    }

    /// Gaps, each moved by a random part of a nanosecond, since whole nanoseconds are not a continuous sample.
    fn gaps(starts: &[u64]) -> Vec<f64> {
        let mut g = crate::generator::Generator::new(1);
        let fine: Vec<f64> = starts.iter().map(|s| *s as f64 + g.unit()).collect();
        fine.windows(2).map(|w| w[1] - w[0]).collect()
    }

    #[test]
    fn exponential_gaps_are_exponential() {
        for (seed, rate) in [(1, 10_000.0), (2, 100_000.0), (3, 1_000_000.0), (4, 7.5)] {
            let mut g = gaps(&starts(rate, Arrival::Exponential, seed, 1, 100_000));
            let a = anderson_darling(&mut g, 1e9 / rate);
            assert!(a < 6.0, "rate {rate}: {a}");
        }
    }

    #[test]
    fn workers_superpose_to_one_exponential_process() {
        for workers in [2, 7, 64] {
            let each = 128_000 / workers as usize;
            let mut all = starts(200_000.0, Arrival::Exponential, 11, workers, each);
            // The last part holds only the workers that ran longest.
            all.truncate(all.len() * 9 / 10);
            let a = anderson_darling(&mut gaps(&all), 5_000.0);
            assert!(a < 6.0, "{workers} workers: {a}");
        }
    }

    /// At rates whose mean gaps are no whole numbers of nanoseconds a rounding of each worker's own would show.
    #[test]
    fn however_many_workers_there_are_they_share_one_schedule() {
        for arrival in [Arrival::Uniform, Arrival::Even] {
            for rate in [3e6, 7e5, 50_000.0, 0.7] {
                let whole = starts(rate, arrival, 5, 1, 48_000);
                for workers in [2, 3, 4, 8, 16] {
                    let each = 48_000 / workers as usize;
                    let all = starts(rate, arrival, 5, workers, each);
                    assert!(all == whole, "{arrival:?} at {rate}, {workers} workers");
                }
            }
        }
    }

    #[test]
    fn uniform_gaps_are_uniform() {
        let whole = starts(50_000.0, Arrival::Uniform, 5, 1, 60_000);
        let mut counts = [0u64; 20];
        for gap in gaps(&whole) {
            assert!((-2.0..40_002.0).contains(&gap));
            counts[((gap / 2_000.0).max(0.0) as usize).min(19)] += 1;
        }
        assert!(
            counts.iter().all(|c| (2_700..3_300).contains(c)),
            "{counts:?}"
        );
    }

    #[test]
    fn even_workers_interleave_exactly() {
        for workers in [1, 2, 3, 16] {
            let all = starts(1_000_000.0, Arrival::Even, 5, workers, 1000);
            assert_eq!(
                all,
                (0..1000 * u64::from(workers))
                    .map(|i| i * 1000)
                    .collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn nothing_drifts() {
        // 3,000,000 a second: 333.3 ns, which no whole number of nanoseconds is.
        let mut arrivals = Arrivals::new(3e6, Arrival::Even, 1, 0, 1);
        let mut last = 0;
        for _ in 0..=30_000_000u64 {
            last = arrivals.next_ns();
        }
        assert!((9_999_999_999..=10_000_000_000).contains(&last), "{last}");
    }

    #[test]
    fn the_mean_rate_is_the_asked_one() {
        for (arrival, spread) in [
            (Arrival::Exponential, 1.0),
            (Arrival::Uniform, 3f64.sqrt().recip()),
        ] {
            let n = 4_000_000;
            let mut arrivals = Arrivals::new(1e6, arrival, 3, 0, 1);
            let last = (0..n).map(|_| arrivals.next_ns()).last().expect("arrivals") as f64;
            let sd = spread / f64::from(n).sqrt();
            let off = last / (f64::from(n) * 1000.0) - 1.0;
            assert!(off.abs() < 4.0 * sd, "{arrival:?}: {off} of sd {sd}");
        }
    }

    #[test]
    fn what_is_expected_is_what_comes_in_the_mean() {
        for arrival in KINDS {
            let mut arrivals = Arrivals::new(1e6, arrival, 3, 1, 4);
            let expected = arrivals.expected(1_000_000_000, 5_000_000_000);
            assert!((expected - 1e6).abs() < 1.0, "{expected}");
            let starts = std::iter::from_fn(|| Some(arrivals.next_ns()));
            let within = starts
                .take_while(|t| *t < 5_000_000_000)
                .filter(|t| *t >= 1_000_000_000)
                .count() as f64;
            // A Poisson count deviates by its root.
            let tolerance = if arrival == Arrival::Even { 1.0 } else { 4e3 };
            assert!(
                (within - expected).abs() <= tolerance,
                "{arrival:?}: {within}"
            );
        }
        let never = Arrivals::new(0.0, Arrival::Even, 1, 0, 1);
        assert_eq!(never.expected(0, u64::MAX), 0.0);
    }

    #[test]
    fn schedules_repeat_by_seed_and_never_go_back() {
        for arrival in KINDS {
            let a = starts(1e5, arrival, 9, 3, 1000);
            assert_eq!(a, starts(1e5, arrival, 9, 3, 1000));
            let mut one = Arrivals::new(1e5, arrival, 9, 1, 3);
            let mut last = 0;
            for _ in 0..1000 {
                let peeked = one.peek_ns();
                let now = one.next_ns();
                assert!(peeked == now && now >= last);
                last = now;
            }
        }
    }

    #[test]
    fn without_a_rate_nothing_ever_arrives() {
        for rate in [0.0, -1.0, f64::NAN, 1e-300] {
            for arrival in KINDS {
                let mut arrivals = Arrivals::new(rate, arrival, 1, 1, 2);
                assert_eq!(arrivals.next_ns(), u64::MAX);
                assert_eq!(arrivals.next_ns(), u64::MAX);
            }
        }
    }
}
