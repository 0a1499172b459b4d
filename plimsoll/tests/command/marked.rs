//! What Plimsoll made is written again unasked, until somebody else has written to it.

use crate::devices::{Loop, output};
use crate::place::{MIB, TestFolder, soon, typed};
use rustix::fs::getxattr;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

const SIZE: u64 = 8 * MIB;

/// A file that a run made and has left; `None` where the file system keeps no marks.
fn made(place: &TestFolder) -> Option<PathBuf> {
    let path = place.path("data");
    let _ = std::fs::remove_file(&path);
    let words = ["run", "data", "--size", "8m", "--read", "0", "--no-record"];
    place.quick(&[&words[..], &["-q"]].concat()).ok();
    if mark(&path).is_empty() {
        plimsoll_skipped::skipped!("the temporary folder's file system keeps no user attributes");
        return None;
    }
    Some(path)
}

/// Text of a file's mark; empty where it has none.
fn mark(path: &Path) -> String {
    let mut buffer = [0; 1024];
    match getxattr(path, "user.plimsoll", &mut buffer[..]) {
        Ok(length) => String::from_utf8_lossy(&buffer[..length]).into_owned(),
        Err(_) => String::new(),
    }
}

/// Bytes that no generator of Plimsoll's made.
fn random(length: u64) -> Vec<u8> {
    let mut state = 1u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    (0..length).map(|_| next()).collect()
}

const AGAIN: [&str; 6] = ["run", "data", "--read", "0", "--no-record", "-q"];

/// Asserts that another run on the file is refused, with these words, and leaves it as it is.
#[track_caller]
fn refused(place: &TestFolder, path: &Path, said: &str) {
    let before = std::fs::read(path).expect("readable");
    let words = ["data", "Plimsoll made it", "--destroy data", said];
    place.quick(&AGAIN).refused(&words);
    assert!(
        std::fs::read(path).expect("readable") == before,
        "{said}: it was changed"
    );
}

#[test]
fn a_file_that_nobody_else_wrote_is_written_again_and_again() {
    let place = TestFolder::new();
    let Some(path) = made(&place) else { return };
    assert!(
        mark(&path).contains("left with 8388608 bytes"),
        "{}",
        mark(&path)
    );
    for _ in 0..2 {
        place.quick(&AGAIN).ok();
    }
    // A run that is refused after it has made the file longer leaves the mark as good as it was.
    place
        .quick("run data --size 16m --block 3000 --no-record")
        .exits(2);
    place
        .quick("run data --size 16m --read 0 --no-record -q")
        .ok();
    place.quick(&AGAIN).ok();
    // Read only, it needs no mark and changes none.
    let before = mark(&path);
    place.quick(&["run", "data", "--no-record", "-q"]).ok();
    assert_eq!(mark(&path), before);
}

/// Makes files of other programs, each at the path that it is given; `None` where the program is not here.
fn others(place: &TestFolder) -> Vec<(&'static str, PathBuf)> {
    let at = |name: &str| place.path(name).display().to_string();
    let image = |kind: &'static str| {
        let words = ["create", "-q", "-f", kind, &at(kind), "64m"].map(str::to_string);
        (kind, "qemu-img", words.to_vec())
    };
    std::fs::write(place.path("note"), random(30_000)).expect("written");
    let mut programs: Vec<_> = ["qcow2", "vmdk", "vhdx", "vdi"].map(image).to_vec();
    let table = "create table t (x); insert into t values (zeroblob(100000));";
    programs.push(("sqlite", "sqlite3", vec![at("sqlite"), table.into()]));
    programs.push((
        "tar",
        "tar",
        vec!["-cf".into(), at("tar"), "-C".into(), at("."), "note".into()],
    ));
    programs.push(("a.zip", "zip", vec!["-qj".into(), at("a.zip"), at("note")]));
    let mut made = Vec::new();
    for (name, program, words) in programs {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match output(program, &words) {
            Ok(_) => made.push((name, place.path(name))),
            // What few machines have; the others say the same.
            Err(_) if program == "zip" => {}
            Err(reason) => plimsoll_skipped::skipped!("{reason}"),
        }
    }
    std::fs::write(place.path("random"), random(SIZE)).expect("written");
    made.push(("random", place.path("random")));
    made
}

#[test]
fn what_other_programs_copied_onto_a_made_file_is_refused_and_stays() {
    let place = TestFolder::new();
    for (name, other) in others(&place) {
        // As `cp` does, and `dd conv=notrunc`, which leaves the length; with the time that the file had.
        for keeps_length in [false, true] {
            let Some(path) = made(&place) else { return };
            let time = std::fs::metadata(&path)
                .and_then(|m| m.modified())
                .expect("a time");
            let bytes = std::fs::read(&other).expect("readable");
            let mut options = File::options();
            let file = options
                .write(true)
                .truncate(!keeps_length)
                .open(&path)
                .expect("opens");
            file.write_all_at(&bytes[..bytes.len().min(SIZE as usize)], 0)
                .expect("written");
            file.set_modified(time).expect("its time");
            drop(file);
            eprintln!("{name}, {keeps_length}");
            refused(&place, &path, "");
        }
    }
}

#[test]
fn a_block_in_the_middle_a_later_change_and_another_length_are_each_enough() {
    let place = TestFolder::new();
    let Some(path) = made(&place) else { return };
    let time = std::fs::metadata(&path)
        .and_then(|m| m.modified())
        .expect("a time");
    let file = File::options().write(true).open(&path).expect("opens");
    file.write_all_at(b"precious", 5 * MIB).expect("written");
    file.set_modified(time).expect("its time");
    drop(file);
    refused(
        &place,
        &path,
        "somebody has written to it since the last run",
    );

    let Some(path) = made(&place) else { return };
    let file = File::options().write(true).open(&path).expect("opens");
    file.set_modified(time + Duration::from_secs(3600))
        .expect("its time");
    drop(file);
    refused(&place, &path, "it was changed later");

    let Some(path) = made(&place) else { return };
    let file = File::options().write(true).open(&path).expect("opens");
    file.set_len(SIZE + 1).expect("its length");
    drop(file);
    refused(&place, &path, "it has 8388609 bytes, and had 8388608");
    place
        .quick(&[&AGAIN[..], &["--destroy", "data"]].concat())
        .ok();
}

/// A run without an end, when it has begun to write.
fn writing(place: &TestFolder, target: &Path, words: &[&str], begun: impl Fn() -> bool) -> Child {
    let forever = ["--no-record", "-q", "--for", "600s"];
    let mut child = place
        .command(&[words, &forever].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let refused = |child: &mut Child| child.try_wait().expect("a child").is_some();
    soon(|| begun() || refused(&mut child));
    assert!(
        !refused(&mut child),
        "{words:?} on {} was refused",
        target.display()
    );
    child
}

#[test]
fn after_kills_at_any_instant_the_next_run_goes_on_until_there_is_something_else() {
    let place = TestFolder::new();
    if made(&place).is_none() {
        return;
    }
    let path = place.path("data");
    let reduced = "[target.a]\npath = \"data\"\n[workload.w]\nread = 0\ncontent = { compress = 3, dedupe = 2 }\n[[run]]\n";
    place.text("reduced.toml", reduced);
    let pattern = "[target.a]\npath = \"data\"\ncaching = \"buffered\"\n[workload.w]\nread = 20\nblock = \"8k\"\ncontent = { pattern = \"0badf00d\" }\n[[run]]\n";
    place.text("pattern.toml", pattern);
    let runs: [&[&str]; 8] = [
        &["run", "data", "--read", "0", "--block", "4k"],
        &["run", "data", "--read", "0", "--block", "64k"],
        &["run", "data", "--size", "8m"],
        &["run", "data", "--read", "0", "--block", "1m"],
        &["run", "reduced.toml"],
        &["run", "data", "--read", "50", "--block", "512"],
        &typed("run data --read 0 --block 16k --caching buffered"),
        &["run", "pattern.toml"],
    ];
    for round in 0..24 {
        let words = runs[round % runs.len()];
        if words.contains(&"--size") {
            // One that is filled before it is read.
            std::fs::remove_file(&path).expect("removed");
        }
        let begun = || mark(&path).contains("being written");
        let kept = std::fs::metadata(&path).is_ok().then(|| mark(&path));
        let mut child = writing(&place, &path, words, || {
            begun() && kept.as_ref().is_none_or(|kept| *kept != mark(&path)) || cut_off(&kept)
        });
        std::thread::sleep(Duration::from_micros(round as u64 * 7_919 % 90_000));
        child.kill().expect("killed");
        child.wait().expect("ended");
        assert!(begun(), "{}", mark(&path));
    }
    place.quick(&AGAIN).ok();
    assert!(!mark(&path).contains("being written"), "{}", mark(&path));

    let mut child = writing(&place, &path, runs[0], || {
        mark(&path).contains("being written")
    });
    child.kill().expect("killed");
    child.wait().expect("ended");
    let file = File::options().write(true).open(&path).expect("opens");
    file.write_all_at(&random(4096), 3 * MIB).expect("written");
    drop(file);
    refused(
        &place,
        &path,
        "at byte 3145728 there is data that is not Plimsoll's",
    );
}

#[test]
fn a_run_that_is_interrupted_or_goes_through_the_page_cache_leaves_a_mark_that_fits() {
    let place = TestFolder::new();
    let Some(path) = made(&place) else { return };
    let job = |engine: &str| {
        format!(
            "[j]\nfilename=data\nsize=8m\nrw=randwrite\nbs=4k\nioengine={engine}\nruntime=1\ntime_based\n"
        )
    };
    for engine in ["mmap", "psync", "io_uring", "libaio"] {
        place.text("job.fio", &job(engine));
        place.plimsoll(&["fio", "job.fio"]).ok();
        assert!(
            mark(&path).contains("left with"),
            "{engine}: {}",
            mark(&path)
        );
        place.quick(&AGAIN).ok();
    }
    let mut child = writing(&place, &path, &AGAIN[..4], || {
        mark(&path).contains("being written")
    });
    kill_process(Pid::from_child(&child), Signal::INT).expect("signalled");
    child.wait().expect("ended");
    assert!(mark(&path).contains("left with"), "{}", mark(&path));
    place.quick(&AGAIN).ok();
}

#[test]
fn what_somebody_writes_beside_a_run_is_refused_afterwards_and_stays() {
    let place = TestFolder::new();
    // Beside what the run writes, which would go over it.
    let part = "[target.a]\npath = \"data\"\nsize = \"1m\"\n[workload.w]\nread = 0\n[[run]]\n";
    place.text("part.toml", part);
    for (bytes, is_seen) in [(random(4096), true), (vec![0; 4096], false)] {
        let Some(path) = made(&place) else { return };
        let mut child = writing(&place, &path, &["run", "part.toml"], || {
            mark(&path).contains("being written")
        });
        let file = File::options().write(true).open(&path).expect("opens");
        file.write_all_at(&bytes, 3 * MIB).expect("written");
        drop(file);
        kill_process(Pid::from_child(&child), Signal::INT).expect("signalled");
        child.wait().expect("ended");
        assert!(mark(&path).contains("being written"), "{}", mark(&path));
        match is_seen {
            true => refused(
                &place,
                &path,
                "somebody wrote to it meanwhile: at byte 3145728",
            ),
            false => drop(place.quick(&AGAIN).ok()),
        }
    }
}

#[test]
fn a_run_says_who_wrote_beside_it_and_removes_no_file_of_theirs() {
    let place = TestFolder::new();
    if made(&place).is_none() {
        return;
    }
    let job = "[data]\nfilename=data\nsize=1m\nrw=write\nioengine=psync\ntime_based\nruntime=600\nunlink=1\n";
    place.text("a.fio", job);
    let run = "run data --size 1m --read 0 --for 600s";
    for (words, said) in [
        (run, "data: another program had it open for writing"),
        (
            "fio a.fio",
            "data was not removed: another program had it open for writing",
        ),
    ] {
        for is_left_alone in [false, true] {
            let path = place.path("data");
            let _ = std::fs::remove_file(&path);
            let mut child = place
                .command(&[&Vec::from_iter(words.split(' '))[..], &["--no-record"]].concat())
                .stdout(Stdio::null())
                .stderr(File::create(place.path("said")).expect("made"))
                .spawn()
                .expect("the program starts");
            let has_content = || std::fs::read(&path).is_ok_and(|all| all.iter().any(|b| *b != 0));
            soon(|| mark(&path).contains("being written") && has_content());
            if !is_left_alone {
                let file = File::options().write(true).open(&path).expect("opens");
                file.write_all_at(b"precious", 3 * MIB).expect("written");
            }
            kill_process(Pid::from_child(&child), Signal::INT).expect("signalled");
            child.wait().expect("ended");
            let told = std::fs::read_to_string(place.path("said")).expect("text");
            assert_eq!(told.contains(said), !is_left_alone, "{words}: {told}");
            if !is_left_alone {
                let left = std::fs::read(&path).expect("it is there");
                assert_eq!(left[3 * MIB as usize..], *b"precious", "{words}");
            }
        }
    }
    assert!(!place.path("data").exists());
}

/// After a run that was cut off the mark says the same while the next one writes.
fn cut_off(mark: &Option<String>) -> bool {
    mark.as_ref()
        .is_some_and(|mark| mark.contains("being written"))
}

#[test]
fn data_that_somebody_put_on_a_labelled_device_is_refused_and_stays() {
    let Some(disk) = Loop::blank_of(64 * MIB) else {
        return;
    };
    let label = || {
        let mut bytes = [0; 512];
        let device = File::open(&disk.device).expect("opens");
        device.read_exact_at(&mut bytes, 0).expect("readable");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let write = [
        "run",
        disk.device.as_str(),
        "--read",
        "0",
        "--no-record",
        "-q",
    ];
    for _ in 0..2 {
        disk.place.quick(&write).ok();
        assert!(label().contains("content "), "{}", label());
    }
    for kill_after in [0, 20_000, 70_000] {
        let device = Path::new(&disk.device);
        let mut child = writing(&disk.place, device, &write[..4], || {
            label().contains("being written")
        });
        std::thread::sleep(Duration::from_micros(kill_after));
        child.kill().expect("killed");
        child.wait().expect("ended");
    }
    disk.place.quick(&write).ok();

    let put = |at: u64| {
        let device = File::options()
            .write(true)
            .open(&disk.device)
            .expect("opens");
        device.write_all_at(&random(4096), at).expect("written");
        device.sync_all().expect("on the medium");
    };
    put(4 * MIB);
    let before = disk.bytes();
    disk.place.quick(&write).refused(&[
        "it carries Plimsoll's label, and somebody has written to it since the last run",
        "--destroy",
    ]);
    assert!(disk.bytes() == before, "it was changed");
}
