//! The NBD protocol for both sides, without sockets: bytes go in, events come out, and what is to be sent is appended
//! to a buffer. The caller owns every socket, buffer and thread.
//!
//! The protocol is that of <https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md>: fixed newstyle
//! handshake, STARTTLS, structured replies and the `base:allocation` context. Extended headers are refused with the error
//! that the document wants. TLS itself is the caller's: a handshake says when it begins.
//!
//! A connection is two phases, each a small machine:
//!
//! | | handshake | transmission |
//! |---|---|---|
//! | client | [`client::Handshake`] | [`Request::to_bytes`] out, [`client::Replies`] in |
//! | server | [`server::Handshake`] | [`server::Requests`] in, [`server::ReplyEncoder`] out |
//!
//! Every machine has a `next` that takes a `&mut &[u8]` and shortens it by what it has understood. It says when it
//! needs more; what is left of the slice then has to be in front of the next bytes. A slice of [`MAX_MESSAGE`] bytes
//! always lets it go on.
//!
//! Payloads are never copied here. `next` gives the part of a payload that is in the slice; when none is left in it,
//! `payload` says how many bytes come next and whose they are. The caller may read those from the socket straight into
//! the place where they belong, and say so with `took`.
//!
//! What comes from the other side is checked before the caller sees it: a payload is inside of the request that it
//! answers, none of it came before, a read is good when all of it has come, and a request is inside of the export.

mod bytes;
pub mod client;
mod error;
mod export;
mod flags;
mod numbers;
mod reply;
mod request;
pub mod server;

pub use error::{ErrorCode, ProtocolError};
pub use export::{BlockSizes, Export, Session};
pub use flags::{CommandFlags, ExtentFlags, TransmissionFlags};
pub use numbers::{ALLOCATION, DEFAULT_PORT, MAX_MESSAGE, MAX_OPTION, MAX_PAYLOAD, OptionCode};
pub use reply::{CHUNK_HEADER, SIMPLE_REPLY};
pub use request::{Command, REQUEST, Request};
