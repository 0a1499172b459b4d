//! DiskSPD's command line and its profiles in XML.
//!
//! Both become the same types (`model`): a command line flag by flag (`flag` is the table, `reader` the grammar), a
//! profile by DiskSPD's schema (`schema`, `xml`, `elements`). `checks` has what DiskSPD checks after that, with its
//! verdicts, and `lowering` makes the plan. Every value keeps the place where it was written.

pub mod codes;
pub mod command_line;
pub mod flag;
pub mod model;
pub mod reference;
pub mod size;

mod affinity;
mod checks;
mod complaints;
mod distribution;
mod echo_text;
mod echo_xml;
mod elements;
mod lowering;
mod profile_file;
mod reader;
mod reader_order;
mod schema;
mod template;
mod xml;

use complaints::Complaints;
pub use lowering::Lowered;
use model::Profile;
use plimsoll_diagnostic::{Diagnostic, Sources, render_all};
use std::fmt;

/// A definition that was accepted.
#[derive(Debug)]
pub struct Parsed {
    /// All texts.
    pub sources: Sources,
    /// What DiskSPD would warn of, or read otherwise.
    pub warnings: Vec<Diagnostic>,
    /// What it says.
    pub profile: Profile,
    /// The command line, where it was one.
    pub command: Option<String>,
}

/// A definition that was not accepted.
#[derive(Debug, thiserror::Error)]
pub struct Refusal {
    /// All texts.
    pub sources: Sources,
    /// What is wrong with them, warnings among it.
    pub diagnostics: Vec<Diagnostic>,
    /// How far it came.
    pub stage: Stage,
}

/// How far a definition came that was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It could not be read: its grammar, its schema.
    Read,
    /// It could be read, and says what cannot be.
    Checked,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render_all(&self.diagnostics, &self.sources))
    }
}

impl Parsed {
    /// What it says, as it stands above DiskSPD's text results: `Command Line:` and `Input parameters:`.
    pub fn text(&self) -> String {
        let none = self.sources.iter().next().map_or("", |s| s.name.as_str());
        let command = match &self.command {
            Some(words) => format!("diskspd {words}"),
            None => format!("diskspd -X{none}"),
        };
        echo_text::profile(&self.profile, &command)
    }

    /// The profile in XML, so many blanks in.
    pub fn xml(&self, indent: usize) -> String {
        echo_xml::profile(&self.profile, indent)
    }
}

/// Reads a command line without the program's name, and the profile that it names.
///
/// # Errors
/// Everything that is wrong, with its places.
pub fn parse_command(words: &[String]) -> Result<Parsed, Box<Refusal>> {
    let mut sources = Sources::default();
    let mut reader = reader::Reader::default();
    let read = command_line::read(words, &mut sources, &mut reader);
    let (profile, from_file) = match read {
        Some(read) => (Some(read.profile), read.from_file),
        None => (None, false),
    };
    let command = Some(words.join(" "));
    finish(sources, profile, from_file, reader.complaints, command)
}

/// Reads a profile's file; `paths` take the places of its template targets.
///
/// # Errors
/// Everything that is wrong, with its places.
pub fn parse_file(name: &str, paths: &[String]) -> Result<Parsed, Box<Refusal>> {
    let mut sources = Sources::default();
    let mut complaints = Complaints::default();
    let profile = profile_file::read(name, None, &mut sources, &mut complaints);
    with_paths(sources, profile, paths, complaints)
}

/// Reads a profile's text, as [`parse_file`] does.
///
/// # Errors
/// Everything that is wrong, with its places.
pub fn parse_text(name: &str, text: &str, paths: &[String]) -> Result<Parsed, Box<Refusal>> {
    let mut sources = Sources::default();
    let mut complaints = Complaints::default();
    let file = sources.add(name, text);
    let profile = elements::read(file, text, &mut complaints);
    with_paths(sources, profile, paths, complaints)
}

fn with_paths(
    sources: Sources,
    mut profile: Option<Profile>,
    paths: &[String],
    mut complaints: Complaints,
) -> Result<Parsed, Box<Refusal>> {
    if let Some(profile) = &mut profile {
        template::substitute(profile, paths, &mut complaints);
    }
    finish(sources, profile, true, complaints, None)
}

fn finish(
    sources: Sources,
    profile: Option<Profile>,
    from_file: bool,
    mut complaints: Complaints,
    command: Option<String>,
) -> Result<Parsed, Box<Refusal>> {
    let mut stage = Stage::Read;
    if let Some(profile) = profile
        && !complaints.failed()
    {
        checks::check(&profile, from_file, &mut complaints);
        stage = Stage::Checked;
        if !complaints.failed() {
            return Ok(Parsed {
                sources,
                warnings: complaints.into_diagnostics(),
                profile,
                command,
            });
        }
    }
    Err(Box::new(Refusal {
        sources,
        diagnostics: complaints.into_diagnostics(),
        stage,
    }))
}
