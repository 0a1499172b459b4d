//! Runs of Vdbench's that give one anchor other numbers than the run before: gone on with, made anew or refused, as the real one does.

use crate::beside_vdbench::real;
use crate::place::{TestFolder, soon};
use crate::trees::{count, found, start_real};
use std::os::unix::fs::symlink;
use std::path::Path;

/// Runs on an fsd, whose numbers each of them gives.
fn parameters(anchor: &Path, fsd: &str, runs: &[&str]) -> String {
    let mut text = format!(
        "fsd=f1,anchor={},depth=1,width=1{fsd}\n\
         fwd=w1,fsd=f1,fileio=random,fileselect=random,threads=2\n\
         rd=default,fwd=w1,fwdrate=100,elapsed=2,interval=1,xfersize=4k,operation=read\n",
        anchor.display()
    );
    for (at, run) in runs.iter().enumerate() {
        text += &format!("rd=r{at},{run}\n");
    }
    text
}

/// Runs on one anchor.
struct Case {
    fsd: &'static str,
    runs: &'static [&'static str],
    /// Files made, directories made, files deleted and directories deleted, in all runs.
    done: [i64; 4],
    /// Directories in the end, and the files, of so many bytes.
    left: (usize, usize, u64),
}

const CASES: [Case; 5] = [
    // A shared fsd's files become longer, and are left as they are where less is wanted.
    Case {
        fsd: ",shared=yes",
        runs: &[
            "format=restart,files=5,size=4k,operation=write",
            "format=restart,files=5,size=64k,operation=write",
            "format=restart,files=5,size=16k",
        ],
        done: [5, 1, 0, 0],
        left: (1, 5, 64 << 10),
    },
    // Files that a run does not have stay where they are.
    Case {
        fsd: ",shared=yes",
        runs: &[
            "format=(restart,only),files=5,size=8k",
            "format=(restart,only),files=8,size=8k",
            "format=restart,files=3,size=8k",
        ],
        done: [8, 1, 0, 0],
        left: (1, 8, 8 << 10),
    },
    // Whatever numbers the names have that are there, all are deleted.
    Case {
        fsd: ",shared=yes",
        runs: &[
            "format=(restart,only),files=5,size=8k",
            "format=(clean,only),files=2,width=2,size=4k",
        ],
        done: [5, 1, 5, 1],
        left: (0, 0, 0),
    },
    Case {
        fsd: "",
        runs: &[
            "format=(yes,only),files=5,size=4k",
            "format=yes,files=3,width=2,size=64k",
            "format=no,files=3,width=2,size=64k",
        ],
        done: [11, 3, 5, 1],
        left: (2, 6, 64 << 10),
    },
    Case {
        fsd: "",
        runs: &[
            "format=(yes,only),files=5,size=4k",
            "format=(directories,only),files=5,width=2,size=4k",
        ],
        done: [5, 3, 5, 1],
        left: (2, 0, 0),
    },
];

/// Directories below a root, and its files: how many, and of how many bytes each.
fn left(root: &Path) -> (usize, usize, u64) {
    let there = found(root);
    let sizes: Vec<u64> = there.values().copied().flatten().collect();
    let size = sizes.first().copied().unwrap_or(0);
    assert!(sizes.iter().all(|other| *other == size), "{there:?}");
    (there.len() - sizes.len(), sizes.len(), size)
}

/// Counts that the real Vdbench prints of a name, of all runs together.
fn printed(console: &str, name: &str) -> i64 {
    let rows = console.lines().filter_map(|line| line.split_once(name));
    let counts = rows.filter_map(|(_, row)| row.split_once(':')?.1.split_whitespace().next());
    counts
        .map(|count| count.parse::<i64>().expect("a count"))
        .sum()
}

#[test]
fn runs_that_change_the_numbers_of_an_anchor_do_what_those_of_the_real_vdbench_do() {
    let program = real();
    if program.is_none() {
        plimsoll_skipped::skipped!("Vdbench is not installed");
    }
    for case in CASES {
        let place = TestFolder::new();
        let [ours, theirs] = ["ours", "theirs"].map(|name| place.path(name));
        place.text("ours.parm", &parameters(&ours, case.fsd, case.runs));
        let done = place.plimsoll(&["run", "ours.parm", "--no-record", "-q", "--json"]);
        let done = done.ok().json();
        let steps = done["steps"].as_array().expect("steps");
        let counts = ["create", "mkdir", "delete", "rmdir"]
            .map(|name| steps.iter().map(|step| count(step, name)).sum::<i64>());
        assert_eq!(
            (counts, left(&ours)),
            (case.done, case.left),
            "{:?}",
            case.runs
        );
        let Some(program) = &program else { continue };
        std::fs::create_dir(&theirs).expect("a folder");
        place.text("theirs.parm", &parameters(&theirs, case.fsd, case.runs));
        let ran = start_real(&place, program, "theirs.parm", "out");
        assert!(ran.status.success(), "{ran:?}");
        let console = String::from_utf8_lossy(&ran.stdout);
        let names = [
            "FILE_CREATES",
            "DIRECTORY_CREATES",
            "FILE_DELETES",
            "DIRECTORY_DELETES",
        ];
        assert_eq!(
            names.map(|name| printed(&console, name)),
            case.done,
            "{console}"
        );
        assert_eq!(found(&ours), found(&theirs), "{:?}", case.runs);
    }
}

#[test]
fn other_numbers_without_a_format_that_deletes_are_refused_where_the_real_vdbench_stops() {
    let place = TestFolder::new();
    for (runs, since) in [
        (
            &[
                "format=(yes,only),files=5,size=4k",
                "format=restart,files=5,size=64k",
            ][..],
            "sizes=4k since rd=r0, and rd=r1 wants sizes=64k",
        ),
        // The anchor has what the last format made, or would have made.
        (
            &[
                "format=(yes,only),files=5,size=4k",
                "format=(clean,only),files=2,size=4k",
                "format=restart,files=5,size=4k",
            ],
            "files=2 since rd=r1, and rd=r2 wants files=5",
        ),
        (
            &[
                "format=(yes,only),files=5,size=4k",
                "format=no,width=2,files=5,size=4k",
            ],
            "width=1 since rd=r0, and rd=r1 wants width=2",
        ),
    ] {
        place.text("a.parm", &parameters(&place.path("ours"), "", runs));
        let remedy = format!("write format=yes in rd=r{}", runs.len() - 1);
        place.plimsoll(&["run", "a.parm", "--no-record"]).refused(&[
            "Vdbench itself stops",
            since,
            &remedy,
        ]);
        assert!(!place.path("ours").exists());
        let Some(program) = real() else {
            plimsoll_skipped::skipped!("Vdbench is not installed");
            continue;
        };
        let theirs = tempfile::tempdir_in(place.folder()).expect("a folder");
        place.text("theirs.parm", &parameters(theirs.path(), "", runs));
        let ran = start_real(&place, &program, "theirs.parm", "out");
        let console = String::from_utf8_lossy(&ran.stdout);
        let last = format!("Starting RD=r{};", runs.len() - 1);
        assert!(
            !ran.status.success() && !console.contains(&last),
            "{console}"
        );
        assert!(console.contains("Parameter definition error"), "{console}");
    }
}

/// Each has runs of its own that make it, so that nothing is made of both before the first.
#[test]
fn trees_take_turns_in_our_own_language_too() {
    let place = TestFolder::new();
    let runs = [
        "format=(yes,only),files=5,size=4k",
        "format=(directories,only),files=5,width=2,size=4k",
        "format=(yes,only),files=3,width=2,size=8k",
    ];
    place.text("a.parm", &parameters(&place.path("t"), "", &runs));
    let converted = place.plimsoll(&["convert", "a.parm", "--to", "toml"]).ok();
    place.text("a.toml", &converted.out);
    place.plimsoll(&["run", "a.toml", "--no-record", "-q"]).ok();
    assert_eq!(left(&place.path("t")), (2, 6, 8 << 10));
    let made = converted
        .out
        .replace("make = \"anew\"", "operations = { stat = 100 }");
    place.text("b.toml", &made);
    place
        .plimsoll(&["run", "b.toml", "--no-record"])
        .exits(2)
        .warns(&["overlap"]);
}

/// Whatever is there of both trees, the next run makes what it wants of it, and leaves alone what is of neither.
#[test]
fn a_run_that_was_killed_between_two_trees_is_begun_again() {
    let place = TestFolder::new();
    let root = place.path("t");
    let runs = [
        "format=(yes,only),files=1500,size=4k",
        "format=(yes,only),width=3,files=200,size=8k",
    ];
    place.text("a.parm", &parameters(&root, "", &runs));
    let given = root.display().to_string();
    let words = ["run", "a.parm", "--no-record", "-q", "--destroy", &given];
    let (first, second) = ("vdb.1_1.dir/vdb_f1499.file", "vdb.1_2.dir/vdb_f0200.file");
    let is_there = |name: &str| root.join(name).exists();
    let moments: [&dyn Fn() -> bool; 3] = [
        &|| is_there(first),
        &|| is_there("vdb.1_1.dir") && !is_there(first),
        &|| is_there(second),
    ];
    for moment in moments {
        let mut child = place.begin(&words);
        soon(|| is_there(first));
        soon(moment);
        child.kill().expect("it runs");
        child.wait().expect("it ends");
    }
    place.plimsoll(&words).ok();
    assert_eq!(left(&root), (3, 600, 8 << 10));

    let outside = place.foreign("outside", 4096);
    let before = found(&root);
    let in_the_way = root.join(first);
    for (put, why) in [
        (
            &(|| symlink(&outside, &in_the_way)) as &dyn Fn() -> std::io::Result<()>,
            ", a symbolic link",
        ),
        (
            &|| std::fs::hard_link(&outside, &in_the_way),
            " with a second name",
        ),
        (&|| std::fs::create_dir(&in_the_way), ", a directory"),
    ] {
        put().expect("it is made");
        let says = format!("{first}{why}, which is not of the trees that take turns in it");
        place.plimsoll(&words).refused(&[&says]);
        let _ = std::fs::remove_file(&in_the_way).or_else(|_| std::fs::remove_dir(&in_the_way));
        assert_eq!(found(&root), before);
    }
    assert_eq!(outside.metadata().expect("there").len(), 4096);
}
