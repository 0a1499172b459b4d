//! A session over a socket that each call is handed.

use crate::error::broken;
use rustls::{Connection, Error};
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write};

/// Bytes read from the socket at a time: several records.
const CIPHERTEXT: usize = 64 << 10;
/// Most data that a record carries, bytes.
const RECORD: usize = 16 << 10;
/// Pieces of which a record is made, at most.
const PIECES: usize = 64;

/// TLS between a program and its socket.
///
/// Every call takes the socket, which is always the same one. One that may not block makes a call fail with
/// [`ErrorKind::WouldBlock`] when there is nothing to do yet, as the socket itself would.
///
/// Two things are otherwise than with a socket alone. What was written may be held here, and then somebody has to call
/// [`Session::flush`] once the socket takes more ([`Session::has_unsent`]). And what was received may be held here, where
/// no waiting for the socket would find it ([`Session::holds`]).
pub struct Session {
    connection: Connection,
    /// Ciphertext that came and was not taken apart yet: `came[from..to]`.
    came: Box<[u8]>,
    from: usize,
    to: usize,
    /// Bytes that can be read without the socket.
    plain: usize,
    /// Bytes that were written into the record which the socket has not wholly taken.
    unsent: usize,
    /// The other side has said that nothing more comes.
    ended: bool,
    /// Error in what came, after which nothing that follows can be believed.
    failed: Option<Error>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("plain", &self.plain)
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}

impl Session {
    pub(crate) fn new(connection: Connection) -> Self {
        Session {
            connection,
            came: vec![0; CIPHERTEXT].into_boxed_slice(),
            from: 0,
            to: 0,
            plain: 0,
            unsent: 0,
            ended: false,
            failed: None,
        }
    }

    /// Goes on with the handshake; Ok once it is done. When it would block, it waits for the socket to take something
    /// where [`Session::has_unsent`] says so, else for something to come. Where something came and more has to, it fails
    /// with [`ErrorKind::Interrupted`], so that whoever calls can look at the time.
    pub fn shake_hands(&mut self, socket: &mut (impl Read + Write)) -> io::Result<()> {
        self.flush(socket)?;
        if self.connection.is_handshaking() {
            // Neither can be before the end of a handshake, and nothing that follows would bring it there.
            if self.ended || self.plain > 0 {
                return Err(cut());
            }
            self.go_on(socket)?;
            self.flush(socket)?;
        }
        if self.connection.is_handshaking() {
            return Err(ErrorKind::Interrupted.into());
        }
        Ok(())
    }

    /// True where reading needs no socket: bytes are held, or an end, or an error.
    pub fn holds(&self) -> bool {
        self.plain > 0 || self.ended || self.failed.is_some()
    }

    /// True where the socket did not take yet all that was written.
    pub fn has_unsent(&self) -> bool {
        self.connection.wants_write()
    }

    /// Bytes that were written and that the other side cannot have yet: they are in a record that the socket has not
    /// wholly taken, and nobody can read a part of one.
    pub fn unsent(&self) -> usize {
        self.unsent
    }

    /// True where the other side has said that it sends nothing more.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Reads; 0 where the other side has said that it sends nothing more. A connection that ends without that word fails
    /// with [`ErrorKind::UnexpectedEof`]: whoever cuts it must not be able to make less look like all. Where something came
    /// that is not yet enough to read of, it fails with [`ErrorKind::Interrupted`], so that nobody is kept here by one who
    /// sends nothing but empty records.
    pub fn read(&mut self, socket: &mut (impl Read + Write), into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        if self.plain == 0 && !self.ended {
            self.go_on(socket)?;
            if self.plain == 0 && !self.ended {
                return Err(ErrorKind::Interrupted.into());
            }
        }
        if self.plain == 0 {
            return Ok(0);
        }
        let n = self.connection.reader().read(into)?;
        self.plain -= n;
        // What is held stays ready to be read, so that nobody waits for a socket that has given it already.
        self.take_apart(socket);
        Ok(n)
    }

    /// Reads into one place after the other, and goes to the socket only for the first byte.
    pub fn read_vectored(
        &mut self,
        socket: &mut (impl Read + Write),
        into: &mut [IoSliceMut<'_>],
    ) -> io::Result<usize> {
        let mut got = 0;
        for place in into {
            let mut filled = 0;
            while filled < place.len() && (got == 0 || self.plain > 0) {
                let n = self.read(socket, &mut place[filled..])?;
                if n == 0 {
                    return Ok(got);
                }
                filled += n;
                got += n;
            }
        }
        Ok(got)
    }

    /// Writes a record at most, where none is held here, and sends what the socket takes of it; how much was taken.
    pub fn write(&mut self, socket: &mut impl Write, from: &[u8]) -> io::Result<usize> {
        self.write_vectored(socket, &[IoSlice::new(from)])
    }

    /// Writes several pieces one after the other, as [`Session::write`] does one.
    pub fn write_vectored(
        &mut self,
        socket: &mut impl Write,
        from: &[IoSlice<'_>],
    ) -> io::Result<usize> {
        self.flush(socket)?;
        // Only one at a time, so that what the socket has taken says what the other side can have.
        let mut parts = [IoSlice::new(&[]); PIECES];
        let (mut count, mut room) = (0, RECORD);
        for (part, piece) in parts.iter_mut().zip(from) {
            let piece = &piece[..piece.len().min(room)];
            *part = IoSlice::new(piece);
            count += 1;
            room -= piece.len();
            if room == 0 {
                break;
            }
        }
        let taken = self.connection.writer().write_vectored(&parts[..count])?;
        self.unsent = taken;
        match self.flush(socket) {
            Err(e) if e.kind() != ErrorKind::WouldBlock => Err(e),
            _ => Ok(taken),
        }
    }

    /// Sends all that was written.
    pub fn flush(&mut self, socket: &mut impl Write) -> io::Result<()> {
        while self.connection.wants_write() {
            match self.connection.write_tls(socket) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(_) => {}
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        self.unsent = 0;
        Ok(())
    }

    /// Says that nothing more will be written, as far as the socket takes it now.
    pub fn end(&mut self, socket: &mut impl Write) {
        self.connection.send_close_notify();
        // A socket that is broken needs no farewell.
        let _ = self.flush(socket);
    }

    /// Takes apart what the socket has.
    fn go_on(&mut self, socket: &mut (impl Read + Write)) -> io::Result<()> {
        if self.failed.is_none() {
            (self.from, self.to) = (0, 0);
            match socket.read(&mut self.came)? {
                0 => return Err(cut()),
                n => self.to = n,
            }
            self.take_apart(socket);
        }
        self.failed.as_ref().map_or(Ok(()), |e| Err(broken(e)))
    }

    /// Takes apart what came, until there is something to read: all of it, or as much as may be held.
    fn take_apart(&mut self, socket: &mut impl Write) {
        while self.plain == 0 && self.from < self.to && !self.ended && self.failed.is_none() {
            let mut rest = &self.came[self.from..self.to];
            let taken = match self.connection.read_tls(&mut rest) {
                Ok(taken) if taken > 0 => taken,
                _ => {
                    self.failed = Some(Error::General("a message is too long".to_owned()));
                    return;
                }
            };
            self.from += taken;
            match self.connection.process_new_packets() {
                Ok(state) => {
                    self.plain = state.plaintext_bytes_to_read();
                    self.ended = state.peer_has_closed();
                }
                Err(error) => {
                    self.failed = Some(error);
                    // The other side is told why, where it still listens.
                    let _ = self.flush(socket);
                }
            }
        }
    }
}

/// The connection is over, and nobody said that it would be.
fn cut() -> io::Error {
    let why = "the connection was cut without TLS's farewell";
    io::Error::new(ErrorKind::UnexpectedEof, why)
}
