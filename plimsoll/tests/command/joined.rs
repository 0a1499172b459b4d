//! Several files and devices as one target: each of them needs leave of its own.

use crate::devices::{Loop, output};
use crate::place::{Done, MIB, TestFolder};

/// Only reads, and joins what it is given.
fn reading(paths: &[&str], size: &str) -> String {
    format!(
        "[target.t]\npath = {paths:?}\n{size}\n[workload.w]\nread = 100\n[[run]]\nfor = \"300ms\"\ninterval = \"100ms\"\nwarmup = \"0s\"\n"
    )
}

fn run(place: &TestFolder, definition: &str) -> Done {
    place.text("d.toml", definition);
    place.plimsoll("run d.toml --no-record")
}

fn blank(place: &TestFolder, name: &str, size: u64) {
    let file = std::fs::File::create(place.path(name)).expect("a file");
    file.set_len(size).expect("its size");
}

#[test]
fn a_file_of_somebody_else_beside_a_blank_one_is_not_written_by_reading() {
    let place = TestFolder::new();
    let path = place.foreign("precious", 4 * MIB);
    let before = std::fs::read(&path).expect("readable");
    blank(&place, "blank", 4 * MIB);
    for paths in [["blank", "precious"], ["precious", "blank"]] {
        run(&place, &reading(&paths, "")).refused(&["precious", "holes", "--destroy precious"]);
        assert_eq!(std::fs::read(&path).expect("readable"), before);
    }
    for paths in [["missing", "precious"], ["precious", "missing"]] {
        run(&place, &reading(&paths, "size = \"8m\"")).refused(&["precious", "--destroy precious"]);
        assert_eq!(std::fs::read(&path).expect("readable"), before);
        assert!(!place.path("missing").exists());
    }
    let parameters = "concatenatesds=yes\nsd=s1,lun=./blank,size=4m\nsd=s2,lun=./precious,size=4m\n\
                      wd=w1,sd=*,rdpct=100,xfersize=4k\nrd=r1,wd=w1,iorate=100,elapsed=2,interval=1\n";
    place.text("parm", parameters);
    let done = place.plimsoll("vdbench -f parm -o out");
    assert_ne!(done.code, Some(0), "{done:#?}");
    assert_eq!(std::fs::read(&path).expect("readable"), before);
}

#[test]
fn a_mounted_device_beside_a_blank_file_is_not_written_by_reading() {
    let Some(disk) = Loop::with_ext4() else {
        return;
    };
    blank(&disk.place, "blank", 4 * MIB);
    let point = disk.place.path("mount");
    std::fs::create_dir(&point).expect("made");
    let point = point.display().to_string();
    if let Err(reason) = output("mount", &[&disk.device, &point]) {
        return plimsoll_skipped::skipped!("{reason}");
    }
    let before = disk.bytes();
    let done = [
        ["blank", disk.device.as_str()],
        [disk.device.as_str(), "blank"],
    ]
    .map(|paths| run(&disk.place, &reading(&paths, "")));
    let after = disk.bytes();
    output("umount", &["--lazy", &point]).expect("unmounted");
    assert!(after == before, "the mounted device was written");
    for done in done {
        done.refused(&["mounted"]);
    }
}

#[test]
fn missing_files_are_made_and_filled_together() {
    let place = TestFolder::new();
    let done = run(&place, &reading(&["./a.dat", "./b.dat"], "size = \"8m\"")).ok();
    done.warns(&["made ./a.dat", "made ./b.dat"]);
    for name in ["a.dat", "b.dat"] {
        let bytes = std::fs::read(place.path(name)).expect("readable");
        assert_eq!(bytes.len() as u64, 4 * MIB, "{name}");
        let zero = bytes
            .chunks(4096)
            .filter(|block| block.iter().all(|b| *b == 0));
        // The target's first place is never written: 128 KiB of 8 MiB.
        assert!(zero.count() <= 32, "{name} was not filled");
    }
    run(&place, &reading(&["./a.dat", "./b.dat"], "size = \"8m\"")).ok();
}

#[test]
fn joined_devices_are_known_again_each_by_its_own_label() {
    let (Some(one), place) = (Loop::blank(), TestFolder::new()) else {
        return;
    };
    let second = place.path("second");
    let file = std::fs::File::create(&second).expect("a file");
    file.set_len(16 * MIB).expect("its size");
    drop(file);
    let path = second.display().to_string();
    let device = match output("losetup", &["--find", "--show", &path]) {
        Ok(device) => device,
        Err(reason) => return plimsoll_skipped::skipped!("{reason}"),
    };
    let definition = format!(
        "[target.t]\npath = [\"{}\", \"{device}\"]\n[workload.w]\nread = 0\n[[run]]\nfor = \"300ms\"\ninterval = \"100ms\"\nwarmup = \"0s\"\n",
        one.device
    );
    let runs = [run(&place, &definition), run(&place, &definition)];
    let alone = place.quick(&format!("run {device} --read 0 --no-record -q"));
    let listed = place.plimsoll("ls --json");
    output("losetup", &["--detach", &device]).expect("detached");
    for done in runs {
        done.ok();
    }
    alone.ok();
    let listed = listed.ok().json();
    let entry = listed
        .as_array()
        .expect("a list")
        .iter()
        .find(|d| d["path"] == device.as_str());
    assert_eq!(
        entry.expect("listed")["write"]["verdict"],
        "allowed",
        "{entry:#?}"
    );
}

#[test]
fn a_file_is_not_joined_with_itself() {
    let place = TestFolder::new();
    place.foreign("one", 4 * MIB);
    std::fs::hard_link(place.path("one"), place.path("two")).expect("a link");
    run(&place, &reading(&["one", "two"], "")).refused(&["two", "joined with itself"]);
    let missing = reading(&["new", "./new"], "size = \"8m\"");
    run(&place, &missing).refused(&["./new", "joined with itself"]);
    assert!(!place.path("new").exists());
}

#[test]
fn an_offset_may_stand_beside_a_size_and_the_file_holds_both() {
    let place = TestFolder::new();
    let definition = "[target.t]\npath = \"data\"\nsize = \"4m\"\noffset = \"1m\"\n[workload.w]\nread = 100\n\
                      [[run]]\nfor = \"300ms\"\ninterval = \"100ms\"\nwarmup = \"0s\"\n";
    run(&place, definition).ok();
    let length = std::fs::metadata(place.path("data")).expect("made").len();
    assert_eq!(length, 5 << 20);
    // Once more, on the file that is there.
    run(&place, definition).ok();
}

/// A stripe of three files with units of 64 KiB, and what one workload does on it.
fn striped(workload: &str) -> String {
    format!(
        "[target.t]\npath = [\"./a.dat\", \"./b.dat\", \"./c.dat\"]\nstripe = \"64k\"\nsize = \"6m\"\n[workload.w]\n{workload}\n[[run]]\n\
         for = \"300ms\"\ninterval = \"100ms\"\nwarmup = \"0s\"\n"
    )
}

#[test]
fn a_stripe_takes_a_unit_of_each_file_in_turn() {
    const FILES: [&str; 3] = ["a.dat", "b.dat", "c.dat"];
    let place = TestFolder::new();
    run(&place, &striped("read = 100")).ok();
    let read = || FILES.map(|name| std::fs::read(place.path(name)).expect("readable"));
    let mut before = read();
    assert!(before.iter().all(|bytes| bytes.len() as u64 == 2 * MIB));
    // Whole rows are filled, but for the target's first place.
    let zero = |bytes: &Vec<u8>| {
        bytes
            .chunks(4096)
            .filter(|b| b.iter().all(|b| *b == 0))
            .count()
    };
    assert_eq!(before.each_ref().map(zero)[1..], [0, 0]);
    // Where the stripe's units number 1, 3 and 95 lie, counted from 0.
    let units = [
        ("64k-128k", 1, 0),
        ("192k-256k", 0, 1),
        ("6080k-6144k", 2, 31),
    ];
    for (range, file, unit) in units {
        let workload = format!("read = 0\nblock = \"16k\"\nrange = \"{range}\"");
        run(&place, &striped(&workload)).ok();
        let after = read();
        for (at, name) in FILES.iter().enumerate() {
            let changed = (0..32).filter(|n| {
                let bytes = n * 65_536..(n + 1) * 65_536;
                before[at][bytes.clone()] != after[at][bytes]
            });
            let expected: Vec<usize> = (at == file).then_some(unit).into_iter().collect();
            assert_eq!(changed.collect::<Vec<_>>(), expected, "{name}, {range}");
        }
        before = after;
    }
}

#[test]
fn an_io_that_would_be_cut_at_a_stripe_s_units_is_refused_and_a_width_for_a_unit_is_named() {
    let place = TestFolder::new();
    run(&place, &striped("block = \"192k\"")).refused(&[
        "192KiB of workload `w` don't fit the stripe unit of target `t`, 64KiB",
        "3 pieces",
        "192KiB is the width of all 3 columns",
    ]);
    run(&place, &striped("block = \"128k\"")).refused(&["2 pieces", "make the unit larger"]);
    assert!(!place.path("a.dat").exists());
    let alone =
        "[target.t]\npath = \"./a.dat\"\nstripe = \"64k\"\nsize = \"6m\"\n[workload.w]\n[[run]]\n";
    run(&place, alone).refused(&["`t` is to be striped, and is not made of several paths"]);
}
