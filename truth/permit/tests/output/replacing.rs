//! Files that are new, and files that were there.

use crate::workshop::{OVERWRITE, Workshop, ask, assert_refused, text};
use plimsoll_permit::output::OutputPermit;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

fn mode(path: &Path) -> u32 {
    path.metadata().expect("there").mode() & 0o7777
}

#[test]
fn a_new_file_has_the_mode_that_any_new_file_has() {
    let shop = Workshop::new();
    let (page, other) = (shop.ours("page"), shop.foreign("other"));
    assert_eq!(text(&page), "first");
    assert_eq!(mode(&page), mode(&other));
    assert_eq!(shop.names(), ["other", "page"]);
}

#[test]
fn what_was_written_is_replaced_unasked_and_keeps_its_mode() {
    let shop = Workshop::new();
    if !shop.keeps_marks() {
        return;
    }
    let page = shop.ours("page");
    fs::set_permissions(&page, Permissions::from_mode(0o640)).expect("changed");
    ask(&page).expect("ours").write(b"second").expect("written");
    assert_eq!(text(&page), "second");
    assert_eq!(mode(&page), 0o640);
    assert_eq!(shop.names(), ["page"]);
}

#[test]
fn a_file_that_is_not_for_everybody_is_not_shown_while_it_is_replaced() {
    let shop = Workshop::new();
    let page = shop.foreign("page");
    fs::set_permissions(&page, Permissions::from_mode(0o600)).expect("changed");
    let file = OutputPermit::ask(&page, &OVERWRITE)
        .and_then(OutputPermit::open)
        .expect("told to");
    assert_eq!(mode(&file.temporary_path()), 0o600);
}

#[test]
fn an_edit_voids_the_mark() {
    let shop = Workshop::new();
    let page = shop.ours("page");
    let mut file = fs::File::options().append(true).open(&page).expect("opens");
    file.write_all(b", and my notes").expect("written");
    drop(file);
    assert_refused(
        ask(&page),
        &["page", "not as Plimsoll wrote it", "--overwrite"],
    );
    // Of the same length, with the time that it had.
    for change in ["FIRST", "firsT"] {
        let page = shop.ours("other");
        secretly(&page, change);
        assert_refused(ask(&page), &["other"]);
        assert_eq!(text(&page), change);
        fs::remove_file(&page).expect("removed");
    }
}

/// Writes other text into a file, and puts its time back as `touch -r` does.
fn secretly(path: &Path, text: &str) {
    let times = path.with_extension("times");
    touch(&["-r".as_ref(), path.as_os_str(), times.as_os_str()]);
    fs::write(path, text).expect("written");
    touch(&["-r".as_ref(), times.as_os_str(), path.as_os_str()]);
    fs::remove_file(times).expect("removed");
}

fn touch(words: &[&OsStr]) {
    let touched = Command::new("touch").args(words).status();
    assert!(touched.expect("touch").success());
}

#[test]
fn what_changes_no_byte_leaves_a_page_plimsolls() {
    let shop = Workshop::new();
    if !shop.keeps_marks() {
        return;
    }
    let (page, moved, hard) = (shop.ours("page"), shop.path("moved"), shop.path("hard"));
    fs::set_permissions(&page, Permissions::from_mode(0o640)).expect("changed");
    fs::rename(&page, &moved).expect("moved");
    fs::hard_link(&moved, &hard).expect("a hard link");
    touch(&[moved.as_os_str()]);
    for path in [&moved, &hard] {
        ask(path).expect("ours").write(b"next").expect("written");
    }
    assert_eq!(shop.names(), ["hard", "moved"]);
}

#[test]
fn who_puts_the_time_back_after_the_look_is_seen_when_the_page_is_replaced() {
    let shop = Workshop::new();
    if !shop.keeps_marks() {
        return;
    }
    let page = shop.ours("page");
    let mut new = ask(&page).and_then(OutputPermit::open).expect("ours");
    new.write_all(b"second").expect("written");
    secretly(&page, "FIRST");
    assert_refused(new.commit(), &["meanwhile"]);
    assert_eq!(text(&page), "FIRST");
    assert_eq!(shop.names(), ["page"]);
}

#[test]
fn a_copy_is_somebody_elses() {
    let shop = Workshop::new();
    let (page, copy) = (shop.ours("page"), shop.path("copy"));
    let copied = Command::new("cp").arg("-a").arg(&page).arg(&copy).status();
    assert!(copied.expect("cp").success());
    assert_refused(ask(&copy), &["copy"]);
}

#[test]
fn a_file_of_somebody_else_is_replaced_only_when_told_so() {
    let shop = Workshop::new();
    let mine = shop.foreign("mine");
    assert_refused(ask(&mine), &["mine", "--overwrite"]);
    assert_eq!(text(&mine), "what mine holds");
    let told = OutputPermit::ask(&mine, &OVERWRITE).expect("told to");
    told.write(b"new").expect("written");
    assert_eq!(text(&mine), "new");
    assert_eq!(shop.names(), ["mine"]);
}

#[test]
fn a_file_without_a_byte_holds_nothing_to_lose() {
    let shop = Workshop::new();
    let page = shop.path("page");
    fs::write(&page, "").expect("made");
    ask(&page).expect("empty").write(b"text").expect("written");
    assert_eq!(text(&page), "text");
}

#[test]
fn what_is_dropped_half_written_leaves_what_was_there() {
    let shop = Workshop::new();
    let mine = shop.foreign("mine");
    for path in [mine.as_path(), &shop.path("new")] {
        let permit = OutputPermit::ask(path, &OVERWRITE).expect("told to");
        let mut file = permit.open().expect("opens");
        file.write_all(b"half of").expect("written");
        assert_eq!(shop.names().len(), 2, "it is beside: {:?}", shop.names());
        drop(file);
    }
    assert_eq!(shop.names(), ["mine"]);
    assert_eq!(text(&mine), "what mine holds");
}

#[test]
fn a_link_is_followed_to_its_file_and_stays_a_link() {
    let shop = Workshop::new();
    let (mine, link) = (shop.foreign("mine"), shop.path("link"));
    std::os::unix::fs::symlink("mine", &link).expect("a link");
    assert_refused(ask(&link), &["link"]);
    let told = OutputPermit::ask(&link, &OVERWRITE).expect("told to");
    told.write(b"new").expect("written");
    assert!(link.is_symlink());
    assert_eq!(text(&mine), "new");
}
