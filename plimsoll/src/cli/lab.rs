//! The words and flags of `plimsoll lab`.

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use plimsoll_plan::Bytes;
use std::net::SocketAddr;
use std::path::PathBuf;

/// `plimsoll lab`.
#[derive(Debug, Subcommand)]
pub enum LabCommand {
    /// Serve an array's LUNs over NBD, with real data, at the model's speed
    #[command(
        after_help = "Examples:\n  plimsoll lab serve scale-out-flash-8 --http 127.0.0.1:9180\n  \
                      plimsoll lab serve hybrid-hci --size 8g --socket /tmp/hci.sock\n  \
                      plimsoll lab serve single-ssd --paths 2 --backing ssd.img\n  \
                      plimsoll lab serve single-ssd --listen 0.0.0.0:10809 --tls-certificates /etc/pki/lab"
    )]
    Serve(Box<ServeArgs>),
    /// Print a built-in persona's file, to be copied and changed; without a name, list them
    #[command(after_help = "Examples:\n  plimsoll lab persona\n  \
                      plimsoll lab persona single-ssd > my.toml && plimsoll run lab:./my.toml --read 0 --for 10m")]
    Persona(PersonaArgs),
    /// Print a persona that has the curve of a result: rates, times and their tails by I/Os in flight
    #[command(
        after_help = "Examples:\n  plimsoll lab fit vdbench.log > my.toml && plimsoll curve lab:./my.toml --depth 512\n  \
                      plimsoll lab fit curve.plim > mine.toml"
    )]
    Fit(FitArgs),
}

/// `plimsoll lab fit`.
#[derive(Debug, Args)]
pub struct FitArgs {
    /// A record of a curve or of runs at several depths, or such a result of fio, Vdbench, DiskSPD or elbencho
    #[arg(value_name = "RESULT", value_hint = ValueHint::AnyPath)]
    pub result: PathBuf,
}

/// `plimsoll lab persona`.
#[derive(Debug, Args)]
pub struct PersonaArgs {
    /// Which
    #[arg(value_name = "PERSONA")]
    pub persona: Option<String>,
}

/// `plimsoll lab serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// A persona, or the file of one, with @REVISION for another release
    #[arg(value_name = "PERSONA")]
    pub persona: String,
    /// Listen on a TCP address [default: 127.0.0.1:10809]; each one that is given is a path to the array. One that other
    /// hosts can reach needs --tls-certificates or --insecure
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Vec<SocketAddr>,
    /// Listen on a Unix socket; each one is a path, after the addresses
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub socket: Vec<PathBuf>,
    /// So many paths for each address, on the ports from there on, and for each socket, with -1, -2 and so on at its end
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub paths: u16,
    /// Show what the array does on a page, and as JSON and metrics. The page has no TLS; where other hosts can reach it,
    /// it needs --insecure
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub http: Option<SocketAddr>,
    /// Answer on the page's address under this name too, as lab.example or lab.example:8080 where others see another port;
    /// under any other name than its address and localhost it does not
    #[arg(long, value_name = "NAME", requires = "http")]
    pub http_host: Vec<String>,
    /// TLS for NBD [default: require with --tls-certificates, else off]
    #[arg(long, value_name = "WHEN", value_enum)]
    pub tls: Option<TlsWhen>,
    /// TLS with the server-cert.pem, server-key.pem and ca-cert.pem in this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub tls_certificates: Option<PathBuf>,
    /// Only for clients with a certificate of an authority in ca-cert.pem
    #[arg(long)]
    pub tls_verify_peer: bool,
    /// Serve in plain text also where other hosts can reach it
    #[arg(long)]
    pub insecure: bool,
    /// The size of each LUN [default: the persona's]
    #[arg(long, value_name = "SIZE")]
    pub size: Option<Bytes>,
    /// Divide rates, capacity, caches and what works in parallel by this [default: the persona's]
    #[arg(long, value_name = "N")]
    pub scale: Option<f64>,
    /// Keep the data in this file, which is sparse [default: in memory]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub backing: Option<PathBuf>,
    /// Take a backing file that no lab made, that was changed since or whose lab was killed: serve what is in it and write over it
    #[arg(long, requires = "backing")]
    pub overwrite: bool,
    /// What goes wrong and when, counted from the start: a TOML file of [[faults]], on top of the persona's own
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub faults: Option<PathBuf>,
    /// Answer at once; the model only counts
    #[arg(long)]
    pub no_timing: bool,
    /// What decides all that varies by chance
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// When there is TLS; the words are nbdkit's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TlsWhen {
    /// Never
    Off,
    /// Where the client asks for it
    On,
    /// Always; nobody gets anything without
    Require,
}
