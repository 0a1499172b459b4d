//! Snapshots redirect writes and move no data.

use crate::driver::{Ask, GIB, KIB, Random, Stage, assert_near, chunk};
use plimsoll_array::{Array, Fault, Io, IoKind, Persona, SnapshotError};
use plimsoll_content::Identity;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn write(r: &mut Random) -> Ask {
    let offset = r.below(GIB / 32 / (4 * KIB)) * 4 * KIB;
    Ask::new(IoKind::Write, r.below(32) as u32, offset, 4096)
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
        .map(|l| l.snapshots.each().len())
        .sum::<usize>();
    assert_eq!(taken, 32);
}

/// One LUN of 1 MiB, empty, on an array that deduplicates.
fn one_mib() -> Array {
    let mut persona = Persona::named("scale-out-flash-4").unwrap();
    (persona.luns.count, persona.luns.gib) = (1, 1.0 / 1024.0);
    Array::new(&persona, 1.0, 1).unwrap()
}

#[test]
fn a_snapshot_keeps_its_data_until_it_is_deleted() {
    let mut array = one_mib();
    array.fill(0, 0..256, chunk);
    assert_eq!(array.snapshot(0, 0), Ok(1));
    assert_eq!(array.distinct_chunks(), 256);
    array.fill(0, 0..256, |c| chunk(c + 1000));
    assert_eq!(array.distinct_chunks(), 512);
    array.fill(0, 0..256, |c| chunk(c + 2000));
    assert_eq!(array.distinct_chunks(), 512);
    assert_eq!(array.luns()[0].snapshots.kept_chunks(), 256);
    assert!(array.delete_snapshot(0, 0, 1));
    assert_eq!(array.distinct_chunks(), 256);
    assert_eq!(array.luns()[0].snapshots.kept_chunks(), 0);
    assert!(!array.delete_snapshot(0, 0, 1), "it is gone");
    assert_eq!(array.snapshot(0, 1), Err(SnapshotError::NoLun(1)));
}

#[test]
fn a_write_is_redirected_only_for_a_snapshot_that_is_still_there() {
    let mut array = one_mib();
    array.fill(0, 0..256, chunk);
    let redirected = |array: &mut Array, seed| {
        let before = array.counters().redirected;
        array.fill(0, 0..256, |c| chunk(c + seed));
        array.counters().redirected - before
    };
    assert_eq!(array.snapshot(0, 0), Ok(1));
    assert_eq!(array.snapshot(0, 0), Ok(2));
    array.delete_snapshot(0, 0, 2);
    assert_eq!(redirected(&mut array, 1000), 256, "for the first");
    assert_eq!(redirected(&mut array, 2000), 0);
    // Numbers go on, and what is new is none of the first one's business.
    assert_eq!(array.snapshot(0, 0), Ok(3));
    array.delete_snapshot(0, 0, 3);
    assert_eq!(redirected(&mut array, 3000), 0);
    assert_eq!(array.luns()[0].snapshots.each().len(), 1);
}

#[test]
fn old_data_that_two_snapshots_show_goes_with_the_second_of_them() {
    for (first, second) in [(1, 2), (2, 1)] {
        let mut array = one_mib();
        array.fill(0, 0..256, chunk);
        array.snapshot(0, 0).unwrap();
        array.snapshot(0, 0).unwrap();
        array.fill(0, 0..256, |c| chunk(c + 1000));
        array.delete_snapshot(0, 0, first);
        assert_eq!(array.distinct_chunks(), 512);
        array.delete_snapshot(0, 0, second);
        assert_eq!(array.distinct_chunks(), 256);
    }
}

#[test]
fn a_lun_has_so_many_snapshots_and_no_more_however_they_are_asked_for() {
    let mut array = one_mib();
    let storm = Fault::SnapshotStorm { of_each: 1000 };
    array.inject(0, &storm).unwrap();
    array.inject(0, &storm).unwrap();
    assert_eq!(array.luns()[0].snapshots.each().len(), 1024);
    let full = array.snapshot(0, 0).unwrap_err();
    assert!(full.to_string().contains("1024 snapshots"), "{full}");
    assert!(array.delete_snapshot(0, 0, 7));
    assert_eq!(array.snapshot(0, 0), Ok(1025));
}

/// What can be done to the LUN.
#[derive(Debug, Clone)]
enum Step {
    /// Writes that many neighbouring chunks; with this data, or with data like no other.
    Write(u64, u64, Option<Identity>),
    Trim(u64),
    Take,
    /// Deletes one of those that exist.
    Delete(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let data = prop_oneof![
        Just(Some(Identity::Zero)),
        (0..6_u64).prop_map(|d| Some(chunk(d))),
        Just(None),
    ];
    prop_oneof![
        8 => (0..14_u64, 1..4_u64, data).prop_map(|(at, n, data)| Step::Write(at, n, data)),
        1 => (0..16_u64).prop_map(Step::Trim),
        2 => Just(Step::Take),
        2 => (0..8_usize).prop_map(Step::Delete),
    ]
}

/// What a LUN and its snapshots show: (which write, what data) of each chunk.
type View = BTreeMap<u64, (u64, Option<Identity>)>;

/// Chunks that differ in all of it; data like no other is different each time that it is written.
fn distinct<'a>(views: impl Iterator<Item = &'a View>) -> u64 {
    let each = views.flat_map(BTreeMap::values);
    let names = each.filter_map(|(write, data)| match data {
        Some(Identity::Zero) => None,
        Some(Identity::Data { fingerprint, .. }) => Some((true, *fingerprint)),
        None => Some((false, *write)),
    });
    names.collect::<BTreeSet<_>>().len() as u64
}

proptest! {
    #[test]
    fn the_array_holds_exactly_what_the_lun_and_its_snapshots_show(
        steps in proptest::collection::vec(step(), 0..120),
    ) {
        let mut array = one_mib();
        let (mut live, mut writes, mut redirected) = (View::new(), 0_u64, 0_u64);
        let mut snapshots: BTreeMap<u32, View> = BTreeMap::new();
        for step in steps {
            let submit = |array: &mut Array, op, at: u64, n: u64, blocks: &[Identity]| {
                let io = Io { op, blocks, ..Io::read(0, at * 4096, n as u32 * 4096) };
                array.submit(0, &io);
            };
            let needed = |live: &View, snapshots: &BTreeMap<u32, View>, at: u64| {
                let old = live.get(&at);
                u64::from(old.is_some() && snapshots.values().any(|s| s.get(&at) == old))
            };
            match step {
                Step::Write(at, n, data) => {
                    let blocks: Vec<_> = data.into_iter().cycle().take(n as usize).collect();
                    submit(&mut array, IoKind::Write, at, n, &blocks);
                    for at in at..at + n {
                        redirected += needed(&live, &snapshots, at);
                        writes += 1;
                        live.insert(at, (writes, data));
                    }
                }
                Step::Trim(at) => {
                    submit(&mut array, IoKind::Trim, at, 1, &[]);
                    redirected += needed(&live, &snapshots, at);
                    live.remove(&at);
                }
                Step::Take => {
                    let number = array.snapshot(0, 0).unwrap();
                    prop_assert!(snapshots.insert(number, live.clone()).is_none());
                }
                Step::Delete(which) => {
                    let number = snapshots.keys().nth(which).copied();
                    prop_assert_eq!(
                        array.delete_snapshot(0, 0, number.unwrap_or(999)),
                        number.is_some()
                    );
                    number.map(|n| snapshots.remove(&n));
                }
            }
            let all = snapshots.values().chain([&live]);
            prop_assert_eq!(array.distinct_chunks(), distinct(all));
            prop_assert_eq!(array.counters().redirected, redirected);
            let numbers = array.luns()[0].snapshots.each().iter().map(|s| s.number);
            prop_assert!(numbers.eq(snapshots.keys().copied()));
        }
    }
}
