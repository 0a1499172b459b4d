//! Closed loops that are held back: by think times, and by a most per second.

use super::crowd::{counting, play};
use super::stage::{MS, Played, S, Stage, US, one_pass, stream};
use plimsoll_draw::Draw;
use plimsoll_engine::backend::Request;
use plimsoll_engine::scripted::{ScriptedAnswer, Servers, Stalls};
use plimsoll_plan::*;

fn think(time_ns: u64, every: u32, spread: Arrival) -> Throttle {
    let time = Nanos(time_ns);
    let think = Think::new(time, every, spread);
    Throttle::think(think)
}

fn at_most(rate: f64) -> Throttle {
    Throttle::rate(Rate(rate))
}

/// One stream on so many slots.
fn stage(throttle: Throttle, slots: u32) -> Stage {
    let mut stage = Stage::new(Load::Max, &[slots]);
    stage.step.streams[0].throttle = throttle;
    stage
}

/// (I/Os per second, mean response, ns) of a stage of 10 s.
fn figures(played: &Played) -> (f64, f64) {
    let total = played.total();
    let read = &total.streams[0].ops[0];
    let response = read.response.sum_ns() as f64 / read.response.count() as f64;
    (read.ios as f64 / 10.0, response)
}

fn near(what: &str, got: f64, truth: f64, tolerance: f64) {
    assert!(
        (got / truth - 1.0).abs() <= tolerance,
        "{what}: {got}, in truth {truth}"
    );
}

/// Pseudorandom numbers above 0 and up to 1.
fn randoms(seed: u64) -> impl FnMut() -> f64 {
    let mut draw = Draw(seed);
    move || draw.unit() + f64::EPSILON
}

/// N = X (R + Z), with a target that serves each at once in R.
#[test]
fn users_who_think_come_back_as_often_as_response_and_think_time_say() {
    for workers in [1, 2, 4] {
        for spread in [Arrival::Even, Arrival::Uniform, Arrival::Exponential] {
            let mut stage = stage(think(9 * MS, 1, spread), 20);
            let device = counting(20, |now, r: &Request| ScriptedAnswer::done(now + MS, r));
            let played = play(&mut stage, workers, device);
            let (rate, response) = figures(&played);
            let what = format!("{spread:?}, {workers} workers");
            near(&what, rate, 20.0 / 0.010, 0.02);
            // The time in which nobody asks is in no response.
            assert_eq!(response, MS as f64, "{what}");
            assert_eq!(played.total().lateness.max_ns(), Some(0), "{what}");
        }
    }
}

/// Users who think for exponential times, before one server of exponential service times: mean value analysis is exact there
/// (Reiser and Lavenberg, 1980).
#[test]
fn one_server_for_users_who_think_gives_what_mean_value_analysis_gives() {
    let (service, thinking) = (1e-3, 9e-3);
    for users in [4u32, 10, 30] {
        let (mut queue, mut truth) = (0.0, (0.0, 0.0));
        for n in 1..=users {
            let response = service * (1.0 + queue);
            let rate = f64::from(n) / (response + thinking);
            queue = rate * response;
            truth = (rate, response);
        }
        let mut stage = stage(think(9 * MS, 1, Arrival::Exponential), users);
        stage.step.elapsed = Nanos::secs(60);
        let (mut one, mut random) = (Servers::new(1), randoms(3));
        let played = stage.play(|now, r| {
            let service = (-random().ln() * 1e6) as u64;
            ScriptedAnswer::done(one.serve(now, service), r)
        });
        let (rate, response) = figures(&played);
        near(&format!("rate of {users}"), rate / 6.0, truth.0, 0.02);
        near(
            &format!("response of {users}"),
            response / 1e9,
            truth.1,
            0.05,
        );
    }
}

#[test]
fn a_slot_thinks_after_as_many_ios_as_it_was_told() {
    let played =
        stage(think(10 * MS, 4, Arrival::Even), 1).play(|now, r| ScriptedAnswer::done(now + MS, r));
    // Four of 1 ms, then 10 ms: 714 rounds are 9.996 s, and four more begin.
    assert_eq!(played.whole().ios(), 714 * 4 + 4);
    // Each of many slots counts for itself.
    let played = stage(think(10 * MS, 4, Arrival::Even), 50)
        .play(|now, r| ScriptedAnswer::done(now + MS, r));
    near("50 users", figures(&played).0, 50.0 * 4.0 / 0.014, 0.01);
}

#[test]
fn users_do_not_all_come_at_once() {
    for workers in [1, 4] {
        let mut stage = stage(think(100 * MS, 1, Arrival::Even), 40);
        let mut most = (0, 0);
        let played = play(&mut stage, workers, |now, r| {
            most = match now == most.0 {
                true => (now, most.1 + 1),
                false => (now, most.1.min(1)),
            };
            assert!(most.1 <= 1, "{} begin at {now}", most.1 + 1);
            ScriptedAnswer::done(now + 100 * US, r)
        });
        near("rate", figures(&played).0, 40.0 / 0.1001, 0.01);
    }
}

#[test]
fn a_most_per_second_is_what_all_workers_reach_together_and_never_pass() {
    for workers in [1, 2, 4] {
        let mut stage = stage(at_most(1000.0), 8);
        let mut sent = 0u64;
        let device = counting(8, |now, r: &Request| {
            // No I/O before its time on the schedule.
            assert!(sent * MS <= now, "number {sent} at {now}");
            sent += 1;
            ScriptedAnswer::done(now + 100 * US, r)
        });
        let played = play(&mut stage, workers, device);
        let whole = played.whole();
        let read = &whole.streams[0].ops[0];
        assert_eq!(read.ios, 10_000, "{workers} workers");
        // What it waits for its time is in no response.
        assert_eq!(read.response.max_ns(), Some(100 * US), "{workers} workers");
        assert_eq!((whole.streams[0].due, whole.backlog_end), (0, 0));
    }
}

#[test]
fn what_a_stall_held_up_is_caught_up_with_in_no_more_than_the_slots() {
    let stalls = Stalls {
        period_ns: 4 * S,
        length_ns: S,
    };
    for workers in [1, 4] {
        let mut stage = stage(at_most(1000.0), 8);
        let mut sent = 0u64;
        let device = counting(8, |now, r: &Request| {
            assert!(sent * MS <= now, "number {sent} at {now}");
            sent += 1;
            ScriptedAnswer::done(stalls.done_ns(now, 100 * US), r)
        });
        let played = play(&mut stage, workers, device);
        // Stalls at 3 and 7 s: nothing of what was not asked for then is missing at 10 s.
        assert_eq!(played.whole().ios(), 10_000, "{workers} workers");
        let by_second: Vec<u64> = played.intervals.iter().map(|(_, s)| s.ios()).collect();
        assert!(by_second[3] <= 8 && by_second[4] >= 1_990, "{by_second:?}");
        // Only those that were out show the stall.
        let long = &played.whole().streams[0].ops[0].response;
        assert!(long.quantile_ns(0.998).expect("a quantile") < MS);
    }
}

#[test]
fn a_target_that_does_not_reach_the_most_is_a_closed_loop_like_any_other() {
    for workers in [1, 2] {
        let mut stage = stage(at_most(1000.0), 4);
        let device = counting(4, |now, r: &Request| ScriptedAnswer::done(now + 10 * MS, r));
        let played = play(&mut stage, workers, device);
        // They begin at 0, 1, 2 and 3 ms: three of them have one more out at the end.
        assert_eq!(played.total().ios(), 4 * 1000 - 3);
        let read = &played.whole().streams[0].ops[0];
        assert_eq!(read.response.max_ns(), Some(10 * MS));
    }
}

#[test]
fn a_most_of_bytes_counts_the_bytes_of_whatever_size() {
    for workers in [1, 2, 4] {
        let mut stage = stage(Throttle::bandwidth(Bytes(8 << 20)), 8);
        let stream = &mut stage.step.streams[0];
        (stream.mix.read, stream.mix.write) = (50.0, 50.0);
        let fixed = |kib: u64| SizeSpec::Fixed(Bytes(kib << 10));
        stream.size = SizeSpec::of_operations([fixed(4), fixed(64), fixed(4)]);
        let mut sent = 0u64;
        let device = counting(8, |now, r: &Request| {
            let most = (now as f64 * f64::from(8 << 20) / 1e9).ceil() as u64;
            assert!(sent <= most, "{sent} bytes at {now}");
            sent += u64::from(r.length);
            ScriptedAnswer::done(now + 100 * US, r)
        });
        let played = play(&mut stage, workers, device);
        let bytes = played.whole().bytes();
        assert!(
            (80 << 20..(80 << 20) + (64 << 10)).contains(&bytes),
            "{bytes}"
        );
        let ops = &played.whole().streams[0].ops;
        assert_eq!(ops[0].bytes, ops[0].ios * 4096);
        assert_eq!(ops[1].bytes, ops[1].ios * 65_536);
    }
}

#[test]
fn who_is_not_held_back_has_the_slots_that_the_others_leave() {
    for workers in [1, 2] {
        let mut stage = Stage::new(Load::Max, &[8]);
        stage.step.streams[0].throttle = at_most(100.0);
        stage.step.streams.push(stream(0, 1.0));
        stage.step.streams.push(stream(0, 1.0));
        let device = counting(8, |now, r: &Request| ScriptedAnswer::done(now + MS, r));
        let played = play(&mut stage, workers, device);
        assert!(played.ios(0).abs_diff(1000) <= 1, "{}", played.ios(0));
        assert_eq!(played.total().ios(), 80_000);
        // The two others go halves.
        near("one of two", played.ios(1) as f64, 39_500.0, 0.03);
    }
}

#[test]
fn a_most_per_second_holds_beside_a_rate() {
    for workers in [1, 2, 4] {
        for other in [0, 1] {
            let mut stage = Stage::new(Load::Max, &[16, 16][..=other as usize]);
            stage.step.streams.truncate(1);
            stage.step.streams[0].throttle = at_most(100.0);
            let mut scheduled = stream(other, 1.0);
            scheduled.fixed_rate = Some(Rate(1000.0));
            stage.step.streams.push(scheduled);
            let played = play(&mut stage, workers, |now, r| {
                ScriptedAnswer::done(now + MS, r)
            });
            let what = format!("{workers} workers, target {other}");
            assert!(
                played.ios(0).abs_diff(1000) <= 1,
                "{what}: {}",
                played.ios(0)
            );
            near(&what, played.ios(1) as f64, 10_000.0, 0.05);
            let whole = played.whole();
            assert_eq!(whole.streams[1].late_for_slot, 0, "{what}");
            assert_eq!(
                whole.streams[0].ops[0].response.max_ns(),
                Some(MS),
                "{what}"
            );
        }
    }
}

#[test]
fn users_think_beside_a_rate_on_another_target() {
    for workers in [1, 2, 4] {
        let mut stage = Stage::new(Load::Max, &[20, 16]);
        stage.step.streams[0].throttle = think(9 * MS, 1, Arrival::Even);
        stage.step.streams[1].fixed_rate = Some(Rate(1000.0));
        let played = play(&mut stage, workers, |now, r| {
            ScriptedAnswer::done(now + MS, r)
        });
        near("users", played.ios(0) as f64, 20_000.0, 0.02);
        near("the rate", played.ios(1) as f64, 10_000.0, 0.05);
    }
}

#[test]
fn one_pass_that_is_held_back_ends_when_it_is_through() {
    for workers in [1, 2] {
        let mut stage = Stage::new(Load::Max, &[4]);
        stage.step.streams = vec![one_pass(0, 1 << 20)];
        stage.step.streams[0].throttle = at_most(1000.0);
        stage.step.workers.count = Some(workers);
        let played = stage.play(|now, r| ScriptedAnswer::done(now + 100 * US, r));
        assert_eq!((played.whole().ios(), played.limit), (256, true));
        assert_eq!(played.end_ns, 255 * MS + 100 * US);
    }
}

#[test]
fn limits_end_what_is_held_back() {
    for throttle in [at_most(1000.0), think(3 * MS, 1, Arrival::Exponential)] {
        let mut stage = stage(throttle, 4);
        stage.step.limits.ios = Some(777);
        let played = stage.play(|now, r| ScriptedAnswer::done(now + 100 * US, r));
        assert_eq!((played.whole().ios(), played.limit), (777, true));
        assert!(played.end_ns < S);
    }
}

#[test]
fn an_io_that_is_out_at_the_end_is_waited_for_and_a_thought_is_not() {
    let played =
        stage(think(60 * S, 1, Arrival::Even), 1).play(|now, r| ScriptedAnswer::done(now + MS, r));
    assert_eq!((played.whole().ios(), played.end_ns), (1, 10 * S));
    let slow = stage(at_most(0.3), 2).play(|now, r| ScriptedAnswer::done(now + 2 * S, r));
    // At 0, 3.3, 6.7 and, by its time on the schedule, 10 s: that is past the end.
    assert_eq!((slow.whole().ios(), slow.unfinished), (3, 0));
}

#[test]
fn both_hold_back_where_both_are_asked_for() {
    let both = |rate| {
        let throttle = Throttle {
            max_rate: Some(Rate(rate)),
            ..think(9 * MS, 1, Arrival::Even)
        };
        let played = stage(throttle, 10).play(|now, r| ScriptedAnswer::done(now + MS, r));
        figures(&played).0
    };
    near("the cap is lower", both(300.0), 300.0, 0.01);
    near("the users are slower", both(3000.0), 1000.0, 0.01);
}

#[test]
fn syncs_that_are_owed_are_not_held_back() {
    let mut stage = stage(at_most(100.0), 2);
    let stream = &mut stage.step.streams[0];
    (stream.mix.read, stream.mix.write) = (0.0, 100.0);
    stage.durability = Durability::FsyncEvery(10);
    let mut syncs = 0;
    let played = stage.play(|now, r| {
        syncs += u64::from(r.length == 0);
        ScriptedAnswer::done(now + 100 * US, r)
    });
    assert_eq!((played.whole().ios(), syncs), (1000, 100));
}
