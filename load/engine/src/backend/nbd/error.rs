//! What can go wrong between us and an NBD server.

use plimsoll_nbd::{ErrorCode, ProtocolError};
use std::io;

/// Why a connection cannot be had or kept.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody answers there.
    #[error("cannot connect: {0}")]
    Connect(io::Error),
    /// What comes is no NBD, or the server refuses the export.
    #[error("{0}")]
    Protocol(#[from] ProtocolError),
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Broken(io::Error),
    /// The server closed it.
    #[error("the server hung up")]
    Closed,
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
    /// What is served is not what was there before, or not what the other paths lead to.
    #[error("another volume is served there: {0}")]
    OtherVolume(String),
}

impl ClientError {
    /// The system's error number that comes nearest.
    pub fn errno(&self) -> i32 {
        match self {
            ClientError::Connect(e) | ClientError::Broken(e) => {
                e.raw_os_error().unwrap_or(libc::EIO)
            }
            ClientError::Protocol(_) | ClientError::Short => libc::EPROTO,
            ClientError::Closed => libc::ECONNRESET,
            ClientError::Silent(_) => libc::ETIMEDOUT,
            ClientError::Answer(code) => *code as i32,
            ClientError::ShuttingDown => libc::ESHUTDOWN,
            ClientError::OtherVolume(_) => libc::ESTALE,
        }
    }
}
