//! When workers' threads begin, on the real clock.

use super::run::{READS, Run, every_block_once, open, target};
use plimsoll_engine::backend::choose::BackendKind;
use plimsoll_engine::clock::RealClock;
use plimsoll_engine::{Control, run_step};
use plimsoll_plan::*;
use std::path::Path;
use std::sync::Arc;

fn null() -> Run {
    let nothing = Target {
        location: Location::Null(Bytes(1 << 30)),
        ..target(Path::new("n"))
    };
    let mut run = Run::new(BackendKind::Null, vec![nothing], READS, every_block_once());
    run.step.elapsed = Nanos(300_000_000);
    run.step.interval = Nanos(100_000_000);
    run
}

#[test]
fn threads_begin_at_a_common_instant_and_say_how_late_that_is() {
    // Far enough for any host; one that is past; none.
    for (ahead_ns, is_late) in [
        (Some(3e8), None),
        (Some(-1e9), Some(true)),
        (None, Some(false)),
    ] {
        let mut run = null();
        let asked = ahead_ns.map(|ahead| (RealClock::monotonic_ns() as f64 + ahead) as u64);
        run.options.start_at = asked;
        let opened = vec![Arc::new(open(&run.targets[0], false).expect("opens"))];
        let mut ios = 0;
        let outcome = run_step(
            &run.step,
            &opened,
            &run.options,
            &Control::default(),
            |merged| {
                ios += merged.stats.ios();
            },
        )
        .expect("a step");
        let began_ns = asked.unwrap_or(0) + outcome.late_start.0;
        // It can't have ended before it began and its time was over.
        assert!(RealClock::monotonic_ns() >= began_ns + run.step.elapsed.0);
        if let Some(is_late) = is_late {
            assert_eq!(
                outcome.late_start > Nanos(0),
                is_late,
                "{:?}",
                outcome.late_start
            );
        }
        if ahead_ns == Some(-1e9) {
            assert!(outcome.late_start >= Nanos::secs(1));
        }
        assert!(ios > 0);
    }
}

#[test]
fn who_is_stopped_while_waiting_for_the_instant_never_begins() {
    let mut run = null();
    run.options.start_at = Some(RealClock::monotonic_ns() + 3_600 * 1_000_000_000);
    let opened = vec![Arc::new(open(&run.targets[0], false).expect("opens"))];
    let control = Control::default();
    let stopper = control.clone();
    std::thread::spawn(move || stopper.stop());
    // Else it would take an hour.
    let outcome = run_step(&run.step, &opened, &run.options, &control, |_| {
        panic!("nothing was done")
    })
    .expect("an outcome");
    assert!(outcome.stopped && outcome.lost.is_empty());
}
