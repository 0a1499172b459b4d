//! What holds for every stream.

use super::{COVERING, K, M, UNIFORM, stream, take};
use plimsoll_plan::{
    Bytes, Distribution, HitPlacement, HitSpec, HotbandMode, Mix, Pattern, RangeSpec, SizeSpec,
};
use plimsoll_traffic::StreamSource;
use proptest::prelude::*;

fn patterns() -> impl Strategy<Value = Pattern> {
    let random = |distribution| Pattern::random(distribution);
    prop_oneof![
        Just(UNIFORM),
        Just(COVERING),
        any::<bool>().prop_map(|random_start| Pattern::Sequential {
            once: false,
            random_start,
            whole: false,
        }),
        (any::<bool>(), any::<bool>()).prop_map(|(random_start, whole)| Pattern::Sequential {
            once: true,
            random_start,
            whole,
        }),
        (0.0..100.0).prop_map(Pattern::PercentRandom),
        (0u64..20, 0u64..20).prop_map(|(a, b)| Pattern::Stride {
            min: Bytes(a * 512),
            max: Bytes((a + b) * 512)
        }),
        Just(Pattern::SequentialEach),
        (1u32..5).prop_map(Pattern::Streams),
        (0.1..3.0).prop_map(move |s| random(Distribution::Zipf(s))),
        (0.05..0.5).prop_map(move |h| random(Distribution::Pareto(h))),
        (0.1..200.0).prop_map(move |d| random(Distribution::Normal(d))),
        (0.1..20.0).prop_map(move |m| random(Distribution::Poisson(m))),
        Just(random(Distribution::Zoned(vec![
            (60.0, 10.0),
            (40.0, 90.0)
        ]))),
        Just(random(Distribution::Hotband(HotbandMode::Observed))),
        Just(random(Distribution::Hotband(HotbandMode::Corrected))),
    ]
}

fn sizes() -> impl Strategy<Value = SizeSpec> {
    let own = (alike(), alike(), alike());
    prop_oneof![
        3 => alike(),
        1 => own.prop_map(|(read, write, trim)| SizeSpec::of_operations([read, write, trim])),
    ]
}

/// The same for all operations.
fn alike() -> impl Strategy<Value = SizeSpec> {
    prop_oneof![
        (1u64..64).prop_map(|n| SizeSpec::Fixed(Bytes(n * 512))),
        (1u64..16, 1u64..64, 1.0..99.0).prop_map(|(a, b, p)| {
            SizeSpec::Weighted(vec![(Bytes(a * 512), p), (Bytes(b * 512), 100.0 - p)])
        }),
        (1u64..16, 0u64..32, 1u64..4).prop_map(|(min, more, align)| SizeSpec::range(
            Bytes(min * 512),
            Bytes((min + more) * 512),
            Bytes(align * 512)
        )),
    ]
}

fn hit_specs() -> impl Strategy<Value = Option<HitSpec>> {
    let placement = prop_oneof![
        Just(HitPlacement::Contiguous),
        (64u64..512).prop_map(|n| HitPlacement::Sliced(Bytes(n * 512)))
    ];
    proptest::option::of(
        (0.0..100.0, 0.0..100.0, 32 * K..512 * K, placement)
            .prop_map(|(r, w, area, placement)| HitSpec::new(r, w, Bytes(area), placement)),
    )
}

proptest! {
    #[test]
    fn every_io_of_every_stream_is_inside_aligned_and_reproducible(
        pattern in patterns(),
        size in sizes(),
        hits in hit_specs(),
        from in 0.0..60.0f64,
        width in 20.0..100.0f64,
        target in 2 * M..40 * M,
        align in proptest::option::of((1u64..5).prop_map(|n| n * 2048)),
        device: bool,
        seed: u64,
        workers in 1u32..4,
        write in 0.0..100.0f64,
    ) {
        let mut s = stream(pattern, size);
        s.address.range = RangeSpec::Percent(from, from + width);
        s.address.hits = hits;
        s.mix = Mix::of_reads(100.0 - write);
        let build = || StreamSource::new(&s, target, 512, align, device, seed, workers - 1, workers);
        let Ok(mut source) = build() else { return Ok(()) };
        let once = matches!(s.address.pattern, Pattern::Sequential { once: true, .. });
        // One pass of whole transfers begins with the one that the border lies in.
        let early = match s.address.pattern {
            Pattern::Sequential { whole: true, .. } => s.largest().0 as f64,
            _ => 1024.0,
        };
        let ios = take(&mut source, 400);
        let (low, high) = (target as f64 * from / 100.0, target as f64 * (from + width) / 100.0);
        for io in &ios {
            let (start, end) = (io.offset, io.offset + u64::from(io.length));
            prop_assert!(io.length > 0 && io.length % 512 == 0 && start % 512 == 0);
            let wrapped = end as f64 <= high - target as f64 + 512.0;
            prop_assert!(end <= target && (start as f64 >= low - early && end as f64 <= high + 512.0 || wrapped));
            prop_assert!(!device || start > 0);
            if let Some(a) = align && !once {
                prop_assert!(io.hit || start % a == 0, "{:?}", io);
            }
        }
        prop_assert_eq!(ios, take(&mut build().expect("as before"), 400));
    }
}
