//! Making and opening records where that cannot work: one clear error each, nothing touched.

use crate::sample;
use plimsoll_permit::output::Rules;
use plimsoll_record::{Record, RecordError, RecordPermit, Recorder, RunStatus};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn create(path: &Path) -> Result<Recorder, RecordError> {
    Recorder::create(path, &sample::environment(), "{}")
}

fn replace(path: &Path) -> Result<Recorder, RecordError> {
    let rules = Rules {
        overwrite: true,
        ..Rules::default()
    };
    Recorder::begin(
        RecordPermit::ask(path, &rules)?,
        &sample::environment(),
        "{}",
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
    let refused = replace(&path).unwrap_err().to_string();
    assert!(refused.contains("in use"), "{refused}");
    recorder.begin_step(1, "rd1", "rd1", "{}").unwrap();
    drop(recorder);
    replace(&path).unwrap();
}

#[test]
fn what_lies_where_the_log_would_be_is_named_and_not_touched() {
    for suffix in ["-wal", "-shm", "-journal"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.plim");
        let mine = dir.path().join(format!("run.plim{suffix}"));
        std::fs::write(&mine, "my notes").unwrap();
        let check = |made: Result<Recorder, RecordError>| {
            let error = made.unwrap_err();
            assert!(matches!(error, RecordError::Beside { .. }), "{error}");
            assert!(error.to_string().contains(&format!("run.plim{suffix} ")));
            assert_eq!(std::fs::read(&mine).unwrap(), b"my notes");
        };
        check(create(&path));
        assert!(!path.exists());
        sample::write(&dir.path().join("old.plim"));
        std::fs::rename(dir.path().join("old.plim"), &path).unwrap();
        let before = std::fs::read(&path).unwrap();
        check(replace(&path));
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}

#[test]
fn a_link_or_a_device_or_a_pipe_where_the_log_would_be_is_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let (path, mine) = (dir.path().join("run.plim"), dir.path().join("mine"));
    std::fs::write(&mine, "").unwrap();
    std::os::unix::fs::symlink(&mine, dir.path().join("run.plim-wal")).unwrap();
    assert!(matches!(create(&path), Err(RecordError::Beside { .. })));
    sample::write(&dir.path().join("old.plim"));
    std::fs::rename(dir.path().join("old.plim"), &path).unwrap();
    assert!(matches!(replace(&path), Err(RecordError::Beside { .. })));
    assert_eq!(std::fs::read(&mine).unwrap(), b"");
}

#[test]
fn a_record_of_a_killed_run_is_replaced_with_its_log() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    let mut recorder = create(&path).unwrap();
    recorder.begin_step(1, "old", "rd1", "{}").unwrap();
    let kept = |suffix: &str| {
        let name = dir.path().join(format!("run.plim{suffix}"));
        (name.clone(), std::fs::read(name).unwrap())
    };
    let left = ["", "-wal", "-shm"].map(kept);
    drop(recorder);
    for (name, bytes) in left {
        std::fs::write(name, bytes).unwrap();
    }
    // And with a journal's beginning: whoever was leaving WAL when it was killed has left one (fileformat.html, 3).
    let magic = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    let journal = [&magic[..], &[0; 504]].concat();
    std::fs::write(dir.path().join("run.plim-journal"), journal).unwrap();
    let recorder = replace(&path).unwrap();
    assert_eq!(Record::open(&path).unwrap().step_names().unwrap(), vec![]);
    recorder.finish(RunStatus::Completed).unwrap();
    let left = std::fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(left, 1, "the record alone");
}

#[test]
fn a_record_is_replaced_at_once_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    sample::write(&path);
    let before = std::fs::read(&path).unwrap();
    let permit = RecordPermit::ask(
        &path,
        &Rules {
            overwrite: true,
            ..Rules::default()
        },
    )
    .unwrap();
    // Somebody else puts another record there between the check and the opening.
    let other = dir.path().join("other.plim");
    sample::write(&other);
    std::fs::rename(&other, &path).unwrap();
    let inode = |path: &Path| std::os::unix::fs::MetadataExt::ino(&path.metadata().unwrap());
    let theirs = inode(&path);
    let made = Recorder::begin(permit, &sample::environment(), "{}");
    assert!(matches!(made, Err(RecordError::Refused(_))), "{made:?}");
    assert_eq!(inode(&path), theirs);
    assert_eq!(std::fs::read(&path).unwrap().len(), before.len());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_record_goes_neither_through_a_pipe_nor_a_link_that_leads_nowhere() {
    let dir = tempfile::tempdir().unwrap();
    let (pipe, link) = (dir.path().join("pipe"), dir.path().join("link"));
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    std::os::unix::fs::symlink("/dev/plimsoll-no-such-disk", &link).unwrap();
    for path in [&pipe, &link] {
        assert!(matches!(create(path), Err(RecordError::Refused(_))));
        assert!(matches!(replace(path), Err(RecordError::Refused(_))));
    }
    assert!(!Path::new("/dev/plimsoll-no-such-disk").exists());
}

#[test]
fn a_missing_directory_and_a_directory_and_a_device_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(
        create(&dir.path().join("no/run.plim")),
        Err(RecordError::NoDirectory { .. })
    ));
    assert!(matches!(replace(dir.path()), Err(RecordError::Refused(_))));
    assert!(matches!(
        replace(Path::new("/dev/null")),
        Err(RecordError::Refused(_))
    ));
}

#[test]
fn a_directory_that_may_not_be_written_is_said() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o555)).unwrap();
    if std::fs::write(dir.path().join("probe"), "").is_ok() {
        plimsoll_skipped::skipped!("this user may write everywhere");
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
fn reading_writes_nothing_beside_a_record_and_the_log_of_a_killed_run_counts() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    let mut recorder = create(&path).unwrap();
    recorder.begin_step(1, "kept", "rd1", "{}").unwrap();
    let killed = dir.path().join("killed");
    std::fs::create_dir(&killed).unwrap();
    let names = |path: &Path| {
        let mut names: Vec<_> = std::fs::read_dir(path)
            .unwrap()
            .map(|e| e.unwrap())
            .collect();
        names.sort_by_key(std::fs::DirEntry::path);
        let read = |e: std::fs::DirEntry| (e.path(), std::fs::read(e.path()).unwrap());
        names.into_iter().map(read).collect::<Vec<_>>()
    };
    // As a kill leaves it, and as somebody leaves it who copies it without its index.
    for suffixes in [&["", "-wal", "-shm"][..], &["", "-wal"]] {
        for suffix in suffixes {
            let name = format!("run.plim{suffix}");
            std::fs::copy(dir.path().join(&name), killed.join(&name)).unwrap();
        }
        let before = names(&killed);
        let link = dir.path().join("link");
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(killed.join("run.plim"), &link).unwrap();
        for path in [&killed.join("run.plim"), &link] {
            let record = Record::open(path).unwrap();
            assert_eq!(record.step_names().unwrap(), [(1, "kept".to_string())]);
        }
        assert_eq!(names(&killed), before);
        std::fs::remove_file(killed.join("run.plim-wal")).unwrap();
        let _ = std::fs::remove_file(killed.join("run.plim-shm"));
    }
}

#[test]
fn a_record_of_another_format_is_refused_in_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    sample::write(&path);
    for number in [-1, 0, 2, 99] {
        let db = rusqlite::Connection::open(&path).unwrap();
        db.pragma_update(None, "user_version", number).unwrap();
        drop(db);
        let message = format!(
            "{} has the record format {number}, and this version reads format 1 only: use the Plimsoll that wrote it",
            path.display()
        );
        assert_eq!(Record::open(&path).unwrap_err().to_string(), message);
    }
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
