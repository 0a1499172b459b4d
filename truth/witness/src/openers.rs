//! Other programs that have a file or a device open for writing, or mapped.
//!
//! A virtual machine's disk or a database's raw device is opened without O_EXCL, so that an exclusive open succeeds
//! beside it. `/proc/PID` shows it; of other users' processes only to root.

mod mapped;
mod tables;

use crate::Root;
use crate::block::DeviceNumber;
use crate::occupancy::Use;
use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::time::Duration;

/// Open for writing, in the octal `flags` of `/proc/PID/fdinfo`.
const ACCESS_MODE: u32 = 0o3;

/// How often a program must be seen, and how long apart.
const LOOKS: u32 = 4;
const BETWEEN_LOOKS: Duration = Duration::from_millis(40);

/// Writers of any of these block devices. Empty under a captured tree: its links lead to this host's files.
pub fn of_devices(root: &Root, devices: &[DeviceNumber]) -> Vec<Use> {
    writers(root, |metadata| {
        metadata.file_type().is_block_device()
            && devices.contains(&DeviceNumber::of(metadata.rdev()))
    })
}

/// Writers of the file with this device number and inode.
pub fn of_file(root: &Root, dev: u64, inode: u64) -> Vec<Use> {
    writers(root, |metadata| {
        metadata.dev() == dev && metadata.ino() == inode
    })
}

fn writers(root: &Root, is_wanted: impl Fn(&Metadata) -> bool) -> Vec<Use> {
    if !root.is_system() {
        return Vec::new();
    }
    let own = std::process::id();
    let pids = root.names("/proc");
    let pids = pids.iter().filter_map(|name| name.parse::<u32>().ok());
    let mut found: Vec<(u32, Option<Use>)> = pids
        .filter(|pid| *pid != own)
        .map(|pid| (pid, None))
        .collect();
    // A program that only passes by (udev, losetup looking for a free device, a fork on its way to its exec) is no
    // user: one that is must still be there a little later.
    for look in 0..LOOKS {
        if look > 0 && !found.is_empty() {
            std::thread::sleep(BETWEEN_LOOKS);
        }
        found.retain_mut(|(pid, used)| {
            *used = used_by(root, *pid, &is_wanted);
            used.is_some()
        });
    }
    found.into_iter().filter_map(|(_, used)| used).collect()
}

fn used_by(root: &Root, pid: u32, is_wanted: &impl Fn(&Metadata) -> bool) -> Option<Use> {
    let program = || program(root, pid);
    // The process's own folder first: it's there also where its threads may not be listed.
    let tables = tables::others(root, pid).into_iter();
    let mut tables = tables.map(|thread| format!("/proc/{pid}/task/{thread}"));
    if has_open(root, &format!("/proc/{pid}"), is_wanted)
        || tables.any(|table| has_open(root, &table, is_wanted))
    {
        let program = program();
        return Some(Use::Opened { program, pid });
    }
    mapped::has_mapped(root, pid, is_wanted).then(|| Use::Mapped {
        program: program(),
        pid,
    })
}

/// The name of a process's program.
pub(crate) fn program(root: &Root, pid: u32) -> String {
    root.text(format!("/proc/{pid}/comm")).unwrap_or_default()
}

/// Whether the descriptors of a process or thread lead to a wanted file that is open for writing.
fn has_open(root: &Root, place: &str, is_wanted: &impl Fn(&Metadata) -> bool) -> bool {
    root.names(format!("{place}/fd")).iter().any(|fd| {
        is_at(root, &format!("{place}/fd/{fd}"), is_wanted)
            && root
                .text(format!("{place}/fdinfo/{fd}"))
                .is_some_and(|text| is_open_for_writing(&text))
    })
}

/// Whether one of a process's descriptors leads to a file, for reading or for writing.
pub(crate) fn has_any(root: &Root, pid: u32, is_wanted: impl Fn(&Metadata) -> bool) -> bool {
    root.names(format!("/proc/{pid}/fd"))
        .iter()
        .any(|fd| is_at(root, &format!("/proc/{pid}/fd/{fd}"), &is_wanted))
}

fn is_at(root: &Root, link: &str, is_wanted: &impl Fn(&Metadata) -> bool) -> bool {
    // Only absolute targets are files: `socket:[1]` and its like are passed over without a look.
    root.link(link).is_some_and(|target| target.is_absolute())
        && std::fs::metadata(link).is_ok_and(|metadata| is_wanted(&metadata))
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
    fn another_process_that_writes_a_file_is_named_and_this_one_is_not() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let metadata = file.as_file().metadata().unwrap();
        let root = Root::system();
        assert_eq!(of_file(&root, metadata.dev(), metadata.ino()), []);
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(file.reopen().unwrap())
            .spawn()
            .unwrap();
        let uses = of_file(&root, metadata.dev(), metadata.ino());
        drop(child.stdin.take());
        let pid = child.id();
        child.wait().unwrap();
        assert!(
            uses.iter()
                .any(|u| matches!(u, Use::Opened { pid: p, .. } if *p == pid))
        );
    }
}
