//! The flags of many hosts.

use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

/// The server that hosts meet on.
#[derive(Debug, Args, Clone, Default)]
pub struct ServerArgs {
    /// The nats-server that the hosts meet on: nats://HOST:4222, or tls://HOST:4222
    #[arg(long, value_name = "URL", help_heading = "Hosts")]
    pub nats: Option<String>,
    /// A file of credentials for it, as nsc writes it
    #[arg(long, value_name = "FILE", requires = "nats", value_hint = ValueHint::FilePath, help_heading = "Hosts")]
    pub creds: Option<PathBuf>,
    /// A file with the certificates that the server's has to be signed by [default: the system's]
    #[arg(long, value_name = "FILE", requires = "nats", value_hint = ValueHint::FilePath, help_heading = "Hosts")]
    pub ca: Option<PathBuf>,
}

/// Who carries a measurement out, where that is not this host.
#[derive(Debug, Args, Clone, Default)]
pub struct TogetherArgs {
    /// Hosts that carry it out together: a,b,user@c by ssh, which starts an agent on each; with --nats the names of agents that
    /// run there, or all; sim:N for N simulated ones on a lab: target
    #[arg(
        long,
        value_name = "HOST,…",
        value_delimiter = ',',
        help_heading = "Hosts"
    )]
    pub hosts: Vec<String>,
    #[command(flatten)]
    pub server: ServerArgs,
    /// The command that reaches a host, where no --nats is named [default: ssh]
    #[arg(
        long,
        value_name = "COMMAND",
        conflicts_with = "nats",
        help_heading = "Hosts"
    )]
    pub ssh: Option<String>,
    /// The program of nats-server, where no --nats is named [default: the one in PATH, or beside plimsoll]
    #[arg(long, value_name = "PATH", conflicts_with = "nats", value_hint = ValueHint::FilePath, help_heading = "Hosts")]
    pub nats_server: Option<PathBuf>,
    /// When a host is lost: wait for it and measure the step again, once; stop all; or let the others go on with their own parts
    /// [default: repeat]
    #[arg(long, value_name = "WHAT", value_enum, help_heading = "Hosts")]
    pub on_lost: Option<WhenLost>,
    /// How long the hosts go on without a word from here, before they stop by themselves [default: 60s]
    #[arg(long, value_name = "TIME", help_heading = "Hosts")]
    pub lease: Option<String>,
}

/// What happens when a host is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WhenLost {
    /// The step ends on all hosts and is set aside; the host is waited for, as long as a lease, and the step is measured again.
    Repeat,
    /// The step ends on all hosts, and the run with it.
    Stop,
    /// The others go on with their own parts.
    Continue,
}

/// `plimsoll agent`.
#[derive(Debug, Args)]
pub struct AgentArgs {
    #[command(flatten)]
    pub server: ServerArgs,
    /// Its name in the fleet [default: the host's name]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Targets that it lends: a pattern of their paths, with * and ?; repeatable [default: *]
    #[arg(long, value_name = "GLOB", help_heading = "Safety")]
    pub allow_target: Vec<String>,
    /// What may be written on it: a pattern of paths, or of the names that --destroy has; repeatable [default: nothing]
    #[arg(long, value_name = "GLOB", help_heading = "Safety")]
    pub allow_destroy: Vec<String>,
    /// Take the server's certificate and password from standard input, and end with it when no run goes on
    #[arg(long, hide = true)]
    pub while_input: bool,
    /// The folder that its own records go into [default: this one]
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub records: Option<PathBuf>,
}

/// `plimsoll hosts`.
#[derive(Debug, Args)]
pub struct HostsArgs {
    #[command(flatten)]
    pub server: ServerArgs,
    /// How long to wait for answers
    #[arg(long, value_name = "TIME", default_value = "2s")]
    pub wait: String,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}
