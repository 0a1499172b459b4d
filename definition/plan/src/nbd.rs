//! A volume behind NBD servers as a target: `nbd://host:port/export`, `nbd+unix:///export?socket=PATH`. Several ways to
//! one volume make a multipath device.
//!
//! The form of the addresses is that of <https://github.com/NetworkBlockDevice/nbd/blob/master/doc/uri.md>.

use crate::units::Nanos;
use plimsoll_diagnostic::nearest;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The port that the IANA gave to NBD.
const DEFAULT_PORT: u16 = 10809;
const SCHEMES: [&str; 2] = ["nbd://", "nbd+unix://"];
/// Schemes of the same family that cannot be used, and why.
const REFUSED: [(&str, &str); 4] = [
    ("nbds://", "TLS"),
    ("nbds+unix://", "TLS"),
    ("nbd+vsock://", "AF_VSOCK"),
    ("nbds+vsock://", "AF_VSOCK"),
];
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

/// Which path an I/O takes; the names are those of the Linux device mapper's path selectors.
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
        if let Some(rest) = text.strip_prefix("nbd://") {
            let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
            if let Some(other) = parameters.split('&').find(|p| !p.is_empty()) {
                return Err(other_parameter(other));
            }
            let (authority, export) = place.split_once('/').unwrap_or((place, ""));
            return Ok(NbdUri {
                server: tcp(authority)?,
                export: decoded(export)?,
            });
        }
        let Some(rest) = text.strip_prefix("nbd+unix://") else {
            return Err(NbdError::NotNbd(text.to_string()));
        };
        let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let export = match place.strip_prefix('/') {
            Some(export) => decoded(export)?,
            None if place.is_empty() => String::new(),
            None => return Err(NbdError::Host),
        };
        let mut socket = None;
        for parameter in parameters.split('&').filter(|p| !p.is_empty()) {
            match parameter.split_once('=') {
                Some(("socket", path)) if !path.is_empty() => socket = Some(decoded(path)?),
                Some(("socket", _)) => return Err(NbdError::NoSocket),
                _ => return Err(other_parameter(parameter)),
            }
        }
        let socket = socket.ok_or(NbdError::NoSocket)?;
        Ok(NbdUri {
            server: NbdServer::Unix(PathBuf::from(socket)),
            export,
        })
    }
}

fn other_parameter(parameter: &str) -> NbdError {
    let name = parameter.split('=').next().unwrap_or_default();
    NbdError::Parameter {
        name: name.to_string(),
        nearest: nearest(name, ["socket"]),
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
        match &self.server {
            NbdServer::Tcp { host, port } if host.contains(':') => {
                write!(f, "nbd://[{host}]:{port}/{export}")
            }
            NbdServer::Tcp { host, port } => write!(f, "nbd://{host}:{port}/{export}"),
            NbdServer::Unix(socket) => {
                let socket = encoded(&socket.to_string_lossy());
                write!(f, "nbd+unix:///{export}?socket={socket}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_it_is_written() {
        for text in [
            "nbd://array:10809/scale-out-flash-8/lun3",
            "nbd://[fd00::1]:7/",
            "nbd+unix:///a%20b%2Cc?socket=/run/my%20nbd.sock",
            "nbd://127.0.0.1:10809/x,nbd://127.0.0.1:10810/x,nbd+unix:///x?socket=/s",
        ] {
            let target: NbdTarget = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(target.to_string(), text);
        }
        let short: NbdUri = "nbd://".parse().unwrap();
        assert_eq!(short.to_string(), "nbd://localhost:10809/");
        let odd: NbdUri = "nbd+unix://?socket=/s".parse().unwrap();
        assert_eq!(odd.export, "");
    }

    #[test]
    fn what_is_no_address_says_what_would_be() {
        for (text, said) in [
            ("nbds://a/b", "needs TLS"),
            ("nbd://a:0/b", "no port"),
            ("nbd://a:x/b", "no port"),
            ("nbd://me@a/b", "no users"),
            ("nbd+unix:///b", "needs a socket"),
            ("nbd+unix:///b?socket=", "needs a socket"),
            ("nbd+unix://host/b?socket=/s", "three slashes"),
            ("nbd+unix:///b?soket=/s", "did you mean `socket`?"),
            ("nbd://a/b?tls=1", "no parameter `tls`"),
            ("nbd://a/100%", "%25"),
            ("nbd://a/%ff", "%25"),
            ("nbd://a/b,/dev/sda", "is no NBD address"),
            ("nbd://a/b,nbd://a:10809/b", "named twice"),
        ] {
            let error = text.parse::<NbdTarget>().unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn one_path_has_a_disks_deadline_and_several_a_shorter_one() {
        let target = |text: &str| text.parse::<NbdTarget>().unwrap();
        assert_eq!(target("nbd://a/b").deadline(), Nanos::secs(30));
        assert_eq!(target("nbd://a/b,nbd://c/b").deadline(), Nanos::secs(5));
    }
}
