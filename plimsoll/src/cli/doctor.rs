//! The flags of `plimsoll doctor`.

use clap::{Args, ValueHint};
use std::path::PathBuf;

/// `plimsoll doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// A file or device: all that it is made of is looked at [default: all disks]
    #[arg(value_name = "TARGET", value_hint = ValueHint::FilePath)]
    pub target: Option<String>,
    /// Look at a captured host in place of this one
    #[arg(long, value_name = "DIR|FILE", value_hint = ValueHint::AnyPath)]
    pub root: Option<PathBuf>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// Exit with 1 where something is suspect, too
    #[arg(long)]
    pub strict: bool,
}
