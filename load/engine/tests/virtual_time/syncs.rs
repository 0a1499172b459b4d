//! fsync after every n writes.

use super::stage::{MS, S, Stage, US, open};
use plimsoll_engine::backend::Action;
use plimsoll_engine::scripted::ScriptedAnswer;
use plimsoll_plan::*;

/// (writes done, syncs issued, stage's outcome).
fn play(load: Load, depth: u32, every: u32) -> (u64, u64, super::stage::Played) {
    let mut stage = Stage::new(load, &[depth]);
    stage.durability = Durability::FsyncEvery(every);
    stage.step.streams[0].mix = Mix::WRITES;
    let mut syncs = 0;
    let played = stage.play(|now, r| {
        if r.action == Action::Sync {
            assert_eq!((r.offset, r.length), (0, 0));
            syncs += 1;
        }
        ScriptedAnswer::done(now + MS, r)
    });
    (played.whole().ios(), syncs, played)
}

#[test]
fn each_nth_write_is_followed_by_a_sync() {
    for load in [Load::Max, Load::MaxShared, open(900.0, Arrival::Even)] {
        for (depth, every) in [(1, 1), (1, 10), (8, 1), (8, 3), (32, 10), (32, 100)] {
            let (writes, syncs, _) = play(load.clone(), depth, every);
            let owed = writes / u64::from(every);
            // A last few may be owed when the time is over.
            assert!(
                syncs <= owed && owed - syncs <= u64::from(depth),
                "{load:?} {depth} {every}: {syncs} of {owed}"
            );
        }
    }
}

#[test]
fn syncs_hold_slots_but_are_no_ios() {
    let (writes, syncs, played) = play(Load::Max, 1, 1);
    assert_eq!((writes, syncs), (5_000, 5_000));
    let total = played.total();
    assert_eq!(total.depth_integral_ns, 10 * S);
    assert_eq!(total.ops().map(|o| o.service.count()).sum::<u64>(), 5_000);
}

#[test]
fn a_due_io_does_not_wait_for_a_sync_while_slots_are_free() {
    let (_, _, played) = play(open(100.0, Arrival::Even), 8, 1);
    let total = played.total();
    assert_eq!(total.streams[0].ops[1].response.max_ns(), Some(MS));
    assert_eq!(total.streams[0].late_for_slot, 0);
}

#[test]
fn a_sync_that_fails_is_an_error() {
    let mut stage = Stage::new(Load::Max, &[1]);
    stage.durability = Durability::FsyncEvery(10);
    stage.step.streams[0].mix.read = 0.0;
    stage.step.streams[0].mix.write = 100.0;
    stage.step.limits.ios = Some(25);
    let played = stage.play(|now, r| match r.action {
        Action::Sync => ScriptedAnswer::failed(now + 10 * US, 5),
        _ => ScriptedAnswer::done(now + MS, r),
    });
    assert_eq!((played.total().ios(), played.errors), (25, 2));
    let total = played.total();
    assert_eq!(total.failed_syncs(), 2);
    assert_eq!(total.failed_ios(), 0);
    assert_eq!(total.errors(), 2);
    assert!(played.failures.iter().all(|f| f.action == Action::Sync));
}

#[test]
fn syncs_have_times_of_their_own_and_are_the_call_that_was_asked_for() {
    for (durability, call) in [
        (Durability::FsyncEvery(2), Action::Sync),
        (Durability::FdatasyncEvery(2), Action::DataSync),
    ] {
        let mut stage = Stage::new(Load::Max, &[1]);
        stage.durability = durability;
        stage.step.streams[0].mix = Mix::WRITES;
        let mut calls = Vec::new();
        let played = stage.play(|now, r| {
            if r.action.is_sync() {
                calls.push(r.action);
                return ScriptedAnswer::done(now + 3 * MS, r);
            }
            ScriptedAnswer::done(now + MS, r)
        });
        assert!(!calls.is_empty() && calls.iter().all(|c| *c == call));
        // Two writes of 1 ms and a sync of 3 ms, in 10 s: 2,000 rounds.
        let total = played.total();
        let syncs = total.streams[0].syncs.as_ref().expect("syncs");
        assert_eq!((syncs.ios, syncs.bytes, syncs.errors), (2_000, 0, 0));
        assert_eq!((syncs.service.count(), syncs.response.count()), (2_000, 0));
        assert_eq!(syncs.service.min_ns(), Some(3 * MS));
        assert_eq!(syncs.service.max_ns(), Some(3 * MS));
        assert_eq!(total.ios(), 4_000);
        assert_eq!(total.streams[0].ops[1].service.max_ns(), Some(MS));
    }
}
