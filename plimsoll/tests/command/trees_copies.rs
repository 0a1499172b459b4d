//! Files that are copied and moved from one tree into another.

use crate::place::{Done, TestFolder};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Two trees of eight files of 20000 bytes each, and a workload from the one to the other.
fn definition(operations: &str, more: &str) -> String {
    let tree = |name: &str| {
        format!(
            "[target.{name}]\ntree = {{ root = \"{name}\", depth = 1, width = 2, files = 4 }}\nfile_size = \"20000\"\ncaching = \"buffered\"\n"
        )
    };
    format!(
        "{}{}[workload.w]\nto = \"theirs\"\noperations = {{ {operations} }}\nblock = \"8k\"\n{more}\n\
         [[run]]\nfor = \"2s\"\nwarmup = \"0s\"\ninterval = \"100ms\"\ndepth = 3\n",
        tree("ours"),
        tree("theirs")
    )
}

/// Contents of a tree's files, by path.
fn contents(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for folder in ["vdb.1_1.dir", "vdb.1_2.dir"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("a directory") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(root).expect("below").display();
            found.insert(name.to_string(), std::fs::read(&path).expect("a file"));
        }
    }
    found
}

fn count(done: &serde_json::Value, name: &str) -> u64 {
    let steps = done["steps"].as_array().expect("steps");
    let step = steps.last().expect("a step");
    assert_eq!(step["errors"], 0, "{step}");
    let ops = step["ops"].as_array().expect("operations");
    let own = ops.iter().find(|op| op["op"] == name);
    own.and_then(|op| op["ios"].as_u64()).unwrap_or(0)
}

#[test]
fn a_copy_has_what_the_file_has_and_in_order_each_is_copied_once() {
    let place = TestFolder::new();
    let text = definition("copy = 100", "select = \"sequential\"");
    place.text("copy.toml", &text.replace("\"2s\"", "\"600s\""));
    let done = place
        .plimsoll(&["run", "copy.toml", "--json", "--no-record", "-q"])
        .ok()
        .json();
    assert_eq!(count(&done, "copy"), 8);
    // As in Vdbench each file's bytes are read, and written.
    let step = done["steps"].as_array().and_then(|steps| steps.last());
    assert_eq!(step.expect("a step")["bytes"], 2 * 8 * 20_000);
    let ours = contents(&place.path("ours"));
    assert!(ours.len() == 8 && ours.values().all(|file| file.len() == 20_000));
    assert_eq!(contents(&place.path("theirs")), ours);

    // What a copy takes the place of is lost, so it needs leave; what it is made of is not.
    for name in ours.keys() {
        std::fs::write(place.path("theirs").join(name), "mine").expect("writes");
    }
    let run = ["run", "copy.toml", "--no-record", "-q"];
    let told = place.plimsoll(&run);
    told.refused(&["theirs has files", "--destroy theirs"]);
    place
        .plimsoll(&[&run[..], &["--destroy", "theirs"]].concat())
        .ok();
    assert_eq!(contents(&place.path("theirs")), ours);
}

#[test]
fn each_of_two_trees_gets_a_copy_of_every_file_however_busy_these_are() {
    let place = TestFolder::new();
    let text = definition("copy = 100", "select = \"sequential\"");
    let (targets, work) = text.split_at(text.find("[workload.w]").expect("a workload"));
    let third = targets.replace("ours", "others");
    let third = &third[..third.find("[target.theirs]").expect("the second")];
    let (workload, run) = work.split_at(work.find("[[run]]").expect("a run"));
    let second = workload.replace(".w]", ".v]").replace("theirs", "others");
    // Whoever reads a file has it to himself meanwhile.
    let reader = "[workload.r]\ntargets = \"ours\"\noperations = { read = 100 }\nblock = \"512\"\n";
    let all = format!("{targets}{third}{workload}{second}{reader}{run}")
        .replace("to = ", "targets = \"ours\"\nto = ")
        .replace("\"2s\"", "\"4s\"");
    place.text("copy.toml", &all);
    place
        .plimsoll(&["run", "copy.toml", "--no-record", "-q"])
        .ok();
    let ours = contents(&place.path("ours"));
    assert_eq!(ours.len(), 8);
    assert_eq!(contents(&place.path("theirs")), ours);
    assert_eq!(contents(&place.path("others")), ours);
}

#[test]
fn a_file_that_is_moved_is_in_one_tree_and_has_its_content() {
    let place = TestFolder::new();
    place.text("read.toml", &definition("copy = 100", ""));
    place
        .plimsoll(&["run", "read.toml", "--no-record", "-q"])
        .ok();
    let before = contents(&place.path("ours"));
    // What both have is left where it is.
    let kept = before.keys().next().expect("a file").clone();
    for name in before.keys() {
        let file = place.path("theirs").join(name);
        match *name == kept {
            true => std::fs::write(file, "mine").expect("writes"),
            // Not each was copied.
            false => drop(std::fs::remove_file(file)),
        }
    }
    place.text("move.toml", &definition("move = 100", ""));
    let leave = ["--destroy", "ours", "--destroy", "theirs"];
    let run = ["run", "move.toml", "--json", "--no-record", "-q"];
    let done = place.plimsoll(&[&run[..], &leave[..]].concat()).ok().json();
    assert_eq!(count(&done, "move"), 7);
    let (ours, mut theirs) = (
        contents(&place.path("ours")),
        contents(&place.path("theirs")),
    );
    assert_eq!(ours.keys().collect::<Vec<_>>(), [&kept]);
    assert_eq!(theirs.remove(&kept).as_deref(), Some(&b"mine"[..]));
    theirs.extend(ours);
    assert_eq!(theirs, before);
}

#[test]
fn a_copy_needs_another_tree_of_the_same_numbers() {
    let place = TestFolder::new();
    let good = definition("copy = 50, stat = 50", "");
    for (text, why) in [
        (
            good.replace("to = \"theirs\"\n", "targets = \"ours\"\n"),
            "no tree to put files into",
        ),
        (
            good.replace("copy = 50, stat = 50", "stat = 100"),
            "moves nothing into it",
        ),
        (
            good.replacen("files = 4", "files = 5", 1),
            "the same directories, files and sizes",
        ),
        (
            good.replace("block", "targets = \"theirs\"\nblock"),
            "is no other tree",
        ),
    ] {
        place.text("bad.toml", &text);
        place
            .plimsoll(&["run", "bad.toml", "--no-record", "-q"])
            .refused(&[why]);
    }
    assert!(!place.path("ours").exists() && !place.path("theirs").exists());
}

/// The program, whose system calls of this kind fail with EIO on files of this path or any; `None` where nobody can do so.
fn failing(place: &TestFolder, call: &str, path: Option<&str>, words: &[&str]) -> Option<Done> {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "trace", "-e"]);
    command.arg(format!("inject={call}:error=EIO"));
    if let Some(path) = path {
        command.arg("-P").arg(place.path(path));
    }
    if !crate::syncs::may_trace() {
        return None;
    }
    let program = command.arg(env!("CARGO_BIN_EXE_plimsoll")).args(words);
    let output = program.current_dir(place.folder()).output();
    Some(Done::new(&output.expect("strace starts"), words))
}

/// NFS tells then of what it could not write, or had no room for.
#[test]
fn a_close_that_fails_is_an_error() {
    let place = TestFolder::new();
    place.text("copy.toml", &definition("copy = 100", ""));
    let run = ["run", "copy.toml", "--no-record"];
    place.plimsoll(&run).ok();
    let file = "theirs/vdb.1_1.dir/vdb_f0000.file";
    let run = [&run[..], &["--destroy", "theirs"]].concat();
    let Some(told) = failing(&place, "close", Some(file), &run) else {
        return;
    };
    let told = told.exits(1);
    let says = |line: &str| line.contains(" copy, ") && line.contains("EIO") && line.contains(file);
    assert!(told.out.lines().any(says), "{told:#?}");
}

#[test]
fn a_move_that_fails_is_told_with_both_its_paths() {
    let place = TestFolder::new();
    place.text("move.toml", &definition("move = 100", ""));
    let run = ["run", "move.toml", "--no-record"];
    let Some(told) = failing(&place, "renameat2", None, &run) else {
        return;
    };
    let told = told.exits(1);
    let says = |line: &str| {
        let (from, to) = line.split_once(".file to ").unwrap_or_default();
        from.contains(" move, ")
            && from.contains("EIO")
            && from.contains(": ours/vdb.1_")
            && to.starts_with("theirs/vdb.1_")
    };
    assert!(told.out.lines().any(says), "{told:#?}");
}

/// Copies into files that may have 24 blocks of 512 bytes, so that the second transfer is refused.
#[test]
fn a_transfer_that_fails_is_told_with_its_place_in_its_file() {
    let place = TestFolder::new();
    place.text("fill.toml", &definition("copy = 100", ""));
    let run = "trap '' XFSZ; ulimit -f 24; exec \"$0\" run fill.toml --no-record";
    let run = Command::new("sh")
        .args(["-c", run, env!("CARGO_BIN_EXE_plimsoll")])
        .current_dir(place.folder())
        .output();
    let told = Done::new(&run.expect("it starts"), &[]).exits(1);
    let first = told.out.lines().find(|line| line.contains("EFBIG"));
    let first = first.unwrap_or_else(|| panic!("{told:#?}"));
    assert!(
        first.contains(" write of 7712 bytes at offset 12288, "),
        "{first}"
    );
    assert!(first.contains(".dir/vdb_f000"), "{first}");
}
