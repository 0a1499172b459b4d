//! Time passes as the model says, and nobody waits for it.

use crate::stage::{MS, PLAIN, PersonaFile, Stage, mix, rate};
use plimsoll_array::Served;
use plimsoll_measure::Op;
use plimsoll_plan::{Durability, Load, Nanos};

#[test]
fn a_closed_loop_runs_at_its_slots_over_the_latency() {
    let file = PersonaFile::new(PLAIN);
    let mut stage = Stage::new(&[&file.lab("")]);
    stage.fill();
    let done = stage.run(&stage.step(Load::Max));
    assert_eq!(done.intervals.len(), 10);
    // Four slots, 100 us each.
    assert!((39_990..=40_000).contains(&done.ios()), "{}", done.ios());
    assert_eq!(done.service_ns(Op::Read), 100_000.0);
    for interval in &done.intervals {
        assert_eq!(interval.length_ns, 100 * MS);
        assert_eq!(interval.stats.depth_integral_ns, 4 * 100 * MS);
        assert_eq!(interval.worker_busy, [0.0], "no CPU is told of");
    }
}

#[test]
fn time_and_what_the_array_holds_go_on_from_step_to_step() {
    let file = PersonaFile::new(PLAIN);
    let mut stage = Stage::new(&[&file.lab("")]);
    let empty = stage.run(&stage.step(Load::Max));
    // Nothing was ever written: the map answers, 10 us later than the data's way alone.
    assert_eq!(empty.service_ns(Op::Read), 110_000.0);
    let after_first = stage.lab.now_ns();
    assert!((1_000 * MS..1_001 * MS).contains(&after_first));
    stage.lab.pass(Nanos::secs(5));
    assert_eq!(stage.lab.now_ns(), after_first + 5_000 * MS);
    let written = stage.run(&stage.pass(&plimsoll_plan::ContentSpec::Unique, 65_536));
    assert!(written.outcome.limit, "it ended when it was through");
    let full = stage.run(&stage.step(Load::Max));
    assert_eq!(full.service_ns(Op::Read), 100_000.0);
}

#[test]
fn an_open_loop_waits_in_virtual_time_too() {
    let file = PersonaFile::new(PLAIN);
    let mut stage = Stage::new(&[&file.lab("")]);
    stage.fill();
    let below = stage.run(&stage.step(rate(20_000.0)));
    assert!((19_400..20_600).contains(&below.ios()), "{}", below.ios());
    let above = stage.run(&stage.step(rate(60_000.0)));
    assert!((39_900..40_100).contains(&above.ios()), "{}", above.ios());
    let backlog = above.intervals.last().expect("intervals").stats.backlog_end;
    assert!((19_000..21_000).contains(&backlog), "{backlog}");
}

#[test]
fn writes_trims_and_syncs_reach_the_array() {
    let file = PersonaFile::new(PLAIN);
    let mut target = crate::stage::target(&file.lab(""));
    target.durability = Durability::FsyncEvery(8);
    let mut stage = Stage::of(vec![target], 1);
    let mut step = stage.step(Load::Max);
    step.streams[0].mix = mix(40.0, 40.0);
    let done = stage.run(&step);
    assert_eq!(done.outcome.errors, 0);
    let counters = stage.look(|a| *a.counters());
    // What was out at the end came back after the last interval.
    let near = |seen: u64, counted: u64| (counted..counted + 5).contains(&seen);
    assert!(near(counters.reads.count, done.ios_of(Op::Read)));
    assert!(near(counters.writes.count, done.ios_of(Op::Write)));
    assert!(near(counters.trims.count, done.ios_of(Op::Trim)));
    assert!(counters.flushes.count >= done.ios_of(Op::Write) / 8 - 4);
}

#[test]
fn requests_take_the_paths_in_turn() {
    let file = PersonaFile::new(PLAIN);
    let mut stage = Stage::new(&[&file.lab("")]);
    stage.run(&stage.step(Load::Max));
    let requests: Vec<u64> =
        stage.look(|a| a.front_end().paths().iter().map(|p| p.requests).collect());
    assert_eq!(requests.len(), 3);
    assert!(requests.iter().all(|r| r.abs_diff(requests[0]) <= 1));
}

#[test]
fn a_stop_ends_the_step_with_its_interval() {
    let file = PersonaFile::new(PLAIN);
    let mut stage = Stage::new(&[&file.lab("")]);
    stage.control.stop();
    let done = stage.run(&stage.step(Load::Max));
    assert!(done.outcome.stopped);
    assert_eq!(done.intervals.len(), 1);
}

#[test]
fn a_target_that_was_filled_is_read_from_its_media() {
    let mut stage = Stage::new(&["lab:scale-out-flash-4?size=64m&scale=40"]);
    stage.fill();
    stage.run(&stage.step(rate(1_000.0)));
    let served = stage.look(|a| a.counters().read_source);
    assert_eq!(served[Served::Unmapped as usize], 0);
    assert!(served[Served::LocalFlash as usize] > 0);
}
