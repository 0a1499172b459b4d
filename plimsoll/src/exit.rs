//! What the program's end tells whoever waits for it.

use plimsoll_evidence::Severity;
use plimsoll_record::compare::GateOutcome;
use plimsoll_rig::{Outcome, RunResult};
use std::io::Write;
use std::process::ExitCode;

/// Measured and clean.
pub const CLEAN: u8 = 0;
/// Measured, but I/Os failed, the audit found it invalid, or a gate fails.
pub const FAILED: u8 = 1;
/// Could not run as asked.
pub const REFUSED: u8 = 2;
/// A gate is undecided: the runs neither exclude nor show what it asks. Or a method could not answer its question.
pub const UNDECIDED: u8 = 3;

/// Words about the exit codes, for `--help` and the man pages.
pub const WORDS: &str = "Exit codes: 0 measured and clean; 1 measured, but I/Os failed, the result is false for \
what is claimed of it, or it fails a rule that was asked for; 2 could not run as asked; 3 measured, but the question or a rule could not be decided.";

/// The exit code of a run.
pub fn of_run(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Clean | Outcome::Allowed => CLEAN,
        Outcome::IosFailed | Outcome::Invalid => FAILED,
        Outcome::Undecided => UNDECIDED,
        Outcome::Unfinished => REFUSED,
    }
}

/// Ends with this code. A process whose I/Os are still out ends here: threads and rings that wait for a device cannot be tidied up.
pub fn leave(code: u8, result: &RunResult) -> ExitCode {
    if result.hung {
        let _ = std::io::stdout().flush();
        std::process::exit(i32::from(code));
    }
    ExitCode::from(code)
}

/// The exit code of an audit whose worst finding is this.
pub fn of_audit(worst: Option<Severity>, strict: bool) -> u8 {
    match worst {
        Some(Severity::Invalid) => FAILED,
        Some(Severity::Suspect) if strict => FAILED,
        _ => CLEAN,
    }
}

/// The exit code of a comparison with these gates; `None` where there is none.
pub fn of_gates(outcome: Option<GateOutcome>) -> u8 {
    match outcome {
        None | Some(GateOutcome::Passes) => CLEAN,
        Some(GateOutcome::Fails) => FAILED,
        // A gate that cannot tell does not let pass.
        Some(GateOutcome::Undecided) => UNDECIDED,
    }
}
