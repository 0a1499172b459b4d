//! Errors that travel, and errors that end a connection.

use crate::numbers::{OptionCode, rep};
use plimsoll_printable::one_line;

/// Error of a failed request, as it travels in a reply. The values are those of Linux, on every platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ErrorCode {
    /// Not permitted: a write to an export that is read-only.
    NotPermitted = 1,
    /// The device failed.
    Io = 5,
    /// Out of memory.
    NoMemory = 12,
    /// A request that makes no sense, is unaligned or out of range.
    Invalid = 22,
    /// No space is left; also a write past the end.
    NoSpace = 28,
    /// Too much for one piece.
    Overflow = 75,
    /// Not supported: zeroing would not be fast.
    NotSupported = 95,
    /// The server is shutting down.
    Shutdown = 108,
}

impl ErrorCode {
    /// The code on the wire; what is unknown counts as [`ErrorCode::Invalid`], as the protocol wants it.
    pub fn from_wire(code: u32) -> Self {
        use ErrorCode::*;
        let all = [
            NotPermitted,
            Io,
            NoMemory,
            Invalid,
            NoSpace,
            Overflow,
            NotSupported,
            Shutdown,
        ];
        all.into_iter()
            .find(|e| *e as u32 == code)
            .unwrap_or(Invalid)
    }
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            ErrorCode::NotPermitted => "not permitted",
            ErrorCode::Io => "I/O error",
            ErrorCode::NoMemory => "out of memory",
            ErrorCode::Invalid => "invalid request",
            ErrorCode::NoSpace => "no space",
            ErrorCode::Overflow => "too long",
            ErrorCode::NotSupported => "not supported",
            ErrorCode::Shutdown => "shutting down",
        })
    }
}

/// Error that ends a connection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// The other side does not speak NBD, or the stream is out of step.
    #[error("{what} does not begin as NBD's do (0x{found:x})")]
    Magic {
        /// Name of the message.
        what: &'static str,
        /// Number found in the place of the magic.
        found: u64,
    },
    /// A server from before 2011, which offers one export and no options.
    #[error("the server speaks the old style of NBD")]
    OldStyle,
    /// A client asked for handshake flags that we did not offer.
    #[error("unknown handshake flags 0x{0:x}")]
    HandshakeFlags(u32),
    /// A message that is longer than its kind may be.
    #[error("{what} of {len} bytes is too long")]
    TooLong {
        /// Name of the message.
        what: &'static str,
        /// Length, bytes.
        len: u64,
    },
    /// A message whose parts do not fit.
    #[error("{0} makes no sense")]
    Malformed(&'static str),
    /// The server answers another option than the one that was asked.
    #[error("an answer to option {found}, where one to {wanted:?} was due")]
    OtherOption {
        /// Option that was asked.
        wanted: OptionCode,
        /// Option that was answered.
        found: u32,
    },
    /// The server refuses the export.
    #[error("the server refuses the export: {}{}", rep::name(*reply), said(*reply, message))]
    Refused {
        /// The answer's number.
        reply: u32,
        /// Message of the server.
        message: String,
    },
    /// The server has no TLS, and the client goes nowhere without.
    #[error("the server has no TLS: {}{}; nbds:// never goes on without", rep::name(*reply), said(*reply, message))]
    NoTls {
        /// The answer's number.
        reply: u32,
        /// Message of the server.
        message: String,
    },
    /// Bytes that were sent in plain text when TLS was to begin. Whoever stands between the two could have put them there
    /// to be taken for the other side's words.
    #[error("plain text came where TLS was to begin")]
    PlainText,
    /// A client asked for an export without TLS, in a way that has no answer.
    #[error("TLS is required")]
    TlsRequired,
    /// A reply to nothing.
    #[error("a reply to a request that is not in flight (cookie {0})")]
    UnknownCookie(u64),
    /// A reply with data outside of what was asked.
    #[error("a reply outside of its request (cookie {0})")]
    OutsideRequest(u64),
    /// A reply with data that came before.
    #[error("a reply that brings the same data twice (cookie {0})")]
    Twice(u64),
    /// A reply in more pieces apart from each other than anybody needs.
    #[error("a reply in too many pieces (cookie {0})")]
    Scattered(u64),
    /// A reply of another kind than its request's: data for a write, extents for a read.
    #[error("a reply of another kind than its request (cookie {0})")]
    OtherReply(u64),
    /// A kind of chunk that was not negotiated.
    #[error("a chunk of the unknown kind {0}")]
    UnknownChunk(u16),
    /// A client asked for an export that is not there, in a way that has no answer.
    #[error("no export {0:?}")]
    NoExport(String),
}

/// Message of the server, ready to follow the meaning of `reply`; empty where it says no more than that.
fn said(reply: u32, message: &str) -> String {
    let message = one_line(message);
    if message.is_empty() || message == rep::name(reply) {
        String::new()
    } else {
        format!(" ({message})")
    }
}
