//! The truth about an open loop: a queue before so many slots, worked out one I/O after the other.

use super::stage::{S, Stage};
use plimsoll_engine::pace::Pace;
use plimsoll_engine::setup;

/// One I/O as it must have been, ns.
#[derive(Debug, Clone, Copy)]
pub struct Served {
    pub due: u64,
    pub start: u64,
    pub done: u64,
}

/// The intended starts of a stage's only stream within its time.
pub fn schedule(stage: &Stage) -> Vec<u64> {
    let seed = setup::arrival_seed(stage.options.seed, 0);
    let mut pace = Pace::of(&stage.step, 0, seed, 0, 1).expect("an open loop");
    let end = stage.step.elapsed.0;
    std::iter::repeat_with(move || pace.next_ns())
        .take_while(|due| *due < end)
        .collect()
}

/// Each I/O starts when it's due, or when the first of the slots is free after that; `done` says when one that starts
/// then is done.
pub fn serve(due: &[u64], slots: usize, mut done: impl FnMut(u64) -> u64) -> Vec<Served> {
    let mut free = vec![0u64; slots];
    due.iter()
        .map(|due| {
            let first = (0..slots).min_by_key(|s| free[*s]).expect("a slot");
            let start = free[first].max(*due);
            free[first] = done(start);
            Served {
                due: *due,
                start,
                done: free[first],
            }
        })
        .collect()
}

/// Exactly: the smallest value that a share `q` of all do not exceed.
pub fn quantile(mut values: Vec<u64>, q: f64) -> u64 {
    values.sort_unstable();
    let rank = (values.len() as f64 * q).ceil() as usize;
    values[rank.clamp(1, values.len()) - 1]
}

/// A target that does nothing in the last second of each six, and else takes 100 us.
pub fn stalling(start: u64) -> u64 {
    let mut at = start;
    let mut left = 100_000;
    loop {
        let next_stall = at / (6 * S) * (6 * S) + 5 * S;
        if at >= next_stall {
            at = next_stall + S;
            continue;
        }
        let now = left.min(next_stall - at);
        at += now;
        left -= now;
        if left == 0 {
            return at;
        }
    }
}
