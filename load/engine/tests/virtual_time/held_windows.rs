//! Streams that are held back and work for a part of the step's time: their caps and their thoughts begin with their window.
//! What the device saw is the truth.

use super::crowd::play;
use super::stage::{MS, Played, S, Stage, US, stream};
use plimsoll_engine::backend::Request;
use plimsoll_engine::scripted::ScriptedAnswer;
use plimsoll_plan::*;

/// Addresses of each stream.
const PART: u64 = 64 << 20;

/// Streams on one target of so many slots; each has a part of its addresses, so that the device knows whose an I/O is.
fn stage(slots: u32, streams: &[(Throttle, u64, u64)]) -> Stage {
    let mut stage = Stage::new(Load::Max, &[slots]);
    stage.step.elapsed = Nanos::secs(2);
    let own = |(number, (throttle, from, until)): (u64, &(Throttle, u64, u64))| {
        let mut own = stream(0, 1.0);
        own.workload = format!("w{number}");
        own.address.range = RangeSpec::Bytes(Bytes(number * PART), Bytes((number + 1) * PART));
        own.throttle = *throttle;
        own.window = Window {
            from: Nanos(*from),
            until: (*until < 2 * S).then_some(Nanos(*until)),
            ..Window::default()
        };
        own
    };
    stage.step.streams = (0..).zip(streams).map(own).collect();
    stage
}

/// When each stream's I/Os came to a device that takes `service_ns` for each, ns.
fn played(stage: &mut Stage, workers: u32, service_ns: u64) -> (Vec<Vec<u64>>, Played) {
    let mut came = vec![Vec::new(); stage.step.streams.len()];
    let played = play(stage, workers, |now, request: &Request| {
        came[(request.offset / PART) as usize].push(now);
        ScriptedAnswer::done(now + service_ns, request)
    });
    (came, played)
}

fn at_most(rate: f64) -> Throttle {
    Throttle::rate(Rate(rate))
}

fn thinks(time_ns: u64) -> Throttle {
    Throttle::think(Think::new(Nanos(time_ns), 1, Arrival::Even))
}

#[test]
fn a_cap_counts_from_the_windows_beginning_and_nothing_bursts_there() {
    let bytes = Throttle::bandwidth(Bytes(1000 * 4096));
    let free = Throttle::default();
    for throttle in [at_most(1000.0), bytes] {
        for workers in [1, 2, 4] {
            for beside in [false, true] {
                let (from, until) = (730 * MS, 1_230 * MS);
                let mut asked = vec![(throttle, from, until)];
                asked.extend(beside.then_some((free, 0, 2 * S)));
                let (came, played) = played(&mut stage(8, &asked), workers, 200 * US);
                let what = format!("{throttle}, {workers} workers, beside {beside}: {came:?}");
                let own = &came[0];
                assert!((498..=501).contains(&own.len()), "{} of {what}", own.len());
                for (n, at) in (0..).zip(own) {
                    let earliest = from + n * MS;
                    // A slot comes free each 25 us at least.
                    assert!((earliest..earliest + 2 * MS).contains(at), "{n} of {what}");
                    assert!(*at < until, "{what}");
                }
                let total = played.total();
                assert_eq!(total.streams[0].ops[0].ios as usize, own.len(), "{what}");
                // Alone it finds its slots free: what waited for the window waited for nothing.
                let longest = total.streams[0].ops[0].response.max_ns();
                assert!(beside || longest == Some(200 * US), "{longest:?} {what}");
            }
        }
    }
}

#[test]
fn users_begin_to_think_with_the_window_and_one_after_the_other() {
    for workers in [1, 2, 4] {
        let (from, until) = (500 * MS, 1_500 * MS);
        let asked = [(thinks(9 * MS), from, until)];
        let (came, played) = played(&mut stage(20, &asked), workers, MS);
        let own = &came[0];
        // N = X (R + Z), over the window's second.
        assert!((1980..=2020).contains(&own.len()), "{}", own.len());
        assert!(own.iter().all(|at| (from..until).contains(at)));
        for part in 0..9 {
            let begin = from + part * MS;
            let begun = own.iter().filter(|at| (begin..begin + MS).contains(at));
            let begun = begun.count();
            assert!((1..=4).contains(&begun), "{begun} in ms {part}, {workers}");
        }
        let read = &played.total().streams[0].ops[0];
        let times = (read.response.min_ns(), read.response.max_ns());
        assert_eq!(times, (Some(MS), Some(MS)), "{workers} workers");
    }
}

#[test]
fn one_window_after_another_has_its_whole_cap_again() {
    let asked = [
        (at_most(2000.0), 0, 600 * MS),
        (at_most(500.0), 600 * MS, 1_100 * MS),
        (at_most(3000.0), 1_500 * MS, 2 * S),
    ];
    for workers in [1, 3] {
        let (came, _) = played(&mut stage(6, &asked), workers, 100 * US);
        let counts: Vec<usize> = came.iter().map(Vec::len).collect();
        let near = [1200_usize, 250, 1500];
        let all = counts.iter().zip(near);
        assert!(
            all.clone().all(|(n, truth)| n.abs_diff(truth) <= 2),
            "{counts:?}"
        );
    }
}

#[test]
fn users_with_slots_of_their_own_think_beside_a_rate_on_the_same_target() {
    for workers in [1, 2, 4] {
        let mut stage = stage(
            8,
            &[(thinks(9 * MS), 0, 2 * S), (Throttle::default(), 0, 2 * S)],
        );
        stage.step.streams[0].depth = Some(10);
        stage.step.streams[1].fixed_rate = Some(Rate(2000.0));
        let (came, played) = played(&mut stage, workers, MS);
        assert!((1980..=2020).contains(&came[0].len()), "{}", came[0].len());
        assert!((3800..=4200).contains(&came[1].len()), "{}", came[1].len());
        let total = played.total();
        assert_eq!(total.streams[0].ops[0].response.max_ns(), Some(MS));
        // 2000/s of 8000/s on slots that nobody thinks in: hardly one I/O waits.
        let late = total.streams[1].late_for_slot as usize;
        assert!(late * 20 < came[1].len(), "{late} late, {workers} workers");
    }
}
