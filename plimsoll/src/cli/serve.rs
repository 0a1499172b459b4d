//! The flags of `plimsoll serve` and `plimsoll clean`.

use clap::{Args, ValueHint};
use std::net::SocketAddr;
use std::path::PathBuf;

/// `plimsoll serve`.
#[derive(Debug, Args)]
pub struct ShelfArgs {
    /// The folder; records in the folders below it count
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Address to serve on. One that other hosts can reach needs --tls-certificates
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9181")]
    pub listen: SocketAddr,
    /// Answer under this name too, as lab.example or lab.example:8080 where others see another port; under any other name than
    /// its address and localhost it does not
    #[arg(long, value_name = "NAME")]
    pub http_host: Vec<String>,
    /// TLS with the server-cert.pem and server-key.pem in this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub tls_certificates: Option<PathBuf>,
    /// The token that browsers have to have, as the first line of a file [default: drawn, and printed in the address; none on a
    /// loopback address]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub token_file: Option<PathBuf>,
    /// Let the page of a run that goes on here stop it, as an interrupt does: whoever reaches the page can
    #[arg(long)]
    pub control: bool,
}

/// `plimsoll clean`.
#[derive(Debug, Args)]
pub struct CleanArgs {
    /// The folder; files in the folders below it count
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Remove them
    #[arg(short, long)]
    pub yes: bool,
}
