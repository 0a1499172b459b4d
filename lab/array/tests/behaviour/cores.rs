//! Slices of a LUN are owned by cores: what Vdbench's hit area does to an array that spreads work by address.

use crate::driver::{Ask, KIB, LoadSeen, MIB, Random, Stage, assert_near, chunk};
use plimsoll_array::{Array, IoKind, Persona, Served};

const LUNS: u32 = 4;
const LUN: u64 = 512 * MIB;
const CORES: usize = 8;

/// How the cores fared in a run.
struct Shares {
    /// Each core's share of the work that is bound to the owner of an address.
    owner: Vec<f64>,
    /// Each core's share of all work.
    total: Vec<f64>,
}

/// The two-brick array at a quarter of its speed, full of data that its cache does not hold.
fn two_bricks() -> Stage {
    let scale = 4.0;
    let mut persona = Persona::named("scale-out-flash-8").unwrap();
    persona.luns.count = LUNS;
    persona.luns.gib = LUN as f64 / (1 << 30) as f64 * scale;
    persona.cache.as_mut().unwrap().mib = 64.0 * scale;
    let mut array = Array::new(&persona, scale, 1).unwrap();
    for lun in 0..LUNS {
        array.fill(lun, 0..LUN / (4 * KIB), |c| chunk(u64::from(lun) << 32 | c));
    }
    Stage::new(array)
}

/// 4 KiB reads, `share` of them in the hit area at the start of each LUN.
fn hits(share: f64, area: u64) -> impl FnMut(&mut Random) -> Ask + Clone {
    move |r| {
        let (from, to) = match r.chance(share) {
            true => (0, area),
            false => (area, LUN),
        };
        let offset = from + r.below((to - from) / (4 * KIB)) * 4 * KIB;
        Ask::new(IoKind::Read, r.below(u64::from(LUNS)) as u32, offset, 4096)
    }
}

/// 4 KiB reads, `share` of them on as many blocks as `area` has, dealt over all slices of consecutive MiB.
fn scattered(share: f64, area: u64) -> impl FnMut(&mut Random) -> Ask + Clone {
    move |r| {
        let lun = r.below(u64::from(LUNS)) as u32;
        let offset = match r.chance(share) {
            true => {
                let block = r.below(area / (4 * KIB));
                (block % (LUN / MIB)) * MIB + block / (LUN / MIB) * 4 * KIB
            }
            false => r.below(LUN / (4 * KIB)) * 4 * KIB,
        };
        Ask::new(IoKind::Read, lun, offset, 4096)
    }
}

/// A run at 320 in flight: what was seen, and what of the work each core did meanwhile.
fn run(stage: &mut Stage, seconds: f64, ask: impl FnMut(&mut Random) -> Ask) -> (LoadSeen, Shares) {
    let work = |stage: &Stage, of: fn(&plimsoll_array::core::Core) -> u64| -> Vec<u64> {
        let cores = stage.array.cores().unwrap().each();
        cores.iter().map(of).collect()
    };
    let before = (
        work(stage, |c| c.owner_ns),
        work(stage, |c| c.station.work_ns),
    );
    let seen = stage.closed(320, 0.0, seconds, ask);
    let after = (
        work(stage, |c| c.owner_ns),
        work(stage, |c| c.station.work_ns),
    );
    let share = |a: Vec<u64>, b: Vec<u64>| {
        let each: Vec<f64> = a.iter().zip(b).map(|(a, b)| (b - a) as f64).collect();
        let sum: f64 = each.iter().sum();
        each.iter().map(|e| e / sum).collect()
    };
    let shares = Shares {
        owner: share(before.0, after.0),
        total: share(before.1, after.1),
    };
    (seen, shares)
}

/// Warmed up, then seen.
fn settled(ask: impl FnMut(&mut Random) -> Ask + Clone) -> (LoadSeen, Shares, Stage) {
    let mut stage = two_bricks();
    stage.closed(320, 0.0, 1.0, ask.clone());
    let (seen, shares) = run(&mut stage, 4.0, ask);
    (seen, shares, stage)
}

/// The ratio of the maximum rates with a hot slice and without (section 0.4 of the research: owner-bound and other work
/// on one shared set of `n` cores, `f` of it bound to the owner, `h` of the requests on one slice).
fn closed_formula(n: f64, h: f64, f: f64) -> f64 {
    (1.0 / n) / (f * (h + (1.0 - h) / n) + (1.0 - f) / n)
}

#[test]
fn a_hit_area_of_1_mib_makes_one_core_hot_and_the_maximum_falls_by_the_closed_formula() {
    let (even, ..) = settled(hits(0.0, 0));
    let (hot, shares, _) = settled(hits(0.75, MIB));
    assert_near("hot core, owner-bound", shares.owner[0], 0.781, 0.01);
    assert_near("hot core, in all", shares.total[0], 0.34, 0.02);
    for core in 1..CORES {
        assert_near("other core, owner-bound", shares.owner[core], 0.03125, 0.04);
        assert_near("other core, in all", shares.total[core], 0.094, 0.03);
    }
    let ratio = closed_formula(8.0, 0.75, 0.33);
    assert_near("maximum", hot.iops / even.iops, ratio, 0.03);
}

#[test]
fn the_closed_formula_holds_for_other_hit_shares_and_for_one_brick() {
    for (persona, n) in [("scale-out-flash-4", 4.0), ("scale-out-flash-8", 8.0)] {
        for h in [0.25, 0.5, 0.9] {
            let rate = |share: f64| {
                let mut p = Persona::named(persona).unwrap();
                (p.luns.count, p.luns.gib) = (LUNS, LUN as f64 / (1 << 30) as f64 * 4.0);
                let array = Array::new(&p, 4.0, 1).unwrap();
                Stage::new(array)
                    .closed(320, 1.0, 1.0, hits(share, MIB))
                    .iops
            };
            let ratio = rate(h) / rate(0.0);
            assert_near(
                &format!("{persona} {h}"),
                ratio,
                closed_formula(n, h, 0.33),
                0.03,
            );
        }
    }
}

#[test]
fn a_hit_area_of_a_slice_for_each_core_restores_the_maximum() {
    let (even, ..) = settled(hits(0.0, 0));
    let (all, shares, _) = settled(hits(0.75, 8 * MIB));
    assert_near("maximum", all.iops / even.iops, 1.0, 0.01);
    shares
        .owner
        .iter()
        .for_each(|s| assert_near("owner", *s, 0.125, 0.02));
}

#[test]
fn a_hit_area_of_4_mib_leaves_half_of_the_cores_hot() {
    let (_, shares, _) = settled(hits(0.75, 4 * MIB));
    for core in 0..CORES {
        // Half of the cores share the hits: 0.75 / 4 + 0.25 / 8, the others have 0.25 / 8.
        let expected = if core < 4 { 0.21875 } else { 0.03125 };
        assert_near(&format!("core {core}"), shares.owner[core], expected, 0.03);
    }
}

#[test]
fn scattered_hits_leave_every_core_within_1_percent_of_the_mean_and_hit_the_cache_as_often() {
    let hit_ratio = |stage: &Stage| stage.array.counters().read_share(Served::Cache);
    let (_, _, contiguous) = settled(hits(0.75, MIB));
    let mut stage = two_bricks();
    stage.closed(320, 0.0, 1.0, scattered(0.75, MIB));
    let (_, shares) = run(&mut stage, 10.0, scattered(0.75, MIB));
    for share in shares.owner.iter().chain(&shares.total) {
        assert_near("core", *share, 0.125, 0.01);
    }
    assert_near("hit ratio", hit_ratio(&stage), hit_ratio(&contiguous), 0.01);
    assert!(hit_ratio(&stage) > 0.74, "{}", hit_ratio(&stage));
}

#[test]
fn strides_of_as_many_mib_as_cores_alias_onto_one_core() {
    for (stride, busy) in [(8, 1), (16, 1), (4, 2), (2, 4), (1, 8), (7, 8)] {
        let mut at = 0;
        let (_, shares) = run(&mut two_bricks(), 0.1, move |_| {
            at = (at + stride * MIB) % LUN;
            Ask::new(IoKind::Read, 0, at, 4096)
        });
        let owners = shares.owner.iter().filter(|s| **s > 0.0).count();
        assert_eq!(owners, busy, "stride of {stride} MiB");
    }
}
