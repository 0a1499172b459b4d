//! The flags of the commands that ask the rules about a definition, and what they say.

use super::FileArgs;
use clap::{Args, ValueEnum, ValueHint};
use plimsoll_plan::Claim;

/// `plimsoll lint`.
#[derive(Debug, Args)]
pub struct LintArgs {
    /// One definition (.toml; .fio; or .parm, .vdb for Vdbench, and behind it what is to be changed)
    #[arg(value_name = "FILE", required_unless_present = "file", value_hint = ValueHint::FilePath)]
    pub what: Vec<String>,
    #[command(flatten)]
    pub file: FileArgs,
    /// Change a key of a definition (.toml) by its path: workload.oltp.block=8k; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// What the result is to stand for: cached, burst, sustained, device, host [default: the definition's, else burst below a minute a step, and sustained from there on]
    #[arg(long, value_name = "CLAIM")]
    pub claim: Option<Claim>,
    /// How findings are printed
    #[arg(long, value_enum, default_value_t = LintFormat::Text)]
    pub format: LintFormat,
    /// Exit with 1 where something is suspect, too
    #[arg(long)]
    pub strict: bool,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    /// As a compiler's, with the lines that are to blame.
    Text,
    /// One JSON document.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// GitHub's workflow commands, which become annotations.
    Github,
}

/// `plimsoll explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Rules, by number or name
    #[arg(value_name = "RULE")]
    pub rules: Vec<String>,
    /// How often each spoke over the answers that its tests know: found something, looked and found nothing, could not look
    #[arg(long)]
    pub coverage: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}
