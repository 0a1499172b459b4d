//! Polling in the place of interrupts and system calls.

use serde::{Deserialize, Serialize};

/// Polling by io_uring: completions, submissions, or both.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Polling {
    /// Completions are looked for at the device, which sends no interrupts for them (IORING_SETUP_IOPOLL).
    pub completions: bool,
    /// A thread of the kernel looks for submissions, without system calls (IORING_SETUP_SQPOLL).
    pub submissions: bool,
}

impl Polling {
    /// Interrupts and system calls.
    pub const NONE: Polling = Polling {
        completions: false,
        submissions: false,
    };
}
