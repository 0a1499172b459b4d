//! The flags of `plimsoll convert`.

use clap::{Args, ValueHint};
use plimsoll_dialects::Dialect;
use std::path::PathBuf;

/// `plimsoll convert`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Definitions of any name, in any dialect, as behind -f of `plimsoll run`; after a Vdbench file key=value words
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub what: Vec<String>,
    /// The dialect to write: toml, vdbench, fio
    #[arg(long, value_name = "NAME")]
    pub to: Dialect,
    /// What the definition is written in: toml, vdbench, fio, diskspd [default: what its name says, else what is in it]
    #[arg(long, value_name = "NAME")]
    pub dialect: Option<Dialect>,
    /// Of a fio job file only the jobs of this section; repeatable
    #[arg(long, value_name = "NAME")]
    pub section: Vec<String>,
    /// Where to write; - is standard output [default: -]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Replace the file that is there, whoever wrote it
    #[arg(long)]
    pub overwrite: bool,
    /// In the place of files a command line: fio, vdbench or diskspd, and its words
    #[arg(last = true, value_name = "TOOL AND ITS WORDS")]
    pub command: Vec<String>,
}
