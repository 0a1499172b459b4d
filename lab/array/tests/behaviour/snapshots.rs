//! Snapshots redirect writes and move no data.

use crate::driver::{Ask, GIB, KIB, Random, Stage, assert_near, chunk};
use plimsoll_array::{Array, Fault, Op, Persona, Span};

fn write(r: &mut Random) -> Ask {
    let offset = r.below(GIB / 32 / (4 * KIB)) * 4 * KIB;
    Ask::new(Op::Write, r.below(32) as u32, offset, 4096)
}

#[test]
fn thirty_two_snapshots_at_once_change_a_saturating_write_load_by_less_than_1_percent() {
    let mut persona = Persona::named("scale-out-flash-8").unwrap();
    persona.luns.gib = 1.0 / 32.0;
    let mut array = Array::new(&persona, 1.0, 1).unwrap();
    for lun in 0..32 {
        array.fill(lun, 0..8192, |c| chunk(lun as u64 * 8192 + c));
    }
    let mut stage = Stage::new(array);
    let before = stage.closed(192, 0.5, 1.0, write);
    let storm = Fault::SnapshotStorm { of_each: 1 };
    stage.array.inject(stage.now, &storm).unwrap();
    let after = stage.closed(192, 0.0, 1.0, write);
    assert!(stage.array.counters().redirected > 100_000);
    assert_near("rate", after.iops, before.iops, 0.01);
    assert_near("latency", after.mean_us, before.mean_us, 0.01);
    let taken = stage
        .array
        .luns()
        .iter()
        .map(|l| l.snapshots.len())
        .sum::<usize>();
    assert_eq!(taken, 32);
}

#[test]
fn a_snapshot_keeps_its_data_until_it_is_needed_no_more() {
    let mut persona = Persona::named("scale-out-flash-4").unwrap();
    (persona.luns.count, persona.luns.gib) = (1, 1.0 / 1024.0);
    let mut array = Array::new(&persona, 1.0, 1).unwrap();
    array.fill(0, 0..256, chunk);
    assert!(array.snapshot(Span(0).0, 0));
    assert_eq!(array.distinct_chunks(), 256);
    array.fill(0, 0..256, |c| chunk(c + 1000));
    assert_eq!(array.distinct_chunks(), 512);
    array.fill(0, 0..256, |c| chunk(c + 2000));
    assert_eq!(array.distinct_chunks(), 512);
    assert!(!array.snapshot(0, 1), "there is no second LUN");
}
