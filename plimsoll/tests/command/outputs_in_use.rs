//! Devices, and files that somebody uses: nothing that is written by a name is written there.

use crate::devices::{Loop, output};
use crate::place::{MIB, TestFolder, holds, typed};
use crate::serving::{Lab, refused};
use rustix::process::Signal;
use std::os::unix::fs::{FileExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};

const SMALL: [&str; 4] = ["single-ssd", "--size", "64m", "--no-timing"];

/// Checksum of a file or a device, as `sha256sum` sees it.
fn sum(path: &str) -> String {
    let message = output("sha256sum", &[path]).expect("sha256sum");
    message.split_whitespace().next().expect("a sum").to_owned()
}

#[test]
fn a_file_system_on_a_device_survives_every_command_that_writes_a_file() {
    let Some(disk) = Loop::with_ext4() else {
        return;
    };
    let (place, device) = (&disk.place, disk.device.as_str());
    let record = ["run", "null:1GiB", "-q", "--record", "a.plim"];
    place.quick(&record).ok();
    symlink(device, place.path("link")).expect("a link");
    output("sync", &[]).expect("synced");
    let before = sum(device);
    for name in [device, "link"] {
        for words in [
            &["report", "a.plim", "--overwrite", "-o", name][..],
            &["export", "--csv", "a.plim", "--overwrite", "-o", name],
            &["run", "null:1GiB", "--overwrite", "--record", name],
        ] {
            place.plimsoll(words).refused(&[name, "a block device"]);
        }
        let run = format!("run null:1GiB -q --overwrite --record b.plim --html '{name}'");
        place.quick(&run).refused(&[name, "a block device"]);
        let backing = ["--socket", "s", "--overwrite", "--backing", name];
        let message = refused(place, &[&SMALL[..], &backing].concat());
        assert!(message.contains("a block device"), "{message}");
    }
    output("sync", &[]).expect("synced");
    assert_eq!(sum(device), before);
    assert!(!place.path("b.plim").exists(), "nothing was measured");
}

#[test]
fn a_file_that_a_loop_device_uses_is_never_written() {
    let Some(disk) = Loop::with_ext4() else {
        return;
    };
    let (place, before) = (&disk.place, disk.bytes());
    place
        .quick(&["run", "null:1GiB", "-q", "--record", "a.plim"])
        .ok();
    let words = ["report", "a.plim", "--overwrite", "-o", "backing"];
    place.plimsoll(&words).refused(&["backing", "in use"]);
    let serve = ["single-ssd", "--size", "8m", "--socket", "s", "--overwrite"];
    let message = refused(place, &[&serve[..], &["--backing", "backing"]].concat());
    holds!(message, "in use", "loop");
    assert_eq!(disk.bytes(), before);
}

#[test]
fn a_file_that_another_program_writes_is_not_replaced() {
    let place = TestFolder::new();
    place
        .quick(&["run", "null:1GiB", "-q", "--record", "a.plim"])
        .ok();
    let mine = std::fs::File::create(place.path("mine")).expect("a file");
    let mut writer = Command::new("cat")
        .stdin(Stdio::piped())
        .stdout(mine)
        .spawn()
        .expect("cat");
    // It is empty, and yet not free.
    let words = ["export", "--csv", "a.plim", "-o", "mine"];
    place.plimsoll(&words).refused(&["mine", "in use", "cat"]);
    drop(writer.stdin.take());
    writer.wait().expect("ended");
    place.plimsoll(&words).ok();
}

#[test]
fn a_lab_keeps_its_data_in_no_file_of_somebody_else() {
    let place = TestFolder::new();
    let mine = place.foreign("mine.img", 64 * MIB);
    let before = std::fs::read(&mine).expect("readable");
    let serve = [&SMALL[..], &["--socket", "s", "--backing", "mine.img"]].concat();
    let message = refused(&place, &serve);
    holds!(message, "no lab made it", "--overwrite");
    assert_eq!(std::fs::read(&mine).expect("readable"), before);
    let lab = Lab::serve(&place, &[&serve[..], &["--overwrite"]].concat());
    assert_eq!(lab.stop(), Some(0));
    assert_eq!(
        std::fs::read(&mine).expect("readable"),
        before,
        "it is served as it is"
    );
    place.text("persona.toml", "");
    let persona = place
        .command(&["lab", "persona", "single-ssd"])
        .output()
        .expect("starts");
    std::fs::write(place.path("persona.toml"), &persona.stdout).expect("written");
    let serve = typed("lab:./persona.toml --socket s --overwrite --backing persona.toml");
    let message = refused(&place, &serve);
    assert!(message.contains("the persona's file"), "{message}");
}

#[test]
fn one_backing_file_is_one_labs() {
    let place = TestFolder::new();
    let serve = |socket: &'static str, file: &'static str| {
        [&SMALL[..], &["--socket", socket, "--backing", file]].concat()
    };
    let first = Lab::serve(&place, &serve("a", "ssd.img"));
    std::fs::hard_link(place.path("ssd.img"), place.path("hard.img")).expect("a hard link");
    for file in ["ssd.img", "hard.img"] {
        for overwrite in [&[][..], &["--overwrite"]] {
            let message = refused(&place, &[&serve("b", file)[..], overwrite].concat());
            assert!(message.contains("in use"), "{message}");
        }
    }
    UnixStream::connect(place.path("a")).expect("the first one still serves");
    assert_eq!(first.stop(), Some(0));
    let again = [&serve("b", "ssd.img")[..], &["--overwrite"]].concat();
    assert_eq!(Lab::serve(&place, &again).stop(), Some(0));
}

#[test]
fn a_backing_file_is_served_again_unless_its_lab_was_killed_or_somebody_wrote_to_it() {
    let place = TestFolder::new();
    let serve = [&SMALL[..], &["--socket", "s", "--backing", "ssd.img"]].concat();
    for signal in [Signal::INT, Signal::TERM] {
        assert_eq!(Lab::serve(&place, &serve).end(signal), Some(0));
    }
    let path = place.path("ssd.img");
    if rustix::fs::getxattr(&path, "user.plimsoll.backing", &mut [0u8; 256][..]).is_err() {
        return plimsoll_skipped::skipped!(
            "the temporary folder's file system keeps no user attributes"
        );
    }
    let told = [&serve[..], &["--overwrite"]].concat();
    assert_eq!(Lab::serve(&place, &serve).end(Signal::KILL), None);
    let message = refused(&place, &serve);
    holds!(message, "was killed", "--overwrite");
    assert_eq!(Lab::serve(&place, &told).stop(), Some(0));
    assert_eq!(Lab::serve(&place, &serve).stop(), Some(0));

    // What changes no byte, and what changes one and puts the time back.
    output("chmod", &["600", &path.display().to_string()]).expect("chmod");
    assert_eq!(Lab::serve(&place, &serve).stop(), Some(0));
    let time = path.metadata().and_then(|m| m.modified()).expect("a time");
    let file = std::fs::File::options()
        .write(true)
        .open(&path)
        .expect("opens");
    file.write_all_at(b"precious", 1 << 20).expect("written");
    file.set_modified(time).expect("its time");
    drop(file);
    let before = std::fs::read(&path).expect("readable");
    let message = refused(&place, &serve);
    assert!(message.contains("somebody has written to it"), "{message}");
    assert!(
        std::fs::read(&path).expect("readable") == before,
        "it was changed"
    );
}

#[test]
fn a_lab_removes_no_socket_that_it_did_not_make() {
    let place = TestFolder::new();
    let serve = [&SMALL[..], &["--socket", "s"]].concat();
    let lab = Lab::serve(&place, &serve);
    std::fs::remove_file(place.path("s")).expect("removed by hand");
    let theirs = UnixListener::bind(place.path("s")).expect("a socket");
    assert_eq!(lab.stop(), Some(0));
    UnixStream::connect(place.path("s")).expect("the other one's socket is still there");

    let message = refused(&place, &serve);
    assert!(message.contains("cannot listen on s"), "{message}");
    drop(theirs);
    let lab = Lab::serve(&place, &serve);
    std::fs::remove_file(place.path("s")).expect("removed by hand");
    place.text("s", "mine");
    assert_eq!(lab.stop(), Some(0));
    assert_eq!(std::fs::read(place.path("s")).expect("there"), b"mine");
}
