//! `plimsoll audit`.

use super::LintFormat;
use clap::{Args, ValueHint};
use plimsoll_plan::Claim;

/// `plimsoll audit`.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// A record, or what another tool left: a file, Vdbench's output folder, a folder of results, or - for standard input
    #[arg(value_name = "FILE|FOLDER|-", required = true, value_hint = ValueHint::AnyPath)]
    pub what: Vec<String>,
    /// The definition that a result of another tool was run with: fio's job file, Vdbench's parameter file, DiskSPD's command line or profile in a file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub job: Option<String>,
    /// What the result is to stand for: cached, burst, sustained, device, host [default: the definition's, else burst where no run counts a minute, else sustained]
    #[arg(long, value_name = "CLAIM")]
    pub claim: Option<Claim>,
    /// Exit with 1 also where a result is suspect
    #[arg(long)]
    pub strict: bool,
    /// How findings are printed
    #[arg(long, value_enum, default_value_t = LintFormat::Text)]
    pub format: LintFormat,
    /// Print one JSON document, and nothing else on standard output; the same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}
