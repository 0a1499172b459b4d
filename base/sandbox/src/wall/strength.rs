//! How much of a wall the kernel can build.

use super::Wall;
use std::sync::OnceLock;

/// Strength of the wall that a kernel can build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// All of it.
    Whole,
    /// It keeps a program from opening what it may not write, but not from truncating it (before Linux 6.2) or from sending
    /// commands to a device that it only reads (before Linux 6.10).
    Partial,
    /// Nothing: Landlock is not in this kernel, not switched on, or forbidden here.
    None,
}

/// Strength of a wall on this host.
pub fn strength() -> Strength {
    static FOUND: OnceLock<Strength> = OnceLock::new();
    *FOUND.get_or_init(|| Wall::default().try_out().unwrap_or(Strength::None))
}
