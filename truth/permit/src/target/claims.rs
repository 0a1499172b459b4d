//! Exclusive claims on devices and files, shared by this process's targets.
//!
//! The kernel grants a claim to one open file: of a device by O_EXCL, of a file by a lock (flock(2)) that other Plimsolls
//! ask for as well. QEMU asks for neither, but for locks of its own, which are taken too. Two targets on one device or file (each with its own part of it) need it twice, so a claim that this
//! process still holds is handed out again. It ends with the process, however that ends.

use crate::{Identity, PathHandle};
use plimsoll_witness::filesystem::is_shared_by_hosts;
use plimsoll_witness::locks;
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Time for a claim that nobody is seen to hold, and between two tries: as for a file's writers.
const PATIENCE: Duration = Duration::from_secs(2);
const BETWEEN_LOOKS: Duration = Duration::from_millis(40);

/// What is claimed, and the claim, which ends with the last permit that holds it.
static CLAIMS: Mutex<Vec<(Identity, Weak<File>)>> = Mutex::new(Vec::new());

/// The claim, and who is seen to use what is claimed. A claim outlives its holder by an instant: the kernel takes an
/// io_uring apart after the program that had it, and a child holds its parent's files until it is another program. So
/// one that nobody is seen to hold is asked for again.
pub(super) fn claim_patiently<U>(
    held: &PathHandle,
    users: impl Fn() -> Vec<U>,
) -> (io::Result<Arc<File>>, Vec<U>) {
    patiently(|| {
        let claimed = claim(held);
        let users = users();
        let is_unexplained = users.is_empty() && claimed.as_ref().is_err_and(is_busy);
        ((claimed, users), !is_unexplained)
    })
}

/// Repeats a look until it says that it has seen enough, for 2 s at most.
pub(super) fn patiently<T>(mut look: impl FnMut() -> (T, bool)) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        let (seen, is_enough) = look();
        if is_enough || Instant::now() >= end {
            return seen;
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
}

/// True where a claim failed because somebody else holds it.
pub(super) fn is_busy(error: &io::Error) -> bool {
    error.kind() == ErrorKind::ResourceBusy
}

/// Claims the block device or file, or shares this process's claim on it. `ResourceBusy` where somebody else holds it.
pub(super) fn claim(held: &PathHandle) -> io::Result<Arc<File>> {
    let identity = held.identity();
    let mut claims = CLAIMS.lock().unwrap_or_else(PoisonError::into_inner);
    claims.retain(|(_, claim)| claim.strong_count() > 0);
    let shared = claims.iter().find(|(of, _)| *of == identity);
    if let Some(claim) = shared.and_then(|(_, claim)| claim.upgrade()) {
        return Ok(claim);
    }
    let claim = Arc::new(match held.is_device() {
        true => {
            let device = held.reopen(OFlags::RDONLY | OFlags::EXCL)?;
            locks::keep_qemu_out(&device);
            device
        }
        false => locked(held.open_to_read()?)?,
    });
    claims.push((identity, Arc::downgrade(&claim)));
    Ok(claim)
}

/// The file, locked. On a network file system it isn't: there a lock reaches the hosts of a fleet that share the file on
/// purpose. A file system without locks keeps nobody away.
fn locked(file: File) -> io::Result<File> {
    if is_shared_by_hosts(&file) {
        return Ok(file);
    }
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => Err(ErrorKind::ResourceBusy.into()),
        _ => {
            locks::keep_qemu_out(&file);
            Ok(file)
        }
    }
}
