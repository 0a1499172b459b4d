//! Names of records: those that nobody gave, links, and what a program left that died.

use crate::place::{TestFolder, soon, typed};
use crate::resuming::killed_after;
use std::os::unix::fs::symlink;
use std::process::{Child, Stdio};

const RUN: &str = "run null:1g --rate 100 --workers 1 --warmup 0s --interval 100ms";

fn begin(place: &TestFolder, words: &[&str]) -> Child {
    let mut command = place.command(&[&typed(RUN)[..], words].concat());
    let command = command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the program starts")
}

#[test]
fn runs_that_begin_at_once_have_a_record_each() {
    let place = TestFolder::new();
    let runs: Vec<Child> = (0..8).map(|_| begin(&place, &["--for", "100ms"])).collect();
    for mut run in runs {
        assert_eq!(run.wait().expect("it ends").code(), Some(0));
    }
    let names = place.names();
    assert_eq!(names.len(), 8, "{names:?}");
    // By time, to be read, and nothing else is left.
    assert!(
        names
            .iter()
            .all(|n| n.starts_with("plimsoll-20") && n.ends_with(".plim"))
    );
    for name in &names {
        place.plimsoll(&format!("show {name}")).ok();
    }
}

/// A run that was killed, with its record under this name.
fn killed(place: &TestFolder, record: &str, more: &[&str]) {
    let words = [
        &typed(RUN)[..],
        &["--for", "600s", "--record", record],
        more,
    ]
    .concat();
    assert!(killed_after(place, &words, 1, 0));
}

#[test]
fn a_record_that_is_named_by_links_is_resumed_and_replaced_where_it_is() {
    let place = TestFolder::new();
    std::fs::create_dir(place.path("there")).expect("a folder");
    std::fs::write(place.path("there/r.plim"), "").expect("an empty file");
    symlink("there/r.plim", place.path("one.plim")).expect("a link");
    symlink("one.plim", place.path("two.plim")).expect("a link");
    symlink("there", place.path("folder")).expect("a link");
    for name in ["one.plim", "two.plim", "folder/r.plim"] {
        killed(&place, name, &["--overwrite"]);
        let mut command = place.command(&format!("resume {name} -q"));
        let mut resumed = command
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(place.path("said")).expect("a file"))
            .spawn()
            .expect("the program starts");
        // Killed once more while it goes on.
        soon(|| {
            let printed = std::fs::read_to_string(place.path("said")).unwrap_or_default();
            printed.contains("note: resumed behind step 0")
        });
        resumed.kill().expect("killed");
        resumed.wait().expect("ended");
    }
    place
        .plimsoll(
            &[
                &typed(RUN)[..],
                &["--for", "100ms", "--record", "two.plim", "--overwrite"],
            ]
            .concat(),
        )
        .ok();
    assert!(place.path("one.plim").is_symlink() && place.path("two.plim").is_symlink());
    place.plimsoll("show there/r.plim").ok();
    assert_eq!(
        place.names(),
        ["folder", "one.plim", "said", "there", "two.plim"]
    );
}

#[test]
fn a_resume_removes_what_a_program_left_that_died_and_nothing_else() {
    let place = TestFolder::new();
    killed(&place, "r.plim", &[]);
    // A process that is no more, and one that is.
    let mut child = std::process::Command::new("true")
        .spawn()
        .expect("it starts");
    let dead = child.id();
    child.wait().expect("it ends");
    let left = format!(".plimsoll-{dead}-0123456789abcdef.part");
    let ours = format!(".plimsoll-{}-0123456789abcdef.part", std::process::id());
    let other = ".plimsoll-notes.part";
    for name in [&left, &format!("{left}-wal"), &ours, other] {
        std::fs::write(place.path(name), "unfinished").expect("written");
    }
    let mut command = place.command("resume r.plim -q");
    let mut resumed = command
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(place.path("said")).expect("a file"))
        .spawn()
        .expect("the program starts");
    soon(|| !place.path(&left).exists());
    soon(|| {
        let printed = std::fs::read_to_string(place.path("said")).unwrap_or_default();
        printed.contains("removed 2 of the files .plimsoll-*.part beside r.plim")
    });
    resumed.kill().expect("killed");
    resumed.wait().expect("ended");
    assert!(!place.path(&format!("{left}-wal")).exists());
    assert!(place.path(&ours).exists() && place.path(other).exists());
}
