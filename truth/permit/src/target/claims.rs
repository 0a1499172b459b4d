//! Exclusive claims on devices, shared by this process's targets.
//!
//! The kernel grants a claim to one open file. Two targets on one device (each with its own part of it) need it twice,
//! so a claim that this process still holds is handed out again.

use crate::PathHandle;
use rustix::fs::OFlags;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Device number and claim; the claim ends with the last permit that holds it.
static CLAIMS: Mutex<Vec<(u64, Weak<File>)>> = Mutex::new(Vec::new());

/// Claims the block device, or shares this process's claim on it. `ResourceBusy` where somebody else holds it.
pub(super) fn claim(device: &PathHandle) -> io::Result<Arc<File>> {
    let number = device.metadata().rdev();
    let mut claims = CLAIMS.lock().unwrap_or_else(PoisonError::into_inner);
    claims.retain(|(_, claim)| claim.strong_count() > 0);
    let shared = claims.iter().find(|(of, _)| *of == number);
    if let Some(claim) = shared.and_then(|(_, claim)| claim.upgrade()) {
        return Ok(claim);
    }
    let claim = Arc::new(device.reopen(OFlags::RDONLY | OFlags::EXCL)?);
    claims.push((number, Arc::downgrade(&claim)));
    Ok(claim)
}
