//! Reading, limits, several targets, and the ways to end.

use super::run::*;
use plimsoll_engine::EngineError;
use plimsoll_engine::backend::choose::BackendKind;
use plimsoll_plan::*;

#[test]
fn covering_reads_read_every_block_once() {
    by_each(|kind| {
        let scratch = Scratch::new(4 * MIB);
        for caching in cachings(&scratch.path) {
            let mut t = target(&scratch.path);
            t.caching = caching;
            let done = Run::new(kind, vec![t], READS, every_block_once())
                .ios(1024)
                .go();
            assert!(done.is_clean(), "{kind}: {done:?}");
            let read = &done.stats.streams[0].ops[0];
            assert_eq!((read.ios, read.bytes), (1024, 4 * MIB));
            assert_eq!((read.response.count(), read.service.count()), (1024, 1024));
            assert_eq!(done.stats.streams[0].heat, vec![4; 256]);
        }
    });
}

#[test]
fn limits_hold_over_all_workers() {
    by_each(|kind| {
        let scratch = Scratch::new(MIB);
        for (ios, workers) in [(1, 2), (7, 3), (100, 3), (1000, 4)] {
            let mut run =
                Run::new(kind, vec![target(&scratch.path)], READS, every_block_once()).ios(ios);
            run.step.workers.count = Some(workers);
            let done = run.go();
            assert!(done.is_clean(), "{kind}: {done:?}");
            assert_eq!(done.stats.ios(), ios);
        }
        let mut run = Run::new(kind, vec![target(&scratch.path)], READS, every_block_once());
        run.step.limits.bytes = Some(Bytes(MIB));
        run.step.workers.count = Some(3);
        assert_eq!(run.go().stats.bytes(), MIB);
    });
}

#[test]
fn waiting_for_several_at_once_loses_none() {
    by_each(|kind| {
        let scratch = Scratch::new(MIB);
        for reap in [2, 8, 1000] {
            let mut run =
                Run::new(kind, vec![target(&scratch.path)], READS, every_block_once()).ios(1003);
            run.options.reap_batch = reap;
            let done = run.go();
            assert!(done.is_clean(), "{kind} {reap}: {done:?}");
            assert_eq!(done.stats.ios(), 1003);
        }
    });
}

#[test]
fn an_open_loop_does_what_is_due() {
    by_each(|kind| {
        let scratch = Scratch::new(MIB);
        let mut run =
            Run::new(kind, vec![target(&scratch.path)], READS, every_block_once()).ios(500);
        run.step.load = Load::rate(Rate(5000.0), Arrival::Exponential);
        let done = run.go();
        assert!(done.is_clean(), "{kind}: {done:?}");
        let stream = &done.stats.streams[0];
        assert_eq!((stream.ops[0].ios, done.stats.lateness.count()), (500, 500));
        // On a busy host the next ones are due before the limit is met.
        assert!(stream.due >= 500);
        // Response is never shorter than service.
        assert!(stream.ops[0].response.sum_ns() >= stream.ops[0].service.sum_ns());
    });
}

#[test]
fn workers_that_share_slots_issue_each_io_once() {
    by_each(|kind| {
        let scratch = Scratch::new(MIB);
        let mut run = Run::new(kind, vec![target(&scratch.path)], READS, every_block_once());
        // More than can be issued, so that all wait in the queue; other workers take them.
        run.step.load = Load::rate(Rate(1e6), Arrival::Exponential);
        run.step.workers.count = Some(4);
        run.step.depths[0].slots = 5;
        let done = run.ios(4_000).go();
        assert!(done.is_clean(), "{kind}: {done:?}");
        let stream = &done.stats.streams[0];
        assert_eq!(stream.ops[0].ios, 4_000, "{kind}");
        assert!(stream.due >= 4_000, "{kind}: {}", stream.due);
        assert_eq!(done.outcome.workers, 4, "{kind}");
    });
}

#[test]
fn shares_hold_over_real_files() {
    by_each(|kind| {
        let (a, b) = (Scratch::new(MIB), Scratch::new(MIB));
        let targets = vec![target(&a.path), target(&b.path)];
        let mut run = Run::new(kind, targets, READS, every_block_once()).ios(1000);
        run.step.load = Load::MaxShared;
        run.step.streams[0].share = 70.0;
        run.step.streams[1].share = 30.0;
        let done = run.go();
        assert!(done.is_clean(), "{kind}: {done:?}");
        let first = done.stats.streams[0].ops[0].ios;
        // Each worker rounds for itself.
        assert!(
            first.abs_diff(700) <= u64::from(done.outcome.workers),
            "{first}"
        );
    });
}

#[test]
fn a_file_and_a_null_target_run_side_by_side() {
    let scratch = Scratch::new(MIB);
    let mut null = target(&scratch.path);
    null.name = "nothing".into();
    null.location = Location::Null(Bytes(64 * MIB));
    let targets = vec![target(&scratch.path), null];
    let mut run = Run::new(BackendKind::Psync, targets, WRITES, one_pass());
    run.options.kinds = vec![BackendKind::Psync, BackendKind::Null];
    run.step.streams[1].size = SizeSpec::Fixed(Bytes(MIB));
    let done = run.go();
    assert!(done.is_clean(), "{done:?}");
    assert_eq!(done.stats.streams[0].ops[1].bytes, MIB);
    assert_eq!(done.stats.streams[1].ops[1].bytes, 64 * MIB);
}

#[test]
fn shares_over_a_null_and_a_real_target_are_refused() {
    let scratch = Scratch::new(MIB);
    let before = std::fs::read(&scratch.path).expect("reads");
    let mut null = target(&scratch.path);
    null.location = Location::Null(Bytes(64 * MIB));
    let mut run = Run::new(
        BackendKind::Psync,
        vec![null, target(&scratch.path)],
        WRITES,
        one_pass(),
    );
    run.options.kinds = vec![BackendKind::Null, BackendKind::Psync];
    run.step.load = Load::MaxShared;
    let refused = run.try_go(|_, _| {}).expect_err("refused");
    assert!(
        matches!(refused, EngineError::NullBeside { .. }),
        "{refused}"
    );
    assert!(std::fs::read(&scratch.path).expect("reads") == before);
}

#[test]
fn stopping_ends_with_whole_intervals_of_all_workers() {
    by_each(|kind| {
        let scratch = Scratch::new(MIB);
        let mut run = Run::new(kind, vec![target(&scratch.path)], READS, every_block_once());
        run.step.interval = Nanos(50_000_000);
        let mut lengths = Vec::new();
        let done = run.try_go(|merged, control| {
            if !merged.drain {
                lengths.push(merged.length_ns);
            }
            if merged.number == 2 {
                control.stop();
            }
        });
        let done = done.expect("runs");
        assert!(done.outcome.stopped && !done.outcome.limit && done.outcome.lost.is_empty());
        assert!((2..=20).contains(&lengths.len()), "{lengths:?}");
        assert!(lengths.iter().all(|l| *l == 50_000_000), "{lengths:?}");
    });
}

#[test]
fn a_cpu_that_is_not_there_is_an_error() {
    let scratch = Scratch::new(MIB);
    for cpu in [1023, 70_000] {
        let mut run = Run::new(
            BackendKind::Psync,
            vec![target(&scratch.path)],
            READS,
            every_block_once(),
        )
        .ios(10);
        run.step.workers.pin = Some(vec![cpu]);
        let refused = run.try_go(|_, _| {}).expect_err("refused");
        assert!(
            matches!(refused, EngineError::Pin { cpu: c, .. } if c == cpu),
            "{refused}"
        );
    }
}
