//! What is due in the counted time is followed to its completion, and what was due before it is in no times.

use super::queue::schedule;
use super::stage::{MS, Played, S, Stage, US, open};
use plimsoll_engine::scripted::{ScriptedAnswer, Servers};
use plimsoll_measure::{Histogram, IntervalStats};
use plimsoll_plan::*;

/// Exactly these values, in any order.
fn holds(histogram: &Histogram, values: &[u64], what: &str) {
    let mut expected = Histogram::new();
    values.iter().for_each(|v| expected.record(*v));
    // The sums of squares are floating-point: they depend on the order.
    let key = |h: &Histogram| {
        let buckets: Vec<_> = h.buckets().collect();
        (h.exact_sum_ns(), h.min_ns(), h.max_ns(), buckets)
    };
    assert!(
        key(histogram) == key(&expected),
        "{what}: {histogram:?}, in truth {expected:?}"
    );
}

fn times(stats: &IntervalStats) -> (&Histogram, &Histogram) {
    let read = &stats.streams[0].ops[0];
    (&read.response, &read.service)
}

/// The times of the counted intervals, those from `first` on, and of what came back after the end.
fn counted_from(played: &Played, first: usize) -> IntervalStats {
    let mut all = IntervalStats::default();
    let counted = played.intervals[first..].iter().chain(&played.drain);
    counted.for_each(|(_, stats)| all.merge(stats));
    all
}

/// Twenty a second for a minute, on a target that answers in 1 ms and freezes for the last three seconds: until `thaw_ns`.
fn frozen(thaw_ns: u64) -> Played {
    let mut stage = Stage::new(open(20.0, Arrival::Even), &[32]);
    stage.step.elapsed = Nanos::secs(60);
    stage.play(|now, r| match now {
        0..57_000_000_000 => ScriptedAnswer::done(now + MS, r),
        _ => ScriptedAnswer::done(now.max(thaw_ns) + MS, r),
    })
}

#[test]
fn a_target_that_freezes_at_the_end_shows_in_the_response_times() {
    let played = frozen(60 * S);
    // By hand: one is due each 50 ms, 1,200 in all. Sixty of them fall into the freeze. Of those 32 are out; the others go
    // out when these are back, at 60.001 s, and are back a millisecond later.
    let due: Vec<u64> = (0..1_200).map(|n| n * 50 * MS).collect();
    let frozen_from = due.iter().position(|d| *d >= 57 * S).expect("some");
    let response = |(n, due): (usize, &u64)| match n.checked_sub(frozen_from) {
        None => MS,
        Some(0..32) => 60 * S + MS - due,
        Some(_) => 60 * S + 2 * MS - due,
    };
    let expected: Vec<u64> = due.iter().enumerate().map(response).collect();
    let whole = played.whole();
    holds(times(&whole).0, &expected, "response");
    let p99 = times(&whole).0.quantile_ns(0.99);
    assert!(p99 > Some(2 * S), "{p99:?}");
    // None of the sixty came back in the counted time, so that they are in no rate.
    assert_eq!(played.total().ios(), 1_140);
    assert_eq!((played.unfinished, played.lost.len()), (0, 0));
    assert_eq!(played.intervals.len(), 60);
}

#[test]
fn what_does_not_come_back_by_the_deadline_counts_with_what_it_has_waited() {
    let played = frozen(1_000 * S);
    // A drain of 5 s: the 32 that are out, and the 28 that never went out.
    let expected: Vec<u64> = (0..1_200)
        .map(|n| n * 50 * MS)
        .map(|due| if due < 57 * S { MS } else { 65 * S - due })
        .collect();
    let whole = played.whole();
    holds(times(&whole).0, &expected, "response");
    // What never went out has no service time.
    assert_eq!(times(&whole).1.count(), 1_140 + 32);
    assert_eq!((played.unfinished, played.lost.len()), (60, 32));
    assert_eq!(played.end_ns, 65 * S);
}

#[test]
fn what_was_issued_after_the_end_has_the_whole_drain_to_come_back() {
    let mut stage = Stage::new(open(40.0, Arrival::Even), &[32]);
    stage.step.elapsed = Nanos::secs(60);
    let played = stage.play(|now, r| ScriptedAnswer::done(now + S, r));
    // By hand: 32 slots of a second each. Slot n issues at n x 25 ms and each second after it, until the drain's 5 s are over:
    // 65 I/Os a slot of the 2,400 that were due. The last went out at 64.775 s.
    assert_eq!((played.unfinished, played.lost.len()), (2_400 - 65 * 32, 0));
    assert_eq!(played.end_ns, 65 * S + 775 * MS);
}

#[test]
fn the_times_are_of_those_that_were_due_in_the_counted_time() {
    for (arrival, rate, seed) in [
        (Arrival::Exponential, 900.0, 1),
        (Arrival::Exponential, 990.0, 2),
        (Arrival::Uniform, 950.0, 3),
    ] {
        for exponential in [false, true] {
            let mut stage = Stage::new(open(rate, arrival), &[64]);
            stage.options.seed = seed;
            stage.step.warmup = Nanos(1_350 * MS);
            // One server, of constant service (M/D/1) or of exponential (M/M/1); these are drawn beforehand.
            let mut state = seed;
            let mut draw = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(99);
                let uniform = ((state >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
                if exponential {
                    (-uniform.ln() * 1e6) as u64
                } else {
                    MS
                }
            };
            let service: Vec<u64> = (0..20_000).map(|_| draw()).collect();

            // Lindley: each waits for the one before it.
            let warm = stage.step.warmup.0;
            stage.step.elapsed = Nanos(warm + 10 * S);
            let due = schedule(&stage);
            stage.step.elapsed = Nanos::secs(10);
            let mut done = 0;
            let truth: Vec<(u64, u64)> = due
                .iter()
                .zip(&service)
                .map(|(due, service)| {
                    done = done.max(*due) + service;
                    (*due, done)
                })
                .collect();
            let counted: Vec<u64> = truth
                .iter()
                .filter(|(due, _)| *due >= warm)
                .map(|(due, done)| done - due)
                .collect();

            let (mut server, mut n) = (Servers::new(1), 0);
            let played = stage.play(|now, r| {
                n += 1;
                ScriptedAnswer::done(server.serve(now, service[n - 1]), r)
            });
            // Two intervals of warm-up, the second of them of 0.35 s.
            assert_eq!(played.intervals[1].0, 350 * MS);
            let what = format!("{arrival:?} at {rate}, exponential: {exponential}");
            holds(times(&counted_from(&played, 2)).0, &counted, &what);
            let in_window = |done: u64| (warm + 1..=warm + 10 * S).contains(&done);
            let completed = truth.iter().filter(|(_, done)| in_window(*done)).count();
            let ios: u64 = played.intervals[2..].iter().map(|(_, s)| s.ios()).sum();
            assert_eq!(ios, completed as u64, "{what}");
            let due: u64 = played.intervals[2..]
                .iter()
                .map(|(_, s)| s.streams[0].due)
                .sum();
            assert_eq!(due, counted.len() as u64, "{what}");
            assert_eq!(played.unfinished, 0);
        }
    }
}

#[test]
fn samples_hold_the_sums_of_the_same_ios_as_the_histograms() {
    let mut stage = Stage::new(open(5_000.0, Arrival::Exponential), &[64]);
    stage.step.warmup = Nanos(250 * MS);
    let played = stage.play(|now, r| ScriptedAnswer::done(now + 3 * MS, r));
    for (number, (_, stats)) in played.intervals.iter().enumerate() {
        let (response, service) = times(stats);
        let sum =
            |of: fn(&plimsoll_measure::Sample) -> u64| stats.samples.iter().map(of).sum::<u64>();
        assert_eq!(sum(|s| s.timed), response.count(), "interval {number}");
        assert_eq!(sum(|s| s.response_sum_ns), response.sum_ns());
        assert_eq!(sum(|s| s.service_sum_ns), service.sum_ns());
        assert_eq!(sum(|s| s.ios), stats.ios());
    }
    // Some fifteen were due in the warm-up and came back after it.
    let first = &played.intervals[1].1;
    let carried = first.ios() - times(first).0.count();
    assert!((5..40).contains(&carried), "{carried}");
}

#[test]
fn a_closed_loop_that_stands_still_at_the_end_says_so_in_its_times() {
    for load in [Load::Max, Load::MaxShared] {
        let played = Stage::new(load, &[4]).play(|now, r| match now {
            0..7_000_000_000 => ScriptedAnswer::done(now + MS, r),
            _ => ScriptedAnswer::done(10 * S + 500 * MS, r),
        });
        let whole = played.whole();
        let mut expected = vec![MS; 4 * 7_000];
        expected.extend([3_500 * MS; 4]);
        holds(times(&whole).0, &expected, "response");
        assert_eq!(played.total().ios(), 4 * 7_000);
        assert_eq!(
            played.drain.as_ref().map(|d| (d.0, d.1.ios())),
            Some((500 * MS, 4))
        );
        assert_eq!(played.end_ns, 10 * S + 500 * MS);
    }
}

#[test]
fn nothing_is_followed_where_all_is_back() {
    let played = Stage::new(Load::Max, &[4]).play(|now, r| ScriptedAnswer::done(now + MS, r));
    assert!(played.drain.is_none());
}

#[test]
fn what_was_due_is_issued_after_the_end_for_a_bounded_time() {
    // Twice what 8 slots of 1 ms carry: 80,000 of 160,000 are never reached in time, and 8,000 more in the second after it.
    let stage = Stage::new(open(16_000.0, Arrival::Even), &[8]);
    let due = schedule(&stage);
    let mut last = 0;
    let played = stage.play(|now, r| {
        last = now;
        ScriptedAnswer::done(now + MS, r)
    });
    assert!((10_990 * MS..11 * S).contains(&last), "{last}");
    let drain = &played.drain.as_ref().expect("a drain").1;
    assert!((8_000..=8_008).contains(&drain.ios()), "{}", drain.ios());
    assert!(played.end_ns <= 11 * S + MS, "{}", played.end_ns);
    let whole = played.whole();
    assert_eq!(times(&whole).0.count(), due.len() as u64);
    assert_eq!(played.unfinished, due.len() as u64 - whole.ios());
    assert_eq!(whole.streams[0].due, due.len() as u64);
}

/// A thousand million a second cannot be looked at one by one.
#[test]
fn what_can_never_be_issued_is_given_up_by_its_rate() {
    for arrival in [Arrival::Even, Arrival::Exponential] {
        let played =
            Stage::new(open(1e9, arrival), &[8]).play(|now, r| ScriptedAnswer::done(now + MS, r));
        let whole = played.whole();
        let (response, _) = times(&whole);
        let near = |got: f64, truth: f64| (got / truth - 1.0).abs() < 0.001;
        assert!(near(response.count() as f64, 1e10), "{response:?}");
        // Due evenly from 0 to 10 s, given up at 11 s: they have waited 6 s in the mean.
        let mean = response.mean_ns().expect("a mean");
        assert!(near(mean, 6e9), "{mean}");
        assert!(
            near(played.unfinished as f64, 1e10),
            "{}",
            played.unfinished
        );
    }
}

#[test]
fn a_stream_that_ends_while_it_is_followed_leaves_nothing_unfinished() {
    let mut stage = Stage::new(open(1_000.0, Arrival::Even), &[1]);
    stage.step.streams = vec![super::stage::one_pass(0, 10_100 * 4096)];
    // It carries half a second less than is due.
    let played = stage.play(|now, r| ScriptedAnswer::done(now + 1_050 * US, r));
    assert_eq!(played.unfinished, 0);
    assert_eq!(played.whole().ios(), 10_000);
}

#[test]
fn a_limit_counts_from_the_end_of_the_warm_up() {
    for load in [Load::Max, open(2_000.0, Arrival::Even)] {
        let mut stage = Stage::new(load, &[4]);
        stage.step.warmup = Nanos(1_500 * MS);
        stage.step.limits.ios = Some(1_000);
        let played = stage.play(|now, r| ScriptedAnswer::done(now + 2 * MS, r));
        assert!(played.limit);
        let lengths: Vec<u64> = played.intervals.iter().map(|(l, _)| *l).collect();
        assert_eq!(lengths[..2], [S, 500 * MS]);
        // What was out when the warm-up ended comes on top of the limit; it ends when the last is back.
        let counted = counted_from(&played, 2);
        assert_eq!(times(&counted).0.count(), 1_000);
        assert!(counted.ios() - 1_000 <= 4, "{}", counted.ios());
        assert_eq!(lengths[2..].iter().sum::<u64>(), played.end_ns - 1_500 * MS);
        assert_eq!(played.unfinished, 0);
    }
}

#[test]
fn a_step_that_is_stopped_is_followed_too() {
    let mut stage = Stage::new(open(1_000.0, Arrival::Even), &[8]);
    stage.stop_at_ns = Some(3_300 * MS);
    let played = stage.play(|now, r| match now {
        0..3_900_000_000 => ScriptedAnswer::done(now + MS, r),
        _ => ScriptedAnswer::done(now.max(4_200 * MS) + MS, r),
    });
    assert_eq!(played.intervals.len(), 4);
    let whole = played.whole();
    // Due until 4 s, each of them in the times; nothing that was due later went out.
    assert_eq!(times(&whole).0.count(), 4_000);
    assert_eq!(whole.streams[0].due, 4_000);
    assert_eq!(whole.ios(), 4_000);
    assert_eq!(played.unfinished, 0);
    let mut in_warm_up = Stage::new(open(1_000.0, Arrival::Even), &[8]);
    in_warm_up.step.warmup = Nanos::secs(3);
    in_warm_up.stop_at_ns = Some(500 * MS);
    let played = in_warm_up.play(|now, r| ScriptedAnswer::done(now + 1_500 * MS, r));
    assert_eq!(played.intervals.len(), 1);
    // It never came to the counted time.
    let drain = &played.drain.as_ref().expect("a drain").1;
    assert_eq!((drain.ios() > 0, times(drain).0.count()), (true, 0));
}

#[test]
fn the_first_interval_can_be_left_out_without_a_warm_up() {
    let mut stage = Stage::new(Load::Max, &[1]);
    stage.options.leaves_out_first = true;
    stage.step.limits.ios = Some(2_500);
    // It is out over the edge at 1 s, and counts as an I/O, not with its time.
    let played = stage.play(|now, r| match now {
        999_000_000 => ScriptedAnswer::done(now + 2 * MS, r),
        _ => ScriptedAnswer::done(now + MS, r),
    });
    let second = &played.intervals[1].1;
    assert_eq!((second.ios(), times(second).0.count()), (1_000, 999));
    // Its data counts towards the limit, as it does in Vdbench.
    assert_eq!(played.whole().ios(), 2_500);
}
