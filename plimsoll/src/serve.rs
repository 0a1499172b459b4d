//! `plimsoll serve`.

use crate::cli::ShelfArgs;
use crate::failure::Failure;
use crate::out::{self, tell};
use plimsoll_fleet::drawn_id;
use plimsoll_http::{HttpOptions, Tls, is_host};
use plimsoll_printable::Printable;
use plimsoll_shelf::{Server, ShelfOptions};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::channel;

/// A token of fewer letters could be guessed.
const TOKEN_LEAST: usize = 16;
/// Exit code where it was interrupted a second time: as a shell reports SIGINT.
const INTERRUPTED: i32 = 130;
/// The longest that is read.
const TOKEN_MOST: u64 = 1024;

/// Serves until it is interrupted.
pub fn serve(args: &ShelfArgs) -> Result<ExitCode, Failure> {
    let options = options(args)?;
    let (token, secure) = (options.http.token.clone(), options.http.tls.is_some());
    let name = options.http.names.first().cloned();
    let server = Server::start(options)?;
    let (interrupted, interrupts) = channel();
    let mut asked = false;
    ctrlc::set_handler(move || {
        if std::mem::replace(&mut asked, true) {
            std::process::exit(INTERRUPTED);
        }
        // When nobody listens any more, it is stopping.
        let _ = interrupted.send(());
    })?;
    let scheme = if secure { "https" } else { "http" };
    // Whoever wrote it into a file knows it.
    let drawn = token.filter(|_| args.token_file.is_none());
    let token = drawn.map_or(String::new(), |token| format!("?token={token}"));
    let folder = args.folder.display().to_string();
    let address = server.address();
    // All addresses together are none that a browser can ask for.
    let named = name.filter(|_| address.ip().to_canonical().is_unspecified());
    let place = match named {
        Some(name) if has_port(&name) => name,
        Some(name) => format!("{name}:{}", address.port()),
        None => address.to_string(),
    };
    out::put(format_args!(
        "the records below {}\npage    {scheme}://{place}/{token}\n\nInterrupt (Ctrl-C) to stop.\n",
        Printable(&folder),
    ));
    interrupts.recv()?;
    tell!("\nstopping");
    drop(server);
    Ok(ExitCode::SUCCESS)
}

fn options(args: &ShelfArgs) -> Result<ShelfOptions, Failure> {
    if let Some(odd) = args.http_host.iter().find(|name| !is_host(name)) {
        return Err(Failure::usage(format!(
            "--http-host {}: give a name, or a name and a port, as in lab.example or lab.example:8080",
            Printable(odd)
        )));
    }
    let is_local = args.listen.ip().to_canonical().is_loopback();
    if !is_local && args.tls_certificates.is_none() {
        return Err(Failure::usage(format!(
            "--listen {}: other hosts can reach it, and the token and the records would go there in plain text; give \
             --tls-certificates DIR, or a loopback address and let people come through ssh (ssh -L 9181:localhost:9181 HOST)",
            args.listen
        )));
    }
    let is_any = args.listen.ip().to_canonical().is_unspecified();
    if is_any && args.http_host.is_empty() {
        return Err(Failure::usage(format!(
            "--listen {}: these are all addresses of this host, and a browser has to be told one; give it a name with --http-host NAME, \
             or listen on one address",
            args.listen
        )));
    }
    let folder = args.tls_certificates.as_deref();
    let tls = folder.map(|folder| Tls::new(folder, false)).transpose()?;
    let token = match &args.token_file {
        Some(file) => Some(token(file)?),
        None => (!is_local).then(drawn_id),
    };
    Ok(ShelfOptions {
        folder: args.folder.clone(),
        cache: cache(),
        control: args.control,
        http: HttpOptions {
            names: args.http_host.clone(),
            tls,
            token,
            ..HttpOptions::new(args.listen)
        },
    })
}

/// True where a name comes with its port; an address of IPv6 is in brackets.
fn has_port(name: &str) -> bool {
    let behind = name.rsplit_once(':').map(|(_, port)| port);
    behind.is_some_and(|port| !port.contains(']'))
}

/// The token in a file.
fn token(file: &Path) -> Result<String, Failure> {
    let wrong = |why: String| {
        Failure::usage(format!(
            "--token-file {}: {why}",
            Printable(&file.display().to_string())
        ))
    };
    let mut line = String::new();
    let read =
        File::open(file).and_then(|f| BufReader::new(f.take(TOKEN_MOST)).read_line(&mut line));
    read.map_err(|e| wrong(e.to_string()))?;
    let token = line.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
    match token.len() >= TOKEN_LEAST && token.chars().all(plain) {
        true => Ok(token.to_owned()),
        false => Err(wrong(format!(
            "its first line is no token: write at least {TOKEN_LEAST} letters and digits, as `openssl rand -hex 16` prints them"
        ))),
    }
}

/// The user's folder of caches.
pub fn cache() -> Option<PathBuf> {
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    let folder = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    folder.filter(|folder| folder.is_absolute())
}
