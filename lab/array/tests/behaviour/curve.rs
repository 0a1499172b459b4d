//! The published 8 KiB curve: 70 % reads, 512 slots.

use crate::driver::{Ask, GIB, KIB, LoadSeen, Random, Stage, assert_near};
use plimsoll_array::{Array, IoKind, Persona};

const MAXIMUM: f64 = 130_848.33;

fn array(seed: u64) -> Stage {
    let mut persona = Persona::named("curve-8k").unwrap();
    persona.luns.gib = 1.0;
    Stage::new(Array::new(&persona, 1.0, seed).unwrap()).seeded(seed)
}

fn mix(r: &mut Random) -> Ask {
    let op = if r.chance(0.7) {
        IoKind::Read
    } else {
        IoKind::Write
    };
    let len = 8 * KIB;
    Ask::new(op, r.below(2) as u32, r.below(GIB / len) * len, len as u32)
}

/// The mean of runs with different seeds at an offered rate: more of them where the depth wanders.
fn at(rate: f64) -> LoadSeen {
    let runs: Vec<LoadSeen> = (1..=if rate > 115_000.0 { 6 } else { 2 })
        .map(|seed| array(seed).open(rate, 512, 1.0, 10.0, mix))
        .collect();
    let mean = |of: fn(&LoadSeen) -> f64| runs.iter().map(of).sum::<f64>() / runs.len() as f64;
    LoadSeen {
        iops: mean(|s| s.iops),
        mean_us: mean(|s| s.mean_us),
        read_us: mean(|s| s.read_us),
        write_us: mean(|s| s.write_us),
        late: mean(|s| s.late),
        ..runs[0]
    }
}

/// The design's criterion of a saturated point.
fn is_saturated(offered: f64, seen: &LoadSeen) -> bool {
    seen.late > 0.01 || seen.iops < 0.995 * offered
}

#[test]
fn a_closed_loop_of_512_gives_the_published_maximum() {
    let seen = array(1).closed(512, 0.5, 5.0, mix);
    assert_near("closed loop", seen.iops, MAXIMUM, 0.01);
    assert_near("mean", seen.mean_us, 3_913.0, 0.01);
}

#[test]
fn mean_service_times_at_the_achieved_rates_are_the_published_ones() {
    for (percent, iops, mean, read, write, within) in [
        (1, 1_394.35, 508.0, 549.0, 410.0, 0.02),
        (70, 91_588.73, 817.0, 884.0, 662.0, 0.02),
        (80, 104_663.12, 897.0, 972.0, 721.0, 0.02),
        (85, 111_303.08, 953.0, 1_028.0, 779.0, 0.02),
        (90, 117_909.40, 1_286.0, 1_357.0, 1_120.0, 0.03),
        (92, 120_431.68, 2_006.0, 2_077.0, 1_842.0, 0.05),
    ] {
        let seen = at(iops);
        assert_near(&format!("{percent} %"), seen.mean_us, mean, within);
        assert_near(&format!("{percent} %, reads"), seen.read_us, read, 0.05);
        assert_near(&format!("{percent} %, writes"), seen.write_us, write, 0.05);
        assert!(!is_saturated(iops, &seen), "{percent} %: {seen:?}");
    }
}

#[test]
fn the_points_from_94_percent_up_are_saturated_and_the_one_at_92_is_not() {
    // Vdbench rounds the rates of its curve up to hundreds.
    let offered = |percent: f64| (MAXIMUM * percent / 100.0 / 100.0).ceil() * 100.0;
    for percent in [94.0, 96.0, 98.0] {
        let seen = at(offered(percent));
        assert!(
            is_saturated(offered(percent), &seen),
            "{percent} %: {seen:?}"
        );
    }
    let seen = at(offered(92.0));
    assert!(!is_saturated(offered(92.0), &seen), "{seen:?}");
}
