//! What was written is read back and checked, each block as the write that was the last on it.

use super::run::*;
use plimsoll_engine::backend::choose::BackendKind;
use plimsoll_engine::worker::{Broken, FailureKind};
use plimsoll_plan::*;

const BLOCKS: u64 = 64;

fn spec(remember: bool) -> VerifySpec {
    VerifySpec {
        sum: Some(VerifySum::Crc32c),
        interval: None,
        offset: Bytes(0),
        pattern: None,
        remember,
    }
}

/// A step that writes every block, and one that reads back what it has written.
fn steps(kind: BackendKind, scratch: &Scratch) -> (Run, Run) {
    let mut write = Run::new(kind, vec![target(&scratch.path)], WRITES, one_pass());
    write.step.streams[0].verify = Some(spec(true));
    let mut back = Run::new(kind, vec![target(&scratch.path)], READS, one_pass());
    back.step.streams[0].verify = Some(spec(false));
    back.step.streams[0].source = Some(IoSource::ReadBack("w".into()));
    (write, back)
}

#[test]
fn what_was_written_is_read_back_once_and_found_good() {
    by_each(|kind| {
        let scratch = Scratch::new(BLOCKS * 4096);
        let (write, back) = steps(kind, &scratch);
        let targets = write.open();
        for _ in 0..2 {
            let done = write.on(&targets, |_, _| {}).expect("runs");
            assert!(done.is_clean(), "{kind}: {done:?}");
        }
        for expected in [BLOCKS, 0] {
            let done = back.on(&targets, |_, _| {}).expect("runs");
            assert!(done.is_clean(), "{kind}: {done:?}");
            assert_eq!(done.stats.ios(), expected, "{kind}");
        }
    });
}

/// What the read back finds where the file is changed before it, given what it held after an earlier write of the same.
fn found(kind: BackendKind, change: impl Fn(&mut [u8], &[u8])) -> Vec<(u64, Broken)> {
    let scratch = Scratch::new(BLOCKS * 4096);
    let (write, back) = steps(kind, &scratch);
    let targets = write.open();
    let read = || std::fs::read(&scratch.path).expect("reads");
    write.on(&targets, |_, _| {}).expect("runs");
    let before = read();
    write.on(&targets, |_, _| {}).expect("runs");
    let mut now = read();
    change(&mut now, &before);
    std::fs::write(&scratch.path, &now).expect("writes");
    let done = back.on(&targets, |_, _| {}).expect("runs");
    assert_eq!(done.stats.ios(), BLOCKS - done.failures.len() as u64);
    let mut found: Vec<(u64, Broken)> = done
        .failures
        .iter()
        .map(|f| match f.kind {
            FailureKind::Mismatch(m) => (f.offset, m.what),
            other => panic!("{other:?}"),
        })
        .collect();
    found.sort_unstable_by_key(|(offset, _)| *offset);
    found
}

#[test]
fn a_bit_a_lost_write_and_a_misplaced_one_are_told_apart() {
    by_each(|kind| {
        let bad = found(kind, |now, before| {
            now[4096 + 2000] ^= 1;
            // This block was never overwritten.
            now[3 * 4096..4 * 4096].copy_from_slice(&before[3 * 4096..4 * 4096]);
            let other = now[5 * 4096..6 * 4096].to_vec();
            now[7 * 4096..8 * 4096].copy_from_slice(&other);
            now[9 * 4096..10 * 4096].fill(0);
        });
        let expected = [
            (4096, Broken::Sum),
            (3 * 4096, Broken::Write),
            (7 * 4096, Broken::Offset),
            (9 * 4096, Broken::Magic),
        ];
        assert_eq!(bad, expected, "{kind}");
    });
}
