//! What is written is what the content's rule says, and nothing else is.

use super::run::*;
use plimsoll_content::{ContentPlan, Filler};
use plimsoll_engine::backend::choose::BackendKind;
use plimsoll_engine::content::content_seed;
use plimsoll_plan::*;
use std::collections::HashMap;

/// The (worker, its number of the write) of each block; panics where a block is none of the run's.
fn writers(data: &[u8], block: usize, workers: u64, each: u64) -> Vec<(u64, u64)> {
    let filler = Filler::new(ContentPlan::Unique, content_seed(7, TargetId(0)));
    data.chunks(block)
        .enumerate()
        .map(|(i, got)| {
            let offset = (i * block) as u64;
            let mut expected = vec![0; block];
            let generation = |w: u64, n: u64| (w << 40) + n;
            let writer = (0..workers)
                .flat_map(|w| (1..=each).map(move |n| (w, n)))
                .find(|(w, n)| {
                    filler.fill(&mut expected[..16], offset, generation(*w, *n));
                    expected[..16] == got[..16]
                });
            let (w, n) = writer.unwrap_or_else(|| panic!("nobody wrote the block at {offset}"));
            filler.fill(&mut expected, offset, generation(w, n));
            assert!(expected == got, "the block at {offset} is damaged");
            (w, n)
        })
        .collect()
}

fn each_way(mut what: impl FnMut(BackendKind, Caching, &Scratch)) {
    by_each(|kind| {
        let scratch = Scratch::new(2 * MIB);
        for caching in cachings(&scratch.path) {
            what(kind, caching, &scratch);
        }
    });
}

#[test]
fn one_pass_writes_every_block_in_turn() {
    each_way(|kind, caching, scratch| {
        let mut t = target(&scratch.path);
        t.caching = caching;
        let mut run = Run::new(kind, vec![t], WRITES, one_pass());
        run.step.streams[0].size = SizeSpec::Fixed(Bytes(64 << 10));
        let done = run.go();
        assert!(done.is_clean(), "{done:?}");
        assert_eq!((done.stats.ios(), done.stats.bytes()), (32, 2 * MIB));
        let data = std::fs::read(&scratch.path).expect("reads");
        let expected: Vec<(u64, u64)> = (1..=32).map(|n| (0, n)).collect();
        assert_eq!(
            writers(&data, 64 << 10, 1, 32),
            expected,
            "{kind} {caching:?}"
        );
    });
}

#[test]
fn covering_writes_write_every_block_once_over_all_workers() {
    each_way(|kind, caching, scratch| {
        let mut t = target(&scratch.path);
        t.caching = caching;
        let done = Run::new(kind, vec![t], WRITES, every_block_once())
            .ios(512)
            .go();
        assert!(done.is_clean(), "{done:?}");
        assert_eq!(done.stats.ios(), 512);
        // 512 blocks, 256 columns.
        assert_eq!(done.stats.streams[0].heat, vec![2; 256]);
        let data = std::fs::read(&scratch.path).expect("reads");
        let workers = u64::from(done.outcome.workers);
        let mut counts = HashMap::new();
        for writer in writers(&data, 4096, workers, 512 / workers) {
            *counts.entry(writer).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 512, "{kind} {caching:?}");
    });
}

#[test]
fn only_the_asked_part_is_written() {
    each_way(|kind, caching, scratch| {
        let before = std::fs::read(&scratch.path).expect("reads");
        let mut t = target(&scratch.path);
        t.caching = caching;
        t.offset = Bytes(256 << 10);
        t.size = Some(Bytes(MIB));
        let done = Run::new(kind, vec![t], WRITES, one_pass()).go();
        assert!(done.is_clean(), "{done:?}");
        assert_eq!(done.stats.bytes(), MIB);
        let after = std::fs::read(&scratch.path).expect("reads");
        let (from, to) = (256 << 10, (256 << 10) + MIB as usize);
        assert!(before[..from] == after[..from] && before[to..] == after[to..]);
        writers(&after[from..to], 4096, 1, 256);
    });
}

#[test]
fn durable_writes_write_the_same() {
    let ways = [
        Durability::Dsync,
        Durability::Sync,
        Durability::FsyncEvery(7),
        Durability::FsyncAtEnd,
    ];
    by_each(|kind| {
        for durability in ways {
            let scratch = Scratch::new(MIB / 4);
            let mut t = target(&scratch.path);
            t.durability = durability;
            t.caching = cachings(&scratch.path)[0];
            let done = Run::new(kind, vec![t], WRITES, one_pass()).go();
            assert!(done.is_clean(), "{kind} {durability:?}: {done:?}");
            let data = std::fs::read(&scratch.path).expect("reads");
            writers(&data, 4096, 1, 64);
        }
    });
}

#[test]
fn trimmed_files_are_holes() {
    by_each(|kind| {
        let scratch = Scratch::new(MIB);
        let done = Run::new(kind, vec![target(&scratch.path)], TRIMS, one_pass()).go();
        let unsupported = plimsoll_engine::worker::FailureKind::Errno(libc::EOPNOTSUPP);
        if done.failures.first().is_some_and(|f| f.kind == unsupported) {
            plimsoll_skipped::skipped!("the file system has no trims");
            return;
        }
        assert!(done.is_clean(), "{kind}: {done:?}");
        let trims = &done.stats.streams[0].ops[2];
        assert_eq!((trims.ios, trims.bytes), (256, MIB));
        assert_eq!(done.stats.bytes(), 0, "trims move nothing");
        let data = std::fs::read(&scratch.path).expect("reads");
        assert!(data.len() as u64 == MIB && data.iter().all(|b| *b == 0));
    });
}

#[test]
fn joined_files_are_written_end_to_end() {
    by_each(|kind| {
        // Sizes that no block divides: the last part of a block is left out.
        let (a, b) = (Scratch::new(MIB / 4 + 100), Scratch::new(MIB / 2 + 3000));
        let mut t = target(&a.path);
        t.location = Location::Concat(vec![a.path.clone(), b.path.clone()]);
        t.durability = Durability::FsyncEvery(5);
        t.caching = cachings(&a.path)[0];
        let before = std::fs::read(&a.path).expect("reads");
        let run = Run::new(kind, vec![t], WRITES, one_pass());
        let block = run.open()[0].logical_block as usize;
        let done = run.go();
        assert!(done.is_clean(), "{kind}: {done:?}");
        // Block 0 of what may be a stripe of devices is never touched.
        let data = std::fs::read(&a.path).expect("reads");
        assert!(data[..block] == before[..block], "{kind}");
        let (whole, end) = ((MIB / 4) as usize, (MIB / 4 + 100) as usize / block * block);
        let same = |from: usize, to: usize| data[from..to] == before[from..to];
        assert!(
            (block..whole)
                .step_by(block)
                .all(|at| !same(at, at + block)),
            "{kind}"
        );
        assert!(same(end, data.len()), "{kind}: past the last whole block");
    });
}
