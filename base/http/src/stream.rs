//! A client's connection, in plain text or with TLS, of which each step has its time.

use plimsoll_tls::{Server as Tls, Session};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// A connection.
pub(crate) struct Stream<'s> {
    socket: &'s TcpStream,
    session: Option<Session>,
}

impl<'s> Stream<'s> {
    /// Shakes hands where there is TLS.
    pub(crate) fn open(
        socket: &'s TcpStream,
        tls: Option<&Tls>,
        deadline: Instant,
    ) -> io::Result<Self> {
        let session = tls.map(Tls::session).transpose();
        let mut stream = Stream {
            socket,
            session: session.map_err(io::Error::other)?,
        };
        while stream.session.is_some() {
            stream.wait_until(deadline)?;
            let Some(session) = &mut stream.session else {
                break;
            };
            match session.shake_hands(&mut stream.socket) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(()) => break,
            }
        }
        Ok(stream)
    }

    /// Reads some; [`ErrorKind::TimedOut`] where nothing came in time.
    pub(crate) fn read(&mut self, into: &mut [u8], deadline: Instant) -> io::Result<usize> {
        loop {
            self.wait_until(deadline)?;
            let read = match &mut self.session {
                Some(session) => session.read(&mut self.socket, into),
                None => self.socket.read(into),
            };
            match read {
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => {
                    return Err(ErrorKind::TimedOut.into());
                }
                other => return other,
            }
        }
    }

    /// Sends all of it, or as much as is taken in time.
    pub(crate) fn send(&mut self, mut bytes: &[u8], deadline: Instant) -> io::Result<()> {
        while !bytes.is_empty() {
            self.wait_until(deadline)?;
            let sent = match &mut self.session {
                Some(session) => session.write(&mut self.socket, bytes),
                None => self.socket.write(bytes),
            };
            match sent {
                Ok(sent) => bytes = &bytes[sent..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        match &mut self.session {
            Some(session) => session.flush(&mut self.socket),
            None => Ok(()),
        }
    }

    /// Says that all was said.
    pub(crate) fn close(mut self) -> io::Result<()> {
        if let Some(session) = &mut self.session {
            session.end(&mut self.socket);
        }
        self.socket.shutdown(Shutdown::Both)
    }

    /// Lets no call on the socket take longer than until then.
    fn wait_until(&self, deadline: Instant) -> io::Result<()> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        let left = Some(left.max(Duration::from_millis(1)));
        self.socket.set_read_timeout(left)?;
        self.socket.set_write_timeout(left)
    }
}
