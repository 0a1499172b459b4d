//! A client's socket, in plain text or through TLS.

use super::End;
use crate::endpoint::Stream;
use plimsoll_tls::Session;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::io::{self, ErrorKind, IoSlice, Read, Write};

/// What a connection reads from and writes to.
pub(super) struct Wire<'a> {
    stream: &'a Stream,
    tls: Option<Box<Session>>,
}

impl<'a> Wire<'a> {
    /// In plain text.
    pub(super) fn new(stream: &'a Stream) -> Self {
        Wire { stream, tls: None }
    }

    /// What to wait for.
    pub(super) fn stream(&self) -> &'a Stream {
        self.stream
    }

    /// True where everything goes through TLS.
    pub(super) fn is_secret(&self) -> bool {
        self.tls.is_some()
    }

    /// Shakes hands as a server; from then on everything goes through TLS. `wait` waits until one of these is true, or
    /// ends it all.
    pub(super) fn start_tls(
        &mut self,
        mut session: Session,
        mut wait: impl FnMut(PollFlags) -> Result<(), End>,
    ) -> Result<(), End> {
        loop {
            match session.shake_hands(&mut Raw(self.stream)) {
                Ok(()) => {
                    self.tls = Some(Box::new(session));
                    return Ok(());
                }
                Err(e) if is_for_later(&e) => match session.has_unsent() {
                    true => wait(PollFlags::OUT)?,
                    false => wait(PollFlags::IN)?,
                },
                Err(e) => return Err(end(e)),
            }
        }
    }

    /// True where bytes can be had that no waiting for the socket would find.
    #[inline]
    pub(super) fn holds(&self) -> bool {
        self.tls.as_ref().is_some_and(|session| session.holds())
    }

    /// Bytes that are there; `None` when there are none, 0 when the other side has hung up.
    #[inline]
    pub(super) fn try_receive(&mut self, place: &mut [u8]) -> Result<Option<usize>, End> {
        match &mut self.tls {
            None => Ok(self.stream.try_receive(place)?),
            Some(session) => match session.read(&mut Raw(self.stream), place) {
                Ok(n) => Ok(Some(n)),
                Err(e) if is_for_later(&e) => Ok(None),
                Err(e) => Err(end(e)),
            },
        }
    }

    /// Waits for bytes; 0 when the other side has hung up.
    #[inline]
    pub(super) fn receive(&mut self, place: &mut [u8]) -> Result<usize, End> {
        if self.tls.is_none() {
            return Ok(self.stream.receive(place)?);
        }
        loop {
            if let Some(n) = self.try_receive(place)? {
                return Ok(n);
            }
            // What TLS has to say by itself, such as new keys, goes out as well.
            let mut what = PollFlags::IN;
            what.set(PollFlags::OUT, !self.flush()?);
            match poll(&mut [PollFd::new(self.stream, what)], None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Sends what is taken now; how many bytes that was.
    #[inline]
    pub(super) fn try_send(&mut self, bytes: &[u8]) -> Result<usize, End> {
        match &mut self.tls {
            None => Ok(self.stream.try_send(bytes)?),
            Some(session) => match session.write(&mut Raw(self.stream), bytes) {
                Ok(n) => Ok(n),
                Err(e) if is_for_later(&e) => Ok(0),
                Err(e) => Err(end(e)),
            },
        }
    }

    /// Sends what TLS holds; true once that is nothing.
    #[inline]
    pub(super) fn flush(&mut self) -> Result<bool, End> {
        match &mut self.tls {
            None => Ok(true),
            Some(session) => match session.flush(&mut Raw(self.stream)) {
                Ok(()) => Ok(true),
                Err(e) if is_for_later(&e) => Ok(false),
                Err(e) => Err(end(e)),
            },
        }
    }
}

impl Drop for Wire<'_> {
    /// Without TLS's farewell the other side could not tell an end from a cut.
    fn drop(&mut self) {
        if let Some(session) = &mut self.tls {
            session.end(&mut Raw(self.stream));
        }
    }
}

fn is_for_later(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

fn end(error: io::Error) -> End {
    match Errno::from_io_error(&error) {
        Some(errno) => End::Socket(errno),
        None if error.kind() == ErrorKind::UnexpectedEof => End::Left,
        None => End::Tls(error.to_string()),
    }
}

/// The socket as TLS has it: it never waits.
struct Raw<'a>(&'a Stream);

impl Read for Raw<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let came = self.0.try_receive(into)?;
        came.ok_or_else(|| ErrorKind::WouldBlock.into())
    }
}

impl Write for Raw<'_> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(from)])
    }

    fn write_vectored(&mut self, from: &[IoSlice<'_>]) -> io::Result<usize> {
        match self.0.try_send_vectored(from)? {
            0 => Err(ErrorKind::WouldBlock.into()),
            n => Ok(n),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
