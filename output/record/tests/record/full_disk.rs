//! No space for the record: a typed error, and all that was written before stays readable.

use crate::sample;
use plimsoll_record::{Record, RecordError, Recorder, RunStatus};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file system of 1 MiB that is unmounted at the end; `None` where this user cannot mount one.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"])
            .arg(dir.path())
            .output()
            .is_ok_and(|done| done.status.success());
        if !mounted {
            plimsoll_skipped::skipped!("a small tmpfs cannot be mounted here");
            return None;
        }
        Some(SmallDisk(dir))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a process that another test is just starting may hold a file of it for an instant.
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).output();
    }
}

/// Appends until an error, and returns how many intervals were taken, and the error.
fn fill(recorder: &mut Recorder) -> (u32, RecordError) {
    for number in 1.. {
        if let Err(e) = recorder.append_interval(&sample::interval(1, number)) {
            return (number - 1, e);
        }
    }
    unreachable!("a small disk fills up");
}

fn assert_kept(path: &Path, kept: u32) {
    let record = Record::open(path).unwrap();
    assert_eq!(record.interval_count(1).unwrap(), kept);
    for interval in record.intervals(1).unwrap() {
        assert_eq!(interval, sample::interval(1, interval.number));
    }
}

#[test]
fn a_full_disk_is_said_and_the_record_stays_readable() {
    let Some(disk) = SmallDisk::mount() else {
        return;
    };
    let path = disk.path("run.plim");
    let mut recorder = Recorder::create(&path, &sample::environment(), "{}").unwrap();
    recorder.begin_step(1, "rd1", "rd1", sample::STEP).unwrap();
    let (kept, error) = fill(&mut recorder);
    assert!(matches!(error, RecordError::NoSpace { .. }), "{error}");
    assert!(kept > 0);
    assert_kept(&path, kept);
    // The run goes on and tries again, in vain, and ends.
    assert!(
        recorder
            .append_interval(&sample::interval(1, kept + 1))
            .is_err()
    );
    let _ = recorder.between_steps();
    let _ = recorder.finish(RunStatus::Completed);
    assert_kept(&path, kept);
}

#[test]
fn recording_goes_on_when_there_is_space_again() {
    let Some(disk) = SmallDisk::mount() else {
        return;
    };
    let path = disk.path("run.plim");
    let ballast = disk.path("ballast");
    std::fs::write(&ballast, vec![1; 400 << 10]).unwrap();
    let mut recorder = Recorder::create(&path, &sample::environment(), "{}").unwrap();
    recorder.begin_step(1, "rd1", "rd1", sample::STEP).unwrap();
    let (kept, _) = fill(&mut recorder);
    std::fs::remove_file(&ballast).unwrap();
    recorder
        .append_interval(&sample::interval(1, kept + 1))
        .unwrap();
    assert_kept(&path, kept + 1);
}

#[test]
fn a_disk_without_any_space_refuses_the_record() {
    let Some(disk) = SmallDisk::mount() else {
        return;
    };
    let ballast = disk.path("ballast");
    let _ = std::fs::write(&ballast, vec![1; 2 << 20]);
    let path = disk.path("run.plim");
    let error = Recorder::create(&path, &sample::environment(), "{}").unwrap_err();
    assert!(matches!(error, RecordError::NoSpace { .. }), "{error}");
    assert!(!path.exists(), "nothing is left behind");
}

#[test]
fn a_killed_record_on_a_read_only_file_system_opens_all_the_same() {
    let Some(disk) = SmallDisk::mount() else {
        return;
    };
    let path = disk.path("run.plim");
    let mut recorder = Recorder::create(&path, &sample::environment(), "{}").unwrap();
    recorder.begin_step(1, "rd1", "rd1", sample::STEP).unwrap();
    recorder.append_interval(&sample::interval(1, 1)).unwrap();
    // As after a kill: the file and its log, without the index.
    let killed = disk.path("killed.plim");
    std::fs::copy(&path, &killed).unwrap();
    std::fs::copy(disk.path("run.plim-wal"), disk.path("killed.plim-wal")).unwrap();
    drop(recorder);
    let remounted = Command::new("mount")
        .args(["-o", "remount,ro"])
        .arg(disk.0.path())
        .status();
    assert!(remounted.unwrap().success());
    assert_kept(&killed, 1);
}
