//! Behind a wall: what a shell can write, and what it cannot.

use plimsoll_sandbox::{Strength, Wall, strength};
use std::fs::File;
use std::path::Path;
use std::process::Command;

/// A folder, and what happens in it behind a wall; `None` where there is none to be tested.
fn folder() -> Option<tempfile::TempDir> {
    if strength() != Strength::Whole {
        plimsoll_skipped::skipped!("this kernel builds no whole wall around programs");
        return None;
    }
    Some(tempfile::tempdir().expect("a folder"))
}

fn does(wall: &Wall, folder: &Path, line: &str) -> bool {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder);
    let mut child = wall.spawn(&mut command).expect("a shell");
    child.wait().expect("its end").success()
}

#[test]
fn nothing_is_written_that_was_not_opened_and_all_is_read() {
    let Some(folder) = folder() else { return };
    let at = folder.path();
    std::fs::write(at.join("one"), "one").expect("a file");
    let wall = Wall::default();
    for line in [
        "echo x >one",
        "echo x >>one",
        "rm one",
        "mv one two",
        "ln one two",
        "ln -s one two",
        "mkdir two",
        "mkfifo two",
        "truncate -s 0 one",
        "echo x >/proc/$$/comm",
    ] {
        assert!(!does(&wall, at, line), "{line}");
    }
    assert!(does(&wall, at, "cat one >/dev/null && ls . >/dev/zero"));
    assert_eq!(std::fs::read(at.join("one")).expect("read"), b"one");
    // This thread, and who is started from it, are as free as before.
    assert!(
        Command::new("touch")
            .arg(at.join("two"))
            .status()
            .is_ok_and(|s| s.success())
    );
}

#[test]
fn a_file_is_opened_for_writing_by_any_name_and_stays_where_it_is() {
    let Some(folder) = folder() else { return };
    let at = folder.path();
    std::fs::write(at.join("one"), "one").expect("a file");
    std::fs::hard_link(at.join("one"), at.join("same")).expect("a link");
    let mut wall = Wall::default();
    wall.may_write(File::open(at.join("one")).expect("open"))
        .expect("opened");
    assert!(does(&wall, at, "echo x >same"));
    assert!(!does(&wall, at, "rm same") && !does(&wall, at, "echo x >other"));
    // Another file of the same name is another file.
    std::fs::rename(at.join("one"), at.join("moved")).expect("moved");
    std::fs::write(at.join("one"), "one").expect("a file");
    assert!(!does(&wall, at, "echo x >one") && does(&wall, at, "echo x >moved"));
}

#[test]
fn below_a_folder_all_is_open_but_the_making_of_devices() {
    let Some(folder) = folder() else { return };
    let at = folder.path();
    std::fs::create_dir(at.join("in")).expect("a folder");
    let mut wall = Wall::default();
    wall.may_write_path(&at.join("in")).expect("opened");
    assert!(does(
        &wall,
        at,
        "mkdir in/a && echo x >in/a/b && mv in/a/b in/c && rm -r in/a in/c"
    ));
    assert!(does(&wall, at, "ln -s /etc in/link && mkfifo in/pipe"));
    assert!(!does(&wall, at, "mknod in/null c 1 3"));
    assert!(!does(&wall, at, "touch out") && !does(&wall, at, "mv in/pipe out"));
}

#[test]
fn no_rights_are_gained_behind_it() {
    let Some(folder) = folder() else { return };
    let line = "grep -q NoNewPrivs:.1 /proc/self/status";
    assert!(does(&Wall::default(), folder.path(), line));
    assert!(
        !Command::new("sh")
            .args(["-c", line])
            .status()
            .expect("a shell")
            .success()
    );
}

#[test]
fn no_file_system_is_made_ready_and_nothing_is_typed_into_a_terminal() {
    let Some(folder) = folder() else { return };
    // fsopen, and TIOCSTI on any descriptor: without a wall it says that this is no terminal.
    let program = "import ctypes,sys; c=ctypes.CDLL(None,use_errno=True); \
                   c.syscall(430,b'tmpfs',0)!=-1 and sys.exit(3); ctypes.get_errno()==1 or sys.exit(4); \
                   c.ioctl(0,0x5412,b'x'); sys.exit(0 if ctypes.get_errno()==1 else 5)";
    std::fs::write(folder.path().join("a.py"), program).expect("a file");
    if !Command::new("python3")
        .arg("--version")
        .status()
        .is_ok_and(|s| s.success())
    {
        plimsoll_skipped::skipped!("python3 is not installed");
        return;
    }
    assert!(does(
        &Wall::default(),
        folder.path(),
        "python3 a.py </dev/null"
    ));
}
