//! Descriptor tables that a process's threads have of their own (`unshare(CLONE_FILES)`, `clone` without CLONE_FILES).
//!
//! `/proc/PID/fd` shows the table of the first thread. Usually all threads share that one, and the kernel tells so
//! without a look into any (kcmp(2)): a process with thousands of threads costs one such question for each.

use crate::Root;
use rustix::io::Errno;
use std::cmp::Ordering;

/// `KCMP_FILES`: do two threads share a descriptor table?
const KCMP_FILES: libc::c_int = 2;

/// One thread for each descriptor table of the process that isn't its first thread's.
pub(super) fn others(root: &Root, pid: u32) -> Vec<u32> {
    let threads = root.names(format!("/proc/{pid}/task"));
    let threads = threads.iter().filter_map(|name| name.parse().ok());
    // In the kernel's order, so that many tables are not each compared with all others.
    let mut distinct = vec![pid];
    // Those of which the kernel doesn't tell are looked at one by one.
    let mut untold = Vec::new();
    for thread in threads.filter(|thread| *thread != pid) {
        let mut is_told = true;
        let place = distinct.binary_search_by(|known| {
            compare(*known, thread).unwrap_or_else(|_| {
                is_told = false;
                Ordering::Equal
            })
        });
        match place {
            _ if !is_told => untold.push(thread),
            Ok(_) => {}
            Err(place) => distinct.insert(place, thread),
        }
    }
    distinct.retain(|thread| *thread != pid);
    distinct.extend(untold);
    distinct
}

/// The order of two threads' descriptor tables in the kernel; equal where they share one.
fn compare(one: u32, other: u32) -> Result<Ordering, Errno> {
    // SAFETY: kcmp takes numbers and touches no memory of this process.
    let answer = unsafe { libc::syscall(libc::SYS_kcmp, one, other, KCMP_FILES, 0, 0) };
    match answer {
        0 => Ok(Ordering::Equal),
        1 => Ok(Ordering::Less),
        2 => Ok(Ordering::Greater),
        _ => Err(Errno::from_raw_os_error(
            std::io::Error::last_os_error()
                .raw_os_error()
                .unwrap_or(libc::ENOSYS),
        )),
    }
}
