//! What a stream's I/Os are, from outside.

mod every;
mod hits;
mod parts;

use hits::with_hits;
use plimsoll_plan::{
    AddressSpec, Bytes, Distribution, HitPlacement, Mix, Op, Pattern, RangeSpec, SizeSpec, Stream,
    TargetId,
};
use plimsoll_traffic::{Io, StreamSource, TrafficError, workers_at_most};
use std::collections::{HashMap, HashSet};

const K: u64 = 1 << 10;
const M: u64 = 1 << 20;

const READS: Mix = Mix::READS;

const UNIFORM: Pattern = Pattern::RANDOM;

const COVERING: Pattern = Pattern::COVERING;

fn stream(pattern: Pattern, size: SizeSpec) -> Stream {
    Stream::new("wd1", TargetId(0), READS, size, AddressSpec::whole(pattern))
}

fn fixed(pattern: Pattern, size: u64) -> Stream {
    stream(pattern, SizeSpec::Fixed(Bytes(size)))
}

fn source(stream: &Stream, target: u64) -> StreamSource {
    StreamSource::new(stream, target, 512, None, false, 42, 0, 1).expect("a stream")
}

fn take(source: &mut StreamSource, n: usize) -> Vec<Io> {
    std::iter::from_fn(|| source.next()).take(n).collect()
}

fn offsets(stream: &Stream, target: u64, n: usize) -> Vec<u64> {
    take(&mut source(stream, target), n)
        .iter()
        .map(|io| io.offset)
        .collect()
}

fn sequential(once: bool) -> Pattern {
    Pattern::Sequential {
        once,
        random_start: false,
        whole: false,
    }
}

#[test]
fn a_sequential_stream_goes_on_for_ever_and_a_single_pass_does_not() {
    assert_eq!(
        offsets(&fixed(sequential(false), 4 * K), 16 * K, 6),
        [0, 4096, 8192, 12_288, 0, 4096]
    );
    assert_eq!(
        offsets(&fixed(sequential(true), 4 * K), 16 * K, 6),
        [0, 4096, 8192, 12_288]
    );
}

#[test]
fn a_single_pass_leaves_no_hole_at_a_targets_odd_end_or_behind_its_spared_block() {
    for device in [false, true] {
        for random_start in [false, true] {
            let pattern = Pattern::Sequential {
                once: true,
                random_start,
                whole: false,
            };
            let target = M + 7 * 512;
            let mut s =
                StreamSource::new(&fixed(pattern, 128 * K), target, 512, None, device, 3, 0, 1)
                    .expect("a stream");
            let mut ios = take(&mut s, 1000);
            ios.sort_by_key(|io| io.offset);
            let mut at = if device { 512 } else { 0 };
            for io in &ios {
                assert_eq!(io.offset, at);
                assert!(
                    io.offset == at
                        && (io.offset + u64::from(io.length)).div_ceil(128 * K)
                            == io.offset / (128 * K) + 1
                );
                at += u64::from(io.length);
            }
            assert_eq!(at, target);
        }
    }
}

#[test]
fn percent_random_seeks_that_often_and_continues_otherwise() {
    for percent in [0.0, 20.0, 75.0] {
        let ios = offsets(
            &fixed(Pattern::PercentRandom(percent), 4 * K),
            64 << 30,
            50_000,
        );
        let seeks = ios.windows(2).filter(|w| w[1] != w[0] + 4 * K).count() as f64 / 499.99;
        assert!((seeks - percent).abs() < 1.0, "{seeks} of {percent}");
    }
}

#[test]
fn strides_leave_the_asked_gaps_and_start_again() {
    let stride = |min, max| Pattern::Stride {
        min: Bytes(min),
        max: Bytes(max),
    };
    assert_eq!(
        offsets(&fixed(stride(12 * K, 12 * K), 4 * K), 48 * K, 5),
        [0, 16_384, 32_768, 0, 16_384]
    );
    let ios = offsets(&fixed(stride(8 * K, 40 * K), 4 * K), 1 << 40, 20_000);
    let mut seen = HashMap::new();
    for w in ios.windows(2) {
        *seen.entry((w[1] - w[0]) / K).or_insert(0) += 1;
    }
    let mut gaps: Vec<_> = seen.keys().copied().collect();
    gaps.sort_unstable();
    // The end of the previous I/O, 8K, and 0 to 7 whole transfers.
    assert_eq!(gaps, [12, 16, 20, 24, 28, 32, 36, 40]);
    assert!(
        seen.values().all(|n| (2_200..2_800).contains(n)),
        "{seen:?}"
    );
}

#[test]
fn streams_take_turns_in_their_slices() {
    let got = offsets(&fixed(Pattern::Streams(4), 4 * K), 32 * K, 10);
    let expected = [0, 8, 16, 24, 4, 12, 20, 28, 0, 8].map(|k| k * K);
    assert_eq!(got, expected);
}

#[test]
fn coverage_visits_every_block_once_a_pass_whatever_the_workers() {
    for (blocks, workers) in [(1, 1), (3, 5), (1000, 1), (1000, 7), (4096, 4)] {
        let s = fixed(COVERING, 4 * K);
        let mut seen = HashMap::new();
        for worker in 0..workers {
            let mut part =
                StreamSource::new(&s, blocks * 4 * K, 512, None, false, 7, worker, workers)
                    .expect("a stream");
            // Two passes.
            let own = (2 * blocks - u64::from(worker)).div_ceil(workers.into());
            for io in take(&mut part, own as usize) {
                *seen.entry(io.offset).or_insert(0) += 1;
            }
        }
        assert_eq!(seen.len() as u64, blocks);
        assert!(
            seen.values().all(|n| *n == 2),
            "{blocks} blocks, {workers} workers"
        );
    }
}

#[test]
fn a_devices_first_place_is_never_touched() {
    for pattern in [
        UNIFORM,
        COVERING,
        sequential(false),
        Pattern::PercentRandom(50.0),
        Pattern::Streams(2),
    ] {
        let s = fixed(pattern, 4 * K);
        let mut source = StreamSource::new(&s, 64 * K, 512, None, true, 1, 0, 1).expect("a stream");
        let seen: HashSet<u64> = take(&mut source, 1000).iter().map(|io| io.offset).collect();
        assert!(
            !seen.contains(&0) && seen.len() >= 14,
            "{:?}: {seen:?}",
            s.address.pattern
        );
    }
}

#[test]
fn a_range_past_the_end_wraps_to_the_start() {
    for pattern in [UNIFORM, COVERING, sequential(false), Pattern::Streams(2)] {
        let mut s = fixed(pattern, 4 * K);
        s.address.range = RangeSpec::Percent(75.0, 125.0);
        let seen: HashSet<u64> = offsets(&s, 64 * K, 500)
            .into_iter()
            .map(|o| o / (4 * K))
            .collect();
        assert_eq!(
            seen,
            (12..16).chain(0..4).collect(),
            "{:?}",
            s.address.pattern
        );
    }
}

#[test]
fn each_of_several_sizes_lies_at_multiples_of_itself() {
    let sizes = SizeSpec::Weighted(vec![
        (Bytes(4 * K), 50.0),
        (Bytes(64 * K), 30.0),
        (Bytes(M), 20.0),
    ]);
    for distribution in [
        Distribution::Uniform,
        Distribution::Zipf(1.1),
        Distribution::Normal(10.0),
    ] {
        let pattern = Pattern::random(distribution);
        for io in take(
            &mut source(&stream(pattern, sizes.clone()), 100 * M + 12 * K),
            10_000,
        ) {
            assert_eq!(io.offset % u64::from(io.length), 0);
            assert!(io.offset + u64::from(io.length) <= 100 * M + 12 * K);
        }
    }
}

#[test]
fn what_cannot_be_done_is_refused_by_name() {
    let new =
        |s: &Stream, target, align| StreamSource::new(s, target, 512, align, false, 1, 0, 1).err();
    assert!(matches!(
        new(&fixed(UNIFORM, 1000), M, None),
        Some(TrafficError::Unaligned { .. })
    ));
    assert!(matches!(
        new(&fixed(UNIFORM, 4 * K), M, Some(100)),
        Some(TrafficError::Unaligned { .. })
    ));
    assert!(matches!(
        new(&fixed(UNIFORM, 2 * M), M, None),
        Some(TrafficError::TooSmall { .. })
    ));
    assert!(matches!(
        new(&fixed(UNIFORM, 4 * K), 0, None),
        Some(TrafficError::TooSmall { .. })
    ));
    assert!(matches!(
        new(&fixed(Pattern::Streams(0), 4 * K), M, None),
        Some(TrafficError::Streams(0))
    ));
    assert!(matches!(
        new(&fixed(Pattern::Streams(300), 4 * K), M, None),
        Some(TrafficError::TooSmall { .. })
    ));
    let no_slice = with_hits(50.0, HitPlacement::Sliced(Bytes(64 * M)));
    assert!(matches!(
        new(&no_slice, 32 * M, None),
        Some(TrafficError::NoSlice { .. })
    ));
    let mut too_large = with_hits(50.0, HitPlacement::Sliced(Bytes(M)));
    too_large.address.hits.as_mut().expect("hits").area = Bytes(20 * M);
    assert!(matches!(
        new(&too_large, 32 * M, None),
        Some(TrafficError::HitArea { .. })
    ));
    let s = fixed(UNIFORM, 4 * K);
    let refused = StreamSource::new(&s, M, 512, None, false, 1, 2, 2).err();
    assert_eq!(
        refused,
        Some(TrafficError::Worker {
            worker: 2,
            workers: 2
        })
    );
}

#[test]
fn streams_whose_addresses_follow_from_each_other_have_as_many_workers_as_there_are_such_orders() {
    for (pattern, most) in [
        (UNIFORM, None),
        (Pattern::PercentRandom(100.0), None),
        (sequential(false), Some(1)),
        (Pattern::PercentRandom(99.0), Some(1)),
        (Pattern::Streams(5), Some(5)),
    ] {
        assert_eq!(workers_at_most(&fixed(pattern, 4 * K)), most);
    }
}

/// Workers deal the streams; each stream is sequential in its slice, whoever has it.
#[test]
fn workers_deal_streams_among_themselves() {
    let s = fixed(Pattern::Streams(5), 4 * K);
    let size = 40 * M;
    let mut seen = HashSet::new();
    for worker in 0..3 {
        let mut source =
            StreamSource::new(&s, size, 512, None, false, 1, worker, 3).expect("a stream");
        let mut last: HashMap<u64, u64> = HashMap::new();
        for io in take(&mut source, 60) {
            let slice = io.offset / (8 * M);
            let wanted = last.get(&slice).map_or(slice * 8 * M, |at| at + 4 * K);
            assert_eq!(io.offset, wanted, "stream {slice} of worker {worker}");
            last.insert(slice, io.offset);
        }
        for slice in last.keys() {
            assert!(seen.insert(*slice), "two workers have stream {slice}");
        }
    }
    assert_eq!(seen.len(), 5);
}

#[test]
fn workers_of_a_random_stream_draw_different_addresses() {
    let s = fixed(UNIFORM, 4 * K);
    let part = |w| {
        take(
            &mut StreamSource::new(&s, 1 << 40, 512, None, false, 1, w, 2).expect("a stream"),
            100,
        )
    };
    assert_ne!(part(0), part(1));
    assert_eq!(part(0), part(0));
}

/// What Vdbench 5.04.07 writes with `seekpct=eof,xfersize=64k` to a device of 10,000,384 bytes, and to a file of that
/// size: 64 KiB to 9,961,472 and 0 to 9,961,472, nothing of the rest.
#[test]
fn a_pass_of_whole_transfers_begins_one_in_on_a_device_and_ends_with_the_last_whole_one() {
    const SIZE: u64 = 10_000_384;
    let pattern = Pattern::Sequential {
        once: true,
        random_start: false,
        whole: true,
    };
    let mixed = SizeSpec::Weighted(vec![(Bytes(4 * K), 30.0), (Bytes(64 * K), 70.0)]);
    for (device, first) in [(true, 64 * K), (false, 0)] {
        for size in [SizeSpec::Fixed(Bytes(64 * K)), mixed.clone()] {
            let s = stream(pattern.clone(), size);
            let ios = take(
                &mut StreamSource::new(&s, SIZE, 512, None, device, 3, 0, 1).expect("a stream"),
                10_000,
            );
            let mut at = first;
            for io in &ios {
                assert_eq!(io.offset, at);
                at += u64::from(io.length);
            }
            assert_eq!(at, 9_961_472);
            let fixed = matches!(s.size, SizeSpec::Fixed(_));
            assert!(!fixed || ios.iter().all(|io| u64::from(io.length) == 64 * K));
        }
    }
    // And what it reads of parts of a file of 1 MiB with xfersize=4k: both borders lie in the transfers before them.
    for ((from, to), first, count) in [((33.0, 66.0), 344_064, 84), ((10.0, 43.0), 102_400, 85)] {
        let mut s = fixed(pattern.clone(), 4 * K);
        s.address.range = RangeSpec::Percent(from, to);
        let source = StreamSource::new(&s, 1 << 20, 512, None, false, 3, 0, 1);
        let ios = take(&mut source.expect("a stream"), 10_000);
        assert_eq!((ios[0].offset, ios.len()), (first, count));
        assert!(ios.iter().all(|io| u64::from(io.length) == 4 * K));
    }
    let too_small = StreamSource::new(&fixed(pattern, 64 * K), 4 * K, 512, None, false, 3, 0, 1);
    assert!(matches!(too_small, Err(TrafficError::TooSmall { .. })));
}
