//! The scale-out array's published limits, at full size.

use crate::driver::{Ask, GIB, KIB, Random, Stage, assert_near, chunk};
use plimsoll_array::{Array, IoKind, Persona};

/// The two-brick array with all of its speed and a small part of its room, full of data.
fn two_bricks() -> Stage {
    let mut persona = Persona::named("scale-out-flash-8").unwrap();
    persona.luns.count = 8;
    persona.luns.gib = 0.125;
    persona.cache.as_mut().unwrap().mib = 64.0;
    let mut array = Array::new(&persona, 1.0, 1).unwrap();
    let chunks = array.lun_bytes() / (4 * KIB);
    for lun in 0..persona.luns.count {
        array.fill(lun, 0..chunks, |c| chunk(u64::from(lun) << 32 | c));
    }
    Stage::new(array)
}

/// Random requests of `len` bytes, `reads` of them reads.
fn random(len: u64, reads: f64) -> impl FnMut(&mut Random) -> Ask {
    move |r| {
        let op = if r.chance(reads) {
            IoKind::Read
        } else {
            IoKind::Write
        };
        let blocks = GIB / 8 / len;
        Ask::new(op, r.below(8) as u32, r.below(blocks) * len, len as u32)
    }
}

#[test]
fn small_random_requests_reach_the_published_rates_and_latencies_at_the_published_depths() {
    for (what, reads, depth, iops, us) in [
        ("write", 0.0, 192, 160_000.0, 1_200.0),
        ("read", 1.0, 640, 455_000.0, 1_400.0),
        ("70/30", 0.7, 304, 264_000.0, 1_150.0),
    ] {
        let seen = two_bricks().closed(depth, 0.2, 1.0, random(4 * KIB, reads));
        assert_near(what, seen.iops, iops, 0.05);
        assert_near(what, seen.mean_us, us, 0.05);
    }
}

#[test]
fn large_writes_run_at_725_mb_a_second_from_16_kib_up() {
    for kib in [16, 64, 256, 1024] {
        let len = kib * KIB;
        let seen = two_bricks().closed(192, 0.5, 2.0, random(len, 0.0));
        assert_near(
            &format!("{kib} KiB"),
            seen.iops * len as f64 / 1e6,
            725.0,
            0.05,
        );
    }
}

#[test]
fn a_small_part_of_the_array_at_a_scale_behaves_like_the_whole() {
    for (reads, depth) in [(0.0, 192), (1.0, 640), (0.7, 304)] {
        let mut persona = Persona::named("scale-out-flash-8").unwrap();
        persona.luns.count = 8;
        persona.luns.gib = 2.5;
        let array = Array::new(&persona, 20.0, 1).unwrap();
        let small = Stage::new(array).closed(depth / 20, 1.0, 5.0, random(4 * KIB, reads));
        let whole = two_bricks().closed(depth, 0.2, 0.5, random(4 * KIB, reads));
        assert_near("rate", small.iops * 20.0, whole.iops, 0.08);
    }
}
