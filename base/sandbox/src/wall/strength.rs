//! Strength of the wall that a kernel can build.

use super::Wall;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::sync::OnceLock;

/// Strength of the wall that a kernel can build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// All of it.
    Whole,
    /// Wall that keeps a program from opening what it may not write, but not from truncating it (before Linux 6.2) or from sending commands
    /// to a device that it only reads (before Linux 6.10).
    Partial,
    /// Nothing: Landlock is not in this kernel, not switched on, or forbidden here.
    None,
}

/// Strength of a wall on this host.
pub fn strength() -> Strength {
    static FOUND: OnceLock<Strength> = OnceLock::new();
    *FOUND.get_or_init(|| match Wall::default().try_out() {
        Ok(found) => found,
        Err(error) if is_forbidden(&error) => Strength::None,
        // Too few descriptors, too many walls already: no reason to go without one. Starting a program says what it is.
        Err(_) => Strength::Whole,
    })
}

/// True where the kernel, or a filter of system calls, says that there is no such thing here.
fn is_forbidden(error: &io::Error) -> bool {
    let mut next: Option<&(dyn Error + 'static)> = error.get_ref().map(|e| e as _);
    while let Some(error) = next {
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        if matches!(
            kind,
            Some(ErrorKind::PermissionDenied | ErrorKind::Unsupported)
        ) {
            return true;
        }
        next = error.source();
    }
    false
}
