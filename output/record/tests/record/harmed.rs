//! Records that are taken away while they are written: all is saved, or it is said that it is not.

use crate::sample;
use plimsoll_record::{HarmKind, Record, RecordError, Recorder, RunStatus};
use std::path::Path;

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn begun(path: &Path, intervals: u32) -> Recorder {
    let mut recorder = Recorder::create(path, &sample::environment(), "{}").unwrap();
    recorder.begin_step(1, "rd1", "rd1", sample::STEP).unwrap();
    for number in 1..=intervals {
        recorder
            .append_interval(&sample::interval(1, number))
            .unwrap();
    }
    recorder
}

#[test]
fn a_removed_record_goes_on_with_all_that_it_had_and_tells_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    let mut recorder = begun(&path, 3);
    std::fs::remove_file(&path).unwrap();
    recorder.append_interval(&sample::interval(1, 4)).unwrap();
    let rescue = recorder.take_rescue().unwrap();
    assert_eq!(rescue.harm.what, HarmKind::Removed);
    assert_eq!(rescue.to, dir.path().join("run-rescued.plim"));
    assert_eq!(recorder.path(), rescue.to);
    assert_eq!(recorder.take_rescue(), None);
    // As often as it takes.
    std::fs::remove_file(&rescue.to).unwrap();
    recorder.append_interval(&sample::interval(1, 5)).unwrap();
    let again = recorder.take_rescue().unwrap();
    assert_eq!(again.to, dir.path().join("run-rescued-rescued.plim"));
    recorder.finish(RunStatus::Completed).unwrap();
    let record = Record::open(&again.to).unwrap();
    let all: Vec<_> = (1..=5).map(|n| sample::interval(1, n)).collect();
    assert_eq!(record.intervals(1).unwrap(), all);
    assert_eq!(names(dir.path()), ["run-rescued-rescued.plim"]);
}

#[test]
fn a_record_of_which_a_part_is_gone_is_not_passed_for_whole() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    // More than SQLite keeps in memory, all of it in the file, and a log that begins anew.
    let mut recorder = begun(&path, 3);
    let large = format!("[{}0]", "0,".repeat(8 << 20));
    recorder.begin_step(2, "rd2", "rd2", &large).unwrap();
    recorder.between_steps().unwrap();
    recorder.begin_step(3, "rd3", "rd3", sample::STEP).unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(4096).unwrap();
    for _ in 0..2 {
        let error = recorder.look_after().unwrap_err();
        assert!(matches!(error, RecordError::Harmed { .. }), "{error}");
        assert!(error.to_string().contains("to 4096 bytes"), "{error}");
    }
    assert_eq!(recorder.take_rescue(), None);
    assert!(!names(dir.path()).iter().any(|n| n.contains("rescued")));
}

#[test]
fn a_record_that_is_gone_at_its_end_is_an_error_and_what_took_its_place_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    let recorder = begun(&path, 1);
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, "mine").unwrap();
    let error = recorder.finish(RunStatus::Completed).unwrap_err();
    assert!(matches!(error, RecordError::Harmed { .. }), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"mine");
}
