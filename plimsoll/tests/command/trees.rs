//! Trees of directories and files: made, worked on and left alone, beside the real Vdbench too.

use crate::beside_vdbench::real;
use crate::place::TestFolder;
use rustix::fs::setxattr;
use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

/// Files below a folder with their sizes, and directories with none, by path.
pub fn found(root: &Path) -> BTreeMap<String, Option<u64>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let metadata = path.symlink_metadata().expect("it is there");
            let name = path
                .strip_prefix(root)
                .expect("below")
                .display()
                .to_string();
            // Those are Vdbench's own.
            if name == "vdb_control.file" || name == "no_dismount.txt" {
                continue;
            }
            found.insert(name, metadata.is_file().then_some(metadata.len()));
            if metadata.is_dir() {
                folders.push(path);
            }
        }
    }
    found
}

const NATIVE: &str = "[target.t]\ntree = { root = \"root\", depth = 2, width = 3, files = 2 }\nfile_size = \"8k\"\ncaching = \"buffered\"\n";

fn definition(operations: &str) -> String {
    format!(
        "{NATIVE}[workload.w]\noperations = {{ {operations} }}\n[[run]]\nfor = \"1s\"\nwarmup = \"0s\"\ndepth = 3\n"
    )
}

fn done(place: &TestFolder, name: &str) -> serde_json::Value {
    let run = place.plimsoll(&["run", name, "--json", "--no-record", "-q"]);
    run.ok().json()
}

/// The I/Os of an operation of a step.
pub fn count(step: &serde_json::Value, name: &str) -> i64 {
    let ops = step["ops"].as_array().expect("operations");
    let own = ops.iter().find(|op| op["op"] == name);
    own.and_then(|op| op["ios"].as_i64()).unwrap_or(0)
}

/// True where the file system keeps the mark by which a root is recognised.
fn keeps_marks(place: &TestFolder) -> bool {
    let set = setxattr(
        place.folder(),
        "user.probe",
        b"1",
        rustix::fs::XattrFlags::empty(),
    );
    if set.is_err() {
        plimsoll_skipped::skipped!("the temporary folder's file system keeps no user attributes");
    }
    set.is_ok()
}

#[test]
fn what_is_created_is_written_in_order_and_read_then() {
    let place = TestFolder::new();
    let operations = "create = 20, write = 20, read = 20, stat = 20, delete = 20";
    place.text("all.toml", &definition(operations));
    let done = done(&place, "all.toml");
    let step = &done["steps"][1];
    assert_eq!(step["errors"], 0, "{step}");
    let count = |name: &str| count(step, name);
    for op in ["create", "write", "read", "stat", "delete"] {
        assert!(count(op) > 0, "{op}: {step}");
    }
    let sizes: Vec<u64> = found(&place.path("root")).into_values().flatten().collect();
    // Three workers: what each was in at the end counts in no rate.
    let left = count("create") - count("delete");
    assert!((left - sizes.len() as i64).abs() <= 3, "{left}: {sizes:?}");
    // From the beginning on, in two blocks of the default's 4 KiB.
    assert!(
        sizes.iter().all(|size| [0, 4096, 8192].contains(size)),
        "{sizes:?}"
    );
    // And without a hole where the beginning was left out.
    for (name, size) in found(&place.path("root")) {
        if size.is_some_and(|size| size > 0) {
            let content = std::fs::read(place.path("root").join(&name)).expect("reads");
            assert!(
                content
                    .chunks(4096)
                    .all(|block| block.iter().any(|b| *b != 0)),
                "{name}"
            );
        }
    }
}

/// Another process goes on where one left: of a file that is not full, at its end.
#[test]
fn a_file_that_is_not_full_is_written_on_from_its_end() {
    const MINE: u8 = 0xA5;
    let place = TestFolder::new();
    let run = |size: &str, keys: &str| {
        place.text("run.toml", &format!("[target.t]\ntree = {{ root = \"root\", files = 1 }}\nfile_size = \"{size}\"\ncaching = \"buffered\"\n[workload.w]\n{keys}\n[[run]]\nfor = \"200ms\"\ninterval = \"100ms\"\nwarmup = \"0s\"\ndepth = 1\n"));
        place
            .plimsoll(&["run", "run.toml", "--no-record", "-q", "--destroy", "root"])
            .ok();
    };
    let file = place.path("root/vdb.1_1.dir/vdb_f0000.file");
    let size = || file.metadata().expect("a file").len();
    let keeps = |bytes: u64| {
        let content = std::fs::read(&file).expect("reads");
        let (mine, new) = content.split_at(bytes as usize);
        mine.iter().all(|byte| *byte == MINE) && new.iter().any(|byte| *byte != MINE)
    };
    // A workload that leaves a file after each transfer; nobody fills a gigabyte so in that time.
    let writes = "operations = { create = 50, write = 50 }\nper_file = 1";
    run("1g", writes);
    let first = size();
    assert!(first > 0 && first % 4096 == 0, "{first}");
    std::fs::write(&file, vec![MINE; first as usize]).expect("writes");
    run("1g", writes);
    assert!(size() > first && keeps(first), "{first}, then {}", size());
    // And what is filled before it is read, by transfers of 128 KiB.
    std::fs::write(&file, vec![MINE; 200 << 10]).expect("writes");
    run("256k", "operations = { read = 100 }");
    assert!(size() == 256 << 10 && keeps(128 << 10));
}

#[test]
fn a_tree_has_no_root_among_devices_or_behind_a_link_to_nothing() {
    let place = TestFolder::new();
    let missing = Path::new("/dev/plimsoll-no-such-tree");
    symlink(place.path("nothing"), place.path("link")).expect("a link");
    for (root, why) in [
        ("/dev/plimsoll-no-such-tree", "among the devices"),
        ("link", "a link to nothing"),
    ] {
        let text = definition("stat = 100").replace("\"root\"", &format!("\"{root}\""));
        place.text("refused.toml", &text);
        place
            .plimsoll(&["run", "refused.toml", "--no-record", "-q"])
            .refused(&[why]);
    }
    assert!(!missing.exists() && !place.path("nothing").exists());
}

#[test]
fn a_tree_is_made_before_it_is_read_and_only_what_belongs_to_it_is_changed() {
    let place = TestFolder::new();
    if !keeps_marks(&place) {
        return;
    }
    place.text("read.toml", &definition("read = 50, stat = 50"));
    let done = done(&place, "read.toml");
    let root = place.path("root");
    let tree = found(&root);
    let directories = tree.values().filter(|size| size.is_none()).count();
    let full = tree.values().filter(|size| **size == Some(8192)).count();
    assert_eq!(
        (directories, full, tree.len()),
        (3 + 9, 9 * 2, 30),
        "{tree:?}"
    );
    assert_eq!(tree["vdb.1_3.dir/vdb.2_2.dir/vdb_f0010.file"], Some(8192));
    let ops = done["steps"][1]["ops"].as_array().expect("operations");
    let names: Vec<&str> = ops.iter().filter_map(|op| op["op"].as_str()).collect();
    assert_eq!(names, ["read", "stat"]);
    assert_eq!(done["steps"][1]["errors"], 0);

    // What is not of it is left alone, and so is all the rest.
    let foreign = root.join("vdb.1_1.dir/notes");
    std::fs::write(&foreign, "mine").expect("writes");
    let before = found(&root);
    place.text("delete.toml", &definition("delete = 100"));
    let run = ["run", "delete.toml", "--no-record", "-q"];
    place
        .plimsoll(&run)
        .refused(&["vdb.1_1.dir/notes", "not of this tree"]);
    std::fs::remove_file(&foreign).expect("removes");
    let file = root.join("vdb.1_3.dir/vdb.2_2.dir/vdb_f0010.file");
    let outside = place.path("outside");
    std::fs::rename(&file, &outside).expect("moves");
    symlink(&outside, &file).expect("a link");
    place
        .plimsoll(&run)
        .refused(&["vdb_f0010.file, a symbolic link, which is not of this tree"]);
    std::fs::remove_file(&file).expect("removes");
    std::fs::hard_link(&outside, &file).expect("another name");
    place
        .plimsoll(&run)
        .refused(&["vdb_f0010.file with a second name, which is not of this tree"]);
    assert_eq!(std::fs::metadata(&outside).expect("there").len(), 8192);
    assert_eq!(found(&root).len(), before.len() - 1);

    // Somebody else's directory is nobody's to write to.
    std::fs::create_dir(place.path("theirs")).expect("a folder");
    std::fs::create_dir(place.path("theirs/vdb.1_1.dir")).expect("a folder");
    place.text(
        "theirs.toml",
        &definition("create = 100").replace("\"root\"", "\"theirs\""),
    );
    place
        .plimsoll(&["run", "theirs.toml", "--no-record", "-q"])
        .refused(&["theirs", "no mark"]);
    assert_eq!(found(&place.path("theirs")).len(), 1);
}

#[test]
fn what_was_created_and_not_deleted_is_there_and_what_finds_nothing_is_said() {
    let place = TestFolder::new();
    if !keeps_marks(&place) {
        return;
    }
    place.text("steady.toml", &definition("create = 50, delete = 50"));
    let done = done(&place, "steady.toml");
    let step = &done["steps"][1];
    let count = |name: &str| count(step, name);
    let files = found(&place.path("root"))
        .values()
        .filter(|size| size.is_some())
        .count() as i64;
    // Three workers: what each was in at the end counts in no rate.
    let left = count("create") - count("delete");
    assert!((left - files).abs() <= 3, "{left} and {files}");
    assert!(count("create") > 0);

    // All are there, so none can be made, and the run says so.
    place.text("make.toml", &format!("{NATIVE}[workload.w]\nmake = \"missing\"\n[[run]]\nfor = \"unlimited\"\npurpose = \"fill\"\n"));
    place.text("create.toml", &definition("create = 1, stat = 99"));
    let root = place.path("root").display().to_string();
    place
        .plimsoll(&["run", "make.toml", "--no-record", "-q", "--destroy", &root])
        .ok();
    assert_eq!(
        found(&place.path("root"))
            .values()
            .filter(|size| **size == Some(8192))
            .count(),
        18
    );
    // What somebody has put into its files meanwhile is not known.
    place
        .plimsoll(&["run", "create.toml", "--no-record", "-q"])
        .refused(&["has files", "--destroy"]);
    let done = place
        .plimsoll(&[
            "run",
            "create.toml",
            "--no-record",
            "-v",
            "--destroy",
            &root,
        ])
        .ok();
    done.says(&["not carried out"]);
}

const SHAPES: [&str; 6] = [
    "depth=2,width=3,files=2,sizes=(4k,50,8k,30,100k,20)",
    "depth=2,width=2,files=3,sizes=(10k,0),distribution=all",
    "depth=3,width=2,files=1,sizes=5000",
    "depth=1,width=4,files=7,sizes=(300k,0)",
    "depth=2,width=2,files=5,size=8k,totalsize=64k",
    "depth=1,width=3,files=9,sizes=(4k,50,12k,50),totalsize=120k,wss=60k",
];

fn parameters(shape: &str, anchor: &str) -> String {
    format!(
        "fsd=f1,anchor={anchor},{shape}\nfwd=w1,fsd=f1,operation=read,fileio=random,threads=2\n\
         rd=r1,fwd=w1,fwdrate=100,format=(yes,only),elapsed=2,interval=1\n"
    )
}

/// Has the real Vdbench carry out a parameter file, in a name space of networks of its own.
pub fn start_real(place: &TestFolder, program: &Path, file: &str, folder: &str) -> Output {
    let script = "ip link set lo up; exec \"$@\"";
    let mut ran = Command::new("unshare");
    ran.args(["-n", "sh", "-c", script, "sh"])
        .arg(program)
        .args(["-f", file, "-o", folder])
        .current_dir(place.folder());
    ran.output().expect("it starts")
}

/// The same, which ends well; what it printed.
pub fn run_real(place: &TestFolder, program: &Path, file: &str, folder: &str) -> String {
    let ran = start_real(place, program, file, folder);
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

#[test]
fn a_format_makes_the_tree_that_the_real_vdbench_makes() {
    let program = real();
    if program.is_none() {
        plimsoll_skipped::skipped!("Vdbench is not installed");
    }
    for shape in SHAPES {
        let place = TestFolder::new();
        let ours = place.path("ours");
        place.text("ours.parm", &parameters(shape, &ours.display().to_string()));
        place
            .plimsoll(&["run", "ours.parm", "--no-record", "-q"])
            .ok();
        assert!(!found(&ours).is_empty());
        let Some(program) = &program else { continue };
        let theirs = place.path("theirs");
        std::fs::create_dir(&theirs).expect("a folder");
        place.text(
            "theirs.parm",
            &parameters(shape, &theirs.display().to_string()),
        );
        run_real(&place, program, "theirs.parm", "out");
        assert_eq!(found(&ours), found(&theirs), "{shape}");
    }
}
