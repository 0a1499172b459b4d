//! Open loops.

use super::queue::{Served, quantile, schedule, serve, stalling};
use super::stage::{MS, S, Stage, US, open, stream};
use plimsoll_engine::scripted::{ScriptedAnswer, Servers, Stalls};
use plimsoll_measure::Histogram;
use plimsoll_plan::*;

fn close(what: &str, got: u64, truth: u64, tolerance: f64) {
    let off = got as f64 / truth as f64 - 1.0;
    assert!(off.abs() <= tolerance, "{what}: {got}, in truth {truth}");
}

/// The reads of a stage's only stream.
fn reads(played: &super::stage::Played) -> (Histogram, Histogram) {
    let whole = played.whole();
    let read = &whole.streams[0].ops[0];
    (read.response.clone(), read.service.clone())
}

#[test]
fn a_stall_shows_in_the_response_time() {
    let stalls = Stalls {
        period_ns: 6 * S,
        length_ns: S,
    };
    for arrival in [Arrival::Even, Arrival::Exponential] {
        let mut stage = Stage::new(open(1000.0, arrival), &[32]);
        stage.step.elapsed = Nanos::secs(60);
        // All that was due, whenever it came back: the last second is a stall.
        let served = serve(&schedule(&stage), 32, stalling);
        let truth = quantile(served.iter().map(|s| s.done - s.due).collect(), 0.99);

        let played = stage.play(|now, r| ScriptedAnswer::done(stalls.done_ns(now, 100 * US), r));
        let (response, service) = reads(&played);
        let (p99, own) = (response.quantile_ns(0.99), service.quantile_ns(0.99));
        let (p99, own) = (p99.expect("a p99"), own.expect("a p99"));
        println!(
            "{arrival:?}, 1000/s, a stall of 1 s in 6 s: p99 of response {:.1} ms (in truth {:.1} ms), of service {:.3} ms",
            p99 as f64 / 1e6,
            truth as f64 / 1e6,
            own as f64 / 1e6
        );
        close("p99 of response", p99, truth, 0.02);
        assert!(own < 200 * US, "{own}");
        assert_eq!(response.count(), served.len() as u64);
        assert_eq!(
            response.sum_ns(),
            served.iter().map(|s| s.done - s.due).sum::<u64>()
        );
        assert_eq!(
            service.sum_ns(),
            served.iter().map(|s| s.done - s.start).sum::<u64>()
        );
    }
}

#[test]
fn every_io_starts_as_the_queue_says() {
    for (arrival, slots, rate) in [
        (Arrival::Even, 4, 3_000.0),
        (Arrival::Uniform, 4, 3_900.0),
        (Arrival::Exponential, 4, 3_600.0),
        (Arrival::Exponential, 1, 700.0),
    ] {
        let stage = Stage::new(open(rate, arrival), &[slots]);
        let served = serve(&schedule(&stage), slots as usize, |start| start + MS);
        let mut starts = Vec::new();
        let played = stage.play(|now, r| {
            starts.push(now);
            ScriptedAnswer::done(now + MS, r)
        });
        let truth: Vec<u64> = served.iter().map(|s| s.start).collect();
        assert!(starts == truth, "{arrival:?} at {rate}");
        let late = served.iter().filter(|s| s.start > s.due).count();
        let total = played.whole();
        assert_eq!(total.streams[0].late_for_slot, late as u64);
        assert_eq!(total.streams[0].due, served.len() as u64);
        // Time stands still while the loop works: the generator itself is never late.
        assert_eq!(total.lateness.max_ns(), Some(0));
        assert_eq!(total.lateness.count(), starts.len() as u64);
    }
}

#[test]
fn a_saturated_loop_tells_what_is_due_late_and_behind() {
    for arrival in [Arrival::Even, Arrival::Exponential] {
        // 8 slots of 1 ms carry 8000/s.
        let stage = Stage::new(open(10_000.0, arrival), &[8]);
        let served = serve(&schedule(&stage), 8, |start| start + MS);
        let played = stage.play(|now, r| ScriptedAnswer::done(now + MS, r));
        assert_eq!(played.intervals.len(), 10);
        for (number, (_, stats)) in played.intervals.iter().enumerate() {
            let (from, to) = (number as u64 * S, (number as u64 + 1) * S);
            let count = |f: &dyn Fn(&Served) -> bool| served.iter().filter(|s| f(s)).count() as u64;
            let due = count(&|s| (from..to).contains(&s.due));
            assert_eq!(stats.streams[0].due, due, "{arrival:?} {number}");
            let late = count(&|s| (from..to).contains(&s.start) && s.start > s.due);
            assert_eq!(stats.streams[0].late_for_slot, late);
            let behind = count(&|s| s.due < to && s.start >= to);
            assert_eq!(stats.backlog_end, behind);
            let waiting = |s: &Served| s.start.min(to).saturating_sub(s.due.max(from));
            let integral: u64 = served.iter().map(waiting).sum();
            close(
                "integral of the backlog",
                stats.backlog_integral_ns,
                integral,
                0.02,
            );
        }
        // 2000 a second more than it can carry.
        let last = played.intervals[9].1.backlog_end;
        assert!((18_500..21_500).contains(&last), "{last}");
    }
}

#[test]
fn littles_law_holds_exactly() {
    let mut stage = Stage::new(open(5_000.0, Arrival::Exponential), &[64]);
    stage.step.limits.ios = Some(20_000);
    let mut servers = Servers::new(6);
    let played = stage.play(|now, r| ScriptedAnswer::done(servers.serve(now, MS), r));
    let (_, service) = reads(&played);
    assert_eq!(service.count(), 20_000);
    assert_eq!(played.total().depth_integral_ns, service.sum_ns());
}

#[test]
fn a_backlog_is_worked_off_after_a_stall() {
    let stalls = Stalls {
        period_ns: 10 * S,
        length_ns: 5 * S,
    };
    let mut stage = Stage::new(open(1000.0, Arrival::Even), &[4]);
    stage.step.elapsed = Nanos::secs(20);
    let played = stage.play(|now, r| ScriptedAnswer::done(stalls.done_ns(now, MS), r));
    let behind: Vec<u64> = played
        .intervals
        .iter()
        .map(|(_, s)| s.backlog_end)
        .collect();
    assert_eq!(&behind[..5], [0; 5]);
    // Four are in flight.
    assert_eq!(&behind[5..10], [996, 1996, 2996, 3996, 4996]);
    assert_eq!(behind[12], 0);
    let due: Vec<u64> = played
        .intervals
        .iter()
        .map(|(_, s)| s.streams[0].due)
        .collect();
    assert_eq!(due, [1000; 20]);
}

#[test]
fn streams_share_the_rate_by_weight_whatever_their_targets_take() {
    let mut stage = Stage::new(open(4000.0, Arrival::Exponential), &[32, 32]);
    stage.step.streams = vec![stream(0, 3.0), stream(1, 1.0)];
    let played = stage.play(|now, r| {
        let service = if r.file == 0 { 100 * US } else { 2 * MS };
        ScriptedAnswer::done(now + service, r)
    });
    close("the first", played.ios(0), 30_000, 0.02);
    close("the second", played.ios(1), 10_000, 0.03);
}

#[test]
fn rates_of_streams_own_come_beside_the_loads_rate() {
    let mut stage = Stage::new(open(1000.0, Arrival::Even), &[32]);
    let mut fixed = stream(0, 50.0);
    fixed.fixed_rate = Some(Rate(250.0));
    stage.step.streams.push(fixed);
    let played = stage.play(|now, r| ScriptedAnswer::done(now + MS, r));
    assert_eq!((played.ios(0), played.ios(1)), (10_000, 2_500));
}

#[test]
fn smaller_priorities_go_first_where_slots_are_short() {
    let mut stage = Stage::new(open(0.0, Arrival::Even), &[2]);
    let fixed = |rate: f64, priority: u32| {
        let mut s = stream(0, 1.0);
        s.fixed_rate = Some(Rate(rate));
        s.priority = Some(priority);
        s
    };
    // 2 slots of 1 ms carry 2000/s: all of the first, a part of the second, nothing of the third.
    stage.step.streams = vec![fixed(1500.0, 3), fixed(1200.0, 1), fixed(1200.0, 2)];
    let played = stage.play(|now, r| ScriptedAnswer::done(now + MS, r));
    let ios = [played.ios(0), played.ios(1), played.ios(2)];
    close("the first", ios[1], 12_000, 0.001);
    close("the second", ios[2], 8_000, 0.01);
    assert!(ios[0] < 100, "{ios:?}");
}

#[test]
fn rates_follow_the_schedule() {
    let segment = |rate: f64, ms: u64| RateSegment::new(Rate(rate), Nanos(ms * MS));
    let stage = Stage::new(
        Load::schedule(
            vec![
                segment(1000.0, 1000),
                segment(0.0, 1000),
                segment(3000.0, 2000),
            ],
            Arrival::Even,
        ),
        &[32],
    );
    let played = stage.play(|now, r| ScriptedAnswer::done(now + 10 * US, r));
    let due: Vec<u64> = played
        .intervals
        .iter()
        .map(|(_, s)| s.streams[0].due)
        .collect();
    let expected = [1000, 0, 3000, 3000, 1000, 0, 3000, 3000, 1000, 0];
    for (got, expected) in due.iter().zip(expected) {
        assert!(got.abs_diff(expected) <= 1, "{due:?}");
    }
}

#[test]
fn a_pass_that_ends_ends_an_open_loop_too() {
    let mut stage = Stage::new(open(1000.0, Arrival::Even), &[8]);
    stage.step.streams = vec![super::stage::one_pass(0, 1 << 20)];
    let played = stage.play(|now, r| ScriptedAnswer::done(now + MS, r));
    assert!(played.limit);
    assert_eq!((played.ios(0), played.total().streams[0].due), (256, 256));
    assert_eq!(played.end_ns, 256 * MS);
}

#[test]
fn a_rate_of_nothing_issues_nothing_and_ends_in_time() {
    let played = Stage::new(open(0.0, Arrival::Exponential), &[8]).play(ScriptedAnswer::done);
    assert_eq!((played.total().ios(), played.end_ns), (0, 10 * S));
    assert_eq!(played.intervals.len(), 10);
}
