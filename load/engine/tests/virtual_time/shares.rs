//! Shares kept over targets.

use super::stage::{MS, S, Stage, US, one_pass, stream};
use plimsoll_engine::scripted::{ScriptedAnswer, Servers};
use plimsoll_plan::*;

fn skewed() -> Stage {
    let mut stage = Stage::new(Load::MaxShared, &[8, 8]);
    stage.step.streams = vec![stream(0, 70.0), stream(1, 30.0)];
    stage
}

#[test]
fn shares_hold_even_where_one_target_is_ten_times_slower() {
    for slow in [0, 1] {
        let played = skewed().play(|now, r| {
            let service = if r.file == slow { MS } else { 100 * US };
            ScriptedAnswer::done(now + service, r)
        });
        let (a, b) = (played.ios(0) as f64, played.ios(1) as f64);
        assert!((a / (a + b) - 0.7).abs() < 0.0001, "{a} {b}");
        // The slow target sets the pace, and all of its slots are used.
        let slow_rate = if slow == 0 { a } else { b } / 10.0;
        assert!(slow_rate > 8.0 * 1000.0 * 0.97, "{slow_rate}");
        // In each interval too.
        for (_, stats) in &played.intervals {
            let share = stats.streams[0].ops[0].ios as f64 / stats.ios() as f64;
            assert!((share - 0.7).abs() < 0.01, "{share}");
        }
    }
}

#[test]
fn a_stream_that_ends_leaves_the_others_at_their_shares() {
    let mut stage = Stage::new(Load::MaxShared, &[8, 8]);
    stage.step.streams = vec![one_pass(0, 4 << 20), stream(0, 1.0), stream(1, 2.0)];
    let played = stage.play(|now, r| ScriptedAnswer::done(now + MS, r));
    assert_eq!(played.ios(0), 1024);
    let (b, c) = (played.ios(1) as f64, played.ios(2) as f64);
    assert!((c / (b + c) - 2.0 / 3.0).abs() < 0.005, "{b} {c}");
    assert!(!played.limit);
}

#[test]
fn the_step_ends_when_all_streams_have() {
    let mut stage = Stage::new(Load::MaxShared, &[8, 8]);
    stage.step.streams = vec![one_pass(0, 4 << 20), one_pass(1, 1 << 20)];
    let played = stage.play(|now, r| ScriptedAnswer::done(now + MS, r));
    assert_eq!((played.ios(0), played.ios(1)), (1024, 256));
    assert!(played.limit && played.end_ns < S);
}

#[test]
fn a_stream_of_a_rate_of_its_own_keeps_it_beside_shares() {
    let mut stage = skewed();
    let mut fixed = stream(1, 1.0);
    fixed.fixed_rate = Some(Rate(300.0));
    stage.step.streams.push(fixed);
    let mut servers = Servers::new(4);
    let played = stage.play(|now, r| ScriptedAnswer::done(servers.serve(now, MS), r));
    let due = played.total().streams[2].due;
    assert!((2_750..3_250).contains(&due), "{due}");
    assert!(due - played.ios(2) <= 8);
    let (a, b) = (played.ios(0) as f64, played.ios(1) as f64);
    assert!((a / (a + b) - 0.7).abs() < 0.001, "{a} {b}");
    assert!(a + b + played.ios(2) as f64 > 39_900.0);
}
