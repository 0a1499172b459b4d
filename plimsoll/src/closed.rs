//! Descriptors that the program was started with: a standard output that was closed before it began (`>&-`), and others that
//! whoever started it left open, which no program that it starts is to have.
//!
//! Rust's runtime puts `/dev/null` in its place before `main`, and what is written there is lost without an error. So it's
//! looked at before the runtime.

use std::sync::atomic::{AtomicBool, Ordering};

/// Of close_range(2).
const CLOSE_RANGE_CLOEXEC: libc::c_uint = 1 << 2;

static IS_CLOSED: AtomicBool = AtomicBool::new(false);

// SAFETY: the loader calls what stands in this section once, before `main` and with the C library ready.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    // SAFETY: asks for a descriptor's flags; no memory is passed, and nothing of Rust's runtime is used.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    IS_CLOSED.store(flags < 0, Ordering::Relaxed);
    // SAFETY: marks descriptors from 3 on as closed when another program is executed; no memory is passed. A kernel before
    // Linux 5.11 refuses, and leaves all as it was.
    unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, CLOSE_RANGE_CLOEXEC) };
}

/// True where standard output was closed when the program began.
pub fn is_standard_output() -> bool {
    IS_CLOSED.load(Ordering::Relaxed)
}
