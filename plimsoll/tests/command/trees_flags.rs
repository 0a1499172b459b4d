//! Trees from the command line: each method on one, its words, and mixes that are ready.

use crate::place::TestFolder;
use crate::trees::{count, found};
use std::path::Path;

const TREE: &str = "--tree depth=1,width=3,files=4 --caching buffered";
const SHORT: &str = "--for 300ms --interval 100ms --warmup 0s";

#[test]
fn flags_make_a_tree_and_do_what_they_say() {
    let place = TestFolder::new();
    let line = format!(
        "run t {TREE} --file-size 8k --operations create=20,write=20,read=20,stat=20,delete=20 {SHORT} --depth 3 --json --no-record -q"
    );
    let done = place.plimsoll(&line).ok().json();
    let step = &done["steps"][1];
    assert_eq!(step["errors"], 0, "{step}");
    let files = found(&place.path("t"));
    let sizes: Vec<u64> = files.into_values().flatten().collect();
    let left = count(step, "create") - count(step, "delete");
    // Three workers: what each was in at the end counts in no rate.
    assert!((left - sizes.len() as i64).abs() <= 3, "{left}: {sizes:?}");
    assert!(sizes.iter().all(|size| [0, 4096, 8192].contains(size)));

    let told = place
        .plimsoll(&format!("plan u {TREE} --operations mail"))
        .ok();
    told.says(&[
        "3 directories, 12 files of 4KiB",
        "33.33% read, 33.33% write, 16.67% create, 16.67% delete",
    ]);
    let root = place.path("missing");
    place
        .plimsoll("run missing --operations stat=100 --no-record")
        .refused(&["--operations", "--tree"]);
    assert!(!root.exists());
}

/// Files below a root.
fn files(root: &Path) -> usize {
    found(root).values().filter(|size| size.is_some()).count()
}

#[test]
fn a_part_of_the_files_is_there_at_first_and_as_many_stay() {
    let place = TestFolder::new();
    let line = |operations: &str| {
        format!(
            "run t --tree width=1,files=400,present=80 --caching buffered --operations {operations} {SHORT} --depth 2 --no-record -q --destroy t"
        )
    };
    // Of 400 draws a standard deviation is 8.
    place.plimsoll(&line("read=100")).ok();
    let first = files(&place.path("t"));
    assert!((280..360).contains(&first), "{first}");
    place.plimsoll(&line("stat=100")).ok();
    assert_eq!(files(&place.path("t")), first);
    // What is created beside them is made by nobody else.
    place.plimsoll(&line("create=100")).ok();
    assert_eq!(files(&place.path("t")), 400);
    place.plimsoll(&line("stat=100")).ok();
    assert_eq!(files(&place.path("t")), 400);
}

/// A method's line on a tree; what it says counts operations, and no I/Os.
#[test]
fn each_method_measures_a_tree_and_says_operations() {
    let place = TestFolder::new();
    let work = "--operations stat=80,read=20";
    for (name, more) in [
        ("run", ""),
        ("run", "--rate 500 --repeats 2"),
        ("curve", "--percents 50,100 --depth 4"),
        ("saturate", "--depth 2 --workers 1"),
        ("sweep", "--depth 1,2 --repeats 2"),
        ("soak", "--part 100ms --depth 2"),
        (
            "disturb",
            "--at 100ms --do true --allow-commands --times 1 --rate 500",
        ),
    ] {
        let record = format!("{name}{}.plim", more.len());
        let line = format!("{name} t {TREE} {work} {SHORT} {more} --record {record}");
        let done = place.plimsoll(&format!("{line} -v"));
        assert!(
            [Some(0), Some(1), Some(3)].contains(&done.code),
            "{line}: {done:#?}"
        );
        let shown = place.plimsoll(&format!("show {record}")).ok();
        for word in ["I/Os per second", "reads and writes", "IOPS"] {
            let said = done.out.contains(word) || shown.out.contains(word);
            assert!(!said, "{line}: {word}: {done:#?} {shown:#?}");
        }
        let page = format!("report {record} -o {record}.html");
        place.plimsoll(&page).ok();
        assert!(place.path(&format!("{record}.html")).exists());
        let told = place.plimsoll(&format!("show {record} --json")).ok().json();
        let steps = told["steps"].as_array().expect("steps");
        let measured = steps.iter().filter(|s| s["fill"] != true);
        for step in measured {
            assert_eq!(step["errors"], 0, "{line}: {step}");
            assert!(count(step, "stat") > 0, "{line}: {step}");
        }
    }
}
