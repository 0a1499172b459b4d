use super::super::{FoundPath, Writable, assess, destroy_name, look_up};
use super::*;
use plimsoll_witness::lease::Lease;
use rustix::fs::OFlags;
use std::os::unix::fs::{FileExt, symlink};
use std::path::{Path, PathBuf};

fn folder_with(content: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, content).unwrap();
    (folder, path)
}

fn names(path: &Path) -> Vec<String> {
    vec![path.display().to_string()]
}

fn ground(path: &Path, destroy: &[String]) -> Result<Ground, Refusal> {
    match look_up(path)? {
        FoundPath::There(held) => {
            // What these tests write is the letter p.
            let is_ours = |_: &str, bytes: &[u8], part: std::ops::Range<usize>| {
                bytes[part].iter().all(|b| [0, b'p'].contains(b))
            };
            assess(held, destroy, &is_ours).map(|permit| permit.ground())
        }
        FoundPath::Missing(new) => new.map(|_| Ground::New),
    }
}

#[test]
fn a_file_with_data_needs_its_path_and_is_told_so() {
    let (_folder, path) = folder_with(b"precious");
    let refusal = ground(&path, &[]).unwrap_err();
    assert!(
        refusal
            .remedy
            .ends_with(&format!("--destroy {}", path.display())),
        "{}",
        refusal.remedy
    );
    assert!(ground(&path, &["/other".to_string()]).is_err());
    assert_eq!(ground(&path, &names(&path)).unwrap(), Ground::Named);
    assert_eq!(destroy_name(&path), path.display().to_string());
}

#[test]
fn a_missing_file_may_be_made_and_is_not_made_by_asking() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new");
    assert_eq!(ground(&path, &[]).unwrap(), Ground::New);
    assert!(!path.exists());
    assert!(ground(&folder.path().join("no/such"), &[]).is_err());
    assert!(ground(Path::new("/dev/no-such-disk"), &[]).is_err());
}

#[test]
fn empty_and_all_holes_lose_nothing() {
    let (_folder, path) = folder_with(b"");
    assert_eq!(ground(&path, &[]).unwrap(), Ground::NoData);
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(1 << 20)
        .unwrap();
    assert_eq!(ground(&path, &[]).unwrap(), Ground::NoData);
}

/// A file of a run, after the run or after its end was cut off; `None` where its file system keeps no marks.
fn made(is_ended: bool) -> Option<(tempfile::TempDir, PathBuf)> {
    let (folder, path) = folder_with(&[b'p'; 1 << 16]);
    if !mark::begin(&File::open(&path).unwrap(), "").unwrap() {
        plimsoll_skipped::skipped!("the temporary folder's file system keeps no user attributes");
        return None;
    }
    if is_ended {
        mark::end(&PathHandle::open(&path).unwrap(), "", || true).unwrap();
    }
    Some((folder, path))
}

fn write(path: &Path, bytes: &[u8], at: u64) {
    let file = File::options().write(true).open(path).unwrap();
    file.write_all_at(bytes, at).unwrap();
}

#[test]
fn a_marked_file_needs_nothing_until_it_is_something_else() {
    for is_ended in [true, false] {
        let Some((_folder, path)) = made(is_ended) else {
            return;
        };
        assert_eq!(ground(&path, &[]).unwrap(), Ground::Made);
        assert_eq!(ground(&path, &names(&path)).unwrap(), Ground::Made);
        write(&path, b"XFSB", 0);
        let refusal = ground(&path, &[]).unwrap_err();
        assert!(refusal.why.contains("now it holds xfs"), "{refusal}");
        assert_eq!(ground(&path, &names(&path)).unwrap(), Ground::Named);
    }
}

#[test]
fn what_somebody_wrote_after_the_run_is_seen_by_length_and_content() {
    for (at, said) in [
        (1 << 16, "it has 65537 bytes, and had 65536"),
        (40_000, "what it holds has changed"),
    ] {
        let Some((_folder, path)) = made(true) else {
            return;
        };
        let time = std::fs::metadata(&path).unwrap().modified().unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.write_all_at(b"x", at).unwrap();
        file.set_modified(time).unwrap();
        drop(file);
        let refusal = ground(&path, &[]).unwrap_err();
        assert!(refusal.why.contains("since the last run"), "{refusal}");
        assert!(refusal.why.contains(said), "{refusal}");
    }
}

#[test]
fn a_later_change_of_the_file_is_enough() {
    let Some((_folder, path)) = made(true) else {
        return;
    };
    let file = File::options().write(true).open(&path).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    file.set_modified(later).unwrap();
    drop(file);
    let refusal = ground(&path, &[]).unwrap_err();
    assert!(refusal.why.contains("it was changed later"), "{refusal}");
}

#[test]
fn after_a_run_that_was_cut_off_the_content_decides() {
    let Some((_folder, path)) = made(false) else {
        return;
    };
    write(&path, &[0; 4096], 8192);
    assert_eq!(ground(&path, &[]).unwrap(), Ground::Made);
    write(&path, b"precious", 40_000);
    let refusal = ground(&path, &[]).unwrap_err();
    let said = "the last run on it was cut off, or somebody wrote to it meanwhile: at byte 36864 there is data that is not Plimsoll's";
    assert!(refusal.why.contains(said), "{refusal}");

    // To be told once to destroy a part of it is not to be told that all of it is Plimsoll's.
    let FoundPath::There(held) = look_up(&path).unwrap() else {
        panic!("it is there")
    };
    let permit = assess(held, &names(&path), &|_, _, _| false).unwrap();
    permit.begin("").unwrap();
    drop(permit);
    write(&path, &[b'p'; 4096], 36_864);
    let refusal = ground(&path, &[]).unwrap_err();
    assert!(refusal.why.contains("does not carry the mark"), "{refusal}");
}

#[test]
fn after_a_run_that_was_cut_off_what_earlier_ones_left_is_known_by_their_hints() {
    let Some((_folder, path)) = made(true) else {
        return;
    };
    let judged = || {
        let FoundPath::There(held) = look_up(&path).unwrap() else {
            panic!("it is there")
        };
        let is_ours = |hint: &str, bytes: &[u8], part: std::ops::Range<usize>| {
            let is_hinted = |byte: &u8| {
                hint.split_whitespace()
                    .any(|word| word.as_bytes() == [*byte])
            };
            bytes[part].iter().all(is_hinted)
        };
        assess(held, &[], &is_ours)
    };
    for hint in ["p", "q p", "r"] {
        let open = judged().unwrap().open(OFlags::empty()).unwrap();
        open.hold.begin(hint).unwrap();
    }
    let open = judged().unwrap().open(OFlags::empty()).unwrap();
    open.hold.begin("s").unwrap();
    write_all(&open.file, b'p');
    // As where it is killed.
    let mut buffer = [0; 1024];
    let length = rustix::fs::getxattr(&path, "user.plimsoll", &mut buffer[..]).unwrap();
    drop(open);
    let flags = rustix::fs::XattrFlags::empty();
    rustix::fs::setxattr(&path, "user.plimsoll", &buffer[..length], flags).unwrap();
    assert_eq!(judged().unwrap().ground(), Ground::Made);
    write(&path, b"x", 40_000);
    assert!(judged().is_err());
}

#[test]
fn after_a_run_that_was_cut_off_one_block_anywhere_is_seen() {
    let Some((_folder, path)) = made(false) else {
        return;
    };
    for at in (1 << 20..40 << 20).step_by((1 << 20) + 4096) {
        write(&path, b"precious", at);
        let refusal = ground(&path, &[]).unwrap_err();
        let said = format!("at byte {}", at / 4096 * 4096);
        assert!(refusal.why.contains(&said), "{refusal}, not {said}");
        write(&path, &[0; 8], at);
    }
    assert_eq!(ground(&path, &[]).unwrap(), Ground::Made);
}

/// A file that a run has opened and writes to, as its mark says.
fn being_written() -> Option<(tempfile::TempDir, PathBuf, Writable)> {
    let (folder, path) = made(true)?;
    let FoundPath::There(held) = look_up(&path).unwrap() else {
        panic!("it is there")
    };
    let permit = assess(held, &[], &|_, _, _| false).unwrap();
    let open = permit.open(OFlags::empty()).unwrap();
    open.hold.begin("").unwrap();
    write_all(&open.file, b'p');
    Some((folder, path, open))
}

fn write_all(file: &File, byte: u8) {
    file.write_all_at(&[byte; 1 << 16], 0).unwrap();
}

#[test]
fn what_somebody_writes_while_a_run_does_is_not_taken_for_the_runs() {
    let Some((_folder, path, open)) = being_written() else {
        return;
    };
    write(&path, b"precious", 40_000);
    let ending = open.hold.ending();
    drop(open);
    assert!(ending.doubt().unwrap().contains("another program"));
    let refusal = ground(&path, &[]).unwrap_err();
    assert!(refusal.why.contains("at byte 36864"), "{refusal}");
    assert!(refusal.why.contains("wrote to it meanwhile"), "{refusal}");

    // Where nothing of it is left, nothing is lost.
    let Some((_folder, path, open)) = being_written() else {
        return;
    };
    write(&path, b"precious", 40_000);
    write_all(&open.file, b'p');
    drop(open);
    assert_eq!(ground(&path, &[]).unwrap(), Ground::Made);
}

#[test]
fn the_mark_says_what_was_left_only_when_nobody_else_is_known_to_have_written() {
    let Some((_folder, path)) = made(false) else {
        return;
    };
    let held = PathHandle::open(&path).unwrap();
    let said = || {
        let mut buffer = [0; 1024];
        let length = rustix::fs::getxattr(&path, "user.plimsoll", &mut buffer[..]).unwrap();
        String::from_utf8(buffer[..length].to_vec()).unwrap()
    };
    let is_left = |said: &String| said.contains("left with");
    let begun = said();
    assert!(!is_left(&begun), "{begun}");
    if Lease::take(&held.open_to_read().unwrap()).is_none() {
        plimsoll_skipped::skipped!("the temporary folder's file system knows no leases");
        return;
    }
    // Which of the three questions is answered with somebody who wrote.
    for somebody in [Some(0), Some(1), Some(2), None] {
        let mut asked = Vec::new();
        let is_left_alone = || {
            asked.push(said());
            Some(asked.len() - 1) != somebody
        };
        mark::end(&held, "", is_left_alone).unwrap();
        assert_eq!(asked.len(), somebody.map_or(3, |at| at + 1));
        for (at, mark) in asked.iter().enumerate() {
            assert_eq!(is_left(mark), at == 2, "{at}: killed before, it is cut off");
        }
        match somebody {
            None => assert!(is_left(&said())),
            Some(_) => assert_eq!(said(), begun),
        }
    }
}

#[test]
fn who_reads_while_a_run_writes_changes_nothing() {
    let Some((_folder, path, open)) = being_written() else {
        return;
    };
    // What this run alone can have written.
    write_all(&open.file, b'q');
    assert_eq!(std::fs::read(&path).unwrap()[0], b'q');
    let ending = open.hold.ending();
    drop(open);
    assert_eq!(ending.doubt(), None);
    assert_eq!(ground(&path, &[]).unwrap(), Ground::Made);
}

#[test]
fn who_has_it_open_for_writing_at_the_runs_end_may_write_yet() {
    let Some((_folder, path, open)) = being_written() else {
        return;
    };
    write_all(&open.file, b'q');
    let mut child = std::process::Command::new("cat")
        .stdin(std::process::Stdio::piped())
        .stdout(File::options().append(true).open(&path).unwrap())
        .spawn()
        .unwrap();
    drop(open);
    drop(child.stdin.take());
    child.wait().unwrap();
    assert!(ground(&path, &[]).is_err());
}

#[test]
fn a_writer_that_no_process_shows_at_the_runs_end_is_counted_by_the_kernel() {
    let Some((_folder, path, open)) = being_written() else {
        return;
    };
    write_all(&open.file, b'q');
    // This process's own descriptors are passed over in /proc.
    let writer = File::options().write(true).open(&path).unwrap();
    drop(open);
    drop(writer);
    assert!(ground(&path, &[]).is_err());
}

#[test]
fn a_file_that_somebody_writes_to_after_the_look_is_not_opened() {
    let Some((_folder, path)) = made(true) else {
        return;
    };
    let FoundPath::There(held) = look_up(&path).unwrap() else {
        panic!("it is there")
    };
    let permit = assess(held, &[], &|_, _, _| false).unwrap();
    assert_eq!(permit.ground(), Ground::Made);
    let extended = permit.extend(1 << 17).unwrap();
    write(&path, b"precious", 40_000);
    let error = permit.open(OFlags::empty()).unwrap_err();
    assert!(error.to_string().contains("since it was looked at"));
    drop(extended);
    assert_eq!(&std::fs::read(&path).unwrap()[40_000..40_008], b"precious");
}

#[test]
fn links_are_followed_and_a_link_to_nothing_is_refused() {
    let (folder, path) = folder_with(b"precious");
    let link = folder.path().join("link");
    symlink(&path, &link).unwrap();
    assert!(ground(&link, &[]).is_err());
    assert_eq!(ground(&link, &names(&path)).unwrap(), Ground::Named);
    let dangling = folder.path().join("dangling");
    symlink(folder.path().join("gone"), &dangling).unwrap();
    assert_eq!(
        ground(&dangling, &[]).unwrap_err().why,
        "it is a link to nothing"
    );
}

#[test]
fn another_name_of_the_same_file_is_not_the_name_that_was_given() {
    let (folder, path) = folder_with(b"precious");
    let other = folder.path().join("other");
    std::fs::hard_link(&path, &other).unwrap();
    assert!(ground(&other, &names(&path)).is_err());
}

#[test]
fn a_file_that_another_program_writes_is_refused_even_by_name() {
    for content in [&b"disk image"[..], b""] {
        let (_folder, path) = folder_with(content);
        mark::begin(&File::open(&path).unwrap(), "").unwrap();
        let mut child = std::process::Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .stdout(File::options().append(true).open(&path).unwrap())
            .spawn()
            .unwrap();
        let refusal = ground(&path, &names(&path));
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(refusal.unwrap_err().why.contains("open for writing"));
    }
}

#[test]
fn a_writer_that_no_process_shows_is_counted_by_the_kernel() {
    let (_folder, path) = folder_with(b"disk image");
    // This process's own descriptors are passed over in /proc.
    let _writer = File::options().write(true).open(&path).unwrap();
    let refusal = ground(&path, &names(&path)).unwrap_err();
    assert!(
        refusal.why.contains("cannot be seen from here"),
        "{refusal}"
    );
}
