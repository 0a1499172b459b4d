//! A step's workloads, targets and streams in SQL, in CSV, and read back.

use crate::sample;
use plimsoll_evidence::{Environment, EnvironmentTarget, StepEvidence};
use plimsoll_record::export::{self, Rows};
use plimsoll_record::{Record, Recorder, RunStatus};
use rusqlite::Connection;
use std::path::PathBuf;

/// One step of two workloads, each on two targets; the samples of the second target are those of another step.
fn step() -> StepEvidence {
    let mut step = sample::step(1, "rd1", 1.0);
    let mut other = sample::step(7, "rd1", 0.5).streams;
    other.iter_mut().for_each(|s| s.target = 1);
    step.streams.extend(other);
    step
}

fn write(dir: &tempfile::TempDir) -> PathBuf {
    let path = dir.path().join("run.plim");
    let target = |name: &str| EnvironmentTarget {
        name: name.into(),
        ..EnvironmentTarget::default()
    };
    let environment = Environment {
        targets: vec![target("fast"), target("=slow")],
        ..sample::environment()
    };
    let mut recorder = Recorder::create(&path, &environment, sample::PLAN).unwrap();
    recorder.begin_step(1, "rd1", "rd1", sample::STEP).unwrap();
    recorder.finish_step(&step()).unwrap();
    recorder.finish(RunStatus::Completed).unwrap();
    path
}

fn rows(db: &Connection, sql: &str) -> Vec<Vec<rusqlite::types::Value>> {
    let mut statement = db.prepare(sql).unwrap();
    let columns = statement.column_count();
    statement
        .query_map([], |row| (0..columns).map(|c| row.get(c)).collect())
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

#[test]
fn the_sums_are_the_same_by_stream_by_workload_and_by_target() {
    let dir = tempfile::tempdir().unwrap();
    let db = Connection::open(write(&dir)).unwrap();
    let sums = |table: &str| {
        let sql = format!("SELECT count(*), sum(ios), sum(bytes), sum(errors) FROM {table}");
        rows(&db, &sql).remove(0)
    };
    let of = |n: i64| vec![n.into(), 10_000.into(), (10_000 * 8192).into(), 2.into()];
    assert_eq!(sums("step_streams"), of(4));
    assert_eq!(sums("step_workloads"), of(2));
    assert_eq!(sums("step_targets"), of(2));
    assert_eq!(sums("step_stream_ops"), of(4));
}

#[test]
fn a_workload_has_its_own_times_and_is_saturated_where_a_stream_of_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let db = Connection::open(write(&dir)).unwrap();
    let found = rows(
        &db,
        "SELECT w.workload, w.targets, w.ios, w.saturated, w.response_max_us = max(s.response_max_us),
                abs(w.response_mean_us - sum(s.response_mean_us * s.ios) / sum(s.ios)) < 1e-6,
                w.response_p99_us BETWEEN min(s.response_p99_us) AND max(s.response_p99_us)
         FROM step_workloads w JOIN step_streams s USING (step, workload) GROUP BY w.workload",
    );
    use rusqlite::types::Value::{Integer as I, Null, Text};
    let line = |name: &str, ios, saturated| {
        vec![Text(name.into()), I(2), I(ios), saturated, I(1), I(1), I(1)]
    };
    assert_eq!(found, [line("wd1", 8000, Null), line("wd2", 2000, I(1))]);
    let found = rows(
        &db,
        "SELECT t.name, p.workloads, p.saturated FROM step_targets p JOIN targets t USING (target)",
    );
    let line = |name: &str| vec![Text(name.into()), I(2), I(1)];
    assert_eq!(found, [line("fast"), line("=slow")]);
}

#[test]
fn stalls_and_what_the_host_made_late_have_their_times() {
    let dir = tempfile::tempdir().unwrap();
    let db = Connection::open(write(&dir)).unwrap();
    let found = rows(
        &db,
        "SELECT kind || ' ' || number || ' ' || start_ns || ' ' || length_ns || ' ' || ios FROM step_stretches",
    );
    let text = |t: &str| vec![rusqlite::types::Value::Text(t.into())];
    assert_eq!(
        found,
        [text("late by host 1 100 200 3"), text("stall 1 5 7 9")]
    );
    let found = rows(&db, "SELECT unfinished, short_samples FROM steps");
    assert_eq!(found, [vec![4.into(), 0.25.into()]]);
}

#[test]
fn streams_come_back_with_their_histograms_which_are_in_no_json() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(&dir);
    assert_eq!(Record::open(&path).unwrap().steps().unwrap(), [step()]);
    let db = Connection::open(path).unwrap();
    let found = rows(&db, "SELECT evidence NOT LIKE '%buckets%' FROM steps");
    assert_eq!(found, [vec![1.into()]]);
}

#[test]
fn csv_has_a_line_for_each_part_and_names_its_target() {
    let dir = tempfile::tempdir().unwrap();
    let record = Record::open(&write(&dir)).unwrap();
    let csv = |table| {
        let mut out = Vec::new();
        export::csv(&record, table, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let starts = |text: &str| -> Vec<String> {
        let cells = |line: &str| line.split(',').take(5).collect::<Vec<_>>().join(",");
        text.lines().map(cells).collect()
    };
    assert_eq!(
        starts(&csv(Rows::Workloads)),
        [
            "name,step,workload,targets,offered_iops",
            "rd1,1,wd1,2,",
            "rd1,1,wd2,2,1000"
        ]
    );
    assert_eq!(
        starts(&csv(Rows::Targets)),
        [
            "name,target_name,step,target,workloads",
            "rd1,fast,1,1,2",
            "rd1,'=slow,1,2,2"
        ]
    );
    assert_eq!(
        starts(&csv(Rows::Streams)),
        [
            "name,target_name,step,stream,workload",
            "rd1,fast,1,1,wd1",
            "rd1,fast,1,2,wd2",
            "rd1,'=slow,1,3,wd1",
            "rd1,'=slow,1,4,wd2"
        ]
    );
}

#[test]
fn a_stream_with_an_operation_twice_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(&dir);
    let db = Connection::open(&path).unwrap();
    let body: String = db
        .query_row("SELECT evidence FROM steps", [], |row| row.get(0))
        .unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&body).unwrap();
    let ops = value["streams"][2]["ops"].as_array_mut().unwrap();
    ops.push(ops[0].clone());
    db.execute("UPDATE steps SET evidence = ?", [value.to_string()])
        .unwrap();
    drop(db);
    let error = Record::open(&path).unwrap().steps().unwrap_err();
    assert!(error.to_string().contains("an operation twice"), "{error}");
}
