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
    /// Write what is known of this host to a file that can be sent (tar, packed by zstd): no passwords, no data
    #[arg(long, value_name = "FILE", conflicts_with_all = ["target", "root", "diff", "json", "strict"], value_hint = ValueHint::FilePath)]
    pub capture: Option<PathBuf>,
    /// Replace the file that is there
    #[arg(long, requires = "capture")]
    pub overwrite: bool,
    /// What changed between two captured hosts (`/` is this one), or between the records of two runs
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with_all = ["target", "root", "strict"], value_hint = ValueHint::AnyPath)]
    pub diff: Vec<PathBuf>,
    /// How many paths each multipath map should have: adapters on a fabric times the array's ports on it, over all fabrics
    #[arg(long, value_name = "N", conflicts_with_all = ["diff", "capture"])]
    pub paths: Option<usize>,
    /// Over what this host reaches its storage: ports, sessions, controllers and mounts, with speeds and channels
    #[arg(long, conflicts_with_all = ["target", "diff", "capture", "strict"])]
    pub transports: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// Exit with 1 where something is suspect, too
    #[arg(long)]
    pub strict: bool,
}
