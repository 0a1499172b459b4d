//! The native language: TOML with targets, workloads and runs. `docs/definition.md` describes it.
//!
//! [`keys`] holds the language as data; [`parse`] reads a file, [`direct`] the flags of the command line, and both make
//! steps in [`expand`].

pub mod access;
mod actions;
mod direct;
mod disturb;
mod document;
mod expand;
pub mod foreign;
pub mod forms;
mod given;
mod holding;
mod host;
pub mod keys;
mod like;
pub mod method;
mod operations;
mod overrides;
mod reduction;
pub mod reference;
mod replay;
mod report;
mod run;
pub mod schema;
mod shape;
mod target;
mod unsuited;
mod verify;
mod words;
mod workload;

pub use direct::{DirectError, DirectFlags, Method, direct};
pub use like::{Like, LikeError};
pub use overrides::{COMMAND_LINE, Overrides};

use document::read;
use overrides::Words;
use plimsoll_diagnostic::{Diagnostic, Sources, render};
use plimsoll_plan::Plan;
use report::Report;
use std::fmt;
use toml::de::DeTable;

/// The largest definition, bytes: ten thousand runs with every key are not as long.
pub const BYTES_MAX: usize = 4 << 20;

/// A file that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Native {
    /// Its text, for showing places of the plan's origins.
    pub sources: Sources,
    /// What it asks for.
    pub plan: Plan,
    /// What may not be meant so.
    pub warnings: Vec<Diagnostic>,
}

/// A file that cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub struct Failure {
    /// Its text.
    pub sources: Sources,
    /// Why, at least one error.
    pub diagnostics: Vec<Diagnostic>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.diagnostics.iter().enumerate() {
            let gap = if i == 0 { "" } else { "\n\n" };
            write!(f, "{gap}{}", render(diagnostic, &self.sources, false))?;
        }
        Ok(())
    }
}

/// Reads a file's bytes; those that are no text are refused with the place of the first bad byte.
pub fn parse_bytes(name: &str, bytes: &[u8]) -> Result<Native, Box<Failure>> {
    parse_bytes_with(name, bytes, &Overrides::default())
}

/// As [`parse_bytes`], with what the command line changes in it.
pub fn parse_bytes_with(
    name: &str,
    bytes: &[u8],
    overrides: &Overrides,
) -> Result<Native, Box<Failure>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse_with(name, text, overrides),
        Err(error) => {
            let diagnostic = Diagnostic::error("not-text", format!("{name} is not a text file"))
                .note(format!("byte {} is not UTF-8", error.valid_up_to()))
                .help("a definition is TOML; is this the right file?");
            let mut sources = Sources::default();
            sources.add(name, "");
            Err(Box::new(Failure {
                sources,
                diagnostics: vec![diagnostic],
            }))
        }
    }
}

/// The refusal of a text that is too large, before it is read: a document takes eighty times its length in memory.
fn too_large(name: &str) -> Box<Failure> {
    let mib = BYTES_MAX >> 20;
    let diagnostic = Diagnostic::error(
        "too-large",
        format!("{name} is larger than a definition may be, {mib} MiB"),
    )
    .help("write runs that differ in a few keys as one run that loops over lists of values");
    let mut sources = Sources::default();
    sources.add(name, "");
    Box::new(Failure {
        sources,
        diagnostics: vec![diagnostic],
    })
}

/// Reads a definition. `name` is what people know the text by, usually a path.
///
/// Never panics, and says all that is wrong at once, except that a text that is no TOML gets its first error only.
pub fn parse(name: &str, text: &str) -> Result<Native, Box<Failure>> {
    parse_with(name, text, &Overrides::default())
}

/// As [`parse`], with what the command line changes in it.
pub fn parse_with(name: &str, text: &str, overrides: &Overrides) -> Result<Native, Box<Failure>> {
    if text.len() > BYTES_MAX {
        return Err(too_large(name));
    }
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let words = Words::read(overrides, text.len() + 1);
    let whole = format!("{text}\n{}", words.text);
    let mut report = Report::new(&whole, file);
    if !words.text.is_empty() {
        report.second(
            sources.add(COMMAND_LINE, words.text.clone()),
            text.len() + 1,
        );
    }
    let plan = match DeTable::parse(text) {
        Ok(mut document) => {
            words.apply(&mut report, document.get_mut());
            read(&mut report, document.get_ref())
        }
        Err(error) => {
            syntax(&mut report, &error);
            None
        }
    };
    match plan {
        Some(plan) if !report.failed() => Ok(Native {
            warnings: report.finish(),
            sources,
            plan,
        }),
        _ => Err(Box::new(Failure {
            diagnostics: report.finish(),
            sources,
        })),
    }
}

fn syntax(report: &mut Report<'_>, error: &toml::de::Error) {
    let place = error.span().unwrap_or(0..0);
    let mut diagnostic =
        Diagnostic::error("not-toml", "this is not TOML").at(report.span(place), error.message());
    if report.source.contains('\0') {
        diagnostic =
            diagnostic.help("the file holds bytes that no text has; is this the right file?");
    } else if ["sd=", "fsd=", "hd=", "wd="]
        .iter()
        .any(|k| report.source.lines().take(50).any(|l| l.starts_with(k)))
    {
        diagnostic = diagnostic.help("this looks like a Vdbench parameter file; run it with -f");
    }
    report.push(diagnostic);
}
