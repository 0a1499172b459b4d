//! Whatever is typed wrongly gets one clear error and exit code 2, and nothing is touched or made.

use crate::place::{Done, MIB, TestFolder, Typed, root_or_skip};

/// Refused with these words, and the folder stays as it was.
#[track_caller]
fn refused(place: &TestFolder, words: &(impl Typed + ?Sized), parts: &[&str]) {
    let before = place.names();
    place.quick(words).refused(parts);
    assert_eq!(place.names(), before, "{:?}", words.words());
}

#[test]
fn a_target_that_is_not_there() {
    let place = TestFolder::new();
    refused(&place, "run missing", &["missing does not exist", "--size"]);
    refused(
        &place,
        "run /dev/missing",
        &["/dev/missing", "there is no such device"],
    );
    refused(
        &place,
        "run no/such/folder/file --size 1m",
        &["no/such/folder/file"],
    );
    place
        .plimsoll(&["run", "missing.toml"])
        .refused(&["missing.toml"]);
    place
        .plimsoll(&["run", "-f", "missing.parm"])
        .refused(&["missing.parm"]);
    assert_eq!(place.names(), Vec::<String>::new());
    refused(&place, &["run", ""], &["a path"]);
}

#[test]
fn a_definition_of_millions_of_parts_is_refused_before_it_takes_memory() {
    let place = TestFolder::new();
    let targets = "[target.t]\npath = \"x\"\nsize = \"1m\"\n[workload.w]\n";
    let jobs = "[global]\nfilename=x\nsize=1m\n";
    let storage = "sd=s,lun=x,size=1m\nwd=w,sd=s\n";
    for (name, text, said) in [
        (
            "runs.toml",
            [targets, &"[[run]]\nload = \"max\"\n".repeat(3_000_000)].concat(),
            "larger than a definition may be, 4 MiB",
        ),
        (
            "more-runs.toml",
            [targets, &"[[run]]\nload = \"max\"\n".repeat(10_001)].concat(),
            "the definition has 10001 runs",
        ),
        (
            "jobs.fio",
            [jobs, &"[a]\n".repeat(4_000_000)].concat(),
            "job files may have 500000 lines together",
        ),
        (
            "options.fio",
            [jobs, "[a]\n", &"rw=read\n".repeat(2_000_000)].concat(),
            "job files may have 500000 lines together",
        ),
        (
            "runs.parm",
            [storage, &"rd=r,wd=w\n".repeat(6_000_000)].concat(),
            "parameter files may have 500000 lines together",
        ),
    ] {
        place.text(name, &text);
        let script = format!("ulimit -v 2000000; exec \"$0\" lint {name}");
        let output = std::process::Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_plimsoll")])
            .current_dir(place.folder())
            .output()
            .expect("a shell");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{name}: {err}");
        assert!(err.contains(said), "{name}: {err}");
    }
}

#[test]
fn without_proc_a_target_is_there_and_the_reason_is_said() {
    if !root_or_skip("covering /proc") {
        return;
    }
    let place = TestFolder::new();
    place.foreign("t", MIB);
    let covered = |words: &str| {
        let script = format!("mount -t tmpfs none /proc && exec \"$0\" {words}");
        std::process::Command::new("unshare")
            .args(["-m", "sh", "-c", &script, env!("CARGO_BIN_EXE_plimsoll")])
            .current_dir(place.folder())
            .output()
            .expect("unshare")
    };
    if covered("--version").status.code() != Some(0) {
        plimsoll_skipped::skipped!("mount: /proc cannot be covered here");
        return;
    }
    for words in [
        "run t --no-record",
        "run t --read 0 --destroy t --no-record",
        "run t --size 1m --read 0 --destroy t --no-record",
    ] {
        let output = covered(words);
        let done = Done::new(&output, &[words]);
        done.refused(&["t: /proc is not mounted", "mount -t proc"]);
    }
}

#[test]
fn a_target_that_is_neither_file_nor_block_device() {
    let place = TestFolder::new();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        place.path("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .expect("a pipe");
    let folder = place.folder().display().to_string();
    for target in [folder.as_str(), "/dev/null", "pipe"] {
        refused(
            &place,
            &["run", target],
            &[target, "neither a file nor a block device"],
        );
        refused(
            &place,
            &["run", target, "--read", "0", "--destroy", target],
            &["neither a file nor a block device"],
        );
    }
}

#[test]
fn targets_of_later_versions_are_refused_by_name() {
    let place = TestFolder::new();
    refused(&place, "run nbd://host/export", &["nbd:"]);
    refused(&place, "run null:0", &["null"]);
    refused(&place, "run null:many", &["null"]);
}

#[test]
fn sizes_that_do_not_divide_or_fit() {
    let place = TestFolder::new();
    place.foreign("f", 4 * MIB);
    refused(&place, "run f --block 3000", &["3000", "512"]);
    refused(&place, "run f --block 8m", &["8MiB", "4MiB"]);
    refused(&place, "run f --block 0", &["--block"]);
    refused(&place, "run f --range 4m-5m", &["range"]);
    // Nothing was made where the new file would not have fitted the plan.
    refused(&place, "run new --size 4k --block 8k", &["8KiB", "4KiB"]);
    refused(&place, "run new --size 900p", &["new"]);
}

#[test]
fn a_file_that_would_be_made_longer_keeps_its_length_when_the_run_is_refused() {
    let place = TestFolder::new();
    let path = place.foreign("f", MIB);
    let before = std::fs::read(&path).expect("readable");
    let longer = ["run", "f", "--size", "2m", "--destroy", "f", "--record"];
    refused(
        &place,
        &[&longer[..], &["no/folder/r.plim"]].concat(),
        &["no/folder/r.plim"],
    );
    assert_eq!(std::fs::read(&path).expect("readable"), before);
    refused(&place, "run f --size 2m", &["--destroy f"]);
    assert_eq!(std::fs::read(&path).expect("readable"), before);
}

#[test]
fn numbers_that_ask_for_nothing_or_too_much() {
    let place = TestFolder::new();
    let null = "null:1GiB";
    refused(&place, &["run", null, "--rate", "0"], &["--rate"]);
    refused(&place, &["run", null, "--rate", "fast"], &["--rate"]);
    refused(&place, &["run", null, "--depth", "0"], &["--depth"]);
    refused(&place, &["run", null, "--workers", "0"], &["--workers"]);
    refused(
        &place,
        &["run", null, "--workers", "9", "--depth", "3"],
        &["9 workers", "3 I/Os"],
    );
    refused(&place, &["run", null, "--read", "101"], &["--read"]);
    refused(&place, &["run", null, "--pin", "99999"], &["CPU 99999"]);
    refused(&place, &["run", null, "--batch", "0"], &["--batch"]);
    refused(&place, &["run", null, "--drain", "soon"], &["--drain"]);
    refused(
        &place,
        &["run", null, "--backend", "magic"],
        &["io_uring", "libaio", "psync"],
    );
    refused(&place, &["curve", null, "--percents", "0"], &["percent"]);
    refused(&place, &["curve", null, "--slo", "fast"], &["--slo"]);
    for time in ["0s", "soon", "-3s"] {
        let flag = format!("--for={time}");
        place.plimsoll(&["run", null, &flag]).refused(&["--for"]);
    }
    place
        .plimsoll(&["run", null, "--for", "1s", "--interval", "2s"])
        .refused(&["interval"]);
    assert_eq!(place.names(), Vec::<String>::new());
}

#[test]
fn words_that_nobody_knows() {
    let place = TestFolder::new();
    refused(&place, "run null:1GiB --frobnicate", &["--frobnicate"]);
    refused(&place, "frobnicate", &["frobnicate"]);
    refused(&place, "run", &["FILE|TARGET"]);
    refused(
        &place,
        "run null:1GiB --html x.html --no-record",
        &["--html", "--no-record"],
    );
}

#[test]
fn ten_megabytes_and_binary_garbage_are_answered_shortly() {
    let place = TestFolder::new();
    let mut state = 88_172_645_463_325_252_u64;
    let garbage: Vec<u8> = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    })
    .take(10 * MIB as usize / 8)
    .flatten()
    .collect();
    for name in ["garbage.toml", "garbage.parm"] {
        std::fs::write(place.path(name), &garbage).expect("written");
        place.plimsoll(&["run", name]).refused(&[name]);
    }
    for (name, line) in [
        ("long.toml", "[target.x]\n"),
        ("long.parm", "sd=sd1,lun=/dev/x,\n"),
    ] {
        place.text(name, &line.repeat(10 * MIB as usize / line.len()));
        let done = place.plimsoll(&["run", name]);
        assert_eq!(done.code, Some(2), "{name}: {:.500}", done.err);
        assert!(
            done.err.contains(name) && done.err.len() < 100_000,
            "{name}: {} bytes",
            done.err.len()
        );
    }
    place.text("one-line.toml", &"x".repeat(10 * MIB as usize));
    let done = place.plimsoll(&["run", "one-line.toml"]);
    assert_eq!(done.code, Some(2));
    assert!(done.err.len() < 100_000, "{} bytes", done.err.len());
}

#[test]
fn a_place_for_the_record_that_is_none() {
    let place = TestFolder::new();
    let new = ["run", "new", "--size", "1m", "--record"];
    refused(
        &place,
        &[&new[..], &["no/folder/r.plim"]].concat(),
        &["no/folder/r.plim"],
    );
    place.text("notes.txt", "mine");
    refused(&place, &[&new[..], &["notes.txt"]].concat(), &["notes.txt"]);
    refused(
        &place,
        &[&new[..], &["notes.txt", "--overwrite"]].concat(),
        &["notes.txt", "not a Plimsoll record"],
    );
    refused(&place, &[&new[..], &["."]].concat(), &["."]);
    assert_eq!(
        std::fs::read_to_string(place.path("notes.txt")).expect("there"),
        "mine"
    );
}

#[test]
fn what_is_no_record() {
    let place = TestFolder::new();
    place.text("notes.txt", "mine");
    for command in ["show", "report"] {
        place
            .plimsoll(&[command, "notes.txt"])
            .refused(&["notes.txt"]);
        place
            .plimsoll(&[command, "missing.plim"])
            .refused(&["missing.plim"]);
    }
    place
        .plimsoll(&["export", "--csv", "notes.txt"])
        .refused(&["notes.txt"]);
    place
        .plimsoll(&["compare", "notes.txt", "--", "notes.txt"])
        .refused(&["notes.txt"]);
    assert_eq!(place.names(), ["notes.txt"]);
}
