//! Locks on files and devices, and who holds them: whole files (flock(2)), and bytes (fcntl(2)) as QEMU locks its images.

use crate::Root;
use crate::block::DeviceNumber;
use crate::openers;
pub use crate::uses::Holder;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;

/// A program that holds a lock on the file, as far as one can be seen.
pub fn holder(root: &Root, file: &File) -> Option<Holder> {
    let metadata = file.metadata().ok()?;
    let (dev, inode) = (metadata.dev(), metadata.ino());
    let locks = root.text("/proc/locks")?;
    let pids = locks
        .lines()
        .filter_map(Lock::of)
        .filter(|lock| lock.inode == inode)
        // Some file systems (btrfs, overlay) have another number there than in a file's metadata.
        .filter(|lock| {
            lock.device == DeviceNumber::of(dev)
                || openers::has_any(root, lock.pid, |m| (m.dev(), m.ino()) == (dev, inode))
        })
        .map(|lock| lock.pid);
    // The kernel goes on naming a process that has ended while another shares its lock.
    let mut holders = pids.map(|pid| Holder {
        pid,
        program: openers::program(root, pid),
    });
    holders.find(|holder| !holder.program.is_empty())
}

/// Bytes that QEMU locks on its images (`RAW_LOCK_PERM_BASE` and `RAW_LOCK_SHARED_BASE` in block/file-posix.c): from the first on,
/// one for each thing that a program does to an image; from the second on, one for each that no other may do meanwhile.
const QEMU_DOES: i64 = 100;
const QEMU_KEEPS: i64 = 200;
/// Reading what is consistent, writing, writing what is there already, resizing.
const QEMU_THINGS: i64 = 4;

/// Locks the file or device as QEMU does an image that nobody else may use, so that QEMU refuses to open it while `file` is
/// open. Such locks are shared ones, so that a descriptor for reading holds them. A file system without locks has none.
pub fn keep_qemu_out(file: &File) {
    for first in [QEMU_DOES, QEMU_KEEPS] {
        // Whoever has locked them otherwise is found by [`is_byte_locked`].
        let _ = ask(file, libc::F_OFD_SETLK, libc::F_RDLCK, first, QEMU_THINGS);
    }
}

/// Whether somebody else has locked bytes of the file (POSIX or OFD locks), however few: the kernel counts also whom `/proc` does
/// not show.
pub fn is_byte_locked(file: &File) -> bool {
    // From the first byte on, to whatever end.
    is_locked_at(file, 0, 0)
}

/// True where somebody else has locked one of these bytes of the file.
pub fn is_locked_at(file: &File, first: i64, many: i64) -> bool {
    let asked = ask(file, libc::F_OFD_GETLK, libc::F_WRLCK, first, many);
    asked.is_some_and(|kind| kind != libc::F_UNLCK)
}

/// The kind of lock that the kernel answers with.
fn ask(
    file: &File,
    command: libc::c_int,
    kind: libc::c_int,
    start: i64,
    length: i64,
) -> Option<libc::c_int> {
    // SAFETY: the structure is one of plain numbers, of which zeros are a valid value.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = kind as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock.l_start = start;
    lock.l_len = length;
    // SAFETY: the descriptor is open for as long as `file` is borrowed; the kernel reads and writes one `struct flock`.
    let result = unsafe { libc::fcntl(file.as_raw_fd(), command, &mut lock) };
    (result == 0).then_some(libc::c_int::from(lock.l_type))
}

/// A lock that is held, as `/proc/locks` tells of it.
struct Lock {
    pid: u32,
    device: DeviceNumber,
    inode: u64,
}

impl Lock {
    fn of(line: &str) -> Option<Self> {
        // 7: FLOCK  ADVISORY  WRITE 4117 fd:01:131075 0 EOF
        let mut words = line.split_whitespace().skip(1);
        // Who waits for a lock has an arrow there.
        words.next().filter(|kind| *kind == "FLOCK")?;
        let pid = words.nth(2)?.parse().ok()?;
        let mut place = words.next()?.split(':');
        let hex = |text: Option<&str>| u32::from_str_radix(text?, 16).ok();
        Some(Lock {
            pid,
            device: DeviceNumber {
                major: hex(place.next())?,
                minor: hex(place.next())?,
            },
            inode: place.next()?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{FlockOperation, flock};

    #[test]
    fn only_locks_on_whole_files_that_are_held_are_read() {
        let lock = Lock::of("7: FLOCK  ADVISORY  WRITE 4117 fd:01:131075 0 EOF").expect("a lock");
        assert_eq!((lock.pid, lock.inode), (4117, 131_075));
        assert_eq!((lock.device.major, lock.device.minor), (0xfd, 1));
        for other in [
            "7: -> FLOCK  ADVISORY  WRITE 4118 fd:01:131075 0 EOF",
            "8: POSIX  ADVISORY  WRITE 4117 fd:01:131075 0 EOF",
            "9: FLOCK  ADVISORY  WRITE",
            "",
        ] {
            assert!(Lock::of(other).is_none(), "{other}");
        }
    }

    #[test]
    fn a_holder_is_found_while_it_holds_the_lock() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let root = Root::system();
        let mine = || holder(&root, file.as_file()).map(|holder| holder.pid);
        assert_eq!(mine(), None);
        flock(&file, FlockOperation::NonBlockingLockExclusive).expect("a lock");
        assert_eq!(mine(), Some(std::process::id()));
        flock(&file, FlockOperation::Unlock).expect("free");
        assert_eq!(mine(), None);
    }
}
