//! A stream that may use fewer of its slots than it has, and another number of them while it runs.

use super::stage::{S, Stage, US};
use plimsoll_engine::scripted::ScriptedAnswer;
use plimsoll_plan::*;

#[test]
fn no_more_are_in_flight_than_are_allowed_and_always_so_many() {
    let mut stage = Stage::new(Load::Max, &[8]);
    stage.step.streams[0].depth = Some(8);
    stage.depths = vec![(0, 2), (3 * S, 5), (6 * S, 1), (8 * S, 99)];
    // No I/O comes back just at a sample's end.
    let played = stage.play(|now, r| ScriptedAnswer::done(now + 131 * US, r));
    // What is said inside an interval counts from the next sample on; the intervals around that are left out.
    let settled = [(0, 2), (1, 2), (4, 5), (5, 5), (7, 1), (9, 8)];
    for (interval, depth) in settled {
        let (length, stats) = &played.intervals[interval];
        assert_eq!(stats.depth_max, depth, "interval {interval}");
        assert_eq!(stats.depth_integral_ns, depth * length, "{interval}");
    }
    let before = played.intervals[3].1.depth_max;
    assert_eq!(before, 5);
}

#[test]
fn a_pass_over_the_data_ends_with_few_slots_too() {
    let mut stage = Stage::new(Load::Max, &[8]);
    stage.step.streams = vec![super::stage::one_pass(0, 64 << 12)];
    stage.step.streams[0].depth = Some(8);
    stage.depths = vec![(0, 1)];
    let played = stage.play(|now, r| ScriptedAnswer::done(now + 125 * US, r));
    assert_eq!((played.total().ios(), played.limit), (64, true));
    assert_eq!(played.end_ns, 64 * 125 * US);
}
