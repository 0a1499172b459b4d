//! Closed loops.

use super::stage::{MS, S, Stage, US, one_pass, stream};
use plimsoll_engine::scripted::{ScriptedAnswer, Servers};
use plimsoll_plan::*;
use std::cell::RefCell;
use std::collections::HashSet;

#[test]
fn every_slot_is_always_busy() {
    let played = Stage::new(Load::Max, &[7]).play(|now, r| ScriptedAnswer::done(now + 125 * US, r));
    for (length, stats) in &played.intervals {
        assert_eq!((*length, stats.depth_max), (S, 7));
        assert_eq!(stats.depth_integral_ns, 7 * S);
    }
    assert_eq!(played.intervals.len(), 10);
    assert_eq!(played.total().ios(), 7 * 10 * S / (125 * US));
    assert!(!played.limit && played.lost.is_empty());
}

#[test]
fn response_is_service_at_constant_service() {
    let played = Stage::new(Load::Max, &[4]).play(|now, r| ScriptedAnswer::done(now + 200 * US, r));
    let read = &played.total().streams[0].ops[0];
    assert_eq!(read.response, read.service);
    assert_eq!(read.response.min_ns(), Some(200 * US));
    assert_eq!(read.response.max_ns(), Some(200 * US));
}

#[test]
fn one_server_behind_many_slots_shows_as_service() {
    let mut one = Servers::new(1);
    let played =
        Stage::new(Load::Max, &[8]).play(|now, r| ScriptedAnswer::done(one.serve(now, MS), r));
    let read = &played.total().streams[0].ops[0];
    assert_eq!((read.ios, read.service.max_ns()), (10_000, Some(8 * MS)));
    // The first eight are shorter: nothing was before them.
    assert_eq!(read.service.sum_ns(), 10_000 * 8 * MS - 28 * MS);
}

#[test]
fn littles_law_holds_exactly() {
    let mut n = 0u64;
    let mut stage = Stage::new(Load::Max, &[16]);
    stage.step.limits.ios = Some(100_000);
    let played = stage.play(|now, r| {
        n += 1;
        ScriptedAnswer::done(now + 10 * US + n * 7_919 % (900 * US), r)
    });
    let total = played.total();
    let service: u64 = total.ops().map(|o| o.service.sum_ns()).sum();
    assert_eq!((total.ios(), total.depth_integral_ns), (100_000, service));
}

#[test]
fn each_target_goes_at_its_own_speed() {
    let played = Stage::new(Load::Max, &[4, 4]).play(|now, r| {
        let service = if r.file == 0 { 100 * US } else { 1000 * US };
        ScriptedAnswer::done(now + service, r)
    });
    assert_eq!((played.ios(0), played.ios(1)), (400_000, 40_000));
}

#[test]
fn streams_on_one_target_share_its_slots_by_weight() {
    let mut stage = Stage::new(Load::Max, &[8]);
    stage.step.streams = vec![stream(0, 70.0), stream(0, 30.0)];
    let played = stage.play(|now, r| ScriptedAnswer::done(now + 100 * US, r));
    let (a, b) = (played.ios(0) as f64, played.ios(1) as f64);
    assert_eq!(a + b, 800_000.0);
    assert!((a / (a + b) - 0.7).abs() < 0.005, "{a} {b}");
}

#[test]
fn a_limit_of_ios_is_kept_exactly() {
    for limit in [0, 1, 5, 8, 9, 12_345] {
        let mut stage = Stage::new(Load::Max, &[8]);
        stage.step.limits.ios = Some(limit);
        let played = stage.play(|now, r| ScriptedAnswer::done(now + 100 * US, r));
        assert_eq!((played.total().ios(), played.limit), (limit, true));
        assert_eq!(played.end_ns, limit.div_ceil(8) * 100 * US);
    }
}

#[test]
fn limits_of_bytes_are_kept_exactly() {
    let mix = Mix::of_reads(50.0);
    let limit = Bytes(1000 * 4096 + 100);
    for which in ["bytes", "read", "written"] {
        let mut stage = Stage::new(Load::Max, &[8]);
        stage.step.streams[0].mix = mix;
        let limits = &mut stage.step.limits;
        *match which {
            "bytes" => &mut limits.bytes,
            "read" => &mut limits.read_bytes,
            _ => &mut limits.written_bytes,
        } = Some(limit);
        let played = stage.play(|now, r| ScriptedAnswer::done(now + 100 * US, r));
        let ops = &played.total().streams[0].ops;
        let moved = match which {
            "bytes" => ops[0].bytes + ops[1].bytes,
            "read" => ops[0].bytes,
            _ => ops[1].bytes,
        };
        assert_eq!((moved, played.limit), (1000 * 4096, true), "{which}");
    }
}

#[test]
fn one_pass_covers_all_once_and_ends_the_step() {
    let seen = RefCell::new(HashSet::new());
    let mut stage = Stage::new(Load::Max, &[32]);
    stage.step.streams = vec![one_pass(0, 8 << 20)];
    let played = stage.play(|now, r| {
        assert!(seen.borrow_mut().insert(r.offset), "{} twice", r.offset);
        ScriptedAnswer::done(now + 100 * US, r)
    });
    assert!(played.limit);
    assert_eq!(played.total().ios(), 2048);
    assert_eq!(seen.borrow().len(), 2048);
    assert_eq!(played.end_ns, 2048 / 32 * 100 * US);
}

#[test]
fn a_stream_that_has_ended_leaves_its_slots_to_the_others() {
    let mut stage = Stage::new(Load::Max, &[4]);
    stage.step.streams = vec![one_pass(0, 1 << 20), stream(0, 1.0)];
    let played = stage.play(|now, r| ScriptedAnswer::done(now + MS, r));
    assert_eq!(played.ios(0), 256);
    assert_eq!(played.ios(0) + played.ios(1), 4 * 10_000);
    assert!(!played.limit);
}

#[test]
fn a_target_whose_streams_have_ended_stays_idle_while_others_go_on() {
    let mut stage = Stage::new(Load::Max, &[4, 4]);
    stage.step.streams = vec![one_pass(0, 1 << 20), stream(1, 1.0)];
    let played = stage.play(|now, r| ScriptedAnswer::done(now + MS, r));
    assert_eq!((played.ios(0), played.ios(1)), (256, 40_000));
    assert_eq!(played.intervals[9].1.depth_integral_ns, 4 * S);
    assert!(!played.limit);
}

#[test]
fn a_stream_of_a_rate_of_its_own_keeps_it_beside_a_closed_loop() {
    let mut stage = Stage::new(Load::Max, &[4]);
    let mut fixed = stream(0, 1.0);
    fixed.fixed_rate = Some(Rate(500.0));
    stage.step.streams.push(fixed);
    let played = stage.play(|now, r| ScriptedAnswer::done(now + MS, r));
    let total = played.total();
    let due = total.streams[1].due;
    assert!((4_700..5_300).contains(&due), "{due}");
    assert!(due - played.ios(1) <= 4, "{} of {due}", played.ios(1));
    assert_eq!(played.ios(0) + played.ios(1), 40_000);
    // It goes first when a slot comes free: it waits for a part of one service, never for a queue.
    let response = total.streams[1].ops[0].response.max_ns();
    assert!(response <= Some(2 * MS + MS), "{response:?}");
    assert_eq!(total.depth_integral_ns, 40 * S);
}
