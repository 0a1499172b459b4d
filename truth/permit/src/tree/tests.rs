use super::lock::RUN;
use super::{AHEAD_S, TreeGround, TreeLock, TreeRoot, find};
use rustix::fs::{CWD, FileType, Mode, OFlags, fremovexattr, mknodat};
use rustix::io::Errno;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::SystemTime;

fn made(path: &Path) -> TreeRoot {
    match find(path) {
        Ok(TreeGround::Missing(new)) => {
            let root = new.make(TreeLock::Alone).expect("a root");
            root.keep();
            root
        }
        other => panic!("{other:?}"),
    }
}

fn errno(result: std::io::Result<()>) -> Option<Errno> {
    result.err().as_ref().and_then(Errno::from_io_error)
}

#[test]
fn a_rename_into_another_tree_replaces_nothing_and_follows_nothing() {
    let place = tempfile::tempdir().expect("a folder");
    let path = |name: &str| place.path().join(name);
    let [one, other] = ["one", "other"].map(|name| made(&path(name)));
    for name in ["a", "b", "c"] {
        drop(one.create(name, OFlags::empty()).expect("a file"));
    }
    std::fs::write(path("other/a"), "mine").expect("writes");
    assert_eq!(errno(one.rename_into("a", &other)), Some(Errno::EXIST));
    assert_eq!(std::fs::read(path("other/a")).expect("there"), b"mine");
    assert!(path("one/a").exists());
    one.rename_into("b", &other).expect("it is free there");
    assert!(path("other/b").exists() && !path("one/b").exists());
    // Neither a link nor a file that has another name is the tree's.
    std::fs::hard_link(path("one/c"), path("elsewhere")).expect("a name");
    assert_eq!(errno(one.rename_into("c", &other)), Some(Errno::MLINK));
    symlink(path("elsewhere"), path("one/d")).expect("a link");
    assert_eq!(errno(one.rename_into("d", &other)), Some(Errno::LOOP));
    assert!(!path("other/c").exists() && !path("other/d").exists());
}

#[test]
fn a_pipe_in_a_files_place_is_not_waited_for() {
    let place = tempfile::tempdir().expect("a folder");
    let root = made(&place.path().join("root"));
    let fifo = FileType::Fifo;
    mknodat(
        CWD,
        root.path().join("a"),
        fifo,
        Mode::from_raw_mode(0o644),
        0,
    )
    .expect("a pipe");
    let opened = |flags| errno(root.open("a", flags).map(drop));
    assert_eq!(opened(OFlags::RDONLY), Some(Errno::STALE));
    assert_eq!(opened(OFlags::WRONLY), Some(Errno::NXIO));
}

#[test]
fn the_time_of_a_file_is_set_and_of_nothing_that_took_its_place() {
    let place = tempfile::tempdir().expect("a folder");
    let root = made(&place.path().join("root"));
    drop(root.create("a", OFlags::empty()).expect("a file"));
    root.set_time("a").expect("it is a file");
    let time = |path: &Path| path.metadata().and_then(|m| m.modified()).expect("a time");
    let ahead = time(&root.path().join("a")).duration_since(SystemTime::now());
    let ahead = ahead.expect("in the future").as_secs() as i64;
    assert!((AHEAD_S - 3_600..=AHEAD_S).contains(&ahead), "{ahead}");
    let theirs = place.path().join("theirs");
    std::fs::write(&theirs, "mine").expect("writes");
    let before = time(&theirs);
    symlink(&theirs, root.path().join("b")).expect("a link");
    std::fs::hard_link(&theirs, root.path().join("c")).expect("a name");
    assert_eq!(errno(root.set_time("b")), Some(Errno::LOOP));
    assert_eq!(errno(root.set_time("c")), Some(Errno::MLINK));
    assert_eq!(time(&theirs), before);
}

#[test]
fn who_changes_a_tree_has_it_alone_and_readers_share_it() {
    let place = tempfile::tempdir().expect("a folder");
    let root = made(&place.path().join("root"));
    let path = root.path().to_path_buf();
    let again = || match find(&path) {
        Ok(TreeGround::Marked(found) | TreeGround::Empty(found)) => found,
        other => panic!("{other:?}"),
    };
    assert!(!again().lock(TreeLock::Alone) && !again().lock(TreeLock::Reading));
    assert!(root.lock(TreeLock::Reading));
    let reader = again();
    assert!(reader.lock(TreeLock::Reading) && !again().lock(TreeLock::Alone));
    // The hosts of one run have it together, and no other run beside them.
    drop((root, reader));
    let (one, run) = (again(), TreeLock::Together("r1"));
    assert!(one.lock(run));
    if one.run().is_none() {
        return plimsoll_skipped::skipped!(
            "the temporary folder's file system keeps no attributes"
        );
    }
    assert!(again().lock(run));
    for other in [TreeLock::Together("r2"), TreeLock::Alone, TreeLock::Reading] {
        assert!(!again().lock(other), "{other:?}");
    }
    // What a run has left is no run.
    drop(one);
    let reader = again();
    assert!(reader.lock(TreeLock::Reading) && again().lock(TreeLock::Reading));
    assert!(!again().lock(run));
    drop(reader);
    assert!(again().lock(TreeLock::Together("r2")));
    // Where nothing can be written down its hosts still read together, and nobody joins them to change anything.
    let reads = TreeLock::ReadingTogether("r1");
    let reader = again();
    assert!(reader.lock(reads) && again().lock(run));
    fremovexattr(&reader.folder, RUN).expect("it was written down");
    assert!(again().lock(reads) && !again().lock(run));
}

/// Another target of the plan may be refused, or another host.
#[test]
fn a_root_below_which_nothing_was_done_is_gone_again_and_unmarked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("root");
    let taken = || match find(&path) {
        Ok(TreeGround::Missing(new)) => new.make(TreeLock::Alone).expect("a root"),
        Ok(TreeGround::Empty(root)) => root.take(TreeLock::Alone).expect("a root"),
        other => panic!("{other:?}"),
    };
    drop(taken());
    assert!(!path.exists());
    std::fs::create_dir(&path).expect("a folder");
    drop(taken());
    assert!(matches!(find(&path), Ok(TreeGround::Empty(_))));
    taken().keep();
    assert!(path.exists());
}
