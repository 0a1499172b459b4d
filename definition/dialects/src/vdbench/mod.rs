//! Vdbench parameter files.
//!
//! Text goes through these steps, each in its own module: `reading` (files, includes, substitution), `logical` (where a
//! line ends, what it continues), `lexer` (parameters), `object` (which definition a parameter belongs to, defaults),
//! `model` (types), `definition` and `checks` (what must hold), `expansion` (runs), `simulation` (what `-s` prints) and
//! `lowering` (the plan). Every value keeps the place where it was written.
//!
//! The whole language is parsed: raw and file-system workloads. What this version cannot run is refused by
//! [`Parsed::plan`] by name; [`Parsed::simulate`] takes it.

pub mod codes;
pub mod command_line;
pub mod keyword;
pub mod model;
pub mod reference;
pub mod section;

mod checks;
mod definition;
mod expansion;
mod file_checks;
mod file_sizes;
mod file_workload;
mod input;
mod lexer;
mod logical;
mod lowering;
mod mapped;
mod names;
mod number;
mod object;
mod parameter;
mod reader;
mod reading;
pub(crate) mod report;
mod run;
mod simulation;
mod written;

pub use definition::Definition;
pub use input::{Input, Overrides, Text};
pub use lowering::{Lowered, asked, requested_shares, run_name};
pub use report::Refusal;
pub use run::{Assignment, Run, RunRate, Work};
pub use simulation::Simulation;
pub use written::{Written, is_plain, quoted};

use plimsoll_diagnostic::{Diagnostic, Sources};
use plimsoll_plan::Op;
use report::{Report, Stop};

/// The exit code of Vdbench for a file that it refuses (`exit(-99)`).
pub const EXIT_REFUSED: u8 = 157;

/// A definition that was accepted.
#[derive(Debug)]
pub struct Parsed {
    /// All texts.
    pub sources: Sources,
    /// What was accepted though Vdbench would read it otherwise, and what has no effect.
    pub warnings: Vec<Diagnostic>,
    /// The definitions.
    pub definition: Definition,
    /// All runs, in order.
    pub runs: Vec<Run>,
    /// All parameters, in order.
    written: Vec<(section::Section, object::Field)>,
}

/// Reads a definition, checks it, and works out its runs.
///
/// # Errors
/// Everything that is wrong, with its places. Up to 40 errors are kept.
pub fn parse(input: &Input) -> Result<Parsed, Box<Refusal>> {
    let mut sources = Sources::default();
    let mut report = Report::new();
    let read = steps(input, &mut sources, &mut report);
    let ((definition, runs, written), sources, warnings) = report.accept(sources, read)?;
    Ok(Parsed {
        sources,
        warnings,
        definition,
        runs,
        written,
    })
}

/// The definitions, the runs, and the parameters that they were read from.
type Read = (Definition, Vec<Run>, Vec<(section::Section, object::Field)>);

fn steps(input: &Input, sources: &mut Sources, report: &mut Report) -> Result<Read, Stop> {
    let read = reading::read(input, sources, report)?;
    let lines = logical::lines(read.lines, report)?;
    let parameters = lexer::parameters(&lines, &read.appended, report)?;
    let mut objects = object::gather(parameters, report)?;
    let written = std::mem::take(&mut objects.written);
    // Definitions of which a part is missing would only be complained about again.
    report.clean()?;
    let mut definition = definition::read(objects, report)?;
    definition.apply(&input.overrides);
    let runs = expansion::runs(&definition, report)?;
    report.clean()?;
    Ok((definition, runs, written))
}

impl Parsed {
    /// What Vdbench's `-s` prints.
    pub fn simulate(&self) -> Simulation {
        simulation::simulate(&self.definition, &self.runs)
    }

    /// The name and the loop values of each run, in order: (`rd1`, `threads=8 xfersize=4k`).
    pub fn run_titles(&self) -> Vec<(String, String)> {
        simulation::titles(&self.runs)
    }

    /// Operations on names for which Vdbench prints columns: those that any workload or run names, and those of a format. `None` where no
    /// run is on files.
    pub fn file_operations(&self) -> Option<Vec<Op>> {
        lowering::file_operations(self)
    }

    /// The definition once more, for the real Vdbench; names of files that are not whole begin in the folder `here`.
    ///
    /// # Errors
    /// What Vdbench would do beside its I/O on the targets, and what cannot be written so that it reads the same. Commands of the plan
    /// (`startcmd=`) are not among it.
    pub fn written(&self, here: &std::path::Path) -> Result<Written, Vec<Diagnostic>> {
        written::of(self, here)
    }

    /// The plan: what is to be measured.
    ///
    /// # Errors
    /// What this version cannot run, each by name, and what makes no sense on its targets.
    pub fn plan(&self) -> Result<Lowered, Vec<Diagnostic>> {
        lowering::lower(self)
    }
}
