//! `plimsoll check`.

use super::LintFormat;
use clap::Args;
use plimsoll_plan::Claim;

/// `plimsoll check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// What is claimed, in words: "264000 at 1.15ms, 4k, jobs=8 depth=10, 4 hosts, 8 x 8Gb FC"; several claims are parted by ; or a full stop
    #[arg(
        value_name = "CLAIM",
        required_unless_present_any = ["iops", "bandwidth"]
    )]
    pub words: Vec<String>,
    /// I/Os each second: 264000, 264k
    #[arg(long, value_name = "RATE", help_heading = "The same as flags")]
    pub iops: Option<String>,
    /// Bytes each second: 700MB/s
    #[arg(long, value_name = "RATE", help_heading = "The same as flags")]
    pub bandwidth: Option<String>,
    /// Mean time of an I/O: 1.15ms
    #[arg(long, value_name = "TIME", help_heading = "The same as flags")]
    pub latency: Option<String>,
    /// Bytes of each I/O: 4k
    #[arg(long, value_name = "SIZE", help_heading = "The same as flags")]
    pub block: Option<String>,
    /// Share of reads, percent
    #[arg(long, value_name = "PERCENT", help_heading = "The same as flags")]
    pub read: Option<f64>,
    /// Jobs, threads or workers, of each host
    #[arg(long, value_name = "N", help_heading = "The same as flags")]
    pub jobs: Option<u64>,
    /// I/Os that each job has out
    #[arg(long, value_name = "N", help_heading = "The same as flags")]
    pub depth: Option<u64>,
    /// Hosts that have as many jobs each
    #[arg(long, value_name = "N", help_heading = "The same as flags")]
    pub hosts: Option<u64>,
    /// The ports that it came by: "8 x 8Gb FC", 2x25GbE; repeatable
    #[arg(long, value_name = "PORTS", help_heading = "The same as flags")]
    pub ports: Vec<String>,
    /// How long it went on: 60s, 18h
    #[arg(long = "for", value_name = "TIME", help_heading = "The same as flags")]
    pub elapsed: Option<String>,
    /// What the result is to stand for: cached, burst, sustained, device, host [default: burst where it went on for less than a minute, else sustained]
    #[arg(long, value_name = "CLAIM")]
    pub claim: Option<Claim>,
    /// Exit with 1 also where a claim is suspect
    #[arg(long)]
    pub strict: bool,
    /// How findings are printed
    #[arg(long, value_enum, default_value_t = LintFormat::Text)]
    pub format: LintFormat,
    /// Print one JSON document, and nothing else on standard output; the same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}
