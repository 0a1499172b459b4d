//! From a plan back to a text: in the native dialect always, in Vdbench's and fio's where they have words for it.
//!
//! What is written reads back as the same plan ([`Plan::essence`]); where a dialect has no word for a part of it, that is an
//! error with the place where the part was written.

mod fio;
mod native;
mod origin;
mod toml;
mod vdbench;

pub use fio::{Engine, to_fio};
pub use native::to_native;
pub use vdbench::to_vdbench;

use plimsoll_diagnostic::{Diagnostic, Sources, Span};
use plimsoll_plan::Plan;

/// The code of what a dialect has no word for.
pub const NO_WORD: &str = "no-word";

/// What is to be written in another dialect.
#[derive(Debug, Clone, Copy)]
pub struct Original<'a> {
    /// What it asks for.
    pub plan: &'a Plan,
    /// The texts that it was read from.
    pub sources: &'a Sources,
    /// What it says beside the plan, a sentence each, for comments.
    pub beside: &'a [String],
}

/// A part that the other dialect cannot say.
fn no_word(message: impl Into<String>, at: Option<Span>, remedy: impl Into<String>) -> Diagnostic {
    let said = Diagnostic::error(NO_WORD, message).help(remedy);
    match at {
        Some(span) => said.at(span, "written here"),
        None => said,
    }
}
