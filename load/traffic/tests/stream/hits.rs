//! Accesses that are to be found in a cache.

use super::{COVERING, K, M, UNIFORM, fixed, sequential, source, take};
use plimsoll_plan::{Bytes, HitPlacement, HitSpec, Mix, Op, Pattern, Stream};
use plimsoll_traffic::{Io, StreamSource, TrafficError};
use std::collections::{HashMap, HashSet};

pub fn with_hits(percent: f64, placement: HitPlacement) -> Stream {
    let mut s = fixed(UNIFORM, 4 * K);
    s.address.hits = Some(HitSpec::reads(percent, Bytes(M), placement));
    s
}

#[test]
fn contiguous_hits_lie_at_the_start_and_misses_in_the_rest() {
    let s = with_hits(75.0, HitPlacement::Contiguous);
    let ios = take(&mut source(&s, 1 << 30), 100_000);
    let hits: Vec<_> = ios.iter().filter(|io| io.hit).collect();
    assert!((74_300..75_700).contains(&hits.len()), "{}", hits.len());
    assert!(ios.iter().all(|io| io.hit == (io.offset < M)));
    assert_eq!(
        hits.iter()
            .map(|io| io.offset)
            .collect::<HashSet<_>>()
            .len(),
        256
    );
}

#[test]
fn scattered_hits_load_every_slice_and_core_alike() {
    let s = with_hits(75.0, HitPlacement::Sliced(Bytes(M)));
    let ios = take(&mut source(&s, 1 << 30), 400_000);
    let hits: HashSet<u64> = ios.iter().filter(|io| io.hit).map(|io| io.offset).collect();
    let misses: HashSet<u64> = ios
        .iter()
        .filter(|io| !io.hit)
        .map(|io| io.offset)
        .collect();
    assert_eq!(hits.len(), 256);
    assert!(hits.is_disjoint(&misses));
    let slices: HashSet<u64> = hits.iter().map(|o| o / M).collect();
    assert_eq!(slices, (0..256).collect());
    let mut by_core = [0f64; 8];
    for io in &ios {
        by_core[(io.offset / M % 8) as usize] += 1.0;
    }
    let mean = ios.len() as f64 / 8.0;
    assert!(
        by_core.iter().all(|n| (n / mean - 1.0).abs() < 0.02),
        "{by_core:?}"
    );
}

#[test]
fn coverage_with_scattered_hits_covers_what_is_left() {
    let mut s = with_hits(50.0, HitPlacement::Sliced(Bytes(M)));
    s.address.pattern = COVERING;
    let blocks = 16 * 256;
    let mut source = source(&s, 16 * M);
    let mut misses = HashMap::new();
    while misses.values().sum::<u64>() < blocks - 256 {
        let io = source.next().expect("endless");
        if !io.hit {
            *misses.entry(io.offset).or_insert(0) += 1;
        }
    }
    assert_eq!(misses.len() as u64, blocks - 256);
}

#[test]
fn writes_hit_by_their_own_percentage_and_trims_never() {
    let mut s = with_hits(80.0, HitPlacement::Sliced(Bytes(M)));
    s.mix = Mix::from([40.0, 40.0, 20.0]);
    s.address.hits.as_mut().expect("hits").write_percent = 10.0;
    let ios = take(&mut source(&s, 1 << 30), 100_000);
    for (op, percent, hits) in [
        (Op::Read, 40.0, 80.0),
        (Op::Write, 40.0, 10.0),
        (Op::Trim, 20.0, 0.0),
    ] {
        let of_op: Vec<_> = ios.iter().filter(|io| io.op == op).collect();
        assert!((of_op.len() as f64 / 1000.0 - percent).abs() < 1.0);
        let hit = of_op.iter().filter(|io| io.hit).count() as f64 * 100.0 / of_op.len() as f64;
        assert!((hit - hits).abs() < 1.5, "{op:?}: {hit}");
    }
}

#[test]
fn all_hits_need_nothing_outside_the_area() {
    let mut s = with_hits(100.0, HitPlacement::Contiguous);
    assert!(take(&mut source(&s, M), 1000).iter().all(|io| io.hit));
    s.address.hits.as_mut().expect("hits").read_percent = 99.0;
    let refused = StreamSource::new(&s, M, 512, None, false, 1, 0, 1);
    assert!(matches!(refused, Err(TrafficError::TooSmall { .. })));
}

/// Vdbench: a sequential workload that hits reads its hit area from end to end again and again, and the rest likewise.
#[test]
fn hits_of_a_sequential_stream_follow_from_each_other_and_so_do_its_misses() {
    let mut s = fixed(sequential(false), 4 * K);
    s.address.hits = Some(HitSpec::reads(50.0, Bytes(M), HitPlacement::Contiguous));
    let ios = take(&mut source(&s, 8 * M), 4_000);
    let walked = |hit: bool, start: u64, end: u64| {
        let places = (end - start) / (4 * K);
        let offsets = ios.iter().filter(|io| io.hit == hit).map(|io| io.offset);
        let wanted = (0..).map(|n| start + n % places * 4 * K);
        offsets.zip(wanted).enumerate().all(|(at, (is, wanted))| {
            assert_eq!(is, wanted, "number {at}, hit: {hit}");
            at < 4_000
        })
    };
    assert!(walked(true, 0, M));
    assert!(walked(false, M, 8 * M));
}

#[test]
fn hits_of_a_stream_that_seeks_now_and_then_mostly_follow_from_each_other() {
    let follow = |pattern: Pattern| {
        let mut s = fixed(pattern, 4 * K);
        s.address.hits = Some(HitSpec::reads(
            100.0,
            Bytes(4 * M),
            HitPlacement::Contiguous,
        ));
        let ios = take(&mut source(&s, 16 * M), 10_000);
        assert!(ios.iter().all(|io| io.hit && io.offset < 4 * M));
        let next = |w: &&[Io]| w[1].offset == w[0].offset + 4 * K;
        ios.windows(2).filter(next).count()
    };
    assert!((7_700..8_300).contains(&follow(Pattern::PercentRandom(20.0))));
    assert!(follow(UNIFORM) < 100);
}
