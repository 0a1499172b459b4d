//! The write cliff: garbage collection begins when the spare flash is used up.

use crate::driver::{Ask, GIB, KIB, MIB, Random, Stage, assert_near, chunk};
use plimsoll_array::{Array, IoKind, Persona};

const VOLUME: u64 = GIB;
const PAGES: u64 = VOLUME / (4 * KIB);

/// An empty SSD of 1 GiB with the speed of sixteen dies.
fn ssd(over_provisioning: f64) -> Stage {
    let mut persona = Persona::named("single-ssd").unwrap();
    persona.luns.gib = 4.0;
    let mapping = persona.flash.as_mut().unwrap().mapping.as_mut();
    mapping.unwrap().over_provisioning = over_provisioning;
    Stage::new(Array::new(&persona, 4.0, 1).unwrap())
}

fn random_write(r: &mut Random) -> Ask {
    Ask::new(IoKind::Write, 0, r.below(PAGES) * 4 * KIB, 4096)
}

/// Pages that were written by the host and moved by the collector so far.
fn pages(stage: &Stage) -> (u64, u64) {
    let mapping = stage.array.mapping().unwrap();
    (mapping.host_pages, mapping.moved_pages)
}

/// Writes the volume once from start to end.
fn fill(stage: &mut Stage) {
    let mut at = 0;
    while pages(stage).0 < PAGES {
        stage.closed(32, 0.0, 0.01, |_| {
            at += 1;
            Ask::new(IoKind::Write, 0, (at - 1) % PAGES * 4 * KIB, 4096)
        });
    }
}

#[test]
fn begins_at_the_volume_and_its_spare_and_settles_at_the_published_write_amplification() {
    for (over_provisioning, amplification) in [(0.07, 7.57), (0.28, 2.46), (0.5, 1.71)] {
        let mut stage = ssd(over_provisioning);
        fill(&mut stage);
        let fast = stage.closed(32, 0.0, 0.1, random_write).iops;
        while pages(&stage).1 == 0 {
            stage.closed(32, 0.0, 0.01, random_write);
        }
        let onset = pages(&stage).0 as f64 / PAGES as f64;
        assert_near("onset, volumes", onset, 1.0 + over_provisioning, 0.01);
        while pages(&stage).0 < 3 * PAGES {
            stage.closed(32, 0.0, 0.1, random_write);
        }
        let before = pages(&stage);
        let mut slow = (0.0, 0);
        while pages(&stage).0 < 4 * PAGES {
            slow.0 += stage.closed(32, 0.0, 0.1, random_write).iops;
            slow.1 += 1;
        }
        let (host, moved) = (pages(&stage).0 - before.0, pages(&stage).1 - before.1);
        let settled = (host + moved) as f64 / host as f64;
        assert_near("write amplification", settled, amplification, 0.05);
        // B / (WA + (WA - 1) x t_read / t_prog + t_erase / (256 x t_prog) x WA).
        let cost = settled + (settled - 1.0) * 40.0 / 200.0 + settled * 2000.0 / (256.0 * 200.0);
        assert_near("rate before", fast, 16.0 / 200e-6, 0.05);
        assert_near("rate after", slow.0 / f64::from(slow.1), fast / cost, 0.05);
    }
}

#[test]
fn reads_wait_behind_the_collector() {
    let mix = |reads: f64| {
        move |r: &mut Random| {
            let op = if r.chance(reads) {
                IoKind::Read
            } else {
                IoKind::Write
            };
            Ask::new(op, 0, r.below(PAGES) * 4 * KIB, 4096)
        }
    };
    let mut stage = ssd(0.28);
    fill(&mut stage);
    let fresh = stage.open(20_000.0, 32, 0.1, 1.0, mix(0.7));
    while pages(&stage).0 < 3 * PAGES {
        stage.closed(32, 0.0, 0.1, random_write);
    }
    let settled = stage.open(20_000.0, 32, 0.1, 1.0, mix(0.7));
    assert!(
        settled.read_us > 1.3 * fresh.read_us,
        "{fresh:?} {settled:?}"
    );
}

#[test]
fn a_trim_restores_the_speed() {
    let mut stage = ssd(0.28);
    fill(&mut stage);
    let fast = stage.closed(32, 0.0, 0.1, random_write).iops;
    while pages(&stage).0 < 3 * PAGES {
        stage.closed(32, 0.0, 0.1, random_write);
    }
    let mut at = 0;
    stage.closed(1, 0.0, 0.1, |_| {
        at += 1;
        Ask::new(IoKind::Trim, 0, at % 1024 * MIB, MIB as u32)
    });
    assert_eq!(stage.array.luns()[0].mapped_chunks(), 0);
    let again = stage.closed(32, 0.0, 0.1, random_write).iops;
    assert_near("rate", again, fast, 0.1);
}

#[test]
fn the_scale_out_array_has_none() {
    let mut persona = Persona::named("scale-out-flash-8").unwrap();
    (persona.luns.count, persona.luns.gib) = (2, 1.0 / 8.0);
    let mut array = Array::new(&persona, 1.0, 1).unwrap();
    (0..2).for_each(|lun| array.fill(lun, 0..PAGES / 8, |c| chunk(u64::from(lun) << 32 | c)));
    let mut stage = Stage::new(array);
    let write = |r: &mut Random| {
        let offset = r.below(PAGES / 8) * 4 * KIB;
        Ask::new(IoKind::Write, r.below(2) as u32, offset, 4096)
    };
    let first = stage.closed(192, 0.1, 0.5, write).iops;
    // 160 k writes of 4 KiB are 2.4 times the quarter GiB each second.
    for _ in 0..4 {
        assert_near("rate", stage.closed(192, 0.0, 0.5, write).iops, first, 0.01);
    }
}
