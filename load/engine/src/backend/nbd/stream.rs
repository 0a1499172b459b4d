//! What is said to a server, in plain text or through TLS.

use super::error::ClientError;
use super::socket::Socket;
use super::waited::Waited;
use plimsoll_plan::NbdUri;
use plimsoll_tls::{Session, Trust};
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::os::fd::RawFd;
use std::time::Duration;

/// A connection to a server.
#[derive(Debug)]
pub enum Stream {
    /// In plain text: data goes between the socket and its place without a detour.
    Plain(Socket),
    /// Through TLS, which has the data in its own buffers on the way. They are bounded.
    Tls(Box<Secret>),
}

/// TLS, and the socket below it.
#[derive(Debug)]
pub struct Secret {
    socket: Socket,
    session: Session,
}

impl Stream {
    /// Connects, in plain text; see [`Socket::dial`].
    pub fn dial(uri: &NbdUri, patience: Duration) -> io::Result<Self> {
        Socket::dial(&uri.server, patience).map(Stream::Plain)
    }

    /// From here on everything goes through TLS, with the server that the address means. It is waited for.
    pub(super) fn start_tls(self, uri: &NbdUri, waited: &mut Waited) -> Result<Self, ClientError> {
        let Stream::Plain(mut socket) = self else {
            return Ok(self);
        };
        let tls = uri.tls.clone().unwrap_or_default();
        let trust = Trust {
            folder: tls.certificates,
            anyone: !tls.verify_peer,
        };
        let mut session = plimsoll_tls::client(&trust, uri.tls_name())?;
        match waited.retry(|| session.shake_hands(&mut socket)) {
            Ok(()) => Ok(Stream::Tls(Box::new(Secret { socket, session }))),
            Err(e) if e.kind() == ErrorKind::TimedOut => {
                Err(ClientError::Silent(waited.patience()))
            }
            Err(e) => Err(ClientError::Handshake(e)),
        }
    }

    fn socket(&self) -> &Socket {
        match self {
            Stream::Plain(socket) => socket,
            Stream::Tls(secret) => &secret.socket,
        }
    }

    /// From now on reads and writes that would wait fail with [`io::ErrorKind::WouldBlock`].
    pub fn never_block(&self) -> io::Result<()> {
        self.socket().never_block()
    }

    /// True where there is something to be read that no waiting for the socket would find.
    #[inline]
    pub fn holds(&self) -> bool {
        match self {
            Stream::Plain(_) => false,
            Stream::Tls(secret) => secret.session.holds(),
        }
    }

    /// True where something that was written waits for the socket here.
    #[inline]
    pub fn has_unsent(&self) -> bool {
        match self {
            Stream::Plain(_) => false,
            Stream::Tls(secret) => secret.session.has_unsent(),
        }
    }

    /// Bytes that were written, and that the server cannot have yet: they wait for the socket here.
    #[inline]
    pub fn unsent(&self) -> u64 {
        match self {
            Stream::Plain(_) => 0,
            Stream::Tls(secret) => secret.session.unsent() as u64,
        }
    }

    /// True where an end of the socket is the server's. Through TLS it is only behind the server's farewell: anybody on the
    /// way may end or reset a socket.
    pub fn is_ended_by_server(&self) -> bool {
        match self {
            Stream::Plain(_) => true,
            Stream::Tls(secret) => secret.session.has_ended(),
        }
    }

    /// Says that nothing more will be sent. The server answers what it has, and hangs up.
    pub fn end(&mut self) {
        if let Stream::Tls(secret) = self
            && !secret.session.has_unsent()
        {
            // What waits here would have to go before the farewell, and nothing is to be sent any more.
            secret.session.end(&mut secret.socket);
        }
        self.socket().end();
    }

    /// Why a write failed: the server's own reason, where it sent one before it hung up.
    pub(super) fn why(&mut self, error: io::Error, waited: &mut Waited) -> io::Error {
        let hung_up = [ErrorKind::BrokenPipe, ErrorKind::ConnectionReset];
        if matches!(self, Stream::Plain(_)) || !hung_up.contains(&error.kind()) {
            return error;
        }
        match waited.retry(|| self.read(&mut [0])) {
            Err(said) if said.kind() == ErrorKind::InvalidData => said,
            _ => error,
        }
    }

    /// Says that nothing more will be sent, where there is nothing to wait for.
    pub fn farewell(&mut self) {
        if let Stream::Tls(secret) = self {
            secret.session.end(&mut secret.socket);
        }
    }

    /// Closes so that nothing which the kernel still holds is sent any more.
    pub fn reset(self) {
        match self {
            Stream::Plain(socket) => socket.reset(),
            Stream::Tls(secret) => secret.socket.reset(),
        }
    }

    /// Descriptor of the stream's socket.
    pub fn fd(&self) -> RawFd {
        self.socket().fd()
    }
}

impl Read for Stream {
    #[inline]
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(socket) => socket.read(into),
            Stream::Tls(secret) => secret.session.read(&mut secret.socket, into),
        }
    }

    #[inline]
    fn read_vectored(&mut self, into: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        match self {
            Stream::Plain(socket) => socket.read_vectored(into),
            Stream::Tls(secret) => secret.session.read_vectored(&mut secret.socket, into),
        }
    }
}

impl Write for Stream {
    #[inline]
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(socket) => socket.write(from),
            Stream::Tls(secret) => secret.session.write(&mut secret.socket, from),
        }
    }

    #[inline]
    fn write_vectored(&mut self, from: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Stream::Plain(socket) => socket.write_vectored(from),
            Stream::Tls(secret) => secret.session.write_vectored(&mut secret.socket, from),
        }
    }

    #[inline]
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Plain(_) => Ok(()),
            Stream::Tls(secret) => secret.session.flush(&mut secret.socket),
        }
    }
}
