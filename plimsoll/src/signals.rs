//! The first interrupt ends the interval and writes everything down; a second leaves at once: it kills the commands that run,
//! and says what was not put back.

use crate::failure::Failure;
use crate::out::tell;
use plimsoll_printable::Printable;
use plimsoll_rig::{AtWork, Control};

/// As a shell reports SIGINT.
const INTERRUPTED: i32 = 130;

/// Lets a write past a limit of file sizes (`ulimit -f`) fail with EFBIG, which is counted and said, instead of ending the
/// process without a word.
pub fn outlive_file_size_limits() {
    // SAFETY: called before any other thread is started; to ignore a signal runs no handler.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Control of a run that SIGINT, SIGTERM and SIGHUP stop.
pub fn control(at_work: &AtWork) -> Result<Control, Failure> {
    let made = Control::default();
    let (control, at_work) = (made.clone(), at_work.clone());
    ctrlc::set_handler(move || {
        if control.stopped() {
            for line in at_work.leave() {
                let line = Printable(&line);
                tell!("not put back, or not to its end: do it by hand: {line}");
            }
            std::process::exit(INTERRUPTED);
        }
        control.stop();
        tell!("\nstopping at the end of this interval; once more to leave at once");
    })?;
    Ok(made)
}
