//! Findings for people and for programs: excerpts, JSON, SARIF 2.1.0 and GitHub's workflow commands.

mod github;
mod json;
mod place;
mod refused;
mod sarif;
mod text;

pub use github::github;
pub use json::json;
pub use place::FilePlace;
pub use refused::{Complaint, refused_github, refused_json, refused_sarif};
pub use sarif::{sarif, sarif_of_all};
pub use text::{counted, text};

use crate::Audited;
use plimsoll_diagnostic::Sources;

/// All that a finding names: what was written, or where it stands in a result.
fn places(found: &Audited, sources: &Sources) -> Vec<FilePlace> {
    let written = FilePlace::of(found.span, sources).into_iter();
    written.chain(found.places.iter().cloned()).collect()
}
