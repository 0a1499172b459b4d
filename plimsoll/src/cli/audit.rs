//! `plimsoll audit`.

use clap::{Args, ValueHint};
use plimsoll_plan::Claim;

/// `plimsoll audit`.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// A record, or what another tool left: a file, Vdbench's output folder, a folder of results, or - for standard input
    #[arg(value_name = "FILE|FOLDER|-", required = true, value_hint = ValueHint::AnyPath)]
    pub what: Vec<String>,
    /// What a record's result is to stand for: cached, burst, sustained, device, host [default: the record's]
    #[arg(long, value_name = "CLAIM")]
    pub claim: Option<Claim>,
    /// Exit with 1 also where a result is suspect
    #[arg(long)]
    pub strict: bool,
    /// Print one JSON document, and nothing else on standard output
    #[arg(long)]
    pub json: bool,
}
