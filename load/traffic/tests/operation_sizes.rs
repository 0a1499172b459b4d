//! Streams whose operations have sizes of their own.

use plimsoll_plan::{
    AddressSpec, Bytes, Distribution, HitPlacement, HitSpec, Mix, Op, Pattern, SizeSpec, Stream,
    TargetId,
};
use plimsoll_traffic::{Io, StreamSource};
use proptest::prelude::*;
use std::collections::HashMap;

const K: u64 = 1 << 10;
const M: u64 = 1 << 20;

fn random(distribution: Distribution) -> Pattern {
    Pattern::random(distribution)
}

fn stream(pattern: Pattern, mix: [f64; 3], size: SizeSpec) -> Stream {
    let [read, write, trim] = mix;
    Stream::new(
        "w",
        TargetId(0),
        Mix::from([read, write, trim]),
        size,
        AddressSpec::whole(pattern),
    )
}

fn take(stream: &Stream, target: u64, seed: u64, n: usize) -> Vec<Io> {
    let mut source =
        StreamSource::new(stream, target, 512, None, false, seed, 0, 1).expect("a stream");
    std::iter::from_fn(|| source.next()).take(n).collect()
}

fn sizes() -> impl Strategy<Value = SizeSpec> {
    let bytes = |n: u64| Bytes(n * 512);
    prop_oneof![
        (1u64..64).prop_map(move |n| SizeSpec::Fixed(bytes(n))),
        (1u64..16, 16u64..64, 1.0..99.0).prop_map(move |(a, b, p)| {
            SizeSpec::Weighted(vec![(bytes(a), p), (bytes(b), 100.0 - p)])
        }),
        (1u64..8, 0u64..8, 1u64..8).prop_map(move |(min, more, align)| SizeSpec::range(
            bytes(min * align),
            bytes((min + more) * align),
            bytes(align)
        )),
    ]
}

/// Whether a transfer of these sizes may have this length and begin there: at a multiple of its own size, or of the step of
/// its range.
fn fits(size: &SizeSpec, offset: u64, length: u64) -> bool {
    match size {
        SizeSpec::Fixed(b) => length == b.0 && offset.is_multiple_of(b.0),
        SizeSpec::Weighted(list) => {
            list.iter().any(|(b, _)| b.0 == length) && offset.is_multiple_of(length)
        }
        SizeSpec::Range { min, max, align } => {
            (min.0..=max.0).contains(&length)
                && length.is_multiple_of(align.0)
                && offset.is_multiple_of(align.0)
        }
        SizeSpec::ByOperation(_) => false,
    }
}

proptest! {
    #[test]
    fn each_operation_has_its_own_sizes_at_multiples_of_them(
        own in (sizes(), sizes(), sizes()),
        write in 1.0..98.0f64,
        distribution in prop_oneof![Just(Distribution::Uniform), Just(Distribution::Zipf(1.1))],
        seed: u64,
    ) {
        let (read, written, trimmed) = own;
        let of = [&read, &written, &trimmed];
        let size = SizeSpec::of_operations([read.clone(), written.clone(), trimmed.clone()]);
        let s = stream(random(distribution), [99.0 - write, write, 1.0], size);
        let mut counts = [0.0; 3];
        for io in take(&s, 40 * M, seed, 2_000) {
            let (offset, length) = (io.offset, u64::from(io.length));
            prop_assert!(fits(of[io.op as usize], offset, length), "{:?} of {:?}", io, of);
            prop_assert!(offset + length <= 40 * M);
            counts[io.op as usize] += 1.0;
        }
        // The mix is as it is without sizes of their own: five standard deviations.
        let p = write / 100.0;
        let error: f64 = counts[1] - 2_000.0 * p;
        prop_assert!(error.abs() < 5.0 * (2_000.0 * p * (1.0 - p)).sqrt() + 1.0, "{:?}", counts);
    }

    #[test]
    fn what_never_occurs_changes_nothing(size in sizes(), other in sizes(), seed: u64) {
        let pattern = || random(Distribution::Uniform);
        let plain = stream(pattern(), [70.0, 30.0, 0.0], size.clone());
        let own = SizeSpec::of_operations([size.clone(), size, other]);
        let with_trims = stream(pattern(), [70.0, 30.0, 0.0], own);
        prop_assert_eq!(take(&plain, 8 * M, seed, 300), take(&with_trims, 8 * M, seed, 300));
    }
}

/// Reads of 4 KiB and writes of 16 KiB that cover a target start once in each 4 KiB of it, where a write fits.
#[test]
fn coverage_starts_once_at_each_multiple_of_the_smallest_size() {
    let fixed = |k: u64| SizeSpec::Fixed(Bytes(k * K));
    let size = SizeSpec::of_operations([fixed(4), fixed(16), fixed(4)]);
    let pattern = Pattern::COVERING;
    let s = stream(pattern, [50.0, 50.0, 0.0], size);
    let places = (M - 16 * K) / (4 * K) + 1;
    let ios = take(&s, M, 7, 2 * places as usize);
    let mut starts: HashMap<u64, u32> = HashMap::new();
    for io in &ios {
        assert_eq!(u64::from(io.length), [4 * K, 16 * K][io.op as usize]);
        assert!(io.offset % (4 * K) == 0 && io.offset + u64::from(io.length) <= M);
        *starts.entry(io.offset).or_default() += 1;
    }
    assert_eq!(starts.len() as u64, places);
    assert!(starts.values().all(|n| *n == 2));
}

#[test]
fn hits_of_each_operation_lie_in_the_area_at_multiples_of_its_size() {
    let fixed = |k: u64| SizeSpec::Fixed(Bytes(k * K));
    for placement in [
        HitPlacement::Contiguous,
        HitPlacement::Scattered,
        HitPlacement::Sliced(Bytes(M)),
    ] {
        let size = SizeSpec::of_operations([fixed(8), fixed(64), fixed(8)]);
        let mut s = stream(random(Distribution::Uniform), [50.0, 50.0, 0.0], size);
        s.address.hits = Some(HitSpec::new(80.0, 40.0, Bytes(M), placement));
        let ios = take(&s, 64 * M, 3, 40_000);
        let mut cells: HashMap<u64, u32> = HashMap::new();
        let mut hits = [0.0; 2];
        for io in &ios {
            assert_eq!(io.offset % u64::from(io.length), 0, "{io:?}");
            if io.hit {
                *cells.entry(io.offset / (64 * K)).or_default() += 1;
                hits[io.op as usize] += 1.0;
            }
        }
        // The area has 16 cells of the largest size; a read hits any part of one.
        assert_eq!(cells.len(), 16, "{placement:?}");
        assert!(ios.iter().filter(|io| !io.hit).all(|io| {
            let last = (io.offset + u64::from(io.length) - 1) / (64 * K);
            (io.offset / (64 * K)..=last).all(|cell| !cells.contains_key(&cell))
        }));
        let counted = |op: Op| ios.iter().filter(|io| io.op == op).count() as f64;
        let share = [hits[0] / counted(Op::Read), hits[1] / counted(Op::Write)];
        assert!(
            (share[0] - 0.8).abs() < 0.02 && (share[1] - 0.4).abs() < 0.02,
            "{share:?}"
        );
    }
}
