//! Schedules far above what can be issued.

use super::queue::schedule;
use super::stage::{MS, S, Stage, US, open};
use plimsoll_engine::scripted::ScriptedAnswer;
use plimsoll_plan::*;

const KINDS: [Arrival; 3] = [Arrival::Even, Arrival::Exponential, Arrival::Uniform];

fn near(what: &str, got: u64, truth: f64) {
    let off = got as f64 / truth - 1.0;
    assert!(off.abs() <= 0.001, "{what}: {got}, in truth {truth}");
}

/// Ten thousand million I/Os are due. Were each looked at, this would take minutes.
#[test]
fn what_can_never_be_issued_is_counted_by_its_rate() {
    for arrival in KINDS {
        let stage = Stage::new(open(1e9, arrival), &[8]);
        let played = stage.play(|now, r| ScriptedAnswer::done(now + MS, r));
        assert_eq!(played.intervals.len(), 10, "{arrival:?}");
        for (number, (_, stats)) in played.intervals.iter().enumerate() {
            let due = stats.streams[0].due;
            near("due", due, 1e9);
            // 8 slots of 1 ms carry 8000/s.
            let behind = (number as f64 + 1.0) * (1e9 - 8000.0);
            near("behind", stats.backlog_end, behind);
            let mean = (number as f64 + 0.5) * (1e9 - 8000.0);
            near("integral", stats.backlog_integral_ns, mean * 1e9);
        }
        // What is issued is the schedule's beginning: nothing of it was passed over.
        assert!(
            (79_990..=80_000).contains(&played.ios(0)),
            "{}",
            played.ios(0)
        );
    }
}

#[test]
fn rates_one_after_the_other_are_counted_by_their_integral() {
    let part = |rate: f64, length: u64| RateSegment::new(Rate(rate), Nanos(length));
    for arrival in KINDS {
        let load = Load::schedule(
            vec![part(2e8, S / 2), part(0.0, S / 4), part(1e9, S / 4)],
            arrival,
        );
        let played = Stage::new(load, &[8]).play(|now, r| ScriptedAnswer::done(now + MS, r));
        for (_, stats) in &played.intervals {
            near("due", stats.streams[0].due, 1e8 + 2.5e8);
        }
    }
}

#[test]
fn once_a_stream_has_caught_up_all_that_was_due_was_issued() {
    for arrival in KINDS {
        // A million in a tenth of a second, more than is counted one by one; then a rate that is no trouble.
        let load = Load::schedule(
            vec![
                RateSegment::new(Rate(1e7), Nanos(S / 10)),
                RateSegment::new(Rate(100.0), Nanos(10 * S)),
            ],
            arrival,
        );
        let mut stage = Stage::new(load, &[16]);
        stage.step.elapsed = Nanos::secs(3);
        let due = schedule(&stage);
        let until = |end: u64| due.iter().filter(|due| **due < end).count() as u64;
        let played = stage.play(|now, r| ScriptedAnswer::done(now + 20 * US, r));
        let total = played.total();
        let first = &played.intervals[0].1;
        let behind = until(S) - played.intervals[0].1.ios() - 16;
        assert!(
            behind.abs_diff(first.backlog_end) < 3000,
            "{behind} {first:?}"
        );
        assert_eq!(played.intervals[2].1.backlog_end, 0, "{arrival:?}");
        assert_eq!(total.streams[0].due, until(3 * S), "{arrival:?}");
        assert_eq!(played.ios(0), until(3 * S), "{arrival:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_counts() {
    let play = || {
        let stage = Stage::new(open(3e7, Arrival::Exponential), &[8]);
        let played = stage.play(|now, r| ScriptedAnswer::done(now + MS, r));
        let counts = |(_, s): &(u64, plimsoll_measure::IntervalStats)| {
            (s.streams[0].due, s.backlog_end, s.backlog_integral_ns)
        };
        played.intervals.iter().map(counts).collect::<Vec<_>>()
    };
    assert_eq!(play(), play());
}

#[test]
fn a_stop_is_seen_at_the_end_of_the_running_interval() {
    let mut stage = Stage::new(open(1e9, Arrival::Exponential), &[8]);
    stage.stop_at_ns = Some(1_500 * MS);
    let played = stage.play(|now, r| ScriptedAnswer::done(now + MS, r));
    assert_eq!(played.intervals.len(), 2);
}
