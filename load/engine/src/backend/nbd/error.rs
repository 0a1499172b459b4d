//! What can go wrong between us and an NBD server.

use plimsoll_nbd::{ErrorCode, ProtocolError};
use std::io;

/// Reason why a connection cannot be had or kept.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody answers there.
    #[error("cannot connect: {0}")]
    Connect(io::Error),
    /// Certificates that cannot be used.
    #[error(transparent)]
    Certificates(#[from] plimsoll_tls::TlsError),
    /// TLS did not come about; most of all, the server could not prove that it is the one that was meant.
    #[error("no TLS session: {0}")]
    Handshake(io::Error),
    /// TLS had begun, and the server had nothing more to say. Not all servers give a reason.
    #[error(
        "the server hung up as soon as TLS had begun; it may want a certificate of ours: client-cert.pem and client-key.pem in the folder of certificates"
    )]
    Unwelcome,
    /// Bytes that are no NBD, or the server's refusal of the export.
    #[error("{0}")]
    Protocol(#[from] ProtocolError),
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Broken(io::Error),
    /// The server closed it.
    #[error("the server hung up")]
    Closed,
    /// The connection ended without TLS's farewell: by the server, or by anybody on the way.
    #[error("the server hung up without TLS's farewell")]
    Cut,
    /// The server said nothing for so long.
    #[error("no answer in {} ms", .0.as_millis())]
    Silent(std::time::Duration),
    /// The server answered with an error.
    #[error("the server answers: {0}")]
    Answer(ErrorCode),
    /// The server says that it is done, and has not sent all that was asked.
    #[error("the server answers with less than it was asked for")]
    Short,
    /// The server shuts down.
    #[error("the server is shutting down")]
    ShuttingDown,
    /// Volume that is not the one that was there before, or not the one that the other paths lead to.
    #[error("another volume is served there: {0}")]
    OtherVolume(String),
}

impl ClientError {
    /// The system's error number that comes nearest.
    pub fn errno(&self) -> i32 {
        match self {
            ClientError::Connect(e) | ClientError::Broken(e) | ClientError::Handshake(e) => {
                e.raw_os_error().unwrap_or(libc::EIO)
            }
            ClientError::Certificates(_) => libc::EKEYREJECTED,
            ClientError::Protocol(_) | ClientError::Short => libc::EPROTO,
            ClientError::Closed | ClientError::Cut | ClientError::Unwelcome => libc::ECONNRESET,
            ClientError::Silent(_) => libc::ETIMEDOUT,
            ClientError::Answer(code) => *code as i32,
            ClientError::ShuttingDown => libc::ESHUTDOWN,
            ClientError::OtherVolume(_) => libc::ESTALE,
        }
    }
}
