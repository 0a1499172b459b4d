//! The first interrupt ends the interval and writes everything down; a second leaves at once: it kills the commands that run,
//! and says what was not put back. A run that is stopped from its page is told so by a signal of its own, which never leaves at once.

use crate::failure::Failure;
use crate::out::tell;
use plimsoll_live::STOP;
use plimsoll_printable::Printable;
use plimsoll_rig::{AtWork, Control};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code of an interrupted run, as a shell reports SIGINT.
const INTERRUPTED: i32 = 130;

/// Lets a write past a limit of file sizes (`ulimit -f`) fail with EFBIG, which is counted and said, instead of ending the
/// process without a word.
pub fn outlive_file_size_limits() {
    // SAFETY: called before any other thread is started; to ignore a signal runs no handler.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// The run that [`STOP`] stops.
static RUNNING: OnceLock<Control> = OnceLock::new();

/// Control of a run that SIGINT, SIGTERM and SIGHUP stop, and [`STOP`].
pub fn control(at_work: &AtWork) -> Result<Control, Failure> {
    let made = Control::default();
    let (control, at_work) = (made.clone(), at_work.clone());
    let interrupted = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        if interrupted.swap(true, Ordering::Relaxed) {
            for line in at_work.leave() {
                let line = Printable(&line);
                tell!("not put back, or not to its end: do it by hand: {line}");
            }
            std::process::exit(INTERRUPTED);
        }
        control.stop();
        tell!("\nstopping at the end of this interval; once more to leave at once");
    })?;
    if RUNNING.set(made.clone()).is_ok() {
        // SAFETY: the handler only stores a flag behind an initialised `OnceLock` and calls write(2), which may be done at any instant.
        unsafe { libc::signal(STOP, stop_running as *const () as libc::sighandler_t) };
    }
    Ok(made)
}

/// Handler of [`STOP`].
extern "C" fn stop_running(_signal: i32) {
    const SAID: &[u8] = b"\nstopped from its page: stopping at the end of this interval\n";
    let Some(control) = RUNNING.get().filter(|control| !control.stopped()) else {
        return;
    };
    control.stop();
    // SAFETY: write(2) may be called in a handler, the bytes are a constant's, and `errno` is of this thread and is put back.
    unsafe {
        let errno = *libc::__errno_location();
        libc::write(libc::STDERR_FILENO, SAID.as_ptr().cast(), SAID.len());
        *libc::__errno_location() = errno;
    }
}
