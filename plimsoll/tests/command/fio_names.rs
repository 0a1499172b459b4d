//! Jobs on names: fio's engines that make, ask for and delete files and directories, in folders that hold other things too.

use crate::place::{TestFolder, typed};

fn job(place: &TestFolder, lines: &str) {
    place.text("jobs.fio", &format!("[a]\nfilesize=4k\nnrfiles=3\n{lines}"));
}

const RUN: [&str; 4] = ["fio", "--no-record", "--output-format=json", "jobs.fio"];

/// A run in which the names of a job's files may be lost.
fn destroying(flag: &str) -> Vec<&str> {
    RUN.into_iter().chain(["--destroy", flag]).collect()
}

#[test]
fn what_is_there_is_deleted_or_written_over_by_name_alone() {
    let place = TestFolder::new();
    std::fs::create_dir(place.path("d")).expect("a folder");
    let file = place.text("d/a.0.1", "somebody's");
    let theirs = place.text("d/a.0.3", "no name of the job's");
    for (engine, says) in [
        (
            "filedelete",
            "d/a.0.*: names that are there already: 1, and the plan deletes them",
        ),
        (
            "filestat",
            "d/a.0.*: files that hold data, less than 4KiB: 1, and they would be written over",
        ),
    ] {
        job(&place, &format!("directory=d\nioengine={engine}\n"));
        place
            .plimsoll(&RUN)
            .exits(1)
            .warns(&[says, "--destroy 'd/a.0.*'"]);
        place
            .plimsoll(&destroying("d"))
            .exits(1)
            .warns(&["names no target"]);
        assert_eq!(std::fs::read(&file).expect("there"), b"somebody's");
        assert_eq!(
            std::fs::read_dir(place.path("d")).expect("there").count(),
            2
        );
    }
    let length = || file.metadata().map(|m| m.len()).ok();
    job(&place, "directory=d\nioengine=filecreate\n");
    let done = place.plimsoll(&RUN).ok();
    done.warns(&["1 of its files are there already: they are opened, and not made"]);
    assert_eq!(length(), Some(10));
    job(&place, "directory=d\nioengine=filestat\n");
    place.plimsoll(&destroying("d/a.0.*")).ok();
    assert_eq!(length(), Some(4096));
    // All of them are whole now.
    place.plimsoll(&RUN).ok();
    job(&place, "directory=d\nioengine=filedelete\n");
    place.plimsoll(&destroying("d/a.0.*")).ok();
    assert_eq!(
        std::fs::read(&theirs).expect("there"),
        b"no name of the job's"
    );
    assert_eq!(
        std::fs::read_dir(place.path("d")).expect("there").count(),
        1
    );
}

#[test]
fn what_has_a_name_and_is_no_file_is_left_alone() {
    let place = TestFolder::new();
    std::fs::create_dir(place.path("a.0.2")).expect("a folder");
    std::os::unix::fs::symlink("elsewhere", place.path("b.0.0")).expect("a link");
    for engine in ["filecreate", "filestat", "filedelete"] {
        job(&place, &format!("ioengine={engine}\n"));
        let flags = destroying("a.0.*");
        place
            .plimsoll(&flags)
            .exits(1)
            .warns(&["a.0.2, a directory"]);
        place.text(
            "jobs.fio",
            &format!("[b]\nfilesize=4k\nioengine={engine}\n"),
        );
        place
            .plimsoll(&destroying("b.0.*"))
            .exits(1)
            .warns(&["b.0.0, a symbolic link"]);
    }
    assert_eq!(place.names(), ["a.0.2", "b.0.0", "jobs.fio"]);
}

#[test]
fn what_such_a_job_cannot_have_is_refused_by_name() {
    let place = TestFolder::new();
    for (lines, says) in [
        (
            "ioengine=filecreate\nfilename=x:y",
            "`filename` does not go with that",
        ),
        (
            "ioengine=filestat\nverify=crc32c",
            "`verify` does not go with that",
        ),
        (
            "ioengine=filecreate\nrw=randrw",
            "has one operation, create, which fio counts as reads or as writes",
        ),
        ("ioengine=filedelete\nloops=2", "each allows one delete"),
        (
            "ioengine=filecreate\ntime_based\nruntime=1",
            "each allows one create",
        ),
        (
            "ioengine=filecreate\nbs=8k",
            "each has less than an I/O of 8192",
        ),
        (
            "ioengine=filestat\nbs=8k",
            "each has less than an I/O of 8192",
        ),
        (
            "ioengine=filestat\nnumber_ios=2",
            "`number_ios` does not go with that",
        ),
        (
            "ioengine=filestat\nfilename_format=x",
            "are not a text with one number: `x`",
        ),
        (
            "ioengine=filestat\ndirectory=none",
            "there is no such directory; make it first: mkdir -p none",
        ),
        (
            "ioengine=filestat\n[p]\nioengine=psync\nsize=1m",
            "works on trees, and on files or devices beside them",
        ),
    ] {
        job(&place, &format!("{lines}\n"));
        place.plimsoll(&RUN).exits(1).warns(&[says]);
    }
    job(&place, "ioengine=filestat\ndirect=1\n");
    place
        .plimsoll(&["plan", "jobs.fio"])
        .ok()
        .warns(&["`direct` has no effect: job a works on names, and moves no bytes"]);
    // The smallest I/O counts: fio asks for all names.
    job(&place, "ioengine=filestat\nbsrange=1k-8k\n");
    place
        .plimsoll(&["plan", "jobs.fio"])
        .ok()
        .warns(&["fio counts up to 4 of 1024 for it"]);
    job(&place, "ioengine=filestat\n");
    let read_only: Vec<&str> = RUN.into_iter().chain(["--readonly"]).collect();
    place
        .plimsoll(&read_only)
        .exits(1)
        .warns(&["names of it are made or deleted"]);
    assert_eq!(place.names(), ["jobs.fio"]);
}

#[test]
fn such_jobs_are_planned_and_converted() {
    let place = TestFolder::new();
    place.text(
        "jobs.fio",
        "[global]\nnrfiles=5\nfilesize=4k\nfilename_format=f.$jobnum.$filenum\nstonewall\n\
         [a]\nioengine=filecreate\n[b]\nioengine=filestat\ntime_based\nruntime=300ms\n[c]\nioengine=filedelete\n",
    );
    place.plimsoll(&["plan", "jobs.fio"]).ok().says(&[
        "f.0.*",
        "5 files of 4KiB called f.0.*",
        "100% create",
        "each once",
    ]);
    place
        .plimsoll(&["convert", "jobs.fio", "--to", "toml", "-o", "jobs.toml"])
        .ok();
    let text = std::fs::read_to_string(place.path("jobs.toml")).expect("there");
    for line in [
        "names = \"f.0.*\"",
        "operations = { create = 100 }",
        "rounds = 1",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    let shown = place
        .plimsoll(&["run", "jobs.toml", "--no-record", "--json"])
        .ok()
        .json();
    let count = |step: usize| shown["steps"][step]["ios"].as_u64();
    assert_eq!((count(0), count(2)), (Some(5), Some(5)), "{shown}");
    assert!(count(1) > Some(5));
    assert_eq!(place.names(), ["jobs.fio", "jobs.toml"]);
}

/// Words of fio for the same: `func=stat(d/a.0.0) type=1, error=No such file or directory`.
#[test]
fn what_fails_is_named_with_its_file_and_the_kernels_word() {
    let place = TestFolder::new();
    let names = "[global]\nfilesize=4k\nfilename_format=f.$filenum\nstonewall\n";
    place.text(
        "jobs.fio",
        &format!("{names}[a]\nioengine=filedelete\n[b]\nioengine=filestat\n"),
    );
    place
        .plimsoll(&["fio", "--no-record", "jobs.fio"])
        .exits(1)
        .warns(&["stat", "ENOENT (No such file or directory): ./f.0"]);
}

/// Neither the flag's nor the table's tree needs to be told that each name has its turn, and no warm-up is before it.
#[test]
fn numbered_names_are_gone_through_once_and_from_the_first_on() {
    let place = TestFolder::new();
    let tree = "names=f.*,files=3";
    let run = ["run", ".", "--tree", tree, "--no-record", "--json"];
    let done = |more: &[&str]| place.plimsoll(&[&run[..], more].concat());
    let shown = done(&["--operations", "create=100"]).ok().json();
    assert_eq!(shown["steps"][0]["ios"], 3, "{shown}");
    done(&["--operations", "stat=100", "--warmup", "1s"]).refused(&[
        "goes through a tree in rounds",
        "give its run a `warmup` of 0s",
    ]);
    let probed = done(&["--operations", "stat=100", "--probe"]).ok();
    probed.warns(&["not probed: directories and files"]);
    assert_eq!(place.names(), ["f.0", "f.1", "f.2"]);
}

/// fio makes them; here a folder is the user's to make, once.
#[test]
fn all_folders_that_are_missing_are_named_at_once() {
    let place = TestFolder::new();
    let job = typed(
        "fio --name=a --numjobs=3 --filename_format=$jobname.$jobnum/x/$filenum --size=64k --rw=write",
    );
    let refused = place.plimsoll(&job).exits(1).err;
    let made = "make the folders first: mkdir -p a.0/x a.1/x a.2/x\n";
    assert!(refused.ends_with(made), "{refused}");
    for folder in ["a.0/x", "a.1/x", "a.2/x"] {
        std::fs::create_dir_all(place.path(folder)).expect("a folder");
    }
    place.plimsoll(&job).ok();
}
