//! What somebody changed in a record by hand contradicts the rest of it.

use crate::sample;
use plimsoll_evidence::StepEvidence;
use plimsoll_record::{Record, Recorder, RunStatus};
use rusqlite::Connection;
use std::path::Path;

/// A record whose one step is made of its three intervals.
fn write(path: &Path) {
    let mut recorder = Recorder::create(path, &sample::environment(), sample::PLAN).unwrap();
    recorder.begin_step(1, "r", "r", sample::STEP).unwrap();
    let intervals: Vec<_> = (1..=3).map(|n| sample::interval(1, n)).collect();
    for interval in &intervals {
        recorder.append_interval(interval).unwrap();
    }
    let ops = || intervals.iter().flat_map(|i| &i.stats.streams);
    let ops = || ops().flat_map(|s| &s.ops);
    let step = StepEvidence {
        counted_intervals: (1, 3),
        ios: ops().map(|o| o.ios).sum(),
        bytes: ops().map(|o| o.bytes).sum(),
        ..sample::step(1, "r", 1.0)
    };
    recorder.finish_step(&step).unwrap();
    recorder.finish(RunStatus::Completed).unwrap();
}

/// The places that contradict another one after this was done to the record.
fn after(sql: &str) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    write(&path);
    let db = Connection::open(&path).unwrap();
    db.execute_batch("UPDATE intervals SET warmup = 0").unwrap();
    db.execute_batch(sql).unwrap();
    drop(db);
    let record = Record::open(&path).unwrap();
    let steps = record.steps().unwrap();
    let found = record.contradictions(&steps).unwrap();
    found.into_iter().map(|c| c.one).collect()
}

#[test]
fn a_record_as_it_was_written_does_not_contradict_itself() {
    assert_eq!(after(""), Vec::<String>::new());
}

#[test]
fn what_is_changed_in_one_place_differs_from_the_others() {
    for (sql, place) in [
        ("UPDATE steps SET iops = 2 * iops", "steps.iops"),
        (
            "UPDATE steps SET response_p99_us = response_p99_us / 10",
            "steps.response_p99_us",
        ),
        ("UPDATE steps SET errors = errors + 7", "steps.errors"),
        (
            "UPDATE intervals SET ios = 2 * ios, iops = 2 * iops WHERE interval = 2",
            "ios of the evidence",
        ),
        (
            "DELETE FROM intervals WHERE interval = 2",
            "ios of the evidence",
        ),
        (
            "UPDATE intervals SET iops = iops * 1.1 WHERE interval = 2",
            "intervals.iops of interval 2",
        ),
        (
            "UPDATE steps SET iops = 2 * iops, evidence = json_set(evidence, '$.rate.mean', 2 * json_extract(evidence, '$.rate.mean'), '$.ios', 2 * ios)",
            "steps.ios",
        ),
    ] {
        assert!(
            after(sql).contains(&place.to_string()),
            "{sql}: {:?}",
            after(sql)
        );
    }
}
