//! Streams with a depth and a window of their own. What the device sees is the truth: each stream has a part of the target's
//! addresses, so that it knows whose an I/O is.

use super::crowd::play;
use super::stage::{MS, Played, S, Stage, US, open, stream};
use plimsoll_draw::Draw;
use plimsoll_engine::backend::Request;
use plimsoll_engine::scripted::ScriptedAnswer;
use plimsoll_plan::*;

/// What the device saw of one stream.
#[derive(Debug, Clone, Default)]
struct Seen {
    /// When each of its I/Os came, ns.
    came_ns: Vec<u64>,
    /// When those are done that may still be out, ns.
    out: Vec<u64>,
    most_out: usize,
}

/// Addresses of each stream.
const PART: u64 = 64 << 20;

/// A device that takes `service_ns` for each I/O, however many are out.
fn device(seen: &mut [Seen], service_ns: u64) -> impl FnMut(u64, &Request) -> ScriptedAnswer {
    move |now, request| {
        let own = &mut seen[(request.offset / PART) as usize];
        own.came_ns.push(now);
        own.out.retain(|done| *done > now);
        own.out.push(now + service_ns);
        own.most_out = own.most_out.max(own.out.len());
        ScriptedAnswer::done(now + service_ns, request)
    }
}

/// Streams on one target, which share 4 slots where they have none of their own: (depth, rate, from, until).
type Asked = (Option<u32>, Option<f64>, u64, Option<u64>);

fn stage(load: Load, asked: &[Asked]) -> Stage {
    let mut stage = Stage::new(load, &[4]);
    let own = |(number, (depth, rate, from, until)): (u64, &Asked)| {
        let mut own = stream(0, 1.0);
        own.workload = format!("w{number}");
        own.address.range = RangeSpec::Bytes(Bytes(number * PART), Bytes((number + 1) * PART));
        own.depth = *depth;
        own.fixed_rate = rate.map(Rate);
        own.window = Window {
            from: Nanos(*from),
            until: until.map(Nanos),
            ..Window::default()
        };
        own
    };
    stage.step.streams = (0..).zip(asked).map(own).collect();
    stage
}

fn played(stage: &mut Stage, workers: u32, service_ns: u64) -> (Vec<Seen>, Played) {
    let mut seen = vec![Seen::default(); stage.step.streams.len()];
    let played = play(stage, workers, device(&mut seen, service_ns));
    (seen, played)
}

const WORKERS: [u32; 3] = [1, 2, 4];

#[test]
fn a_closed_loop_keeps_each_streams_depth_whatever_the_others_do() {
    for load in [Load::Max, Load::MaxShared] {
        for workers in WORKERS {
            let asked = [
                (Some(8), None, 0, None),
                (None, None, 0, None),
                (Some(5), None, 0, None),
            ];
            let mut stage = stage(load.clone(), &asked);
            let (seen, played) = played(&mut stage, workers, MS);
            let most: Vec<usize> = seen.iter().map(|s| s.most_out).collect();
            if load == Load::Max {
                assert_eq!(most, [8, 4, 5], "{workers} workers");
                // A slot does one a millisecond.
                assert_eq!(played.ios(0), 8 * 10_000, "{workers} workers");
                assert_eq!(played.ios(1), 4 * 10_000, "{workers} workers");
            } else {
                assert!(most[0] <= 8 && most[1] <= 4 && most[2] <= 5, "{most:?}");
                let ios: Vec<u64> = (0..3).map(|s| played.ios(s)).collect();
                // The smallest holds the others up: shares are kept.
                assert!(ios.iter().all(|n| n.abs_diff(ios[1]) <= 4), "{ios:?}");
                assert!(ios[1] > 35_000, "{ios:?}");
            }
        }
    }
}

#[test]
fn an_open_loop_has_no_more_out_than_its_depth_and_leaves_the_others_alone() {
    for workers in WORKERS {
        // The first asks for twice what two slots carry; the second shares four slots and asks for a quarter of them.
        let asked = [
            (Some(2), Some(4_000.0), 0, None),
            (None, Some(1_000.0), 0, None),
        ];
        let mut stage = stage(open(1.0, Arrival::Even), &asked);
        let (seen, played) = played(&mut stage, workers, MS);
        assert_eq!(seen[0].most_out, 2, "{workers} workers");
        let rate = played.ios(0) / 10;
        assert!((1_990..=2_000).contains(&rate), "{rate}/s");
        let total = played.total();
        assert_eq!(total.streams[1].late_for_slot, 0, "{workers} workers");
        assert_eq!(total.streams[1].due, 10_000);
        let others = &total.streams[1].ops[0].response;
        let longest = others.max_ns().unwrap_or(0);
        assert!(longest <= MS + 10 * US, "{longest} ns");
        // All of the first's that went out had waited, but for those that found the slots new.
        let of_first = &total.streams[0];
        assert!(
            of_first.late_for_slot + 20 > played.ios(0),
            "{}",
            of_first.late_for_slot
        );
        assert_eq!(of_first.due, 40_000);
    }
}

#[test]
fn random_arrivals_find_no_slot_as_often_with_any_number_of_workers() {
    // One to eight slots at a mean of 80 % of one: what a queue of so many servers gives (Erlang C), for each stream.
    for (depth, expected) in [(1, 0.8), (2, 2.0 * 0.8 * 0.8 / 1.8)] {
        for workers in WORKERS.into_iter().filter(|w| *w <= depth + 4) {
            let rate = 800.0 * f64::from(depth);
            let asked = [
                (Some(depth), Some(rate), 0, None),
                (None, Some(50.0), 0, None),
            ];
            let mut stage = stage(open(1.0, Arrival::Exponential), &asked);
            stage.step.elapsed = Nanos::secs(60);
            let mut seen = vec![Seen::default(); 2];
            let mut draw = Draw(0);
            let mut fixed = device(&mut seen, 0);
            let played = play(&mut stage, workers, |now, request| {
                fixed(now, request);
                // Exponential of 1 ms.
                ScriptedAnswer::done(now + (draw.exponential() * 1e6) as u64, request)
            });
            let stats = &played.total().streams[0];
            let share = stats.late_for_slot as f64 / stats.due as f64;
            assert!(
                (share - expected).abs() < 0.03,
                "{depth} slots, {workers} workers: {share}"
            );
        }
    }
}

#[test]
fn nothing_goes_out_before_a_window_or_after_it() {
    let (from, until) = (2_300 * MS, 6_050 * MS);
    let loads = [
        (Load::Max, None),
        (Load::MaxShared, None),
        (Load::Max, Some(500.0)),
        (open(1_000.0, Arrival::Exponential), None),
    ];
    for (load, rate) in loads {
        for depth in [None, Some(3)] {
            for workers in WORKERS.into_iter().filter(|w| depth.is_none() || *w < 4) {
                let asked = [(depth, rate, from, Some(until)), (None, None, 0, None)];
                let mut stage = stage(load.clone(), &asked);
                if matches!(load, Load::MaxShared) && rate.is_some() {
                    continue;
                }
                let (seen, played) = played(&mut stage, workers, MS);
                let what = format!("{load:?}, {rate:?}, {depth:?}, {workers} workers");
                let (first, last) = (seen[0].came_ns.iter().min(), seen[0].came_ns.iter().max());
                assert!(
                    first.is_some_and(|at| *at >= from && *at < from + 50 * MS),
                    "{what}: {first:?}"
                );
                assert!(
                    last.is_some_and(|at| *at < until && *at > until - 50 * MS),
                    "{what}: {last:?}"
                );
                // The other goes on to the end of the step.
                assert!(seen[1].came_ns.iter().any(|at| *at < 50 * MS), "{what}");
                assert!(seen[1].came_ns.iter().any(|at| *at > 9_950 * MS), "{what}");
                assert_eq!(played.intervals.len(), 10, "{what}");
                assert!(!played.limit, "{what}");
                // What waits for a slot at the end of its window never gets one.
                assert!(played.unfinished <= 4, "{what}: {}", played.unfinished);
                if rate.is_none() && matches!(load, Load::Max) {
                    // What waits for its time has not been waiting for a slot.
                    let longest = played.total().streams[0].ops[0]
                        .response
                        .max_ns()
                        .unwrap_or(0);
                    assert!(longest <= MS + 10 * US, "{what}: {longest} ns");
                }
            }
        }
    }
}

#[test]
fn what_a_stream_does_in_its_ramp_is_in_no_number() {
    for workers in [1, 2, 3] {
        // Even arrivals from 2 s on, of which 3 s are not counted; and a closed loop that counts from 4 s on.
        let asked = [
            (Some(2), Some(100.0), 2 * S, Some(9 * S)),
            (Some(1), None, 0, None),
        ];
        let mut stage = stage(Load::Max, &asked);
        stage.step.streams[0].arrival = Some(Arrival::Even);
        stage.step.streams[0].window.ramp = Nanos(3 * S);
        stage.step.streams[1].window.ramp = Nanos(4 * S);
        let (seen, played) = played(&mut stage, workers, MS);
        assert_eq!(seen[0].came_ns.len(), 700, "{workers} workers");
        assert!(played.ios(0).abs_diff(400) <= 1, "{}", played.ios(0));
        assert!(played.ios(1).abs_diff(6_000) <= 2, "{}", played.ios(1));
        let total = played.total();
        let timed = total.streams[0].ops[0].response.count();
        assert!(timed.abs_diff(400) <= 1, "{timed}");
        assert!(
            total.streams[0].due.abs_diff(400) <= 1,
            "{}",
            total.streams[0].due
        );
        // Of each I/O that counts a millisecond in flight, and of the others none.
        let in_flight = total.depth_integral_ns;
        assert!(in_flight.abs_diff(6_400 * MS) <= 4 * MS, "{in_flight}");
    }
}

#[test]
fn slots_that_one_stream_leaves_the_others_of_its_target_have() {
    let asked = [(None, None, 0, Some(4 * S)), (None, None, 2 * S, None)];
    for workers in WORKERS {
        let mut stage = stage(Load::Max, &asked);
        let (_, played) = played(&mut stage, workers, MS);
        // Four slots for 2 s, half of them for 2 s, and the other way round: for 6 s.
        assert!(played.ios(0).abs_diff(12_000) < 300, "{}", played.ios(0));
        assert!(played.ios(1).abs_diff(28_000) < 300, "{}", played.ios(1));
    }
}

#[test]
fn a_window_in_which_no_slot_was_free_loses_no_due_io() {
    for workers in [1, 2] {
        // Two slots of 100 ms carry 20/s; 1,000/s are due for 2 s, of which 1,960 never go out.
        let asked = [
            (Some(2), Some(1_000.0), S, Some(3 * S)),
            (None, Some(10.0), 0, None),
        ];
        let mut stage = stage(open(1.0, Arrival::Even), &asked);
        let (seen, played) = played(&mut stage, workers, 100 * MS);
        assert!(seen[0].came_ns.iter().all(|at| *at < 3 * S));
        let total = played.whole();
        let own = &total.streams[0];
        assert_eq!(own.due, 2_000, "{workers} workers");
        let issued = seen[0].came_ns.len() as u64;
        assert!((38..=42).contains(&issued), "{issued}");
        assert_eq!(own.ops[0].response.count(), 2_000, "{workers} workers");
        assert_eq!(played.unfinished, 2_000 - issued, "{workers} workers");
        assert_eq!(own.late_for_slot + 2, 2_000, "{workers} workers");
        // The one that waited longest was due at the beginning; none waited past the end.
        let longest = own.ops[0].response.max_ns().unwrap_or(0);
        assert!(longest <= 2 * S + 100 * MS, "{longest} ns");
        // Nothing of it is left after its window.
        let later = &played.intervals[4..];
        assert!(later.iter().all(|(_, stats)| stats.backlog_end == 0));
        assert!(later.iter().all(|(_, stats)| stats.streams[0].due == 0));
    }
}

#[test]
fn a_rate_that_changes_by_plan_is_that_of_the_step_in_a_window_too() {
    let segment = |rate, seconds| RateSegment::new(Rate(rate), Nanos::secs(seconds));
    let load = Load::schedule(vec![segment(100.0, 2), segment(400.0, 3)], Arrival::Even);
    let mut stage = stage(load, &[(None, None, 3 * S, Some(6 * S))]);
    let (seen, _) = played(&mut stage, 1, MS);
    let between = |from: u64, to: u64| {
        let own = seen[0].came_ns.iter();
        own.filter(|at| (from * S..to * S).contains(*at)).count() as u64
    };
    // The second part until 5 s, and the first again.
    assert!(between(3, 5).abs_diff(800) <= 1, "{}", between(3, 5));
    assert!(between(5, 6).abs_diff(100) <= 1, "{}", between(5, 6));
    assert_eq!(between(0, 3) + between(6, 10), 0);
}

#[test]
fn a_stream_ends_with_its_quota_and_the_others_go_on() {
    for load in [Load::Max, Load::MaxShared] {
        let asked = [
            (Some(8), None, 0, None),
            (Some(8), None, 0, None),
            (Some(4), Some(1000.0), 0, None),
            (None, None, 0, None),
        ];
        let mut stage = stage(load.clone(), &asked);
        let streams = &mut stage.step.streams;
        // An I/O that does not fit is not made.
        streams[0].quota.bytes = Some(Bytes(101 * 4096 + 100));
        streams[1].quota.ios = Some(57);
        streams[2].quota.ios = Some(33);
        let (seen, played) = played(&mut stage, 1, 200 * US);
        let ios: Vec<usize> = seen.iter().map(|s| s.came_ns.len()).collect();
        assert_eq!(ios[..3], [101, 57, 33], "{load:?}");
        assert!(ios[3] > 10_000, "{load:?}: {ios:?}");
        assert!(
            !played.limit && played.end_ns >= 10 * S,
            "{}",
            played.end_ns
        );
    }
}

#[test]
fn a_step_ends_when_all_its_streams_have_ended() {
    let asked = [(Some(8), None, 0, None), (Some(2), None, 2 * S, None)];
    let mut stage = stage(Load::Max, &asked);
    for stream in &mut stage.step.streams {
        stream.quota.ios = Some(100);
    }
    let (seen, played) = played(&mut stage, 1, 200 * US);
    assert!(seen.iter().all(|s| s.came_ns.len() == 100));
    assert!(played.limit && played.end_ns < 3 * S, "{}", played.end_ns);
}

#[test]
fn a_rate_of_its_own_has_gaps_of_its_own() {
    let mut stage = stage(Load::Max, &[(Some(8), Some(1000.0), 0, None)]);
    stage.step.streams[0].arrival = Some(Arrival::Even);
    let (seen, _) = played(&mut stage, 1, 10 * US);
    let gaps = seen[0].came_ns.windows(2).map(|w| w[1] - w[0]);
    let odd = gaps.filter(|gap| gap.abs_diff(MS) > 10 * US).count();
    assert!(seen[0].came_ns.len() > 9_900 && odd < 10, "{odd}");
}
