//! Synchronous I/O on schedule that gets stuck in its system calls.

use super::run::{READS, Run, Scratch, every_block_once, target};
use plimsoll_engine::backend::choose::BackendKind;
use plimsoll_engine::backend::threads::Threads;
use plimsoll_engine::backend::{Backend, Request};
use plimsoll_engine::clock::RealClock;
use plimsoll_engine::worker::FailureKind;
use plimsoll_engine::{Control, run_step_alone};
use plimsoll_measure::IntervalStats;
use plimsoll_plan::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;

/// A worker that made its system calls itself would have counted what came due until they were stuck, and nothing after.
#[test]
fn what_comes_due_while_all_calls_are_stuck_is_counted() {
    const GOOD: u64 = 40;
    const SLOTS: u64 = 4;
    let scratch = Scratch::new(1 << 20);
    let mut run = Run::new(
        BackendKind::Psync,
        vec![target(&scratch.path)],
        READS,
        every_block_once(),
    );
    run.step.load = Load::rate(Rate(200.0), Arrival::Even);
    run.step.depths[0].slots = SLOTS as u32;
    run.step.elapsed = Nanos(500_000_000);
    run.step.interval = Nanos(500_000_000);
    run.options.drain = Nanos(100_000_000);
    // Calls after the first so many return when this is dropped.
    let (bar, stuck) = channel::<()>();
    let (stuck, calls) = (Mutex::new(stuck), AtomicU64::new(0));
    let call = move |r: &Request| {
        if calls.fetch_add(1, Ordering::SeqCst) >= GOOD {
            // Whoever has the lock waits for the end, and the others for him.
            let _ = stuck.lock().map(|stuck| stuck.recv());
        }
        r.length as i32
    };
    let epoch_ns = RealClock::monotonic_ns();
    let targets = run.open();
    let mut total = IntervalStats::new(1);
    let mut backlog = 0;
    let outcome = run_step_alone(
        &run.step,
        &targets,
        &run.options,
        &Control::default(),
        RealClock::new(epoch_ns),
        |given| {
            let mut backend = Threads::new(call, given.pools[0].room as usize);
            backend.start(epoch_ns);
            backend
        },
        |merged| {
            total.merge(&merged.stats);
            backlog = merged.stats.backlog_end.max(backlog);
        },
    )
    .expect("runs");
    drop(bar);
    let stream = &total.streams[0];
    assert_eq!((stream.due, stream.ops[0].ios), (100, GOOD));
    assert_eq!(backlog, 100 - GOOD - SLOTS);
    assert_eq!(outcome.lost.len() as u64, SLOTS);
    assert!(outcome.is_hung() && outcome.lost.iter().all(|f| f.kind == FailureKind::InFlight));
}
