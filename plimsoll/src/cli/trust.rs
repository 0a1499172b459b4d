//! The flags of what tests the audit and the target itself: `hero` and `probe`.

use clap::{Args, ValueHint};

/// `plimsoll hero`.
#[derive(Debug, Args)]
pub struct HeroArgs {
    /// A file, a device or lab:PERSONA
    #[arg(value_name = "TARGET", value_hint = ValueHint::FilePath)]
    pub target: String,
    /// How much of it to use; a file that is missing is made so long, and filled
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// Bytes of each I/O
    #[arg(long, value_name = "SIZE", default_value = "8k")]
    pub block: String,
    /// I/Os in flight, but for the trick that has thousands
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub depth: u32,
    /// How long the honest runs count; a trick counts 5s at the most
    #[arg(long = "for", value_name = "TIME", default_value = "30s")]
    pub elapsed: String,
    /// How long the honest runs warm up
    #[arg(long, value_name = "TIME", default_value = "5s")]
    pub warmup: String,
    /// Seed of every random choice [default: drawn]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Let tricks write where somebody's data is: a device's WWN, serial or by-id name (see `plimsoll ls`), a file's path. They leave
    /// zeros and repeated bytes behind
    #[arg(long, value_name = "NAME", help_heading = "Safety")]
    pub destroy: Vec<String>,
    /// Print one JSON document, and nothing else on standard output
    #[arg(long)]
    pub json: bool,
}

/// `plimsoll probe`.
#[derive(Debug, Args)]
pub struct ProbeArgs {
    /// A file, a device, an export or lab:PERSONA
    #[arg(value_name = "TARGET", value_hint = ValueHint::FilePath)]
    pub target: String,
    /// How much of it to look at, from its start
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// Seed of every random choice [default: drawn]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Trim and write the first 3 MiB of this target: a device's WWN, serial or by-id name (see `plimsoll ls`), a file's path
    #[arg(long, value_name = "NAME", help_heading = "Safety")]
    pub destroy: Vec<String>,
    /// Print one JSON document, and nothing else on standard output
    #[arg(long)]
    pub json: bool,
}
