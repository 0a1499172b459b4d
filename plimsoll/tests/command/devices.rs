//! Real block devices. Needs root and loop devices.

use crate::place::{MIB, TestFolder, root_or_skip, typed};
pub use plimsoll_skipped::machine::output;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One device at a time: `losetup` opens the devices that it looks through, and so would be seen using another test's.
static TURN: Mutex<()> = Mutex::new(());

/// A loop device over a file in a place of its own; detached when dropped.
pub struct Loop {
    pub place: TestFolder,
    pub device: String,
    pub backing: PathBuf,
    _turn: MutexGuard<'static, ()>,
}

impl Loop {
    /// `None`, with the reason printed, where there can be none.
    pub fn new(words: &[&str]) -> Option<Self> {
        Loop::over(words, |place| place.foreign("backing", 8 * MIB))
    }

    /// Over a file of holes.
    pub fn blank() -> Option<Self> {
        Loop::blank_of(16 * MIB)
    }

    /// Over a file of holes of this size.
    pub fn blank_of(size: u64) -> Option<Self> {
        Loop::over(&[], |place| {
            let path = place.path("backing");
            let file = std::fs::File::create(&path).expect("a file");
            file.set_len(size).expect("its size");
            path
        })
    }

    fn over(words: &[&str], make: impl FnOnce(&TestFolder) -> PathBuf) -> Option<Self> {
        if !root_or_skip("a loop device") {
            return None;
        }
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let place = TestFolder::new();
        let backing = make(&place);
        let path = backing.display().to_string();
        match output("losetup", &[words, &["--find", "--show", &path]].concat()) {
            Ok(device) => Some(Loop {
                place,
                device,
                backing,
                _turn: turn,
            }),
            Err(reason) => {
                plimsoll_skipped::skipped!("{reason}");
                None
            }
        }
    }

    pub fn with_ext4() -> Option<Self> {
        let disk = Loop::new(&[])?;
        match output("mkfs.ext4", &["-q", "-F", &disk.device]) {
            Ok(_) => Some(disk),
            Err(reason) => {
                plimsoll_skipped::skipped!("{reason}");
                None
            }
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.backing).expect("readable")
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = output("losetup", &["--detach", &self.device]);
    }
}

#[test]
fn blocks_smaller_than_the_devices_are_refused() {
    let Some(disk) = Loop::new(&["--sector-size", "4096"]) else {
        return;
    };
    disk.place
        .quick(&format!("run {} --block 512 --no-record", disk.device))
        .refused(&["512", "4096"]);
    disk.place
        .quick(&format!("run {} --no-record -q", disk.device))
        .ok();
}

#[test]
fn a_device_with_a_file_system_is_written_only_when_its_stable_name_is_typed() {
    let Some(disk) = Loop::with_ext4() else {
        return;
    };
    let before = disk.bytes();
    let line = format!("run {} --read 0 --no-record -q", disk.device);
    let write = typed(&line);
    disk.place
        .quick(&write)
        .refused(&[&disk.device, "ext4", "--destroy"]);
    disk.place
        .quick(&[&write[..], &["--destroy", &disk.device]].concat())
        .refused(&["ext4", "--destroy"]);
    assert_eq!(disk.bytes(), before);
    let name = disk
        .backing
        .canonicalize()
        .expect("there")
        .display()
        .to_string();
    disk.place
        .quick(&[&write[..], &["--destroy", &name]].concat())
        .ok();
    assert_ne!(disk.bytes(), before);
}

#[test]
fn a_mounted_device_is_never_written() {
    let Some(disk) = Loop::with_ext4() else {
        return;
    };
    let point = disk.place.path("mount");
    std::fs::create_dir(&point).expect("made");
    let point = point.display().to_string();
    if let Err(reason) = output("mount", &[&disk.device, &point]) {
        plimsoll_skipped::skipped!("{reason}");
        return;
    }
    let name = disk
        .backing
        .canonicalize()
        .expect("there")
        .display()
        .to_string();
    let line = format!("run {} --read 0 --no-record --destroy {name}", disk.device);
    let write = typed(&line);
    let done = disk.place.quick(&write);
    let listed = disk.place.plimsoll("ls --json");
    let left = output("umount", &["--lazy", &point]);
    done.refused(&[&disk.device, "mounted"]);
    assert!(listed.ok().out.contains(&disk.device));
    left.expect("unmounted");
}

#[test]
fn a_device_that_loses_its_medium_ends_the_run_with_located_errors_and_a_whole_record() {
    let Some(disk) = Loop::new(&[]) else { return };
    let path = disk.backing.clone();
    let device = disk.device.clone();
    let line = format!("run {device} --rate 500 --max-errors 5 --record r.plim");
    let words = typed(&line);
    let done = crate::failing::broken_off(&disk.place, &words, move || {
        let file = std::fs::File::options()
            .write(true)
            .open(&path)
            .expect("opens");
        file.set_len(0).expect("shorter");
        // What the device's own cache still holds would be answered.
        drop(file);
    });
    assert_eq!(done.code, Some(1), "{done:#?}");
    let document: Value = disk.place.plimsoll("show --json r.plim").ok().json();
    crate::failing::assert_located(&document, 8 * MIB);
}

#[test]
fn data_that_the_page_cache_could_not_write_back_is_an_error_of_the_last_fsync() {
    let Some(small) = Small::new("1m") else {
        return;
    };
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // A device of 8 MiB on a file system that has room for one.
    let backing = small.file("backing");
    let file = std::fs::File::create(&backing).expect("made");
    file.set_len(8 * MIB).expect("sized");
    // A device whose file somebody writes is in use.
    drop(file);
    let device = match output("losetup", &["--find", "--show", &backing]) {
        Ok(device) => device,
        Err(reason) => return plimsoll_skipped::skipped!("{reason}"),
    };
    let buffered = ["--caching", "buffered", "--durability", "fsync_at_end"];
    let line = format!("run {device} --read 0 --block 64k --rate 200");
    let words = typed(&line);
    let record = ["--record", "r.plim", "--max-errors", "1000"];
    let done = small
        .place
        .quick(&[&words[..], &buffered, &record].concat());
    output("losetup", &["--detach", &device]).expect("detached");
    done.warns(&[" fsync"]);
    let shown = small.place.plimsoll("show --json r.plim").ok();
    let step = &shown.json()["steps"][0];
    assert_eq!(step["fsync_errors"], 1, "{step:#}");
    let samples = step["error_samples"].as_array().expect("samples");
    let last = samples.last().expect("one at least");
    assert_eq!(last["op"], "fsync", "{step:#}");
    let place = (last["target"].as_str(), last["what"].as_str());
    assert_eq!(place.0, Some(device.as_str()), "{step:#}");
    assert!(
        place
            .1
            .is_some_and(|w| w.starts_with("EIO") || w.starts_with("ENOSPC")),
        "{step:#}"
    );
}

#[test]
fn a_record_without_room_is_refused_before_the_target_is_made() {
    let Some(small) = Small::new("64k") else {
        return;
    };
    let record = small.file("r.plim");
    small
        .place
        .quick(&format!("run new --size 1m --record {record}"))
        .refused(&["r.plim", "space"]);
    assert_eq!(small.place.names(), ["small"]);
}

#[test]
fn a_record_that_fills_its_disk_is_said_once_and_stays_readable() {
    let Some(small) = Small::new("1m") else {
        return;
    };
    let record = small.file("r.plim");
    let line =
        format!("run null:1GiB --rate 2000 --for 4s --interval 10ms --warmup 0s --record {record}");
    let words = typed(&line);
    let done = small.place.plimsoll(&words).exits(2);
    assert_eq!(done.err.matches("no space").count(), 1, "{}", done.err);
    assert!(
        done.out.contains("achieved"),
        "the run went on: {}",
        done.err
    );
    let shown = small
        .place
        .plimsoll(&format!("show {record} --intervals"))
        .ok();
    shown.says(&["intvl"]);
}

/// A small file system in memory; unmounted when dropped.
struct Small {
    place: TestFolder,
    point: String,
}

impl Small {
    fn new(size: &str) -> Option<Self> {
        if !root_or_skip("a small file system") {
            return None;
        }
        let place = TestFolder::new();
        std::fs::create_dir(place.path("small")).expect("made");
        let point = place.path("small").display().to_string();
        let option = format!("size={size}");
        match output(
            "mount",
            &["-t", "tmpfs", "-o", &option, "plimsoll-test", &point],
        ) {
            Ok(_) => Some(Small { place, point }),
            Err(reason) => {
                plimsoll_skipped::skipped!("{reason}");
                None
            }
        }
    }

    fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.point)
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        // Lazily: a program that is just starting may hold it.
        let _ = output("umount", &["--lazy", &self.point]);
    }
}
