//! The file that a lab keeps its data in.

use crate::workshop::{OVERWRITE, Workshop, assert_refused, text};
use plimsoll_permit::output::{BackingPermit, OutputError, Precious, Rules};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

fn open(path: &Path, rules: &Rules) -> Result<File, OutputError> {
    BackingPermit::ask(path, rules)?.open()
}

#[test]
fn a_lab_takes_its_own_file_again_and_no_other() {
    let shop = Workshop::new();
    if !shop.keeps_marks() {
        return;
    }
    let path = shop.path("disk");
    let mut file = open(&path, &Rules::default()).expect("new");
    file.write_all(b"data").expect("written");
    drop(file);
    open(&path, &Rules::default()).expect("its own");
    assert_eq!(text(&path), "data");

    let mine = shop.foreign("mine");
    assert_refused(
        open(&mine, &Rules::default()),
        &["no lab made it", "--overwrite"],
    );
    drop(open(&mine, &OVERWRITE).expect("told to"));
    assert_eq!(text(&mine), "what mine holds");
    // To be told once is not to be told for ever.
    assert_refused(open(&mine, &Rules::default()), &["no lab made it"]);

    let copy = shop.path("copy");
    let copied = std::process::Command::new("cp")
        .arg("-a")
        .arg(&path)
        .arg(&copy)
        .status();
    assert!(copied.expect("cp").success());
    assert_refused(open(&copy, &Rules::default()), &["no lab made it"]);
    // A page's mark is another one.
    assert_refused(
        open(&shop.ours("page"), &Rules::default()),
        &["no lab made it"],
    );
}

#[test]
fn one_lab_has_a_file_by_whatever_name() {
    let shop = Workshop::new();
    let (path, hard) = (shop.path("disk"), shop.path("hard"));
    let first = open(&path, &OVERWRITE).expect("new");
    fs::hard_link(&path, &hard).expect("a hard link");
    for name in [&path, &hard] {
        assert_refused(open(name, &OVERWRITE), &["in use"]);
    }
    drop(first);
    // Where both were judged before either opened it, the lock decides.
    let [first, second] = [&path, &hard].map(|name| BackingPermit::ask(name, &OVERWRITE));
    let first = first.and_then(BackingPermit::open).expect("free again");
    assert_refused(second.and_then(BackingPermit::open), &["in use"]);
    drop(first);
    open(&hard, &OVERWRITE).expect("free again");
}

#[test]
fn a_backing_file_that_appears_meanwhile_is_not_taken() {
    let shop = Workshop::new();
    let permit = BackingPermit::ask(&shop.path("disk"), &Rules::default()).expect("free");
    let mine = shop.foreign("disk");
    assert_refused(permit.open(), &["meanwhile"]);
    assert_eq!(text(&mine), "what disk holds");
}

#[test]
fn a_device_and_a_precious_file_keep_no_data() {
    let shop = Workshop::new();
    assert_refused(open(Path::new("/dev/null"), &OVERWRITE), &["a device"]);
    let mine = shop.foreign("mine");
    let precious = [Precious::new("the persona's file", &mine)];
    let rules = Rules {
        precious: &precious,
        ..OVERWRITE
    };
    assert_refused(open(&mine, &rules), &["the persona's file"]);
}
