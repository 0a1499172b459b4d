//! fio job files, and the words of its command line.
//!
//! Text goes through these steps, each in its own module: `reading` (files, includes, comments, sections), `substitute`
//! (variables and keywords), `settings` (values by the table of `options`, with fio's own reading of `number`s), `jobs` (what
//! global sections add, and the last word) and `lowering` (the plan). Every value keeps the place where it was written.
//!
//! The grammar is read exactly as fio reads it; where that is not what a text looks like, a warning says so. Which options are
//! carried out is one table. What is not is refused by [`Parsed::plan`], by name and line, or named where it cannot change the
//! load.

pub mod codes;
#[allow(
    clippy::result_large_err,
    reason = "a definition is read once, and its first complaint ends that"
)]
pub mod engine;
pub mod options;
pub mod reference;

mod arithmetic;
mod asked;
mod beside;
mod input;
mod iologs;
mod jobs;
mod logs;
#[allow(
    clippy::result_large_err,
    reason = "a definition is read once, and its first complaint ends that"
)]
mod lowering;
mod number;
mod reading;
mod reported;
mod settings;
mod state;
mod states;
mod substitute;
#[allow(
    clippy::result_large_err,
    reason = "a definition is read once, and its first complaint ends that"
)]
mod watched;

pub use asked::asked;
pub use input::{HostFacts, Input, Text};
pub use iologs::IoLog;
pub use jobs::Job;
pub use logs::{JobLog, LogKind};
pub use lowering::Lowered;
pub(crate) use lowering::one_pass;
pub use reading::{COMMAND_LINE, MAX_BYTES};
pub use reported::{Asked, Reported, Together};
pub use state::{VerifyState, is_state};
pub use states::SavedState;
pub use watched::{Steady, SteadyValue, Watched};

pub use crate::vdbench::report::Refusal;

use crate::vdbench::report::{Report, Stop};
use plimsoll_diagnostic::{Diagnostic, Sources};

/// Job files that were accepted.
#[derive(Debug)]
pub struct Parsed {
    /// All texts.
    pub sources: Sources,
    /// What fio reads otherwise than it looks.
    pub warnings: Vec<Diagnostic>,
    /// The jobs that are to run, in order.
    pub jobs: Vec<Job>,
}

/// True for the name of one of fio's options.
pub fn is_option(name: &str) -> bool {
    options::find(name).is_some()
}

/// True for the name of an option that is said or not: on a command line what stands apart behind it is no value of it.
pub fn is_flag(name: &str) -> bool {
    options::find(name).is_some_and(|o| o.kind == options::ValueKind::Flag)
}

/// Reads job files.
///
/// # Errors
/// Everything that fio would not read, with its places. Up to 40 errors are kept.
pub fn parse(input: &Input) -> Result<Parsed, Box<Refusal>> {
    let mut sources = Sources::default();
    let mut report = Report::new();
    let read = steps(input, &mut sources, &mut report);
    let (jobs, sources, warnings) = report.accept(sources, read)?;
    Ok(Parsed {
        sources,
        warnings,
        jobs,
    })
}

fn steps(input: &Input, sources: &mut Sources, report: &mut Report) -> Result<Vec<Job>, Stop> {
    let sections = reading::read(input, sources, report)?;
    jobs::gather(&sections, &input.sections, report)
}

impl Parsed {
    /// What of the jobs does not reach real fio where it is given what is written from the plan: as errors what it must not run
    /// without, as warnings what is left out.
    pub fn beside(&self) -> Vec<Diagnostic> {
        beside::of(self)
    }

    /// The plan: what is to be measured.
    ///
    /// # Errors
    /// What this version cannot run, each by name, and what makes no sense on its targets.
    pub fn plan(&self) -> Result<Lowered, Vec<Diagnostic>> {
        lowering::lower(self)
    }
}
