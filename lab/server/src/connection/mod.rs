//! One client, from its first byte to its last, on one thread.

mod bearing;
mod carry_out;
#[cfg(test)]
mod fairness;
mod handshake;
mod incoming;
mod long;
mod outbox;
mod patience;
mod session;
mod wire;

pub(crate) use long::LINES;
pub(crate) use patience::Awake;

use crate::access::Access;
use crate::endpoint::{Endpoint, Stream};
use crate::history::History;
use crate::lag::Lag;
use crate::model::Model;
use crate::options::{Limits, Tls};
use crate::registry::Registry;
use crate::store::Store;
use crate::turns::Turns;
use plimsoll_array::masking::Client;
use plimsoll_array::{PathCondition, Persona};
use plimsoll_nbd::{Export, ProtocolError};
use plimsoll_tls::TlsError;
use rustix::io::Errno;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use wire::Wire;

/// Bytes that a connection reads at a time. An option of the handshake fits.
const INPUT: usize = 128 << 10;

/// What all connections share.
#[derive(Debug)]
pub(crate) struct Lab {
    pub model: Model,
    pub store: Store,
    pub lag: Lag,
    /// Counters of the array since its start.
    pub history: History,
    pub registry: Registry,
    pub access: Access,
    pub awake: Awake,
    /// Of long requests.
    pub turns: Turns,
    pub limits: Limits,
    /// One for each LUN, in order.
    pub exports: Arc<[Export]>,
    /// One for each path, in order.
    pub endpoints: Vec<Endpoint>,
    pub persona: Persona,
    /// TLS, where it has any.
    pub tls: Option<Secrecy>,
}

impl Lab {
    /// Nobody gets anything without TLS.
    pub fn is_secret(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.required)
    }
}

/// What TLS takes.
#[derive(Debug)]
pub(crate) struct Secrecy {
    server: plimsoll_tls::Server,
    required: bool,
}

impl Secrecy {
    /// With the certificates as they are now.
    pub fn new(tls: &Tls) -> Result<Self, TlsError> {
        Ok(Secrecy {
            server: plimsoll_tls::Server::new(&tls.certificates, tls.verify_peer)?,
            required: tls.required,
        })
    }
}

/// Why a connection ends.
#[derive(Debug, thiserror::Error)]
enum End {
    #[error("it left")]
    Left,
    #[error("{0}")]
    Protocol(ProtocolError),
    #[error("{0}")]
    Socket(Errno),
    #[error("{0}")]
    Tls(String),
    #[error("it took too long")]
    Late,
    #[error("there are too many sessions")]
    TooMany,
    #[error("its LUN is no longer exported to it")]
    Masked,
    #[error("its path is down")]
    PathDown,
    #[error("a reply that was begun cannot be finished")]
    DataLost,
}

impl From<ProtocolError> for End {
    fn from(error: ProtocolError) -> Self {
        End::Protocol(error)
    }
}

impl From<Errno> for End {
    fn from(error: Errno) -> Self {
        End::Socket(error)
    }
}

/// Bytes that were received and not understood yet.
struct Input {
    buffer: Vec<u8>,
    held: usize,
}

impl Input {
    fn new() -> Self {
        Input {
            buffer: vec![0; INPUT],
            held: 0,
        }
    }

    fn bytes(&self) -> &[u8] {
        &self.buffer[..self.held]
    }

    fn room(&mut self) -> &mut [u8] {
        &mut self.buffer[self.held..]
    }

    /// All but the last `rest` bytes were understood.
    fn keep(&mut self, rest: usize) {
        let used = self.held - rest;
        if used > 0 {
            self.buffer.copy_within(used..self.held, 0);
            self.held = rest;
        }
    }
}

/// Serves a client until it leaves.
pub(crate) fn serve(lab: &Lab, stream: &Stream, id: u64, client: &Client, path: u32) {
    // Should a client ever find a mistake of ours, it costs that client its connection, and nobody else anything.
    let end = catch_unwind(AssertUnwindSafe(|| converse(lab, stream, id, client, path)));
    stream.hang_up();
    let why = match end {
        Ok(Ok(()) | Err(End::Left | End::Socket(_) | End::TooMany)) => None,
        Ok(Err(end)) => Some(end.to_string()),
        Err(_) => Some("the lab itself failed; what it said of it is on standard error".to_owned()),
    };
    lab.registry.leave(id, why);
}

fn converse(lab: &Lab, stream: &Stream, id: u64, client: &Client, path: u32) -> Result<(), End> {
    if lab.model.path(path) == PathCondition::Down {
        return Err(End::PathDown);
    }
    let mut input = Input::new();
    let exports = lab.access.exports(&lab.exports, client, path);
    let mut wire = Wire::new(stream);
    let session = handshake::negotiate(lab, &mut wire, &mut input, exports, path)?;
    let lun = lab
        .exports
        .iter()
        .position(|e| e.name == session.export.name);
    let lun = lun.ok_or(End::Left)? as u32;
    if !lab.registry.choose(id, lun, wire.is_secret()) {
        return Err(End::TooMany);
    }
    // It is among those that a change hangs up on now; a change that was before it is seen here.
    if !lab.access.allows(client, path, lun) {
        return Err(End::Masked);
    }
    session::Connection::new(lab, wire, &session, input, (id, lun, path)).run()
}
