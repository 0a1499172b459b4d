//! `plimsoll clean`: what Plimsoll made goes, and nothing else.

use crate::place::TestFolder;
use std::io::Write;
use std::os::unix::fs::symlink;

/// A folder with a test file that Plimsoll made; `None` where its file system keeps no marks.
fn made(name: &str) -> Option<TestFolder> {
    let place = TestFolder::new();
    place
        .quick(&[
            "run",
            name,
            "--size",
            "4m",
            "-q",
            "--no-record",
            "--read",
            "50",
        ])
        .ok();
    let mark = rustix::fs::getxattr(place.path(name), "user.plimsoll", &mut [0; 1024][..]);
    if mark.is_err() {
        plimsoll_skipped::skipped!("the temporary folder's file system keeps no user attributes");
        return None;
    }
    Some(place)
}

#[test]
fn what_plimsoll_made_goes_after_it_was_shown_and_nothing_else() {
    let name = "a\u{1b}[2J'.dat";
    let Some(place) = made(name) else { return };
    std::fs::create_dir(place.path("below")).expect("made");
    std::fs::rename(place.path(name), place.path("below").join(name)).expect("moved");
    place.foreign("foreign.dat", 4 << 20);
    let before = place.names();
    let shown = place.plimsoll("clean").ok();
    shown.says(&[
        "would remove ./below/a\\x1b[2J'.dat (4.00 MiB)",
        "in one file; nothing was removed; --yes removes it",
    ]);
    assert!(!shown.out.contains("foreign"), "{shown:#?}");
    assert!(place.path("below").join(name).exists());
    place
        .plimsoll("clean --yes")
        .ok()
        .says(&["removed ./below/a"]);
    assert!(!place.path("below").join(name).exists());
    assert_eq!(place.names(), before);
    place.plimsoll("clean --yes").ok().says(&["no test files"]);
    place
        .plimsoll("clean nowhere")
        .refused(&["cannot read the folder nowhere"]);
}

#[test]
fn what_somebody_else_wrote_to_stays_and_links_lead_nowhere() {
    let Some(place) = made("a.dat") else { return };
    let inside = place.path("inside");
    std::fs::create_dir(&inside).expect("made");
    symlink(place.path("a.dat"), inside.join("link.dat")).expect("linked");
    symlink(place.folder(), inside.join("folder")).expect("linked");
    place
        .plimsoll("clean inside --yes")
        .ok()
        .says(&["no test files"]);
    assert!(place.path("a.dat").exists());
    // A copy bears no mark of its own.
    let copied = std::process::Command::new("cp")
        .arg("-a")
        .arg(place.path("a.dat"))
        .arg(place.path("copy.dat"))
        .status();
    assert!(copied.expect("runs").success());
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .open(place.path("a.dat"))
        .expect("opened");
    file.write_all(b"somebody's data").expect("written");
    drop(file);
    for (words, code) in [("clean", 0), ("clean --yes", 1)] {
        let cleaned = place.plimsoll(words).exits(code);
        cleaned.says(&["nothing to remove here: the one test file stays"]);
        cleaned.warns(&["a.dat stays: Plimsoll made it, and"]);
    }
    assert!(place.path("a.dat").exists() && place.path("copy.dat").exists());
}
