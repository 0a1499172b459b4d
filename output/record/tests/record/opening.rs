//! Making and opening records where that cannot work: one clear error each, nothing touched.

use crate::sample;
use plimsoll_record::{CreateOptions, Record, RecordError, Recorder, RunStatus};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn create(path: &Path) -> Result<Recorder, RecordError> {
    Recorder::create(path, &sample::environment(), "{}")
}

fn replace(path: &Path) -> Result<Recorder, RecordError> {
    Recorder::create_with(
        path,
        &sample::environment(),
        "{}",
        CreateOptions { overwrite: true },
    )
}

#[test]
fn a_file_that_is_there_is_not_overwritten_unless_it_is_empty() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notes.txt");
    std::fs::write(&path, "mine").unwrap();
    assert!(matches!(create(&path), Err(RecordError::Exists { .. })));
    assert!(matches!(replace(&path), Err(RecordError::NotOurs { .. })));
    assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    std::fs::write(&path, "").unwrap();
    create(&path).unwrap();
}

#[test]
fn a_record_is_overwritten_when_told_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    sample::write(&path);
    assert!(matches!(create(&path), Err(RecordError::Exists { .. })));
    assert_eq!(Record::open(&path).unwrap().steps().unwrap().len(), 2);
    replace(&path)
        .unwrap()
        .finish(RunStatus::Interrupted)
        .unwrap();
    let record = Record::open(&path).unwrap();
    assert_eq!(record.status(), &RunStatus::Interrupted);
    assert_eq!(record.steps().unwrap().len(), 0);
}

#[test]
fn a_record_that_is_being_written_is_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    let mut recorder = create(&path).unwrap();
    assert!(matches!(replace(&path), Err(RecordError::InUse { .. })));
    recorder.begin_step(1, "rd1", "rd1", "{}").unwrap();
    drop(recorder);
    replace(&path).unwrap();
}

#[test]
fn the_log_of_a_record_that_was_removed_does_not_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    let mut recorder = create(&path).unwrap();
    recorder.begin_step(1, "old", "rd1", "{}").unwrap();
    let log = dir.path().join("run.plim-wal");
    let stale = std::fs::read(&log).unwrap();
    drop(recorder);
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&log, stale).unwrap();
    let recorder = create(&path).unwrap();
    assert_eq!(Record::open(&path).unwrap().step_names().unwrap(), vec![]);
    recorder.finish(RunStatus::Completed).unwrap();
}

#[test]
fn a_missing_directory_and_a_directory_and_a_device_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(
        create(&dir.path().join("no/run.plim")),
        Err(RecordError::NoDirectory { .. })
    ));
    assert!(matches!(
        replace(dir.path()),
        Err(RecordError::NotAFile { .. })
    ));
    assert!(matches!(
        replace(Path::new("/dev/null")),
        Err(RecordError::NotAFile { .. })
    ));
}

#[test]
fn a_directory_that_may_not_be_written_is_said() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o555)).unwrap();
    if std::fs::write(dir.path().join("probe"), "").is_ok() {
        println!("skipped: this user may write everywhere");
        return;
    }
    assert!(matches!(
        create(&dir.path().join("run.plim")),
        Err(RecordError::ReadOnly { .. })
    ));
}

#[test]
fn what_is_no_record_is_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    assert!(matches!(
        Record::open(&at("nothing")),
        Err(RecordError::Missing { .. })
    ));
    assert!(matches!(
        Record::open(dir.path()),
        Err(RecordError::NotAFile { .. })
    ));
    for (name, bytes) in [
        ("empty", &b""[..]),
        ("text", b"hello"),
        ("binary", &[0xff; 9000]),
    ] {
        std::fs::write(at(name), bytes).unwrap();
        assert!(
            matches!(Record::open(&at(name)), Err(RecordError::NotSqlite { .. })),
            "{name}"
        );
    }
    let other = rusqlite::Connection::open(at("other.db")).unwrap();
    other.execute_batch("CREATE TABLE t (x)").unwrap();
    assert!(matches!(
        Record::open(&at("other.db")),
        Err(RecordError::Foreign { .. })
    ));
}

#[test]
fn a_newer_format_is_refused_with_both_numbers() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    sample::write(&path);
    let db = rusqlite::Connection::open(&path).unwrap();
    db.pragma_update(None, "user_version", 99).unwrap();
    drop(db);
    let error = Record::open(&path).unwrap_err();
    assert!(matches!(error, RecordError::Newer { found: 99, .. }));
    assert!(
        error.to_string().contains("99") && error.to_string().contains("newer Plimsoll"),
        "{error}"
    );
}

#[test]
fn a_garbled_file_is_an_error_and_no_panic() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    sample::write(&path);
    let good = std::fs::read(&path).unwrap();
    for seed in 0..40usize {
        let mut bad = good.clone();
        for i in 0..64 {
            let at = (seed * 7919 + i * 104_729) % bad.len();
            bad[at.max(16)] ^= 0x55;
        }
        let file = dir.path().join("bad.plim");
        std::fs::write(&file, &bad[..bad.len() - seed * 100]).unwrap();
        if let Ok(record) = Record::open(&file) {
            let _ = record.steps();
            let _ = record.intervals(1);
            let _ = record.verdicts();
            let _ = record.findings();
        }
    }
}
