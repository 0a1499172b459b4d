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
            Ok(()) => {
                // Given back at once: it would hold up whoever opens the file next.
                let _ = lease(file, libc::F_UNLCK);
                return Some(false);
            }
            Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => {}
            Err(_) => return None,
        }
    }
    Some(true)
}

fn lease(file: &File, kind: libc::c_int) -> std::io::Result<()> {
    // SAFETY: F_SETLEASE takes a number and touches no memory of this process.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, kind) } < 0 {
        return Err(std::io::Error::last_os_error());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
