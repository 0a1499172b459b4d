//! Streams that begin when others have ended, or end with them.

use super::stage::{MS, Played, S, Stage};
use plimsoll_engine::scripted::ScriptedAnswer;
use plimsoll_plan::*;

/// One stream on each of so many targets, of one I/O in flight that takes 1 ms; the first ends after its thousandth.
fn stage(targets: usize) -> Stage {
    let mut stage = Stage::new(Load::Max, &vec![1; targets]);
    stage.step.streams[0].quota.ios = Some(1000);
    stage
}

/// When the first and the last I/O of each target were submitted, and how many there were.
fn play(stage: &Stage) -> (Vec<(u64, u64, u64)>, Played) {
    play_in(stage, MS)
}

/// The same with I/Os that take so long.
fn play_in(stage: &Stage, service_ns: u64) -> (Vec<(u64, u64, u64)>, Played) {
    let mut seen = vec![(u64::MAX, 0, 0); stage.step.depths.len()];
    let played = stage.play(|now, r| {
        let (first, last, count) = seen[r.file as usize];
        seen[r.file as usize] = (first.min(now), last.max(now), count + 1);
        ScriptedAnswer::done(now + service_ns, r)
    });
    (seen, played)
}

/// A second, and as long as nobody looks.
fn is_soon_after_a_second(ns: u64) -> bool {
    (S..=S + 101 * MS).contains(&ns)
}

#[test]
fn one_waits_for_another_and_its_window_counts_from_there() {
    let mut stage = stage(3);
    for later in [1, 2] {
        stage.step.streams[later].dependency.after = vec![later as u32 - 1];
        stage.step.streams[later].window = Window {
            from: Nanos::secs(2),
            until: Some(Nanos::secs(4)),
        };
    }
    let (seen, _) = play(&stage);
    assert_eq!(seen[0].2, 1000);
    let (first, last, count) = seen[1];
    assert!(is_soon_after_a_second(first - 2 * S), "{first}");
    assert!(count == 2000 && last == first + 1999 * MS, "{seen:?}");
    // The last one begins two seconds behind that one's end, which is two before the step's.
    assert!(
        (first + 4 * S..first + 4 * S + 101 * MS).contains(&seen[2].0),
        "{seen:?}"
    );
}

#[test]
fn whoever_waits_for_one_that_never_ends_does_nothing() {
    let mut stage = stage(2);
    stage.step.streams[0].quota.ios = None;
    stage.step.streams[1].dependency.after = vec![0];
    let (seen, played) = play(&stage);
    assert_eq!((seen[0].2, seen[1].2), (10_000, 0));
    assert_eq!(played.end_ns, 10 * S);
}

#[test]
fn the_end_of_one_ends_the_step_or_its_group() {
    let mut stage = stage(3);
    stage.step.streams[0].dependency.ends = Ends::Step;
    let (seen, played) = play(&stage);
    assert!(
        played.limit && is_soon_after_a_second(played.end_ns),
        "{}",
        played.end_ns
    );
    assert!(
        seen[1..].iter().all(|s| is_soon_after_a_second(s.1 + MS)),
        "{seen:?}"
    );
    stage.step.streams[0].dependency.ends = Ends::Group;
    stage.step.streams[2].dependency.group = 1;
    let (seen, played) = play(&stage);
    assert!(is_soon_after_a_second(seen[1].1 + MS), "{seen:?}");
    assert_eq!((seen[2].2, played.end_ns), (10_000, 10 * S));
    // One that has not begun by then never does.
    stage.step.streams[1].window.from = Nanos::secs(5);
    let (seen, _) = play(&stage);
    assert_eq!(seen[1].2, 0);
}

#[test]
fn an_end_is_seen_where_no_io_comes_back_with_a_sample_s_end() {
    let mut stage = stage(2);
    stage.step.streams[0].dependency.ends = Ends::Step;
    let (seen, played) = play_in(&stage, 1_000_007);
    assert!(
        is_soon_after_a_second(played.end_ns),
        "{} {seen:?}",
        played.end_ns
    );
}

#[test]
fn a_schedule_ends_with_another_and_owes_nothing() {
    let mut stage = stage(2);
    stage.step.streams[0].dependency.ends = Ends::Step;
    stage.step.streams[1].fixed_rate = Some(Rate(100.0));
    stage.step.streams[1].arrival = Some(Arrival::Even);
    let (seen, played) = play(&stage);
    let (_, last, count) = seen[1];
    assert!(
        (99..=111).contains(&count) && last <= S + 101 * MS,
        "{seen:?}"
    );
    assert!(
        played.unfinished == 0 && played.end_ns < S + 200 * MS,
        "{}",
        played.end_ns
    );
}
