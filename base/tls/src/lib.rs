//! TLS for both sides of a connection, from a folder of certificates as other NBD programs have it.
//!
//! A [`Session`] stands between a program and its socket. It has no thread and no socket of its own: each call is handed
//! one, which may block or not. What it holds is bounded, whatever the other side sends.
//!
//! | | |
//! |---|---|
//! | [`client`] | a session to a server, whose certificate is checked |
//! | [`Server`] | sessions for clients, whose certificates may be |
//! | [`TlsError`] | certificates that cannot be used |
//!
//! ```no_run
//! use plimsoll_tls::{Trust, client};
//!
//! let mut socket = std::net::TcpStream::connect("array:10809")?;
//! // Here NBD's STARTTLS is asked for and granted.
//! let mut session = client(&Trust { folder: Some("/etc/pki/lab".into()), anyone: false }, "array")?;
//! while let Err(e) = session.shake_hands(&mut socket) {
//!     if e.kind() != std::io::ErrorKind::Interrupted {
//!         return Err(e.into());
//!     }
//! }
//! session.write(&mut socket, b"secret")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod anyone;
mod error;
mod folder;
mod peers;
mod session;

pub use error::TlsError;
pub use peers::{Server, Trust, client};
pub use session::Session;
