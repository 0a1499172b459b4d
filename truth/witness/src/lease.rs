//! Whether anybody at all has a file open for writing, asked of the kernel's own count.
//!
//! `/proc` shows the processes that this one may see. The kernel also counts those of other containers and users, what
//! it holds itself (loop devices, swap, iSCSI and NVMe targets), and mappings whose descriptor was closed. A read lease
//! (fcntl(2)) is granted only where nobody has the file open for writing.

use crate::filesystem::is_shared_by_hosts;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// How often, and how long apart: a program that passes by is no writer, and the kernel gives the files of an io_uring
/// back only some time after the program that had it has ended.
const LOOKS: u32 = 50;
const BETWEEN_LOOKS: Duration = Duration::from_millis(40);

/// Which signal tells of a lease that is in somebody's way: asm-generic/fcntl.h of the kernel; the libc crate lacks it.
const F_SETSIG: libc::c_int = 10;

/// Whether somebody has the regular file open for writing. `file` must be open for reading only. `None` where the kernel
/// doesn't say: the file system knows no leases, or the file belongs to another user.
pub fn has_writer(file: &File) -> Option<bool> {
    // Network file systems refuse leases for reasons of their own, with the same error number.
    if is_shared_by_hosts(file) {
        return None;
    }
    for look in 0..LOOKS {
        if look > 0 {
            std::thread::sleep(BETWEEN_LOOKS);
        }
        match lease(file, libc::F_RDLCK) {
            // Given back at once: it would hold up whoever opens the file next.
            Ok(()) => drop(Lease(file)),
            Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => continue,
            Err(_) => return None,
        }
        return Some(false);
    }
    Some(true)
}

/// Read lease on a file. Until it is dropped, or this process ends, whoever opens the file for writing waits.
#[derive(Debug)]
pub struct Lease<'a>(&'a File);

impl<'a> Lease<'a> {
    /// The lease on a regular file that is open for reading only; `None` where somebody has it open for writing, or the kernel grants
    /// none.
    pub fn take(file: &'a File) -> Option<Self> {
        if is_shared_by_hosts(file) {
            return None;
        }
        lease(file, libc::F_RDLCK).ok().map(|()| Lease(file))
    }

    /// True where somebody waits for its end, to open the file for writing.
    pub fn is_in_the_way(&self) -> bool {
        // SAFETY: the command takes nothing and touches no memory of this process.
        let kind = unsafe { libc::fcntl(self.0.as_raw_fd(), libc::F_GETLEASE) };
        kind != libc::F_RDLCK
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        // It also ends with the descriptor.
        let _ = lease(self.0, libc::F_UNLCK);
    }
}

fn lease(file: &File, kind: libc::c_int) -> std::io::Result<()> {
    let tell = |command: libc::c_int, number: libc::c_int| {
        // SAFETY: both commands take a number and touch no memory of this process.
        match unsafe { libc::fcntl(file.as_raw_fd(), command, number) } {
            0.. => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        }
    };
    // The signal to who holds up others is SIGIO, which ends a process that doesn't expect it. This one is ignored.
    tell(F_SETSIG, libc::SIGURG)?;
    tell(libc::F_SETLEASE, kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::OpenOptionsExt;

    #[test]
    fn a_writer_is_counted_and_a_reader_is_not() {
        let made = tempfile::NamedTempFile::new().unwrap();
        let reader = File::open(made.path()).unwrap();
        let Some(seen) = has_writer(&reader) else {
            plimsoll_skipped::skipped!("the temporary folder's file system knows no leases");
            return;
        };
        assert!(seen, "the temporary file itself is open for writing");
        let path = made.into_temp_path();
        assert_eq!(has_writer(&reader), Some(false));
        let _second = File::open(&path).unwrap();
        assert_eq!(has_writer(&reader), Some(false));
    }

    #[test]
    fn whoever_opens_a_leased_file_for_writing_waits() {
        let made = tempfile::NamedTempFile::new().unwrap();
        let path = made.into_temp_path();
        let reader = File::open(&path).unwrap();
        let Some(lease) = Lease::take(&reader) else {
            plimsoll_skipped::skipped!("the temporary folder's file system knows no leases");
            return;
        };
        let open = || {
            let mut options = File::options();
            options.write(true).custom_flags(libc::O_NONBLOCK);
            options.open(&path)
        };
        assert!(!lease.is_in_the_way());
        let refused = open().unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::WouldBlock);
        assert!(lease.is_in_the_way());
        drop(lease);
        let _writer = open().unwrap();
        assert!(Lease::take(&reader).is_none());
    }
}
