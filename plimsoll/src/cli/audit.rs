//! `plimsoll audit`.

use clap::{Args, ValueHint};

/// `plimsoll audit`.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// What another tool left: a file, Vdbench's output folder, a folder of results, or - for standard input
    #[arg(value_name = "FILE|FOLDER|-", required = true, value_hint = ValueHint::AnyPath)]
    pub what: Vec<String>,
    /// Exit with 1 also where a result is suspect
    #[arg(long)]
    pub strict: bool,
    /// Print one JSON document, and nothing else on standard output
    #[arg(long)]
    pub json: bool,
}
