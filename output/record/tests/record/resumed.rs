//! A record that is gone on with has what was found, once.

use crate::sample;
use plimsoll_evidence::{Finding, StepEvidence};
use plimsoll_permit::output::Rules;
use plimsoll_record::{Record, RecordPermit, Recorder, RunStatus};
use std::path::Path;

fn resume(path: &Path, last: u32) -> Recorder {
    let record = Record::open(path).unwrap();
    let rules = Rules {
        overwrite: true,
        ..Rules::default()
    };
    let permit = RecordPermit::ask(path, &rules).unwrap();
    Recorder::resume(permit, record, last, &sample::environment()).unwrap()
}

fn rules_found(path: &Path) -> Vec<(String, Option<u32>)> {
    let rule = |f: Finding| (f.rule, f.step);
    let found = Record::open(path).unwrap().findings().unwrap();
    found.into_iter().map(rule).collect()
}

fn stalled(step: u32) -> (String, Option<u32>) {
    ("target-stalled".into(), Some(step))
}

#[test]
fn what_was_found_is_there_once_after_a_resume_and_another() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    sample::write(&path);
    drop(resume(&path, 1));
    assert_eq!(rules_found(&path), [stalled(1)]);
    let mut recorder = resume(&path, 1);
    recorder
        .begin_step(2, "again", "rd1", sample::STEP)
        .unwrap();
    let step = sample::step(2, "again", 1.0);
    recorder.finish_step(&step).unwrap();
    recorder.add_verdict(&sample::verdict()).unwrap();
    recorder.finish(RunStatus::Completed).unwrap();
    let curve = ("curve-depth-given".to_string(), None);
    assert_eq!(rules_found(&path), [stalled(1), stalled(2), curve]);
}

#[test]
fn a_record_without_rows_of_findings_has_them_when_it_is_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    sample::write(&path);
    let db = rusqlite::Connection::open(&path).unwrap();
    db.execute("DELETE FROM findings", []).unwrap();
    drop(db);
    drop(resume(&path, 2));
    assert_eq!(rules_found(&path), [stalled(1), stalled(2)]);
}

#[test]
fn a_step_without_doubts_leaves_no_rows() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    let mut recorder = Recorder::create(&path, &sample::environment(), "{}").unwrap();
    recorder.begin_step(1, "rd1", "rd1", sample::STEP).unwrap();
    let sound = StepEvidence {
        findings: Vec::new(),
        ..sample::step(1, "rd1", 1.0)
    };
    recorder.finish_step(&sound).unwrap();
    recorder.finish(RunStatus::Completed).unwrap();
    assert_eq!(rules_found(&path), []);
}
