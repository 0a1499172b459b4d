//! A volume behind NBD servers as a target: `nbd://host:port/export`, `nbd+unix:///export?socket=PATH`, and with TLS
//! `nbds://` and `nbds+unix://`. Several ways to one volume make a multipath device.
//!
//! The form of the addresses is that of <https://github.com/NetworkBlockDevice/nbd/blob/master/doc/uri.md>; the names of
//! TLS's parameters are libnbd's.

use crate::units::Nanos;
use plimsoll_diagnostic::nearest;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The port that the IANA gave to NBD.
const DEFAULT_PORT: u16 = 10809;
const SCHEMES: [&str; 4] = ["nbd://", "nbds://", "nbd+unix://", "nbds+unix://"];
/// Schemes of the same family that cannot be used, and why.
const REFUSED: [(&str, &str); 2] = [("nbd+vsock://", "AF_VSOCK"), ("nbds+vsock://", "AF_VSOCK")];
/// How long an I/O may be out on one of several paths before another one is tried.
const DEADLINE_OF_SEVERAL: Nanos = Nanos::secs(5);
/// The same where there is no other: what the kernel gives a disk (/sys/block/sdX/device/timeout).
const DEADLINE_OF_ONE: Nanos = Nanos::secs(30);
/// How long I/Os wait while all paths are down.
const NO_PATH_RETRY: Nanos = Nanos::secs(30);

/// One volume, and the ways to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NbdTarget {
    /// The ways, as they were given; at least one.
    pub paths: Vec<NbdUri>,
    /// Which of them an I/O takes.
    pub selector: Selector,
    /// How long an I/O may be out on a path before the path counts as down; `None`: see [`NbdTarget::deadline`].
    pub path_deadline: Option<Nanos>,
    /// How long I/Os wait while all paths are down, before they fail.
    pub no_path_retry: Nanos,
}

/// Selector of the path that an I/O takes; the names are those of the Linux device mapper's path selectors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selector {
    /// They take turns.
    RoundRobin,
    /// The one with the fewest I/Os out.
    QueueLength,
    /// The one where an I/O is expected back first: I/Os out, times the mean service time of late.
    #[default]
    ServiceTime,
}

impl Selector {
    /// All of them, with their names.
    pub const NAMES: [(&'static str, Selector); 3] = [
        ("round-robin", Selector::RoundRobin),
        ("queue-length", Selector::QueueLength),
        ("service-time", Selector::ServiceTime),
    ];
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Selector::NAMES.iter().find(|(_, s)| s == self);
        f.write_str(named.map_or("", |(name, _)| name))
    }
}

/// One way to a volume.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NbdUri {
    /// Where the server listens.
    pub server: NbdServer,
    /// The export's name there; empty for the server's default one.
    pub export: String,
    /// TLS, without which nothing is said there; `None`: in plain text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<NbdTls>,
}

/// How a server proves that it is the one that is meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NbdTls {
    /// The folder with `ca-cert.pem`, and a client's own certificate where it needs one; `None`: where libnbd looks.
    pub certificates: Option<PathBuf>,
    /// The name that the server's certificate is for; `None`: the host's, or `localhost` for a Unix socket.
    pub hostname: Option<String>,
    /// False: any server is good.
    pub verify_peer: bool,
}

impl Default for NbdTls {
    fn default() -> Self {
        NbdTls {
            certificates: None,
            hostname: None,
            verify_peer: true,
        }
    }
}

/// Where an NBD server listens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NbdServer {
    /// A host's name or address (of IPv6 without its brackets), and a port.
    Tcp {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// A Unix domain socket.
    Unix(PathBuf),
}

/// Why a text is no NBD target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NbdError {
    /// A scheme that cannot be used.
    #[error("`{scheme}` needs {what}, which this version does not have; use nbd:// or nbd+unix://")]
    Scheme {
        /// The scheme.
        scheme: &'static str,
        /// What it needs.
        what: &'static str,
    },
    /// Among several ways, one that is none.
    #[error(
        "`{0}` is no NBD address; write nbd://HOST:PORT/EXPORT or nbd+unix:///EXPORT?socket=PATH"
    )]
    NotNbd(String),
    /// A port that is none.
    #[error("`{0}` is no port; write a number from 1 to 65535, as in nbd://host:10809/export")]
    Port(String),
    /// A user before the host.
    #[error("NBD has no users; leave out what stands before the @")]
    User,
    /// No socket.
    #[error("nbd+unix:// needs a socket, as in nbd+unix:///export?socket=/run/nbd.sock")]
    NoSocket,
    /// A host where none belongs.
    #[error(
        "nbd+unix:// has no host: write three slashes, as in nbd+unix:///export?socket=/run/nbd.sock"
    )]
    Host,
    /// A parameter of another name.
    #[error("an NBD address has no parameter `{name}` here; {}", did_you_mean(.nearest))]
    Parameter {
        /// The name.
        name: String,
        /// The one that was probably meant.
        nearest: Option<&'static str>,
    },
    /// A parameter of TLS where there is none.
    #[error("`{0}` belongs to TLS; write nbds:// for nbd://, or nbds+unix:// for nbd+unix://")]
    NoTls(String),
    /// A way of TLS that there is not.
    #[error(
        "`{0}` needs pre-shared keys, which this version does not have; use tls-certificates=DIR"
    )]
    PreShared(String),
    /// A parameter with a value that it cannot have.
    #[error("`{0}`: write {1}")]
    Value(String, &'static str),
    /// A per cent sign that hides no byte, or bytes that are no text.
    #[error("`{0}` has a % that no byte of UTF-8 follows; write %25 for a per cent sign")]
    Encoding(String),
    /// The same way twice.
    #[error("{0} is named twice; each path once")]
    Twice(String),
}

fn did_you_mean(nearest: &Option<&'static str>) -> String {
    match nearest {
        Some(name) => format!("did you mean `{name}`?"),
        None => "in an export's name write %3F for a question mark".to_string(),
    }
}

impl NbdTarget {
    /// A volume with these ways to it, and the defaults.
    pub fn new(paths: Vec<NbdUri>) -> Result<Self, NbdError> {
        for (i, path) in paths.iter().enumerate() {
            if paths[..i].contains(path) {
                return Err(NbdError::Twice(path.to_string()));
            }
        }
        Ok(NbdTarget {
            paths,
            selector: Selector::default(),
            path_deadline: None,
            no_path_retry: NO_PATH_RETRY,
        })
    }

    /// True for a text that names a target of this kind, well or badly.
    pub fn is_meant(text: &str) -> bool {
        let refused = REFUSED.iter().map(|(scheme, _)| scheme);
        SCHEMES.iter().chain(refused).any(|s| text.starts_with(s))
    }

    /// How long an I/O may be out on a path before the path counts as down: 5 s where there are several, 30 s where there
    /// is one.
    pub fn deadline(&self) -> Nanos {
        self.path_deadline.unwrap_or(match self.paths.len() {
            0 | 1 => DEADLINE_OF_ONE,
            _ => DEADLINE_OF_SEVERAL,
        })
    }
}

impl FromStr for NbdTarget {
    type Err = NbdError;

    /// One address, or several with commas between them.
    fn from_str(text: &str) -> Result<Self, NbdError> {
        NbdTarget::new(text.split(',').map(str::parse).collect::<Result<_, _>>()?)
    }
}

impl fmt::Display for NbdTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, path) in self.paths.iter().enumerate() {
            write!(f, "{}{path}", if i > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

impl FromStr for NbdUri {
    type Err = NbdError;

    fn from_str(text: &str) -> Result<Self, NbdError> {
        for (scheme, what) in REFUSED {
            if text.starts_with(scheme) {
                return Err(NbdError::Scheme { scheme, what });
            }
        }
        let (tls, plain) = match text.strip_prefix("nbds") {
            Some(rest) => (Some(NbdTls::default()), rest),
            None => (None, text.strip_prefix("nbd").unwrap_or(text)),
        };
        let not_nbd = || NbdError::NotNbd(text.to_string());
        let (rest, is_unix) = match plain.strip_prefix("+unix://") {
            Some(rest) => (rest, true),
            None => (plain.strip_prefix("://").ok_or_else(not_nbd)?, false),
        };
        let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let mut query = Query { socket: None, tls };
        for parameter in parameters.split('&').filter(|p| !p.is_empty()) {
            query.take(parameter, is_unix)?;
        }
        let (server, export) = if is_unix {
            let export = match place.strip_prefix('/') {
                Some(export) => export,
                None if place.is_empty() => "",
                None => return Err(NbdError::Host),
            };
            let socket = query.socket.ok_or(NbdError::NoSocket)?;
            (NbdServer::Unix(PathBuf::from(socket)), export)
        } else {
            let (authority, export) = place.split_once('/').unwrap_or((place, ""));
            (tcp(authority)?, export)
        };
        Ok(NbdUri {
            server,
            export: decoded(export)?,
            tls: query.tls,
        })
    }
}

impl NbdUri {
    /// The name that the server's certificate is to be for.
    pub fn tls_name(&self) -> &str {
        let given = self.tls.as_ref().and_then(|t| t.hostname.as_deref());
        given.unwrap_or(match &self.server {
            NbdServer::Tcp { host, .. } => host,
            NbdServer::Unix(_) => "localhost",
        })
    }
}

/// What stands behind the question mark.
struct Query {
    socket: Option<String>,
    tls: Option<NbdTls>,
}

impl Query {
    fn take(&mut self, parameter: &str, is_unix: bool) -> Result<(), NbdError> {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        match name {
            "socket" if is_unix && value.is_empty() => return Err(NbdError::NoSocket),
            "socket" if is_unix => self.socket = Some(decoded(value)?),
            "tls-certificates" | "tls-hostname" | "tls-verify-peer" => {
                let Some(tls) = &mut self.tls else {
                    return Err(NbdError::NoTls(name.to_string()));
                };
                let wrong = |wanted| NbdError::Value(parameter.to_string(), wanted);
                let value = decoded(value)?;
                match name {
                    "tls-verify-peer" => {
                        let wanted = "tls-verify-peer=false or tls-verify-peer=true";
                        tls.verify_peer = switch(&value).ok_or_else(|| wrong(wanted))?;
                    }
                    _ if value.is_empty() && name == "tls-hostname" => {
                        return Err(wrong("tls-hostname=NAME"));
                    }
                    _ if value.is_empty() => return Err(wrong("tls-certificates=DIR")),
                    "tls-hostname" => tls.hostname = Some(value),
                    _ => tls.certificates = Some(PathBuf::from(value)),
                }
            }
            "tls-psk-file" | "tls-username" => {
                return Err(NbdError::PreShared(name.to_string()));
            }
            _ => return Err(other_parameter(name, is_unix, self.tls.is_some())),
        }
        Ok(())
    }
}

/// On or off, in the words that libnbd takes.
fn switch(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "t" | "yes" | "y" | "on" => Some(true),
        "0" | "false" | "f" | "no" | "n" | "off" => Some(false),
        _ => None,
    }
}

fn other_parameter(name: &str, is_unix: bool, is_tls: bool) -> NbdError {
    let socket = is_unix.then_some("socket");
    let tls = ["tls-certificates", "tls-hostname", "tls-verify-peer"];
    let tls = tls.into_iter().filter(|_| is_tls);
    NbdError::Parameter {
        name: name.to_string(),
        nearest: nearest(name, socket.into_iter().chain(tls)),
    }
}

fn tcp(authority: &str) -> Result<NbdServer, NbdError> {
    if authority.contains('@') {
        return Err(NbdError::User);
    }
    let bracketed = authority.strip_prefix('[').and_then(|a| a.split_once(']'));
    let (host, port) = match bracketed {
        Some((host, "")) => (host, None),
        Some((host, rest)) => (host, Some(rest.strip_prefix(':').unwrap_or(rest))),
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    let port = match port {
        None => DEFAULT_PORT,
        Some(text) => match text.parse() {
            Ok(port) if port > 0 => port,
            _ => return Err(NbdError::Port(text.to_string())),
        },
    };
    // As the document has it: no host is this one.
    let host = if host.is_empty() { "localhost" } else { host };
    Ok(NbdServer::Tcp {
        host: decoded(host)?,
        port,
    })
}

fn decoded(text: &str) -> Result<String, NbdError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    let digit = |b: Option<u8>| b.and_then(|b| char::from(b).to_digit(16));
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let pair = digit(rest.next()).zip(digit(rest.next()));
            let (high, low) = pair.ok_or_else(|| NbdError::Encoding(text.to_string()))?;
            bytes.push((high * 16 + low) as u8);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).map_err(|_| NbdError::Encoding(text.to_string()))
}

fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~:@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

impl fmt::Display for NbdUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let export = encoded(&self.export);
        let scheme = if self.tls.is_some() { "nbds" } else { "nbd" };
        let mut parameters = Vec::new();
        match &self.server {
            NbdServer::Tcp { host, port } if host.contains(':') => {
                write!(f, "{scheme}://[{host}]:{port}/{export}")?;
            }
            NbdServer::Tcp { host, port } => write!(f, "{scheme}://{host}:{port}/{export}")?,
            NbdServer::Unix(socket) => {
                write!(f, "{scheme}+unix:///{export}")?;
                parameters.push(("socket", socket.to_string_lossy().into_owned()));
            }
        }
        if let Some(tls) = &self.tls {
            let folder = tls.certificates.as_ref();
            let folder = folder.map(|d| ("tls-certificates", d.to_string_lossy().into_owned()));
            parameters.extend(folder);
            let name = tls.hostname.as_ref();
            parameters.extend(name.map(|name| ("tls-hostname", name.clone())));
            let unchecked = (!tls.verify_peer).then(|| ("tls-verify-peer", "false".to_string()));
            parameters.extend(unchecked);
        }
        for (i, (name, value)) in parameters.iter().enumerate() {
            let mark = if i == 0 { '?' } else { '&' };
            write!(f, "{mark}{name}={}", encoded(value))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
