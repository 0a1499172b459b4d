//! Several workers on one target, where slots are short and where some of them end.

use super::crowd::{counting, play, play_kept};
use super::queue::{Served, serve};
use super::stage::{MS, S, Stage, US, open, stream};
use plimsoll_engine::backend::{Action, Request};
use plimsoll_engine::pace::Pace;
use plimsoll_engine::scripted::ScriptedAnswer;
use plimsoll_engine::setup;
use plimsoll_plan::*;

/// All workers' intended starts of a stage's only stream.
fn schedules(stage: &Stage, workers: u32) -> Vec<u64> {
    let seed = setup::arrival_seed(stage.options.seed, 0);
    let end = stage.step.elapsed.0;
    let own = |worker| {
        let mut pace = Pace::of(&stage.step, 0, seed, worker, workers).expect("an open loop");
        std::iter::repeat_with(move || pace.next_ns()).take_while(move |due| *due < end)
    };
    let mut all: Vec<u64> = (0..workers).flat_map(own).collect();
    all.sort_unstable();
    all
}

#[test]
fn every_io_starts_in_its_turn_whoever_issues_it() {
    // 8 slots of 1 ms carry 8000/s.
    for rate in [7_000.0, 10_000.0] {
        for workers in [2, 4, 8] {
            let mut stage = Stage::new(open(rate, Arrival::Exponential), &[8]);
            stage.step.elapsed = Nanos::secs(4);
            let served = serve(&schedules(&stage, workers), 8, |start| start + MS);
            let mut starts = Vec::new();
            let device = counting(8, |now, r: &Request| {
                starts.push(now);
                ScriptedAnswer::done(now + MS, r)
            });
            let played = play(&mut stage, workers, device);
            // What is due and has not gone out by the end is followed for a while.
            starts.retain(|s| *s < 4 * S);
            let truth = served.iter().map(|s| s.start).filter(|s| *s < 4 * S);
            assert_eq!(starts, truth.collect::<Vec<_>>(), "{workers} workers");
            for (number, (_, stats)) in played.intervals.iter().enumerate() {
                let (from, to) = (number as u64 * S, (number as u64 + 1) * S);
                let count =
                    |f: &dyn Fn(&Served) -> bool| served.iter().filter(|s| f(s)).count() as u64;
                assert_eq!(
                    stats.streams[0].due,
                    count(&|s| (from..to).contains(&s.due))
                );
                let late = count(&|s| (from..to).contains(&s.start) && s.start > s.due);
                assert_eq!(stats.streams[0].late_for_slot, late, "{workers} workers");
                assert_eq!(stats.backlog_end, count(&|s| s.due < to && s.start >= to));
            }
        }
    }
}

#[test]
fn smaller_priorities_go_first_on_whatever_worker_they_are() {
    let mut stage = Stage::new(open(0.0, Arrival::Even), &[8]);
    let fixed = |rate: f64, priority: u32| {
        let mut s = stream(0, 1.0);
        s.fixed_rate = Some(Rate(rate));
        s.priority = Some(priority);
        s
    };
    // 8 slots of 1 ms carry 8000/s: all of the first, a part of the second, nothing of the third.
    stage.step.streams = vec![fixed(6_000.0, 3), fixed(4_800.0, 1), fixed(4_800.0, 2)];
    let played = play(
        &mut stage,
        4,
        counting(8, |now, r: &Request| ScriptedAnswer::done(now + MS, r)),
    );
    let ios = [played.ios(0), played.ios(1), played.ios(2)];
    assert!(
        ios[1].abs_diff(48_000) < 50 && ios[2].abs_diff(32_000) < 300,
        "{ios:?}"
    );
    assert!(ios[0] < 400, "{ios:?}");
}

#[test]
fn what_can_never_be_issued_is_counted_and_not_kept() {
    let mut stage = Stage::new(open(1e8, Arrival::Exponential), &[8]);
    stage.step.elapsed = Nanos::secs(3);
    let played = play(
        &mut stage,
        4,
        counting(8, |now, r: &Request| ScriptedAnswer::done(now + MS, r)),
    );
    for (number, (_, stats)) in played.intervals.iter().enumerate() {
        let off = |got: u64, truth: f64| (got as f64 / truth - 1.0).abs();
        assert!(
            off(stats.streams[0].due, 1e8) < 0.001,
            "{}",
            stats.streams[0].due
        );
        let behind = (number as f64 + 1.0) * (1e8 - 8000.0);
        assert!(
            off(stats.backlog_end, behind) < 0.001,
            "{}",
            stats.backlog_end
        );
    }
    assert!(
        (23_990..=24_000).contains(&played.ios(0)),
        "{}",
        played.ios(0)
    );
}

#[test]
fn once_they_have_caught_up_all_that_was_due_was_issued() {
    let part = |rate: f64, length: u64| RateSegment::new(Rate(rate), Nanos(length));
    let load = Load::schedule(
        vec![part(2e6, S / 10), part(1_000.0, 10 * S)],
        Arrival::Exponential,
    );
    let mut stage = Stage::new(load, &[16]);
    stage.step.elapsed = Nanos::secs(3);
    let due = schedules(&stage, 4).len() as u64;
    // 200,000 in 16 slots of 100 us take 1.25 s.
    let played = play(
        &mut stage,
        4,
        counting(16, |now, r: &Request| {
            ScriptedAnswer::done(now + 100 * US, r)
        }),
    );
    assert!(played.intervals[0].1.backlog_end > 10_000);
    assert_eq!(played.intervals[2].1.backlog_end, 0);
    assert_eq!((played.total().streams[0].due, played.ios(0)), (due, due));
}

/// (I/Os of the stream as fast as it can, those with a rate, their mean response in ns).
fn beside(workers: u32) -> (u64, u64, u64) {
    let mut stage = Stage::new(Load::Max, &[8]);
    let mut paced = stream(0, 1.0);
    paced.fixed_rate = Some(Rate(300.0));
    stage.step.streams.push(paced);
    let mut number = 0;
    let device = counting(8, move |now, r: &Request| {
        number += 1;
        ScriptedAnswer::done(now + (9 + number % 3) * MS, r)
    });
    let played = play(&mut stage, workers, device);
    let total = played.total();
    assert!(
        total.depth_integral_ns > 8 * 10 * S - 10 * MS,
        "a slot was idle"
    );
    let response = &total.streams[1].ops[0].response;
    (
        played.ios(0),
        played.ios(1),
        response.sum_ns() / response.count(),
    )
}

#[test]
fn what_is_due_goes_first_in_whatever_slot_comes_free() {
    let one = beside(1);
    for workers in [2, 4, 8] {
        let many = beside(workers);
        // Their schedules are not the same: Poisson counts of 3000 differ by their root, a few times.
        assert!(many.1.abs_diff(one.1) < 220, "{one:?} {many:?}");
        assert!(
            (many.0 + many.1).abs_diff(one.0 + one.1) < 30,
            "{one:?} {many:?}"
        );
        // One of 8 slots comes free each 1.25 ms; of a worker's own, each 10 ms.
        assert!(many.2.abs_diff(one.2) < one.2 / 20, "{one:?} {many:?}");
    }
}

#[test]
fn a_limit_is_kept_and_no_due_io_waits_for_a_worker_that_has_ended() {
    for rate in [4_000.0, 20_000.0] {
        for workers in [1, 3, 8] {
            let mut stage = Stage::new(open(rate, Arrival::Exponential), &[8]);
            stage.step.limits.ios = Some(1_000);
            let played = play(
                &mut stage,
                workers,
                counting(8, |now, r: &Request| ScriptedAnswer::done(now + MS, r)),
            );
            assert!(played.limit && played.lost.is_empty());
            assert_eq!(played.ios(0), 1_000, "{rate} {workers}");
            assert!(played.end_ns < S, "{rate} {workers}: {}", played.end_ns);
        }
    }
}

#[test]
fn syncs_take_slots_of_the_target() {
    for workers in [1, 4] {
        let mut stage = Stage::new(open(2_000.0, Arrival::Exponential), &[4]);
        stage.durability = Durability::FsyncEvery(1);
        stage.step.streams[0].mix = Mix::WRITES;
        let mut syncs = 0u64;
        let device = counting(4, |now, r: &Request| {
            syncs += u64::from(r.action == Action::Sync && now < 10 * S);
            ScriptedAnswer::done(now + MS, r)
        });
        let played = play(&mut stage, workers, device);
        // 4 slots of 1 ms do 4000 a second, and half of them are syncs.
        assert!(
            played.ios(0).abs_diff(syncs) <= 8,
            "{} {syncs}",
            played.ios(0)
        );
        assert!(played.ios(0) > 19_000, "{}", played.ios(0));
    }
}

#[test]
fn a_target_that_never_answers_keeps_nobody_waiting_past_the_deadline() {
    let mut stage = Stage::new(open(1_000.0, Arrival::Even), &[8]);
    let mut number = 0;
    let device = counting(8, move |now, r: &Request| {
        number += 1;
        if number > 500 {
            ScriptedAnswer::never()
        } else {
            ScriptedAnswer::done(now + MS, r)
        }
    });
    let played = play(&mut stage, 4, device);
    assert_eq!((played.lost.len(), played.end_ns), (8, 15 * S));
    assert_eq!(played.total().streams[0].due, 10_000);
    assert_eq!(played.intervals[9].1.backlog_end, 10_000 - 508);
}

/// (share late for a slot, p99 of lateness in ns) of 40,000 a second on 16 slots and two workers, of whom one is kept from
/// its CPU for 5 ms and then for 10 ms in each 20, where an I/O takes so long.
fn kept(service_ns: u64) -> (f64, u64) {
    let mut stage = Stage::new(open(40_000.0, Arrival::Exponential), &[16]);
    stage.step.elapsed = Nanos(S);
    let host = |worker: usize, at: u64| {
        // It comes back, takes all slots for what it has missed, and is kept again.
        let (from, into) = (at / (20 * MS) * (20 * MS), at % (20 * MS));
        match into {
            _ if worker != 0 => at,
            0..5_000_000 => from + 5 * MS,
            5_010_000..15_000_000 => from + 15 * MS,
            _ => at,
        }
    };
    let device = counting(16, move |now, r: &Request| {
        ScriptedAnswer::done(now + service_ns, r)
    });
    let total = play_kept(&mut stage, 2, host, device).total();
    let stream = &total.streams[0];
    let late = stream.late_for_slot as f64 / stream.due as f64;
    (late, total.lateness.quantile_ns(0.99).expect("a p99"))
}

#[test]
fn slots_that_a_worker_keeps_while_it_is_kept_from_its_cpu_are_not_the_targets_want() {
    let (late, lateness) = kept(100 * US);
    // Some get a slot, late, before the worker is back and can tell.
    assert!(late < 0.05, "{late}");
    assert!(lateness > 3 * MS, "{lateness}");
    // 16 slots of 0.8 ms carry half of what is due.
    let (late, _) = kept(800 * US);
    assert!(late > 0.3, "{late}");
}
