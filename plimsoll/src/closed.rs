//! A standard output that was closed before the program began (`>&-`).
//!
//! Rust's runtime puts `/dev/null` in its place before `main`, and what is written there is lost without an error. So it's
//! looked at before the runtime.

use std::sync::atomic::{AtomicBool, Ordering};

static IS_CLOSED: AtomicBool = AtomicBool::new(false);

// SAFETY: the loader calls what stands in this section once, before `main` and with the C library ready.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    // SAFETY: asks for a descriptor's flags; no memory is passed, and nothing of Rust's runtime is used.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    IS_CLOSED.store(flags < 0, Ordering::Relaxed);
}

/// Whether standard output was closed when the program began.
pub fn is_standard_output() -> bool {
    IS_CLOSED.load(Ordering::Relaxed)
}
