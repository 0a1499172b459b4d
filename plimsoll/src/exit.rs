//! What the program's end tells whoever waits for it.

use plimsoll_rig::Outcome;

/// Measured and clean.
pub const CLEAN: u8 = 0;
/// Measured, but I/Os failed, or a rule that was asked for.
pub const FAILED: u8 = 1;
/// Could not run as asked.
pub const REFUSED: u8 = 2;

/// As `--help` and the man pages say it.
pub const WORDS: &str = "Exit codes: 0 measured and clean; 1 measured, but I/Os failed, or the result fails a rule that \
was asked for; 2 could not run as asked, or a rule cannot be decided.";

/// The exit code of a run.
pub fn of_run(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Clean | Outcome::Allowed => CLEAN,
        Outcome::IosFailed => FAILED,
        Outcome::Unfinished => REFUSED,
    }
}
