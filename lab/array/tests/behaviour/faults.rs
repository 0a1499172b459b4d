//! What a script or a person can do to an array while it works.

use crate::driver::{Ask, GIB, KIB, LoadSeen, MIB, Random, SECOND, Stage, assert_near};
use plimsoll_array::{
    Array, Fault, FaultError, Io, IoKind, PathCondition, Persona, PersonaError, Served, Span,
    Status,
};

fn stage(persona: &str) -> Stage {
    let mut persona = Persona::named(persona).unwrap();
    persona.luns.gib = 1.0;
    Stage::new(Array::new(&persona, 1.0, 1).unwrap())
}

fn read(r: &mut Random) -> Ask {
    Ask::new(IoKind::Read, 0, r.below(GIB / (4 * KIB)) * 4 * KIB, 4096)
}

fn fault(json: &str) -> Fault {
    serde_json::from_str(json).unwrap()
}

/// Injects a fault, and sees a second of reads.
fn second_after(stage: &mut Stage, json: &str) -> LoadSeen {
    stage.array.inject(stage.now, &fault(json)).unwrap();
    stage.closed(64, 0.0, 1.0, read)
}

#[test]
fn a_path_that_is_down_refuses_and_a_silent_one_never_answers() {
    let mut array = stage("flash-gateway").array;
    let on = |path| Io {
        path,
        ..Io::read(0, 0, 4096)
    };
    array
        .inject(0, &fault(r#"{"fault": "path-down", "path": 0}"#))
        .unwrap();
    array
        .inject(
            0,
            &fault(r#"{"fault": "path-down", "path": 1, "silent": true, "for": "30s"}"#),
        )
        .unwrap();
    assert_eq!(array.submit(0, &on(0)).status, Status::PathDown);
    let lost = array.submit(0, &on(1));
    assert_eq!((lost.status, lost.at_ns), (Status::Lost, u64::MAX));
    assert_eq!(array.submit(0, &on(2)).status, Status::Done);
    assert_eq!(array.submit(30 * SECOND - 1, &on(1)).status, Status::Lost);
    assert_eq!(array.submit(30 * SECOND, &on(1)).status, Status::Done);
    assert_eq!(array.submit(30 * SECOND, &on(0)).status, Status::PathDown);
}

#[test]
fn the_end_of_a_fault_does_not_undo_what_was_done_after_it() {
    let mut array = stage("flash-gateway").array;
    array
        .inject(
            0,
            &fault(r#"{"fault": "path-down", "path": 0, "for": "10s"}"#),
        )
        .unwrap();
    array
        .inject(SECOND, &fault(r#"{"fault": "path-up", "path": 0}"#))
        .unwrap();
    array
        .inject(2 * SECOND, &fault(r#"{"fault": "path-down", "path": 0}"#))
        .unwrap();
    let io = Io::read(0, 0, 4096);
    assert_eq!(array.submit(20 * SECOND, &io).status, Status::PathDown);
}

#[test]
fn a_slow_path_slows_only_its_own_requests() {
    let mut slow = stage("flash-gateway");
    let before = slow.closed(4, 0.0, 1.0, read);
    let after = second_after(
        &mut slow,
        r#"{"fault": "path-slow", "path": 3, "by": "5ms"}"#,
    );
    assert_near("worst", after.worst_us - before.worst_us, 5_000.0, 0.1);
    assert!(after.mean_us < before.mean_us + 5_000.0 / 2.0);
}

#[test]
fn a_controller_that_fails_pauses_its_slices_and_leaves_its_work_to_the_others() {
    let mut stage = stage("scale-out-flash-8");
    let before = stage.closed(640, 0.5, 1.0, read);
    let out = r#"{"fault": "controller-failover", "controller": 1, "pause": "200ms", "for": "3s"}"#;
    stage.array.inject(stage.now, &fault(out)).unwrap();
    let paused = stage.closed(640, 0.0, 0.2, read);
    assert!(paused.iops < 0.1 * before.iops, "{paused:?}");
    let three = stage.closed(640, 1.0, 1.0, read);
    // Two of the six cores that are left own twice as many slices.
    let share = (1.0 / 8.0) / (0.33 * 2.0 / 8.0 + 0.67 / 6.0);
    assert_near(
        "three of four controllers",
        three.iops,
        share * before.iops,
        0.02,
    );
    let alive = |stage: &mut Stage| {
        stage.array.catch_up(stage.now);
        let cores = stage.array.cores().unwrap();
        let all = 0..cores.each().len();
        all.map(|core| cores.is_alive(core)).collect::<Vec<_>>()
    };
    assert_eq!(
        alive(&mut stage),
        [true, true, false, false, true, true, true, true]
    );
    stage.closed(640, 1.0, 0.1, read);
    assert!(alive(&mut stage).iter().all(|a| *a));
    assert_near(
        "again",
        stage.closed(640, 0.5, 1.0, read).iops,
        before.iops,
        0.02,
    );
}

#[test]
fn the_ports_of_a_controller_that_fails_are_down_until_it_is_back() {
    let mut stage = stage("scale-out-flash-8");
    let down = |stage: &mut Stage| {
        stage.array.catch_up(stage.now);
        let paths = stage.array.front_end().paths().iter().zip(0_u32..);
        let down = paths.filter(|(p, _)| p.state == PathCondition::Down);
        down.map(|(_, path)| path).collect::<Vec<_>>()
    };
    let inject = |stage: &mut Stage, json| stage.array.inject(stage.now, &fault(json)).unwrap();
    inject(&mut stage, r#"{"fault": "path-down", "path": 5}"#);
    let out = r#"{"fault": "controller-failover", "controller": 1, "pause": "0s", "for": "2s"}"#;
    inject(&mut stage, out);
    // Eight ports, dealt to four controllers in turn, with a path each.
    assert_eq!(down(&mut stage), [1, 5]);
    let before = stage.array.front_end().paths()[1].requests;
    let during = stage.closed(64, 0.0, 1.0, read);
    assert!(during.failed == 0 && during.iops > 0.0, "{during:?}");
    assert_eq!(stage.array.front_end().paths()[1].requests, before);
    inject(
        &mut stage,
        r#"{"fault": "controller-failover", "controller": 2, "pause": "0s"}"#,
    );
    assert_eq!(down(&mut stage), [1, 2, 5, 6]);
    stage.closed(64, 0.0, 1.0, read);
    assert_eq!(down(&mut stage), [2, 5, 6]);
    inject(
        &mut stage,
        r#"{"fault": "controller-back", "controller": 2}"#,
    );
    // What was down on its own still is.
    assert_eq!(down(&mut stage), [5]);
}

#[test]
fn the_last_controller_cannot_go() {
    let mut stage = stage("scale-out-flash-4");
    for controller in 0..2 {
        let out = Fault::ControllerFailover {
            controller,
            pause: Span(0),
            lasts: None,
        };
        stage.array.inject(0, &out).unwrap();
    }
    assert!(stage.closed(8, 0.0, 0.1, read).iops > 0.0);
    let events: Vec<_> = stage.array.events().map(|e| e.what.clone()).collect();
    assert!(events[1].ends_with("(without effect)"), "{events:?}");
    let paths = stage
        .array
        .front_end()
        .paths()
        .iter()
        .map(|p| p.state.works());
    assert!(paths.eq([false, true, false, true]));
}

#[test]
fn errors_come_at_their_rate_and_in_their_range() {
    let mut stage = stage("flash-gateway");
    let tenth = second_after(
        &mut stage,
        r#"{"fault": "io-errors", "rate": 0.1, "for": "1s"}"#,
    );
    let share = tenth.failed as f64 / (tenth.failed as f64 + tenth.iops);
    assert_near("share", share, 0.1, 0.15);
    assert_eq!(stage.closed(64, 0.0, 0.1, read).failed, 0);
    let range = r#"{"fault": "io-errors", "lun": 1, "from": 1048576, "to": 2097152, "op": "read"}"#;
    stage.array.inject(stage.now, &fault(range)).unwrap();
    let mut status = |lun, op, offset| {
        let io = Io {
            lun,
            op,
            ..Io::read(0, offset, 8192)
        };
        stage.array.submit(stage.now, &io).status
    };
    assert_eq!(status(1, IoKind::Read, MIB), Status::MediaError);
    assert_eq!(status(1, IoKind::Read, MIB - 4096), Status::MediaError);
    assert_eq!(status(1, IoKind::Read, MIB - 8192), Status::Done);
    assert_eq!(status(1, IoKind::Read, 2 * MIB), Status::Done);
    assert_eq!(status(0, IoKind::Read, MIB), Status::Done);
    assert_eq!(status(1, IoKind::Write, MIB), Status::Done);
}

#[test]
fn a_write_that_fails_stores_nothing() {
    let mut array = stage("flash-gateway").array;
    array
        .inject(0, &fault(r#"{"fault": "io-errors"}"#))
        .unwrap();
    let write = Io {
        op: IoKind::Write,
        ..Io::read(0, 0, 4096)
    };
    assert_eq!(array.submit(0, &write).status, Status::MediaError);
    array.inject(1, &Fault::IoErrorsOver {}).unwrap();
    assert_eq!(
        array.submit(1, &Io::read(0, 0, 4096)).served,
        Served::Unmapped
    );
}

#[test]
fn a_lost_cache_is_earned_again() {
    let mut stage = stage("scale-out-flash-8");
    stage.array.fill(0, 0..64, crate::driver::chunk);
    let hot = |r: &mut Random| Ask::new(IoKind::Read, 0, r.below(64) * 4 * KIB, 4096);
    stage.closed(8, 0.0, 0.1, hot);
    let misses = |stage: &Stage| stage.array.counters().read_source[Served::LocalFlash as usize];
    assert_eq!(misses(&stage), 64);
    stage.array.inject(stage.now, &Fault::CacheLoss {}).unwrap();
    stage.closed(8, 0.0, 0.1, hot);
    assert_eq!(misses(&stage), 128);
}

#[test]
fn a_persona_carries_a_schedule() {
    let file = include_str!("../../personas/flash-gateway.toml");
    let text = format!(
        "{file}\n[[faults]]\nat = \"30s\"\nfault = \"path-down\"\npath = 2\nfor = \"10s\"\n"
    );
    let persona = Persona::parse(&text).unwrap();
    let mut array = Array::new(&persona, 4.0, 1).unwrap();
    let io = Io {
        path: 2,
        ..Io::read(0, 0, 4096)
    };
    let times = [29.9, 30.0, 39.9, 40.0].map(|s| (s * SECOND as f64) as u64);
    let seen = times.map(|at| array.submit(at, &io).status);
    assert_eq!(
        seen,
        [
            Status::Done,
            Status::PathDown,
            Status::PathDown,
            Status::Done
        ]
    );
    let events: Vec<_> = array
        .events()
        .map(|e| (e.at_ns / SECOND, e.what.as_str()))
        .collect();
    assert_eq!(events, [(30, "path 2 down, for 10s"), (40, "path 2 up")]);
}

#[test]
fn what_an_array_does_not_have_cannot_fail() {
    let mut array = stage("single-ssd").array;
    let wrong = |array: &mut Array, json: &str| array.inject(0, &fault(json)).unwrap_err();
    assert_eq!(
        wrong(&mut array, r#"{"fault": "path-down", "path": 7}"#),
        FaultError::NoPath { path: 7, paths: 1 }
    );
    assert_eq!(
        wrong(&mut array, r#"{"fault": "journal-full"}"#),
        FaultError::NoJournal
    );
    assert_eq!(
        wrong(&mut array, r#"{"fault": "cache-loss"}"#),
        FaultError::NoCache
    );
    let out = r#"{"fault": "controller-failover", "controller": 0, "pause": "1s"}"#;
    assert_eq!(
        wrong(&mut array, out).to_string(),
        "there is no controller 0; the array has none"
    );
    let file = include_str!("../../personas/single-ssd.toml");
    let text = format!("{file}\n[[faults]]\nat = \"1s\"\nfault = \"cache-loss\"\n");
    let persona = Persona::parse(&text).unwrap();
    assert!(matches!(
        Array::new(&persona, 16.0, 1),
        Err(PersonaError::Faults { .. })
    ));
}

#[test]
fn a_fault_that_is_narrow_says_how_narrow_in_the_log() {
    for (json, said) in [
        (r#"{"fault": "io-errors"}"#, "100 % of the requests fail"),
        (
            r#"{"fault": "io-errors", "rate": 0.07, "op": "read", "lun": 3, "for": "2s"}"#,
            "7 % of the reads to LUN 3 fail, for 2s",
        ),
        (
            r#"{"fault": "io-errors", "from": 4096}"#,
            "100 % of the requests from byte 4096 on fail",
        ),
        (
            r#"{"fault": "io-errors", "op": "write", "lun": 0, "to": 8192}"#,
            "100 % of the writes to LUN 0 from byte 0 to 8192 fail",
        ),
        (
            r#"{"fault": "journal-full", "drain": 0.07}"#,
            "journal full, 7 % of the drain left",
        ),
    ] {
        assert_eq!(fault(json).to_string(), said);
    }
}

/// As many reads as the cores carry.
fn reads_per_second(stage: &mut Stage) -> f64 {
    stage.closed(256, 0.2, 1.0, read).iops
}

#[test]
fn what_others_take_of_the_cores_is_missing_until_they_are_gone() {
    let mut stage = stage("scale-out-flash-8");
    let before = reads_per_second(&mut stage);
    let taken = fault(r#"{"fault": "neighbours", "taken": 0.75, "for": "10s"}"#);
    stage.array.inject(stage.now, &taken).unwrap();
    // A quarter of each core is left, and each is asked for work all the time.
    let during = reads_per_second(&mut stage);
    assert_near("rate", during, before / 4.0, 0.02);
    stage.now += 10 * SECOND;
    let after = reads_per_second(&mut stage);
    assert_near("rate", after, before, 0.02);
}

#[test]
fn a_snapshot_by_copy_on_write_holds_the_first_write_to_each_chunk_up_until_it_is_deleted() {
    let mut array = stage("scale-out-flash-4").array;
    let at = |chunk: u64| Io {
        op: IoKind::Write,
        ..Io::read(0, chunk * 4096, 4096)
    };
    let took =
        |array: &mut Array, now: u64, io: &Io| (array.submit(now, io).at_ns - now) / 1_000_000;
    array.submit(0, &at(7));
    array.submit(0, &at(8));
    let copy = fault(r#"{"fault": "snapshot-copy", "copy": "30ms", "for": "10s"}"#);
    array.inject(SECOND, &copy).unwrap();
    assert_eq!(array.luns()[0].snapshots.each().len(), 1);
    assert_eq!(
        took(&mut array, 2 * SECOND, &at(7)),
        30,
        "the first one waits"
    );
    assert_eq!(took(&mut array, 3 * SECOND, &at(7)), 0, "it is copied");
    assert_eq!(took(&mut array, 4 * SECOND, &at(9)), 0, "nothing was there");
    // Its owner is busy with the copy meanwhile, and the next one waits for it.
    array.submit(5 * SECOND, &at(8));
    let waited = took(&mut array, 5 * SECOND + 10_000_000, &at(7));
    assert!((19..=21).contains(&waited), "{waited}");
    array.submit(12 * SECOND, &at(7));
    assert!(array.luns()[0].snapshots.each().is_empty(), "it is deleted");
    let events: Vec<_> = array.events().map(|e| e.what.clone()).collect();
    assert_eq!(
        events,
        [
            "a snapshot of each LUN, 30ms to copy a chunk, for 10s",
            "snapshot deleted"
        ]
    );
}

#[test]
fn others_and_copies_need_cores_and_bounds() {
    let mut without = stage("single-ssd").array;
    let mut with = stage("scale-out-flash-4").array;
    let wrong = |array: &mut Array, json: &str| array.inject(0, &fault(json)).unwrap_err();
    for json in [
        r#"{"fault": "neighbours", "taken": 0.5}"#,
        r#"{"fault": "neighbours-gone"}"#,
        r#"{"fault": "snapshot-copy", "copy": "1ms"}"#,
        r#"{"fault": "snapshot-copied"}"#,
    ] {
        assert_eq!(wrong(&mut without, json), FaultError::NoCores, "{json}");
    }
    for taken in ["1", "-0.1", "0.9995"] {
        let json = format!(r#"{{"fault": "neighbours", "taken": {taken}}}"#);
        assert_eq!(wrong(&mut with, &json), FaultError::Taken, "{taken}");
    }
    for copy in ["0s", "11s"] {
        let json = format!(r#"{{"fault": "snapshot-copy", "copy": "{copy}"}}"#);
        assert_eq!(wrong(&mut with, &json), FaultError::Copy, "{copy}");
    }
    // What never began is without effect, and harms nothing.
    with.inject(0, &fault(r#"{"fault": "snapshot-copied"}"#))
        .unwrap();
    assert_eq!(
        with.events().last().map(|e| e.what.as_str()),
        Some("snapshot deleted (without effect)")
    );
}
