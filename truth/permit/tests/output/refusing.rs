//! What is never written, whatever flag is given.

use crate::workshop::{OVERWRITE, Workshop, assert_refused, text};
use plimsoll_permit::output::{FolderPermit, OutputError, OutputPermit, Pages};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs::{self, Permissions};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};

#[track_caller]
fn assert_never(path: &Path, words: &[&str]) {
    assert_refused(OutputPermit::ask(path, &OVERWRITE), words);
}

#[test]
fn only_regular_files_are_written_by_whatever_name() {
    let shop = Workshop::new();
    let (pipe, socket) = (shop.path("pipe"), shop.path("socket"));
    mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).expect("a pipe");
    let _listener = UnixListener::bind(&socket).expect("a socket");
    let null = Path::new("/dev/null");
    let all = [
        (null, "a device"),
        (&pipe, "a pipe"),
        (&socket, "a socket"),
        (Path::new("/dev"), "a folder"),
    ];
    for (number, (path, what)) in all.into_iter().enumerate() {
        assert_never(path, &[what]);
        let (link, again) = (
            shop.path(&format!("link{number}")),
            shop.path(&format!("again{number}")),
        );
        symlink(path, &link).expect("a link");
        symlink(&link, &again).expect("a link to a link");
        assert_never(&link, &[what]);
        assert_never(&again, &[what]);
    }
    let kind = fs::symlink_metadata(null).expect("there").file_type();
    assert!(kind.is_char_device());
}

#[test]
fn a_folder_is_no_file_however_it_is_written() {
    let shop = Workshop::new();
    let folder = shop.path("folder");
    fs::create_dir(&folder).expect("a folder");
    for name in [
        "folder",
        "folder/",
        "folder/.",
        "folder/..",
        "new/",
        "/",
        "",
    ] {
        assert_never(&shop.path(name), &["folder"]);
    }
    assert_eq!(shop.names(), ["folder"]);
}

#[test]
fn nothing_is_made_among_devices_nor_where_a_link_leads_nowhere() {
    let shop = Workshop::new();
    let (missing, nowhere) = (Path::new("/dev/plimsoll-no-disk"), shop.path("nowhere"));
    let to_missing = shop.path("to-missing");
    symlink(missing, &to_missing).expect("a link");
    symlink("nothing", &nowhere).expect("a link");
    for link in [&to_missing, &nowhere] {
        assert_never(link, &["a link to", "which is not there"]);
    }
    let (devices, root) = (fs::metadata("/dev"), fs::metadata("/"));
    let number =
        |m: std::io::Result<fs::Metadata>| std::os::unix::fs::MetadataExt::dev(&m.unwrap());
    if number(devices) == number(root) {
        plimsoll_skipped::skipped!("/dev is no file system of its own here");
        return;
    }
    assert_never(missing, &["among devices nothing is made"]);
    let pages = Pages {
        ending: ".html",
        head: "<title>",
    };
    let folder = FolderPermit::ask(Path::new("/dev/plimsoll/out"), pages, &OVERWRITE);
    assert_refused(folder, &["among devices nothing is made"]);
    assert!(!missing.exists());
}

#[test]
fn a_file_that_is_not_to_be_written_stays() {
    let shop = Workshop::new();
    let mine = shop.foreign("mine");
    fs::set_permissions(&mine, Permissions::from_mode(0o444)).expect("changed");
    assert_never(&mine, &["may not be written", "chmod"]);
    assert_eq!(text(&mine), "what mine holds");
}

#[test]
fn a_file_that_another_program_writes_stays() {
    let shop = Workshop::new();
    let mine = shop.foreign("mine");
    let file = fs::File::options().append(true).open(&mine).expect("opens");
    let mut writer = Command::new("cat")
        .stdin(Stdio::piped())
        .stdout(file)
        .spawn()
        .expect("cat");
    assert_never(&mine, &["in use", "cat"]);
    drop(writer.stdin.take());
    writer.wait().expect("ended");
    OutputPermit::ask(&mine, &OVERWRITE).expect("nobody uses it any more");
}

#[test]
fn a_folder_that_takes_no_file_is_said_before_the_work() {
    let shop = Workshop::new();
    let missing = OutputPermit::ask(&shop.path("no/page"), &OVERWRITE).expect_err("no folder");
    assert!(matches!(missing, OutputError::System { .. }), "{missing}");
    assert!(missing.to_string().contains("no/page"), "{missing}");
    let closed = shop.path("closed");
    fs::create_dir(&closed).expect("a folder");
    fs::set_permissions(&closed, Permissions::from_mode(0o555)).expect("changed");
    if fs::write(closed.join("probe"), "").is_ok() {
        plimsoll_skipped::skipped!("this user may write everywhere");
        return;
    }
    OutputPermit::ask(&closed.join("page"), &OVERWRITE).expect_err("closed");
}
