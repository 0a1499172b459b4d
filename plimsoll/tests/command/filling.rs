//! Filling is not destroying, and what Plimsoll filled is known again.

use crate::devices::{Loop, output};
use crate::place::{MIB, TestFolder, soon};
use std::process::{Command, Stdio};

#[test]
fn a_blank_device_is_filled_when_asked_and_may_then_be_written_until_it_is_used() {
    let Some(disk) = Loop::blank() else { return };
    let device = disk.device.as_str();
    let quick = |words: &[&str]| {
        let words = [&["run", device, "--no-record", "-q"], words].concat();
        disk.place.quick(&words)
    };
    quick(&[]).refused(&["zero from end to end", "--fill", "--allow-unwritten"]);
    assert!(disk.bytes().iter().all(|byte| *byte == 0));
    let filled = quick(&["--fill", "--json"]).ok().json();
    assert_eq!(filled["steps"][0]["fill"], true);
    quick(&[]).ok();
    quick(&["--read", "0"]).ok();
    if let Err(reason) = output("mkfs.ext4", &["-q", "-F", device]) {
        return plimsoll_skipped::skipped!("{reason}");
    }
    let before = disk.bytes();
    quick(&["--read", "0"]).refused(&["ext4", "--destroy"]);
    quick(&["--read", "0", "--fill"]).refused(&["ext4", "--destroy"]);
    assert_eq!(disk.bytes(), before);
}

#[test]
fn a_device_that_was_named_and_filled_as_a_whole_may_be_written_again() {
    let Some(disk) = Loop::new(&[]) else { return };
    let name = disk.backing.canonicalize().expect("there");
    let name = name.display().to_string();
    let device = disk.device.as_str();
    let parameters = format!(
        "formatsds=yes\nsd=s1,lun={device},openflags=o_direct\nwd=w1,sd=s1,rdpct=100,xfersize=4k\nrd=r1,wd=w1,iorate=100,elapsed=2,interval=1\n"
    );
    disk.place.text("parm", &parameters);
    let vdbench = ["vdbench", "-f", "parm", "-o", "out"];
    let done = disk.place.plimsoll(&vdbench);
    assert_ne!(done.code, Some(0), "{done:#?}");
    disk.place
        .plimsoll(&[&vdbench[..], &["--destroy", &name]].concat())
        .ok();
    disk.place
        .quick(&format!("run {device} --read 0 --no-record -q"))
        .ok();
}

#[test]
fn a_file_of_ours_that_a_virtual_machine_has_open_is_refused() {
    let place = TestFolder::new();
    place.quick("run disk --size 8m --no-record -q").ok();
    let served = Command::new("qemu-nbd")
        .args(["-f", "raw", "-t", "-k"])
        .arg(place.path("s"))
        .arg(place.path("disk"))
        .stderr(Stdio::null())
        .spawn();
    let mut served = match served {
        Ok(served) => served,
        Err(error) => return plimsoll_skipped::skipped!("qemu-nbd: {error}"),
    };
    // It may listen before it has the file.
    let has_it = |file: std::io::Result<std::fs::DirEntry>| {
        let file = file.and_then(|f| std::fs::read_link(f.path()));
        file.is_ok_and(|f| f == place.path("disk"))
    };
    let files = format!("/proc/{}/fd", served.id());
    soon(|| std::fs::read_dir(&files).is_ok_and(|mut all| all.any(has_it)));
    let before = std::fs::read(place.path("disk")).expect("readable");
    let done = place.quick("run disk --read 0 --no-record --destroy disk");
    served.kill().expect("killed");
    served.wait().expect("ended");
    done.refused(&["disk", "open for writing", "qemu-nbd"]);
    assert!(std::fs::read(place.path("disk")).expect("readable") == before);
    place.quick("run disk --read 0 --no-record -q").ok();
}

#[test]
fn an_empty_file_that_somebody_is_writing_is_not_taken() {
    let place = TestFolder::new();
    let file = std::fs::File::create(place.path("log")).expect("a file");
    let mut writer = Command::new("sleep")
        .arg("60")
        .stdout(file)
        .spawn()
        .expect("sleep starts");
    let done = place.quick("run log --size 4m --no-record");
    writer.kill().expect("killed");
    writer.wait().expect("ended");
    done.refused(&["log", "open for writing"]);
    assert_eq!(
        std::fs::metadata(place.path("log")).expect("there").len(),
        0
    );
}

#[test]
fn a_link_to_a_device_that_is_not_there_makes_no_file_among_devices() {
    let place = TestFolder::new();
    let node = "/dev/plimsoll-test-missing";
    std::os::unix::fs::symlink(node, place.path("link")).expect("a link");
    std::os::unix::fs::symlink("/dev", place.path("nodes")).expect("a link");
    for name in ["./link", "nodes/plimsoll-test-missing"] {
        place
            .quick(&format!("run {name} --size 8m --no-record"))
            .refused(&[name]);
        assert!(!std::path::Path::new(node).exists());
    }
}

#[test]
fn a_refused_run_leaves_files_as_they_were() {
    let place = TestFolder::new();
    let short = place.path("short");
    std::fs::File::create(&short).expect("a file");
    place.foreign("mine", MIB);
    place.text(
        "d.toml",
        "[target.a]\npath = \"short\"\nsize = \"4m\"\n[target.b]\npath = \"new\"\nsize = \"4m\"\n\
         [target.c]\npath = \"mine\"\n[workload.w]\nread = 0\n[[run]]\n",
    );
    place.plimsoll("run d.toml --no-record").refused(&["mine"]);
    assert_eq!(std::fs::metadata(&short).expect("there").len(), 0);
    assert!(!place.path("new").exists());
}

#[test]
fn a_plan_says_of_a_file_of_holes_that_it_is_filled() {
    let place = TestFolder::new();
    let file = std::fs::File::create(place.path("holes")).expect("a file");
    file.set_len(8 * MIB).expect("its size");
    drop(file);
    let planned = place.plimsoll("plan ./holes --read 100").ok();
    planned.says(&["they are filled first"]);
    place.foreign("full", MIB);
    let planned = place.plimsoll("plan ./full --read 100").ok();
    assert!(!planned.out.contains("filled first"), "{planned:#?}");
}
