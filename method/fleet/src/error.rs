//! Why hosts could not work together.

/// Reason why hosts could not work together. Nothing was measured unless a step had begun.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// No connection to the server.
    #[error(
        "cannot connect to {url}: {why}; check the address, and that a nats-server listens there (`nats-server -p 4222`)"
    )]
    Connect {
        /// The server.
        url: String,
        /// The client's reason.
        why: String,
    },
    /// A file with credentials or certificates cannot be used.
    #[error("cannot use {path}: {why}")]
    File {
        /// The file.
        path: String,
        /// Reason.
        why: String,
    },
    /// The runtime of the connection could not be started.
    #[error("cannot start the connection's thread: {0}")]
    Thread(std::io::Error),
    /// A message is longer than the server takes.
    #[error(
        "a message of {bytes} bytes is longer than the {most} that the server takes; raise its max_payload"
    )]
    TooLong {
        /// Length of the packet.
        bytes: usize,
        /// The most.
        most: usize,
    },
    /// A pattern or a name cannot be used.
    #[error("{0}")]
    Named(String),
}
