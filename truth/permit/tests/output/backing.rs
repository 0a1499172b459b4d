//! The file that a lab keeps its data in.

use crate::workshop::{OVERWRITE, Workshop, assert_refused, text};
use plimsoll_permit::output::{BackingFile, BackingPermit, OutputError, Precious, Rules};
use rustix::fs::{XattrFlags, getxattr, setxattr};
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;

const MARK: &str = "user.plimsoll.backing";

fn open(path: &Path, rules: &Rules) -> Result<BackingFile, OutputError> {
    BackingPermit::ask(path, rules)?.open()
}

#[test]
fn a_lab_takes_its_own_file_again_and_no_other() {
    let shop = Workshop::new();
    if !shop.keeps_marks() {
        return;
    }
    let path = shop.path("disk");
    let file = open(&path, &Rules::default()).expect("new");
    (&*file).write_all(b"data").expect("written");
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
fn what_was_changed_since_the_lab_or_served_by_one_that_was_killed_is_taken_only_when_told_to() {
    let shop = Workshop::new();
    if !shop.keeps_marks() {
        return;
    }
    let path = shop.path("disk");
    let served = || {
        let file = open(&path, &OVERWRITE).expect("told to");
        (&*file).write_all(b"data").expect("written");
        file
    };
    drop(served());
    drop(open(&path, &Rules::default()).expect("its own"));
    let append = || fs::File::options().append(true).open(&path).expect("opens");
    append().write_all(b", and mine").expect("written");
    assert_refused(
        open(&path, &Rules::default()),
        &[
            "a lab made it, and somebody has written to it",
            "--overwrite",
        ],
    );
    drop(served());
    assert_refused(open(&path, &Rules::default()), &["somebody has written"]);

    fs::remove_file(&path).expect("removed");
    // As where it is killed: what its mark said meanwhile stays.
    let file = served();
    let mut mark = [0; 256];
    let length = getxattr(&path, MARK, &mut mark[..]).expect("a mark");
    drop(file);
    setxattr(&path, MARK, &mark[..length], XattrFlags::empty()).expect("marked");
    assert_refused(
        BackingPermit::ask(&path, &Rules::default()),
        &["a lab made it and was killed", "--overwrite"],
    );
}

#[test]
fn whose_time_was_put_back_is_known_by_its_content() {
    let shop = Workshop::new();
    if !shop.keeps_marks() {
        return;
    }
    let path = shop.path("disk");
    let served = || {
        let file = open(&path, &Rules::default()).expect("new, or its own");
        file.set_len(64 << 20).expect("of holes");
        file.write_all_at(b"data", 32 << 20).expect("written");
    };
    served();
    let hard = shop.path("hard");
    // What changes no byte: another mode, another name.
    fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("changed");
    fs::hard_link(&path, &hard).expect("a hard link");
    fs::remove_file(&hard).expect("removed");
    served();

    let left = path.metadata().and_then(|m| m.modified()).expect("a time");
    let file = fs::File::options().write(true).open(&path).expect("opens");
    file.write_all_at(b"mine", 48 << 20).expect("written");
    file.set_modified(left).expect("its time");
    drop(file);
    assert_refused(
        open(&path, &Rules::default()),
        &["somebody has written to it", "--overwrite"],
    );
}

#[test]
fn what_somebody_writes_while_a_lab_serves_is_not_taken_for_the_labs() {
    let shop = Workshop::new();
    if !shop.keeps_marks() {
        return;
    }
    let path = shop.path("disk");
    let file = open(&path, &Rules::default()).expect("new");
    (&*file).write_all(b"data").expect("written");
    assert_eq!(text(&path), "data");
    file.end();
    fs::write(&path, "mine").expect("written");
    drop(file);
    assert_refused(
        open(&path, &Rules::default()),
        &["somebody has written to it", "--overwrite"],
    );
    fs::remove_file(&path).expect("removed");
    let file = open(&path, &Rules::default()).expect("new");
    fs::write(&path, "mine").expect("written");
    drop(file);
    assert_refused(
        open(&path, &Rules::default()),
        &[
            "somebody else wrote to it while it was served",
            "--overwrite",
        ],
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
