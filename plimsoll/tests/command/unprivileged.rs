//! Files are tested without any privilege.

use crate::place::{Done, MIB, QUICK, TestFolder, root_or_skip, typed};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The user that owns nothing.
const NOBODY: u32 = 65534;

#[test]
fn nobody_makes_fills_reads_and_records_and_is_refused_what_is_not_theirs() {
    if !root_or_skip("changing to another user") {
        return;
    }
    let place = TestFolder::new();
    place.foreign("secret", MIB);
    let closed = |name: &str, mode: u32| {
        std::fs::set_permissions(place.path(name), std::fs::Permissions::from_mode(mode))
            .expect("changed");
    };
    closed("secret", 0o600);
    // The built program may lie where nobody else may look.
    std::fs::copy(env!("CARGO_BIN_EXE_plimsoll"), place.path("plimsoll")).expect("copied");
    closed("plimsoll", 0o755);
    closed(".", 0o777);
    let run = |words: &[&str]| {
        let words = [words, &QUICK].concat();
        let output = Command::new(place.path("plimsoll"))
            .args(&words)
            .current_dir(place.folder())
            .uid(NOBODY)
            .gid(NOBODY)
            .output()
            .expect("starts");
        Done::new(&output, &words)
    };
    let document = run(&typed(
        "run data --size 4m --read 50 --json --record r.plim",
    ))
    .ok()
    .json();
    assert_eq!(document["steps"][0]["fill"], true);
    assert_eq!(document["steps"][1]["errors"], 0);
    run(&["run", "secret", "--no-record"]).refused(&["secret", "ermission denied"]);
    run(&typed("run secret --read 0 --destroy secret --no-record")).refused(&["secret"]);
    run(&["run", "new", "--size", "1m", "--record", "/proc/r.plim"]).refused(&["/proc/r.plim"]);
    assert!(!place.path("new").exists());
}
