//! Other programs that have a file or a device open for writing, mapped or locked.
//!
//! A virtual machine's disk or a database's raw device is opened without O_EXCL, so that an exclusive open succeeds
//! beside it. `/proc/PID` shows it; of other users' processes only to root.

mod mapped;
mod tables;

use crate::Root;
use crate::block::DeviceNumber;
use crate::uses::{Holder, Subject, Use};
use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::time::Duration;

/// Open for writing, in the octal `flags` of `/proc/PID/fdinfo`.
const ACCESS_MODE: u32 = 0o3;

/// Programs that lock each disk that they look at, for as long as that takes, and use none.
const LOOKERS: [&str; 3] = ["(udev-worker)", "systemd-udevd", "udevd"];

/// How often a program must be seen, and how long apart.
const LOOKS: u32 = 4;
const BETWEEN_LOOKS: Duration = Duration::from_millis(40);

/// What the users of a device or file are known by: whoever has one of these open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A block device's number.
    Block(DeviceNumber),
    /// A character device's number: the node that takes commands to a disk.
    Character(DeviceNumber),
    /// A file.
    File {
        /// Its file system's device number.
        dev: u64,
        /// Its inode.
        inode: u64,
    },
}

impl Key {
    /// The file with these metadata.
    pub fn file(metadata: &Metadata) -> Key {
        Key::File {
            dev: metadata.dev(),
            inode: metadata.ino(),
        }
    }

    fn is_of(&self, metadata: &Metadata) -> bool {
        let kind = metadata.file_type();
        match *self {
            Key::Block(number) => {
                kind.is_block_device() && number == DeviceNumber::of(metadata.rdev())
            }
            Key::Character(number) => {
                kind.is_char_device() && number == DeviceNumber::of(metadata.rdev())
            }
            Key::File { dev, inode } => (metadata.dev(), metadata.ino()) == (dev, inode),
        }
    }
}

/// Programs that have one of these open for writing, have it mapped so that they may write, or have locked it. Empty under a
/// captured tree: its links lead to this host's files.
pub fn of(root: &Root, wanted: &[(Key, Subject)]) -> Vec<Use> {
    users(root, |metadata| {
        let found = wanted.iter().find(|(key, _)| key.is_of(metadata));
        found.map(|(_, subject)| subject)
    })
}

fn users<'s>(root: &Root, wanted: impl Fn(&Metadata) -> Option<&'s Subject>) -> Vec<Use> {
    if !root.is_system() {
        return Vec::new();
    }
    let own_pid = std::process::id();
    let pids = root.names("/proc");
    let pids = pids.iter().filter_map(|name| name.parse::<u32>().ok());
    let mut found: Vec<(u32, Option<Use>)> = pids
        .filter(|pid| *pid != own_pid)
        .map(|pid| (pid, None))
        .collect();
    // A program that only passes by (udev, losetup looking for a free device, a fork on its way to its exec) is no
    // user: one that is must still be there a little later.
    for look in 0..LOOKS {
        if look > 0 && !found.is_empty() {
            std::thread::sleep(BETWEEN_LOOKS);
        }
        found.retain_mut(|(pid, used)| {
            *used = used_by(root, *pid, &wanted);
            used.is_some()
        });
    }
    found.into_iter().filter_map(|(_, used)| used).collect()
}

fn used_by<'s>(
    root: &Root,
    pid: u32,
    wanted: &impl Fn(&Metadata) -> Option<&'s Subject>,
) -> Option<Use> {
    let program = program(root, pid);
    // It keeps an array's own metadata, on the array's members.
    if program == "mdmon" {
        return None;
    }
    // The process's own folder first: it's there also where its threads may not be listed.
    let tables = tables::others(root, pid).into_iter();
    let tables = tables.map(|thread| format!("/proc/{pid}/task/{thread}"));
    let mut locked = None;
    for table in std::iter::once(format!("/proc/{pid}")).chain(tables) {
        match opened(root, &table, wanted) {
            Some((of, true)) => {
                let of = of.clone();
                return Some(Use::Opened { of, program, pid });
            }
            Some((of, false)) => locked = Some(of),
            None => {}
        }
    }
    if let Some(of) = mapped::mapped(root, pid, wanted) {
        let of = of.clone();
        return Some(Use::Mapped { of, program, pid });
    }
    let locked = locked.filter(|_| !LOOKERS.contains(&program.as_str()));
    locked.map(|of| Use::Locked {
        of: of.clone(),
        by: Some(Holder { pid, program }),
    })
}

/// The name of a process's program.
pub(crate) fn program(root: &Root, pid: u32) -> String {
    root.text(format!("/proc/{pid}/comm")).unwrap_or_default()
}

/// What is wanted of that which the descriptors of a process or thread lead to, and whether one is open for writing; else a lock is
/// held by it.
fn opened<'s>(
    root: &Root,
    place: &str,
    wanted: &impl Fn(&Metadata) -> Option<&'s Subject>,
) -> Option<(&'s Subject, bool)> {
    let mut locked = None;
    for fd in root.names(format!("{place}/fd")) {
        let Some(subject) = led_to(root, &format!("{place}/fd/{fd}")).and_then(|m| wanted(&m))
        else {
            continue;
        };
        let told = root.text(format!("{place}/fdinfo/{fd}"));
        let told = told.unwrap_or_default();
        if is_open_for_writing(&told) {
            return Some((subject, true));
        }
        if holds_lock(&told) {
            locked = Some((subject, false));
        }
    }
    locked
}

/// Whether one of a process's descriptors leads to a file, for reading or for writing.
pub(crate) fn has_any(root: &Root, pid: u32, is_wanted: impl Fn(&Metadata) -> bool) -> bool {
    root.names(format!("/proc/{pid}/fd"))
        .iter()
        .filter_map(|fd| led_to(root, &format!("/proc/{pid}/fd/{fd}")))
        .any(|metadata| is_wanted(&metadata))
}

fn led_to(root: &Root, link: &str) -> Option<Metadata> {
    // Only absolute targets are files: `socket:[1]` and its like are passed over without a look.
    root.link(link).filter(|target| target.is_absolute())?;
    std::fs::metadata(link).ok()
}

/// Whether a lock is held by this very descriptor: of the whole file (flock), or of bytes of it (POSIX, OFD). A lease is none.
fn holds_lock(fdinfo: &str) -> bool {
    let locks = fdinfo.lines().filter_map(|line| line.strip_prefix("lock:"));
    let mut kinds = locks.filter_map(|lock| lock.split_whitespace().nth(1));
    kinds.any(|kind| ["FLOCK", "POSIX", "OFDLCK"].contains(&kind))
}

fn is_open_for_writing(fdinfo: &str) -> bool {
    fdinfo
        .lines()
        .find_map(|line| line.strip_prefix("flags:"))
        .and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok())
        .is_some_and(|flags| flags & ACCESS_MODE != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn the_access_mode_is_read_from_octal_flags() {
        assert!(is_open_for_writing("pos:\t0\nflags:\t0100002\n"));
        assert!(is_open_for_writing("flags:\t01"));
        assert!(!is_open_for_writing("pos:\t0\nflags:\t0100000\n"));
        assert!(!is_open_for_writing(""));
    }

    #[test]
    fn locks_of_a_descriptor_are_told_from_leases() {
        for kind in ["FLOCK ", "POSIX ", "OFDLCK"] {
            let text = format!(
                "pos:\t0\nflags:\t0100000\nlock:\t1: {kind} ADVISORY  READ 359 00:13:11691 0 EOF"
            );
            assert!(holds_lock(&text), "{text}");
        }
        assert!(!holds_lock(
            "lock:\t1: LEASE  ACTIVE    READ 359 00:13:11691 0 EOF"
        ));
        assert!(!holds_lock("flags:\t0100000\n"));
    }

    #[test]
    fn another_process_that_writes_a_file_is_named_and_this_one_is_not() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let metadata = file.as_file().metadata().unwrap();
        let root = Root::system();
        let wanted = [(Key::file(&metadata), Subject::itself("file"))];
        assert_eq!(of(&root, &wanted), []);
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(file.reopen().unwrap())
            .spawn()
            .unwrap();
        let uses = of(&root, &wanted);
        drop(child.stdin.take());
        let pid = child.id();
        child.wait().unwrap();
        assert!(
            uses.iter()
                .any(|u| matches!(u, Use::Opened { pid: p, .. } if *p == pid))
        );
    }
}
