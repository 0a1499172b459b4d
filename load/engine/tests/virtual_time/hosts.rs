//! Several hosts that carry out one step together: a common instant, and their workers' places among all.

use super::crowd::play;
use super::stage::{MS, S, Stage, US, open, stream};
use plimsoll_engine::layout::layout;
use plimsoll_engine::ranks::{Rank, Ranks};
use plimsoll_engine::scripted::{Scripted, ScriptedAnswer, ScriptedClock, Time};
use plimsoll_engine::{Control, EngineError, Outcome, run_step_alone};
use plimsoll_plan::*;

/// What one host with so many workers asks its device for: (time, address), in the order of time.
fn asked(stage: &mut Stage, workers: u32) -> Vec<(u64, u64)> {
    let mut asked = Vec::new();
    play(stage, workers, |now, request| {
        asked.push((now, request.offset));
        ScriptedAnswer::done(now + 50 * US, request)
    });
    asked
}

/// What all hosts ask for, each with so many workers, where the step is dealt to them.
fn asked_by(stage: &mut Stage, hosts: usize, workers: u32) -> Vec<Vec<(u64, u64)>> {
    stage.step.workers.count = Some(workers);
    let own = layout(&stage.step, &stage.options.kinds, stage.options.cpus);
    let all = vec![own; hosts];
    let of = |host| {
        stage.options.ranks = Some(Ranks::among(&stage.step, &all, host));
        asked(stage, workers)
    };
    (0..hosts).map(of).collect()
}

#[test]
fn two_hosts_of_two_workers_ask_for_what_one_of_four_does() {
    for arrival in [Arrival::Even, Arrival::Exponential] {
        for coverage in [false, true] {
            let stage = || {
                let mut stage = Stage::new(open(2_000.0, arrival), &[64]);
                stage.step.elapsed = Nanos::secs(1);
                stage.step.streams[0].address.pattern = Pattern::Random {
                    distribution: Distribution::Uniform,
                    coverage,
                };
                stage
            };
            let mut one = asked(&mut stage(), 4);
            let hosts = asked_by(&mut stage(), 2, 2);
            let mut two = hosts.concat();
            assert!(hosts.iter().all(|h| h.len() > 800), "each does its part");
            one.sort_unstable();
            two.sort_unstable();
            assert_eq!(one, two, "{arrival:?}, coverage {coverage}");
        }
    }
}

/// When something is asked for by hosts of so many workers each.
fn times(load: &Load, hosts: usize, workers: u32) -> Vec<u64> {
    let mut stage = Stage::new(load.clone(), &[4096]);
    stage.step.elapsed = Nanos::secs(1);
    let all = asked_by(&mut stage, hosts, workers).concat();
    let mut times: Vec<u64> = all.into_iter().map(|(at, _)| at).collect();
    times.sort_unstable();
    times
}

#[test]
fn any_number_of_workers_on_any_number_of_hosts_issues_at_the_same_instants() {
    let segment = |rate: f64, ms: u64| RateSegment::new(Rate(rate), Nanos(ms * MS));
    for arrival in [Arrival::Even, Arrival::Uniform] {
        for load in [
            open(7_000.0, arrival),
            Load::schedule(
                vec![
                    segment(9_000.0, 130),
                    segment(0.0, 20),
                    segment(3_000.0, 70),
                ],
                arrival,
            ),
        ] {
            let one = times(&load, 1, 1);
            assert!(one.len() > 5_000, "{}", one.len());
            for (hosts, workers) in [(1, 2), (1, 4), (1, 8), (1, 16), (2, 4), (3, 5)] {
                let all = times(&load, hosts, workers);
                assert!(
                    all == one,
                    "{arrival:?}, {hosts} hosts of {workers} workers"
                );
            }
        }
    }
}

#[test]
fn what_is_passed_through_in_order_is_dealt_to_hosts_without_a_gap() {
    let sequential = Pattern::ONE_PASS;
    for (hosts, unit) in [(2, 4096u64), (3, 12_288)] {
        let mut stage = Stage::new(Load::Max, &[4]);
        stage.step.streams[0].address.pattern = sequential.clone();
        stage.step.streams[0].address.range =
            RangeSpec::Bytes(Bytes(8192), Bytes(8192 + (1 << 20)));
        stage.step.streams[0].size = SizeSpec::Fixed(Bytes(unit));
        let parts = asked_by(&mut stage, hosts, 1);
        let mut all: Vec<u64> = Vec::new();
        let mut last = 0;
        for part in &parts {
            let mut own: Vec<u64> = part.iter().map(|(_, at)| *at).collect();
            own.sort_unstable();
            assert!(own.len() > 20 && own[0] >= last, "each in its own part");
            last = *own.last().expect("some");
            all.extend(own);
        }
        let blocks: u64 = ((1 << 20) as f64 / unit as f64).ceil() as u64;
        assert!(all.windows(2).all(|w| w[1] > w[0] && w[1] - w[0] <= unit));
        assert!(all.len() as u64 >= blocks && all.len() as u64 <= blocks + 2 * hosts as u64);
        assert_eq!(all[0], 8192);
    }
}

#[test]
fn hosts_with_targets_of_their_own_share_a_rate_and_each_covers_all_of_its_own() {
    let mut stage = Stage::new(open(2_000.0, Arrival::Even), &[64]);
    stage.step.elapsed = Nanos::secs(1);
    stage.step.workers.count = Some(2);
    let blocks = 800u64;
    let stream = &mut stage.step.streams[0];
    stream.address.pattern = Pattern::COVERING;
    stream.address.range = RangeSpec::Bytes(Bytes(0), Bytes(blocks * 4096));
    stream.size = SizeSpec::Fixed(Bytes(4096));
    let own = layout(&stage.step, &stage.options.kinds, stage.options.cpus);
    let all = vec![own; 2];
    let mut hosts = Vec::new();
    for host in 0..2 {
        stage.options.ranks = Some(Ranks {
            apart: vec![true],
            ..Ranks::among(&stage.step, &all, host)
        });
        hosts.push(asked(&mut stage, 2));
    }
    let distinct = |host: &[(u64, u64)]| {
        let places: std::collections::BTreeSet<u64> = host.iter().map(|(_, at)| *at).collect();
        places.len()
    };
    for host in &hosts {
        // Half of the rate; in the first `blocks` of its I/Os each worker's half is covered, or nearly, once.
        assert_eq!(host.len(), 1_000);
        assert!(distinct(host) > 790, "{} of {blocks}", distinct(host));
    }
    let order = |host: &[(u64, u64)]| host.iter().map(|(_, at)| *at).collect::<Vec<_>>();
    assert_ne!(order(&hosts[0]), order(&hosts[1]), "not in step");
}

#[test]
fn a_place_that_the_workers_do_not_fit_in_is_refused() {
    let mut stage = Stage::new(Load::Max, &[4]);
    let rank = |before, of| Rank { before, of };
    for (workers, streams) in [
        (rank(4, 4), vec![rank(0, 4)]),
        (rank(0, 4), vec![rank(4, 4)]),
        (rank(0, 4), vec![]),
        (rank(u32::MAX, u32::MAX), vec![rank(0, 4)]),
    ] {
        stage.options.ranks = Some(Ranks {
            workers,
            streams,
            apart: Vec::new(),
        });
        let time = Time::default();
        let refused = run_step_alone(
            &stage.step,
            &stage.targets(),
            &stage.options,
            &Control::default(),
            ScriptedClock(time.clone()),
            |_| Scripted::new(time, ScriptedAnswer::done),
            |_| panic!("nothing is done"),
        );
        assert!(
            matches!(refused, Err(EngineError::Ranks { .. })),
            "{refused:?}"
        );
    }
}

/// The step from that time on, and when each of its I/Os came.
fn run_from(stage: &Stage, time: Time) -> (Outcome, Vec<u64>) {
    let mut came = Vec::new();
    let outcome = run_step_alone(
        &stage.step,
        &stage.targets(),
        &stage.options,
        &Control::default(),
        ScriptedClock(time.clone()),
        |_| {
            Scripted::new(time, |now, request| {
                came.push(now);
                ScriptedAnswer::done(now + MS, request)
            })
        },
        |_| {},
    );
    (outcome.expect("a step"), came)
}

#[test]
fn all_begin_at_the_instant_and_a_past_one_is_said() {
    // (asked for, when the first I/O comes, how late that is), where the clock stands at 2 s.
    for (asked, first, late) in [
        (None, 2 * S, 0),
        (Some(7 * S), 7 * S, 0),
        (Some(2 * S), 2 * S, 0),
        (Some(500 * MS), 2 * S, 1_500 * MS),
    ] {
        let mut stage = Stage::new(open(100.0, Arrival::Even), &[4]);
        stage.options.start_at = asked;
        let time = Time::default();
        time.advance_to(2 * S);
        let (outcome, came) = run_from(&stage, time);
        assert_eq!(outcome.late_start, Nanos(late));
        // Even arrivals begin within the first gap, and last for the step's time from there.
        assert!(
            (first..first + 10 * MS).contains(&came[0]),
            "{} for {asked:?}",
            came[0]
        );
        assert_eq!(came.len(), 1_000);
        assert!(came.iter().all(|at| *at < first + 10 * S));
    }
}

#[test]
fn windows_count_from_the_common_instant() {
    let mut stage = Stage::new(Load::Max, &[1]);
    stage.step.streams = vec![stream(0, 1.0)];
    stage.step.streams[0].window = Window {
        from: Nanos::secs(2),
        until: Some(Nanos::secs(3)),
        ..Window::default()
    };
    stage.options.start_at = Some(60 * S);
    let (_, came) = run_from(&stage, Time::default());
    assert_eq!((came[0], came.len()), (62 * S, 1_000));
    assert!(came.iter().all(|at| *at < 63 * S));
}
