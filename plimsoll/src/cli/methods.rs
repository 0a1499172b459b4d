//! The flags of the methods: what each of them measures, and what it is told.

use super::offered::words;
use super::{CommonArgs, DirectArgs, RepeatsArgs};
use clap::{Args, ValueHint};
use std::path::PathBuf;

/// `plimsoll saturate`.
#[derive(Debug, Args)]
pub struct SaturateArgs {
    #[command(flatten)]
    pub what: WhatArgs,
    /// Percent of reads of each mix [default: 0,70,100, or --read]
    #[arg(long, value_name = "LIST", help_heading = "Saturation")]
    pub reads: Option<String>,
    /// Transfer sizes [default: 4k,8k,16k,32k,64k,1m, or --block]
    #[arg(long, value_name = "LIST", help_heading = "Saturation")]
    pub blocks: Option<String>,
    #[command(flatten)]
    pub repeats: RepeatsArgs,
    #[command(flatten)]
    pub direct: DirectArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// `plimsoll soak`.
#[derive(Debug, Args)]
pub struct SoakArgs {
    #[command(flatten)]
    pub what: WhatArgs,
    /// End when all of the targets was written so many times
    #[arg(long, value_name = "N", help_heading = "Soak")]
    pub overwrites: Option<String>,
    /// What is done first: none, wipc (all written twice, in order), wdpc (the soak's load until it is steady), both [default: none]
    #[arg(long, value_name = "WHAT", help_heading = "Soak")]
    pub precondition: Option<String>,
    /// The longest part that is measured anew where the soak was killed [default: 30m]
    #[arg(long, value_name = "TIME", help_heading = "Soak")]
    pub part: Option<String>,
    #[command(flatten)]
    pub direct: DirectArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// `plimsoll sweep`.
#[derive(Debug, Args)]
pub struct SweepArgs {
    #[command(flatten)]
    pub what: WhatArgs,
    /// How often each cell is measured [default: 3]
    #[arg(long, value_name = "N", help_heading = "Sweep")]
    pub repeats: Option<String>,
    /// The order of the steps: random, abba, written [default: random]
    #[arg(long, value_name = "ORDER", value_parser = words("order"), hide_possible_values = true, help_heading = "Sweep")]
    pub order: Option<String>,
    /// A list that is ready: reduction (of data), workers, blocks
    #[arg(long, value_name = "LIST", value_parser = words("over"), hide_possible_values = true, help_heading = "Sweep")]
    pub over: Option<String>,
    #[command(flatten)]
    pub direct: DirectArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// `plimsoll disturb`.
#[derive(Debug, Args)]
pub struct DisturbArgs {
    /// A definition whose runs are this method, or targets: files, devices, lab:PERSONA, null:SIZE
    #[arg(value_name = "FILE|TARGET", required_unless_present = "bisect", value_hint = ValueHint::FilePath)]
    pub what: Vec<String>,
    /// When it happens, from the beginning of each repeat; the warm-up counts
    #[arg(long, value_name = "TIME", help_heading = "Disturbance")]
    pub at: Option<String>,
    /// The command that does it, with --allow-commands
    #[arg(long = "do", value_name = "COMMAND", help_heading = "Disturbance")]
    pub action: Option<String>,
    /// The fault of a simulated array that it is: 'path-down path=0 silent=true', 'controller-failover controller=0 pause=5s'
    #[arg(long, value_name = "FAULT", help_heading = "Disturbance")]
    pub do_fault: Option<String>,
    /// When it is put back; at the end, where a repeat ends before
    #[arg(long, value_name = "TIME", help_heading = "Disturbance")]
    pub undo_at: Option<String>,
    /// The command that puts it back
    #[arg(long, value_name = "COMMAND", help_heading = "Disturbance")]
    pub undo: Option<String>,
    /// The fault that puts it back: 'path-up path=0'
    #[arg(long, value_name = "FAULT", help_heading = "Disturbance")]
    pub undo_fault: Option<String>,
    /// How often [default: 3]
    #[arg(long, value_name = "N", help_heading = "Disturbance")]
    pub times: Option<String>,
    /// Measure nothing: name the lines in which two captured hosts (`plimsoll doctor --capture`) differ and that may be why the second one fails
    /// over more slowly; FILE|TARGET is then the records of both disturbances, the fast host's first, or is left out
    #[arg(long, value_names = ["FAST", "SLOW"], num_args = 2, help_heading = "Disturbance")]
    pub bisect: Vec<PathBuf>,
    #[command(flatten)]
    pub direct: DirectArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// `plimsoll pts`.
#[derive(Debug, Args)]
pub struct PtsArgs {
    #[command(flatten)]
    pub what: WhatArgs,
    /// Which tests: iops, throughput, latency, wsat [default: all]
    #[arg(long, value_name = "LIST", help_heading = "PTS")]
    pub tests: Option<String>,
    /// Divide the specification's times by this: the result is no PTS result any more [default: 1]
    #[arg(long, value_name = "N", help_heading = "PTS")]
    pub scale: Option<String>,
    /// Block sizes other than the specification's, as for a device that has none of 512 bytes
    #[arg(long, value_name = "LIST", help_heading = "PTS")]
    pub blocks: Option<String>,
    /// You say that the targets were purged (secure erase, format, sanitize) just before
    #[arg(long, help_heading = "PTS")]
    pub purged: bool,
    #[command(flatten)]
    pub direct: DirectArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// `plimsoll fingerprint`.
#[derive(Debug, Args)]
pub struct FingerprintArgs {
    #[command(flatten)]
    pub what: WhatArgs,
    /// How much of the target is looked at [default: all]; a missing file is made of this size and filled
    #[arg(long, value_name = "SIZE", help_heading = "Fingerprint")]
    pub size: Option<String>,
    /// Threads that submit [default: one per CPU]
    #[arg(long, value_name = "N", help_heading = "Fingerprint")]
    pub workers: Option<String>,
    /// Write what follows for other measurements there, for their --like
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Fingerprint")]
    pub save: Option<PathBuf>,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// What a method measures.
#[derive(Debug, Args)]
pub struct WhatArgs {
    /// A definition whose runs are this method, or targets: files, devices, lab:PERSONA, null:SIZE
    #[arg(value_name = "FILE|TARGET", required = true, value_hint = ValueHint::FilePath)]
    pub what: Vec<String>,
}
