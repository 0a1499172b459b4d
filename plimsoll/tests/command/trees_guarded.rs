//! Trees that are not worked on just now, or not in this way: what is said, and that nothing is changed.

use crate::place::{Done, TestFolder, root_or_skip};
use rustix::fs::{FlockOperation, flock};
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

const READ_ONLY: [&str; 2] = [
    "its file system is mounted read-only",
    "mount it for writing",
];

/// A tree of eight files, and a run on it.
fn definition(operations: &str, load: &str) -> String {
    format!(
        "[target.t]\ntree = {{ root = \"root\", depth = 1, width = 2, files = 4 }}\ncaching = \"buffered\"\n\
         [workload.w]\noperations = {{ {operations} }}\n[[run]]\nfor = \"200ms\"\nwarmup = \"0s\"\ninterval = \"100ms\"\nload = \"{load}\"\n"
    )
}

/// A folder with a tree that is made.
fn made() -> TestFolder {
    let place = TestFolder::new();
    place.text("read.toml", &definition("read = 50, stat = 50", "max"));
    place.text("write.toml", &definition("write = 100", "max"));
    place
        .plimsoll(&["run", "read.toml", "--no-record", "-q"])
        .ok();
    place
}

#[test]
fn a_tree_on_which_another_run_works_is_said_to_be_so() {
    let place = made();
    let root = std::fs::File::open(place.path("root")).expect("the root");
    let says = "another run works on this tree, or another program has it locked";
    flock(&root, FlockOperation::LockExclusive).expect("a lock");
    let given = place.path("root").display().to_string();
    for run in [
        &["run", "write.toml", "--no-record"][..],
        &["run", "write.toml", "--no-record", "--destroy", &given],
        &["run", "read.toml", "--no-record"],
    ] {
        place.plimsoll(&run.to_vec()).refused(&[says]);
    }
    // Those who read it share it, and whoever changes it has it alone.
    flock(&root, FlockOperation::LockShared).expect("a lock");
    place
        .plimsoll(&["run", "read.toml", "--no-record", "-q"])
        .ok();
    place
        .plimsoll(&["run", "write.toml", "--no-record", "--destroy", &given])
        .refused(&[says]);
    drop(root);
    place
        .plimsoll(&["run", "write.toml", "--no-record", "-q"])
        .refused(&["has files", "--destroy"]);
}

#[test]
fn an_open_loop_on_a_tree_takes_few_threads_where_no_depth_is_given() {
    let place = made();
    place.text("open.toml", &definition("stat = 100", "5000"));
    place
        .plimsoll(&["run", "open.toml", "--no-record", "-q"])
        .ok();
    place.text("curve.toml", &definition("stat = 100", "curve"));
    let first =
        |file: &str| place.plimsoll(&["plan", file, "--json"]).ok().json()["steps"][0].clone();
    assert_eq!(first("open.toml")["depth"], 256);
    // Each point has four times the depth of the maximum.
    assert_eq!(first("curve.toml")["name"], "run1_(depth=16..64)");
}

#[test]
fn nothing_of_the_runs_own_is_written_into_its_tree() {
    let place = made();
    let says = "it is in a tree that this run works on";
    place
        .plimsoll(&["run", "read.toml", "--record", "root/a.plim"])
        .refused(&[says]);
    let page = "root/vdb.1_1.dir/a.html";
    place
        .plimsoll(&["run", "read.toml", "--record", "a.plim", "--html", page])
        .refused(&[says]);
    let text = format!(
        "fsd=f1,anchor={},depth=1,width=2,files=4,size=4k\nfwd=w1,fsd=f1,operation=getattr\n\
         rd=r1,fwd=w1,fwdrate=10,elapsed=2,interval=1\n",
        place.path("root").display()
    );
    place.text("p.parm", &text);
    let told = place
        .plimsoll(&["vdbench", "-f", "p.parm", "-o", "root/out"])
        .exits(157);
    assert!(told.err.contains(says), "{told:#?}");
    assert_eq!(
        std::fs::read_dir(place.path("root"))
            .expect("there")
            .count(),
        2
    );
}

#[test]
fn trees_that_are_one_or_lie_in_each_other_by_links_are_refused() {
    let place = TestFolder::new();
    let says = "are one directory, or one lies in the other";
    std::fs::create_dir(place.path("root")).expect("a folder");
    std::os::unix::fs::symlink("root", place.path("link")).expect("a link");
    for (first, second) in [("root", "link"), ("link/in", "root"), ("root", "link/in")] {
        let tree = |name: &str, root: &str| {
            format!(
                "[target.{name}]\ntree = {{ root = \"{root}\", depth = 1, width = 2, files = 4 }}\n"
            )
        };
        let work = "[workload.w]\noperations = { write = 100 }\n[[run]]\nfor = \"200ms\"\nload = \"max\"\n";
        let text = format!("{}{}{work}", tree("a", first), tree("b", second));
        place.text("two.toml", &text);
        place
            .plimsoll(&["run", "two.toml", "--no-record"])
            .refused(&[says, first, second]);
    }
    assert_eq!(
        std::fs::read_dir(place.path("root"))
            .map(Iterator::count)
            .ok(),
        Some(0)
    );
}

#[test]
fn a_mount_in_a_tree_and_one_that_is_read_only_are_named() {
    if !root_or_skip("mounting into a tree") {
        return;
    }
    let place = made();
    let mounted = |mount: &str, words: &str| {
        let script = format!("{mount} && exec \"$0\" {words}");
        Command::new("unshare")
            .args(["-m", "sh", "-c", &script, env!("CARGO_BIN_EXE_plimsoll")])
            .current_dir(place.folder())
            .output()
            .expect("unshare")
    };
    if mounted("mount -t tmpfs none root", "--version")
        .status
        .code()
        != Some(0)
    {
        plimsoll_skipped::skipped!("mount: nothing can be mounted here");
        return;
    }
    place.text("outside", "mine");
    std::fs::create_dir(place.path("none")).expect("a folder");
    let read_only =
        |root: &str| format!("mount --bind {root} {root} && mount -o remount,ro,bind {root}");
    let on_made = "run write.toml --no-record --destroy root";
    let file = "vdb.1_1.dir/vdb_f0000.file";
    for (mount, words, says) in [
        (
            "mount -t tmpfs none root/vdb.1_2.dir".to_string(),
            on_made,
            ["something else is mounted in it, at vdb.1_2.dir", "unmount"],
        ),
        (
            format!("mount --bind outside root/{file}"),
            on_made,
            [&*format!("is mounted in it, at {file}"), "unmount it"],
        ),
        (read_only("root"), on_made, READ_ONLY),
        (
            read_only("none"),
            "run none --tree files=2 --operations write=100 --no-record",
            READ_ONLY,
        ),
        (
            read_only("none"),
            "run none/new --tree files=2 --operations write=100 --no-record",
            READ_ONLY,
        ),
    ] {
        Done::new(&mounted(&mount, words), &[words]).refused(&says);
    }
    let outside = std::fs::read_to_string(place.path("outside"));
    assert_eq!(outside.ok().as_deref(), Some("mine"));
}

#[test]
fn the_key_that_a_tree_does_not_take_is_named_as_it_was_written() {
    let place = TestFolder::new();
    let half = definition("read = 50", "max");
    let whole = definition("read = 100", "max");
    let with = |key: &str| whole.replace("[[run]]", &format!("{key}\n[[run]]"));
    for (text, says) in [
        (half, "the operations of workload `w` sum to 50 %"),
        (with("stop = \"100ms\""), "leave `stop` out"),
        (with("max_rate = 5"), "leave `max_rate` out"),
    ] {
        place.text("odd.toml", &text);
        let refused = place.plimsoll(&["plan", "odd.toml"]);
        refused.refused(&[says, "odd.toml:"]);
    }
}

#[test]
fn what_stands_in_the_way_of_a_tree_is_named_with_what_to_do_about_it() {
    let place = TestFolder::new();
    place.text("write.toml", &definition("write = 100", "max"));
    let run = ["run", "write.toml", "--no-record", "-q"];
    std::fs::create_dir_all(place.path("root/lost+found")).expect("a folder");
    place.text("root/mine", "");
    let says = "it holds mine, and has no mark of Plimsoll's";
    place.plimsoll(&run).refused(&[says]);
    let planned = place.plimsoll(&["plan", "write.toml"]).ok();
    planned.says(&["would be refused", says]);
    // An empty file system has the folder that mkfs makes.
    std::fs::remove_file(place.path("root/mine")).expect("removed");
    place.plimsoll(&run).ok();
    assert!(place.path("root/lost+found").exists());
    let odd = std::ffi::OsStr::from_bytes(b"root/vdb.1_1.dir/\xff\n");
    std::fs::write(place.path("").join(odd), "").expect("a file");
    let again = [&run[..], &["--destroy", "root"]].concat();
    place.plimsoll(&again).refused(&[
        r"it holds vdb.1_1.dir/\xff\n, which is not of this tree",
        "give the tree the numbers that it was made with",
    ]);
    std::fs::remove_file(place.path("").join(odd)).expect("removed");
    let file = place.path("root/vdb.1_1.dir/vdb_f0001.file");
    std::fs::remove_file(&file).expect("a file of the tree");
    std::os::unix::fs::symlink("elsewhere", &file).expect("a link");
    place.plimsoll(&again).refused(&[
        "vdb_f0001.file, a symbolic link, which is not of this tree",
        "remove that name",
    ]);
}

/// A file is renamed, and stays on its file system.
#[test]
fn a_move_to_another_file_system_is_refused_before_the_run() {
    if !root_or_skip("mounting a file system") {
        return;
    }
    let place = TestFolder::new();
    for name in ["a", "b"] {
        std::fs::create_dir(place.path(name)).expect("a folder");
    }
    let script = "mount -t tmpfs none b && exec \"$0\" run a/t --tree files=2 --operations move=100 --to b/t --no-record";
    let done = Command::new("unshare")
        .args(["-m", "sh", "-c", script, env!("CARGO_BIN_EXE_plimsoll")])
        .current_dir(place.folder())
        .output()
        .expect("unshare");
    let done = Done::new(&done, &["run"]);
    if done.code == Some(32) {
        plimsoll_skipped::skipped!("mount: nothing can be mounted here");
        return;
    }
    done.refused(&["on two file systems", "a move renames a file"]);
    assert!(!place.path("a/t").exists());
}
