//! Why a persona cannot be used.

use super::BUILT_IN;
use crate::complaint::{Complaint, suggest};
use crate::fault::FaultError;

/// Why a persona cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PersonaError {
    /// No built-in persona has this name.
    #[error("there is no persona {0:?}; {remedy}", remedy = suggest(.0, &BUILT_IN.map(|b| b.0)))]
    Unknown(String),
    /// The persona has no revision of this name.
    #[error("persona {persona:?} has no revision {revision:?}; it has: {known}")]
    UnknownRevision {
        /// The persona.
        persona: String,
        /// What was asked for.
        revision: String,
        /// What there is.
        known: String,
    },
    /// The file cannot be read.
    #[error("{file}: {source}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why not.
        source: std::io::Error,
    },
    /// The file is not a persona, or a parameter in it is out of its range.
    #[error("{0}")]
    Text(Complaint),
    /// The schedule has a fault that cannot happen to the array.
    #[error("persona {persona:?}: faults: {why}")]
    Faults {
        /// The persona.
        persona: String,
        /// Why not.
        why: FaultError,
    },
    /// The system has no memory for the map of so much.
    #[error(
        "persona {persona:?}: no memory for the map of {gib:.0} GiB: {why}; make luns.gib smaller or scale larger"
    )]
    Memory {
        /// The persona.
        persona: String,
        /// All of its LUNs, GiB.
        gib: f64,
        /// What the system says.
        why: std::io::Error,
    },
    /// The model takes more memory than there is.
    #[error(
        "persona {persona:?} at a scale of {scale}: its model takes up to {need_gib:.1} GiB of memory, and {available_gib:.1} GiB are \
         left, of which it may fill half at once; {}", fitting(.fits)
    )]
    Large {
        /// The persona.
        persona: String,
        /// The scale that was asked for.
        scale: f64,
        /// What the model takes when everything has been written, GiB.
        need_gib: f64,
        /// What can be had, GiB.
        available_gib: f64,
        /// The least scale that fits, where one does.
        fits: Option<f64>,
    },
    /// A parameter is out of its range at the scale that was asked for.
    #[error("persona {persona:?}: {parameter} must be {must}")]
    Range {
        /// The persona.
        persona: String,
        /// The parameter, as in the file.
        parameter: &'static str,
        /// What it must be.
        must: &'static str,
    },
}

fn fitting(scale: &Option<f64>) -> String {
    match scale {
        Some(scale) => format!("a scale of at least {scale} fits"),
        None => "no scale fits: make the LUNs smaller".to_owned(),
    }
}
