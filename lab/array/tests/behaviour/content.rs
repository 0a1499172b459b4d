//! In virtual time a write carries what its content generator says of a block; over a wire it carries bytes. The array
//! must find the same in both.

use crate::driver::KIB;
use plimsoll_array::{Array, Counters, Io, IoKind, Persona, Served};
use plimsoll_content::{ContentPlan, DedupePlan, Filler, Identity, Placement, identify_bytes};

const CHUNKS: u64 = 4096;

fn dedupe(ratio: f64) -> Option<DedupePlan> {
    Some(DedupePlan {
        ratio,
        unit: 4 * KIB,
        sets: 64,
        units: CHUNKS,
        flip_flop: false,
        placement: Placement::Scattered,
        seed: 2,
    })
}

fn reducible(compress: f64, dedupe: Option<DedupePlan>) -> ContentPlan {
    ContentPlan::Reducible { compress, dedupe }
}

/// Writes every chunk twice, with identities by `identify`; the counters and how many different chunks are held.
fn written(identify: impl Fn(u64, u64) -> Identity) -> (Counters, u64) {
    let mut persona = Persona::named("scale-out-flash-8@v3_0").unwrap();
    persona.luns.gib = 1.0;
    let mut array = Array::new(&persona, 1.0, 1).unwrap();
    for generation in 0..2 {
        for chunk in 0..CHUNKS {
            let io = Io {
                op: IoKind::Write,
                blocks: &[identify(chunk * 4 * KIB, generation)],
                ..Io::read(0, chunk * 4 * KIB, 4096)
            };
            array.submit(chunk, &Io { ..io });
        }
    }
    (*array.counters(), array.distinct_chunks())
}

#[test]
fn the_identities_of_a_content_generator_and_of_its_bytes_give_the_same_reduction() {
    let plans = [
        ContentPlan::Unique,
        ContentPlan::Zeros,
        ContentPlan::Repeat(vec![1, 2, 3].into()),
        ContentPlan::Repeat(vec![0; 512].into()),
        reducible(1.0, dedupe(4.0)),
        reducible(2.0, None),
        reducible(3.0, dedupe(2.0)),
    ];
    for plan in plans {
        let filler = Filler::new(plan.clone(), 5);
        let described = written(|offset, generation| filler.identity(offset, 4096, generation));
        let found = written(|offset, generation| {
            let mut bytes = [0; 4096];
            filler.fill(&mut bytes, offset, generation);
            identify_bytes(&bytes)
        });
        assert_eq!(
            described.0.write_destination, found.0.write_destination,
            "{plan:?}"
        );
        assert_eq!(described.1, found.1, "{plan:?}");
        assert_eq!(described.0.new_bytes, found.0.new_bytes, "{plan:?}");
        // A description counts LZ4's bytes by rule; at a border of the granule a few blocks may fall to either side.
        let ratio = described.0.compression() / found.0.compression();
        assert!((ratio - 1.0).abs() < 0.02, "{plan:?}: {ratio}");
    }
}

#[test]
fn zeros_and_duplicates_are_noted_and_not_stored() {
    let zeros = Filler::new(ContentPlan::Zeros, 1);
    let (counted, distinct) =
        written(|offset, generation| zeros.identity(offset, 4096, generation));
    assert_eq!(counted.write_destination[Served::Zero as usize], 2 * CHUNKS);
    assert_eq!((counted.new_bytes, distinct), (0, 0));
    let twins = Filler::new(reducible(1.0, dedupe(4.0)), 1);
    let (counted, _) = written(|offset, generation| twins.identity(offset, 4096, generation));
    assert!(counted.write_share(Served::Duplicate) > 0.6);
    let halves = Filler::new(reducible(2.2, None), 1);
    let (counted, _) = written(|offset, generation| halves.identity(offset, 4096, generation));
    assert!(
        (1.9..2.1).contains(&counted.compression()),
        "{}",
        counted.compression()
    );
}

#[test]
fn what_was_filled_at_once_is_data_like_no_other() {
    let mut persona = Persona::named("scale-out-flash-8").unwrap();
    persona.luns.gib = 1.0;
    let mut array = Array::new(&persona, 1.0, 1).unwrap();
    // Neither the start nor the end is at a border of the map's pages.
    array.fill_unique(0, 100..10_000, 7);
    array.fill_unique(1, 0..2048, 7);
    assert_eq!(array.luns()[0].mapped_chunks(), 9_900);
    assert_eq!(array.distinct_chunks(), 9_900 + 2_048);
    for (chunk, served) in [
        (99, Served::Unmapped),
        (100, Served::LocalFlash),
        (9_999, Served::LocalFlash),
        (10_000, Served::Unmapped),
    ] {
        let answer = array.submit(0, &Io::read(0, chunk * 4 * KIB, 4096));
        assert_eq!(answer.served, served, "{chunk}");
    }
    array.fill(0, 0..10_000, crate::driver::chunk);
    assert_eq!(array.distinct_chunks(), 10_000 + 2_048);
}

#[test]
fn zeros_that_nobody_sends_change_the_map_and_cost_one_command_however_many_they_are() {
    for name in ["scale-out-flash-4", "single-ssd", "hybrid-hci"] {
        let mut persona = Persona::named(name).unwrap();
        (persona.luns.count, persona.luns.gib) = (1, 1.0 / 16.0);
        let mut array = Array::new(&persona, 1.0, 1).unwrap();
        array.fill(0, 0..4096, |chunk| Identity::Data {
            fingerprint: chunk + 7,
            compressed: 4096,
        });
        let zero = |offset, len| Io {
            op: IoKind::Zero,
            ..Io::read(0, offset, len)
        };
        let far = 1_000_000_000_000;
        let one = array.submit(far, &zero(0, 4096)).at_ns - far;
        let many = array.submit(2 * far, &zero(0, 16 << 20)).at_ns - 2 * far;
        assert_eq!(one, many, "{name}");
        assert_eq!(array.luns()[0].zero_chunks(), 4096, "{name}");
        assert_eq!(array.distinct_chunks(), 0, "{name}: the data is let go");
        assert_eq!(array.counters().zeroes.count, 2);
        let read = array.submit(3 * far, &Io::read(0, 0, 4096));
        assert_eq!(read.served, Served::Zero, "{name}");
        // Of a chunk that is zeroed in part, the rest stays data; one that holds nothing is zeros.
        array.fill(0, 9000..9001, |_| Identity::Data {
            fingerprint: 5,
            compressed: 4096,
        });
        array.submit(4 * far, &zero(9000 * 4096 + 1, 4096));
        let mapped = (
            array.luns()[0].mapped_chunks(),
            array.luns()[0].zero_chunks(),
        );
        assert_eq!(mapped, (4098, 4097), "{name}");
        array.submit(
            5 * far,
            &Io {
                op: IoKind::Trim,
                ..Io::read(0, 0, 64 << 20)
            },
        );
        assert_eq!(array.luns()[0].mapped_chunks(), 0, "{name}");
    }
}
