//! What a server is to be.

use crate::endpoint::Endpoint;
use crate::store::StoreError;
use plimsoll_array::masking::MaskingError;
use plimsoll_array::{FaultError, Persona, PersonaError, ScheduledFault};
use plimsoll_permit::output::Precious;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Settings of a server.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The array.
    pub persona: Persona,
    /// Divisor of the persona's rates, parallelism and capacity; `None`: the persona's own scale.
    pub scale: Option<f64>,
    /// The size of each LUN as clients see it, bytes; the persona's, scaled, when nothing is said. Rounded to MiB.
    pub lun_bytes: Option<u64>,
    /// Places to listen; each is a path, in this order.
    pub endpoints: Vec<Endpoint>,
    /// Address of the page and the API.
    pub http: Option<SocketAddr>,
    /// Names under which others know its page, beside its address: `lab.example`, or `lab.example:8080` where they see
    /// another port. Under any other name it does not answer.
    pub http_hosts: Vec<String>,
    /// TLS for NBD's connections; `None`: in plain text. The page has none.
    pub tls: Option<Tls>,
    /// Serve in plain text also where other hosts get to it.
    pub insecure: bool,
    /// Keep the data in this file, all LUNs after one another; in memory when nothing is said.
    pub backing: Option<PathBuf>,
    /// Take a backing file that no lab made, that was changed since or whose lab was killed; what is in it is served, and written over.
    pub overwrite: bool,
    /// Files that the backing file is none of.
    pub precious: Vec<Precious>,
    /// Memory that it may take, bytes; what the machine and the control group have left when nothing is said.
    pub memory_bytes: Option<u64>,
    /// Answer at the model's time; else at once. The model counts in both cases.
    pub timing: bool,
    /// Seed of all that varies by chance.
    pub seed: u64,
    /// Faults that are to happen, with their times from the start.
    pub faults: Vec<ScheduledFault>,
    /// Limits on what clients may cost.
    pub limits: Limits,
}

impl ServerOptions {
    /// A built-in persona with everything as it comes, on no endpoint yet.
    pub fn persona(name: &str) -> Result<Self, PersonaError> {
        Ok(Self::new(Persona::named(name)?))
    }

    /// A persona with everything as it comes, on no endpoint yet.
    pub fn new(persona: Persona) -> Self {
        ServerOptions {
            persona,
            scale: None,
            lun_bytes: None,
            endpoints: Vec::new(),
            http: None,
            http_hosts: Vec::new(),
            tls: None,
            insecure: false,
            backing: None,
            overwrite: false,
            precious: Vec::new(),
            memory_bytes: None,
            timing: true,
            seed: 1,
            faults: Vec::new(),
            limits: Limits::default(),
        }
    }
}

/// TLS for NBD's connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tls {
    /// The folder with `server-cert.pem`, `server-key.pem` and `ca-cert.pem`.
    pub certificates: PathBuf,
    /// Only for clients with a certificate of an authority in `ca-cert.pem`.
    pub verify_peer: bool,
    /// Nobody gets anything without TLS; else those that ask for it have it.
    pub required: bool,
}

/// Limits on what clients may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections that have an export; what comes beyond them is hung up on.
    pub sessions: usize,
    /// Connections that have none yet. One more, and the one that has dawdled longest is hung up on.
    pub handshakes: usize,
    /// Longest time that a client may take to choose an export.
    pub handshake: Duration,
    /// The same from one address, or of all local sockets together: then the oldest of that address goes.
    pub handshakes_of_one: usize,
    /// Requests to the page and the API at a time. One more, and the oldest one is hung up on.
    pub http: usize,
    /// Longest time that a client may leave a reply in the socket.
    pub stall: Duration,
    /// Requests of one connection that wait for their time; more are left in the socket.
    pub in_flight: usize,
    /// Data of the requests of one connection that wait for their time, bytes; a little more than that, as one more may
    /// begin below it.
    pub in_flight_bytes: u64,
    /// Memory for data, bytes; what does not fit is refused with "no space". Half of what the model leaves of the memory
    /// that is free at the start when nothing is said.
    pub data_bytes: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            sessions: 256,
            handshakes: 64,
            handshakes_of_one: 32,
            http: 32,
            handshake: Duration::from_secs(10),
            stall: Duration::from_secs(30),
            in_flight: 4096,
            in_flight_bytes: 64 << 20,
            data_bytes: None,
        }
    }
}

/// Reason that a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The persona cannot be built as asked.
    #[error(transparent)]
    Persona(#[from] PersonaError),
    /// A fault that the array cannot have.
    #[error("{why}; {remedy}", remedy = why.remedy())]
    Fault {
        /// Index in [`ServerOptions::faults`], from 0.
        number: usize,
        /// Reason that the array cannot have it.
        why: FaultError,
    },
    /// The persona's igroups and exports contradict each other or the persona.
    #[error(transparent)]
    Masking(#[from] MaskingError),
    /// There is nowhere to listen.
    #[error("a server needs a place to listen: an address or a socket")]
    NoEndpoint,
    /// A name of the page that no browser would send.
    #[error(
        "--http-host {0}: give a name, or a name and a port, as in lab.example or lab.example:8080"
    )]
    HttpHost(String),
    /// A place to listen cannot be had.
    #[error("cannot listen on {endpoint}: {why}")]
    Listen {
        /// Address or socket to listen on.
        endpoint: String,
        /// Error from the system.
        why: std::io::Error,
    },
    /// Plain text on an endpoint that other hosts get to.
    #[error(
        "{endpoint} can be reached from other hosts, and clients there would be served in plain text, whoever they are; give --tls-certificates DIR, or --insecure where that is meant"
    )]
    PlainText {
        /// Endpoint that other hosts get to.
        endpoint: String,
    },
    /// Page and API at an address that other hosts get to.
    #[error(
        "the page at {endpoint} can be reached from other hosts, has no TLS and lets everybody change the array; give a loopback address, or --insecure where that is meant"
    )]
    OpenPage {
        /// Address of the page.
        endpoint: String,
    },
    /// Certificates that cannot be used.
    #[error(transparent)]
    Tls(#[from] plimsoll_tls::TlsError),
    /// The data cannot be kept as asked.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A thread cannot be had.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}
