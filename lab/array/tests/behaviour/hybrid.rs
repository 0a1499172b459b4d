//! The hybrid cluster: where reads come from and writes go to, and what happens when its journal is full.

use crate::driver::{Ask, KIB, LoadSeen, Random, Stage, assert_near, chunk};
use plimsoll_array::{Array, Counters, Fault, IoKind, Persona, Served};
use plimsoll_content::Identity;

/// Small enough for a test; rates below are multiplied by it.
const SCALE: f64 = 100.0;
/// The working set that gives the published shares, at full size.
const WORKING_SET_GIB: f64 = 356.0;
/// Of the chunks that were written before the test, the share of zeros that gives the published one among the reads.
const ZEROS_BEFORE: f64 = 0.354;

/// The published test: 8 KiB, 70 % reads, over one virtual disk each on eight hosts.
struct Test {
    stage: Stage,
    /// Bytes of each LUN that are used.
    used: u64,
    zeros: f64,
}

impl Test {
    /// With a share of zeros in what lies there and in what is written.
    fn new(before: f64, zeros: f64) -> Self {
        let persona = Persona::named("hybrid-hci").unwrap();
        let mut array = Array::new(&persona, SCALE, 1).unwrap();
        let used =
            (WORKING_SET_GIB / 8.0 / SCALE * f64::from(1 << 30)) as u64 / (8 * KIB) * 8 * KIB;
        let mut random = Random::new(7);
        for lun in 0..8 {
            // Both chunks of an 8 KiB block are of one kind.
            let mut zero = false;
            array.fill(lun, 0..used / (4 * KIB), |c| {
                if c % 2 == 0 {
                    zero = random.chance(before);
                }
                content(zero, u64::from(lun) << 32 | c)
            });
        }
        Test {
            stage: Stage::new(array),
            used,
            zeros,
        }
    }

    /// Runs for some seconds at a depth.
    fn run(&mut self, depth: usize, reads: f64, seconds: f64) -> (LoadSeen, Counters) {
        let before = *self.stage.array.counters();
        let (blocks, zeros) = (self.used / (8 * KIB), self.zeros);
        let ask = move |r: &mut Random| {
            let op = if r.chance(reads) {
                IoKind::Read
            } else {
                IoKind::Write
            };
            let offset = r.below(blocks) * 8 * KIB;
            let mut ask = Ask::new(op, r.below(8) as u32, offset, 8192);
            if op == IoKind::Write {
                let (zero, word) = (r.chance(zeros), r.word());
                ask.blocks = vec![content(zero, word), content(zero, word ^ 1)];
            }
            ask
        };
        let seen = self.stage.closed(depth, 0.0, seconds, ask);
        (seen, self.stage.array.counters().since(&before))
    }
}

fn content(zero: bool, n: u64) -> Identity {
    if zero { Identity::Zero } else { chunk(n) }
}

/// Requests to flash and disk a second, at full size.
fn media(c: &Counters, seconds: f64) -> f64 {
    (c.media_reads + c.media_writes) as f64 / seconds * SCALE
}

#[test]
fn zeros_never_reach_the_media_and_reads_come_from_where_the_published_ones_did() {
    let mut test = Test::new(ZEROS_BEFORE, 0.4);
    test.run(32, 0.7, 900.0);
    let (seen, counted) = test.run(32, 0.7, 300.0);
    eprintln!("{seen:?} {counted:?}");
    for (served, published) in [
        (Served::Cache, 0.068),
        (Served::LocalFlash, 0.50),
        (Served::RemoteFlash, 0.034),
        (Served::Zero, 0.33),
        (Served::JournalZero, 0.027),
    ] {
        let share = counted.read_share(served);
        assert!((share - published).abs() < 0.01, "{served:?}: {share}");
    }
    assert_eq!(counted.read_source[Served::Disk as usize], 0);
    assert_near(
        "zeros written",
        counted.write_share(Served::JournalZero),
        0.40,
        0.02,
    );
    assert_near(
        "data written",
        counted.write_share(Served::Journal),
        0.60,
        0.02,
    );
    assert_near("front end", seen.iops * SCALE, 30_000.0, 0.05);
    assert_near("media", media(&counted, 300.0), 12_000.0, 0.05);
}

#[test]
fn without_zeros_the_media_are_read_1_6_times_as_often() {
    let reads = |before, zeros| {
        let mut test = Test::new(before, zeros);
        test.run(32, 0.7, 900.0);
        test.run(32, 0.7, 200.0).1.media_reads as f64
    };
    assert_near(
        "media reads",
        reads(0.0, 0.0) / reads(ZEROS_BEFORE, 0.4),
        1.6,
        0.05,
    );
}

#[test]
fn when_the_journal_is_full_writes_go_at_the_rate_of_its_drain() {
    let mut test = Test::new(0.0, 0.0);
    let (fast, _) = test.run(32, 0.0, 20.0);
    let capacity = test.stage.array.journal().unwrap().capacity();
    while test.stage.array.journal().unwrap().fill() < capacity {
        test.run(32, 0.0, 5.0);
    }
    let (slow, _) = test.run(32, 0.0, 60.0);
    assert_near(
        "before, MiB/s",
        fast.iops * SCALE * 8.0 / 1024.0,
        30_000.0 * 8.0 / 1024.0,
        0.1,
    );
    assert_near(
        "after, MiB/s",
        slow.iops * SCALE * 8.0 / 1024.0,
        120.0,
        0.03,
    );
}

#[test]
fn a_journal_that_others_fill_holds_writes_up_until_it_is_freed() {
    let mut test = Test::new(0.0, 0.4);
    let (before, _) = test.run(8, 0.0, 10.0);
    let full = r#"{"fault": "journal-full", "drain": 0.1, "for": "10s"}"#;
    let fault: Fault = serde_json::from_str(full).unwrap();
    test.stage.array.inject(test.stage.now, &fault).unwrap();
    let (during, _) = test.run(8, 0.0, 10.0);
    test.run(8, 0.0, 5.0);
    let (after, _) = test.run(8, 0.0, 10.0);
    assert!(during.iops < 0.3 * before.iops, "{during:?} {before:?}");
    assert_near("after", after.iops, before.iops, 0.05);
}

#[test]
fn the_journal_of_an_array_that_nobody_asks_drains_to_what_it_keeps() {
    let mut test = Test::new(0.0, 0.0);
    let capacity = test.stage.array.journal().unwrap().capacity();
    while test.stage.array.journal().unwrap().fill() < capacity {
        test.run(32, 0.0, 5.0);
    }
    test.stage
        .array
        .catch_up(test.stage.now + 3_600_000_000_000);
    let fill = test.stage.array.journal().unwrap().fill();
    assert_near("kept", fill as f64, 0.3 * capacity as f64, 0.001);
}
