//! Limits that several workers share.

use super::crowd::{play, play_kept};
use super::stage::{MS, S, Stage, open};
use plimsoll_engine::scripted::Answer;
use plimsoll_plan::*;

const WORKERS: [u32; 5] = [1, 2, 4, 8, 16];

#[test]
fn any_number_of_workers_keeps_a_limit_of_ios_exactly() {
    for workers in WORKERS {
        for load in [Load::Max, open(7_000.0, Arrival::Uniform)] {
            for limit in [0, 1, 5, 17, 12_345] {
                let mut stage = Stage::new(load.clone(), &[16]);
                stage.step.limits.ios = Some(limit);
                let played = play(&mut stage, workers, |now, r| Answer::done(now + MS, r));
                let ios = played.whole().ios();
                assert_eq!((ios, played.limit), (limit, true), "{workers} workers");
            }
        }
    }
}

#[test]
fn any_number_of_workers_keeps_a_limit_of_bytes_to_the_last_whole_io() {
    for workers in WORKERS {
        let mut stage = Stage::new(Load::Max, &[16]);
        stage.step.streams[0].mix = Mix::of_reads(50.0);
        stage.step.limits.written_bytes = Some(Bytes(1000 * 4096 + 100));
        let played = play(&mut stage, workers, |now, r| Answer::done(now + MS, r));
        let written = played.whole().streams[0].ops[1].bytes;
        assert_eq!((written, played.limit), (1000 * 4096, true));
    }
}

/// One of four workers is let on only twenty times a second: of equal parts it would have 2,000 I/Os left to do at 40/s when
/// the others have ended.
#[test]
fn a_slow_worker_is_not_left_alone_with_a_part_of_the_limit() {
    let mut stage = Stage::new(Load::Max, &[8]);
    stage.step.limits.ios = Some(8_000);
    let kept = |worker: usize, at: u64| match worker {
        0 => at.next_multiple_of(50 * MS),
        _ => at,
    };
    let played = play_kept(&mut stage, 4, kept, |now, r| Answer::done(now + MS, r));
    assert_eq!((played.whole().ios(), played.limit), (8_000, true));
    // The three do 6 in a ms.
    assert!(played.end_ns < S * 3 / 2, "{}", played.end_ns);
}
