//! A connection that waits for each answer: for the handshake, and for looks at a volume before and after a step.

use super::error::ClientError;
use super::stream::Stream;
use plimsoll_nbd::client::{Expected, Handshake, Progress, Replies, Reply, Wanted};
use plimsoll_nbd::{Command, ExtentFlags, MAX_MESSAGE, Request, Session};
use plimsoll_plan::NbdUri;
use std::io::{self, ErrorKind, Read, Write};
use std::time::{Duration, Instant};

/// One request at a time, each waited for.
#[derive(Debug)]
pub struct Client {
    stream: Stream,
    session: Session,
    replies: Replies,
    input: Vec<u8>,
    held: usize,
    cookie: u64,
    patience: Duration,
}

impl Client {
    /// Connects and comes to the export; `allocation`: with BLOCK_STATUS, where the server has it. No part of it waits
    /// longer than `patience`.
    pub fn connect(
        uri: &NbdUri,
        allocation: bool,
        patience: Duration,
    ) -> Result<Self, ClientError> {
        let mut stream = Stream::dial(&uri.server, patience).map_err(ClientError::Connect)?;
        stream.set_patience(patience).map_err(ClientError::Broken)?;
        let mut input = vec![0; MAX_MESSAGE];
        let mut held = 0;
        let mut output = Vec::new();
        let mut handshake = Handshake::new(Wanted {
            allocation,
            ..Wanted::export(&uri.export)
        })?;
        let started = Instant::now();
        let session = loop {
            let mut rest = &input[..held];
            let progress = handshake.next(&mut rest, &mut output)?;
            let used = held - rest.len();
            input.copy_within(used..held, 0);
            held -= used;
            match progress {
                Progress::Ready(session) => break session,
                Progress::Send => {
                    stream.write_all(&output).map_err(|e| lost(e, patience))?;
                    output.clear();
                }
                // A server that sends a byte now and then must not hold us for ever.
                Progress::NeedInput if started.elapsed() > patience => {
                    return Err(ClientError::Silent(patience));
                }
                Progress::NeedInput => held += more(&mut stream, &mut input[held..], patience)?,
            }
        };
        Ok(Client {
            replies: Replies::new(&session),
            stream,
            session,
            input,
            held,
            cookie: 0,
            patience,
        })
    }

    /// What both sides agreed on.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Reads as many bytes as there is room for; no more than the export's largest payload.
    pub fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), ClientError> {
        let length = into.len() as u32;
        let mut got = 0;
        self.ask(Command::Read, offset, length, |reply| match reply {
            Reply::Payload { at, bytes, .. } => {
                into[at as usize..][..bytes.len()].copy_from_slice(bytes);
                got += bytes.len();
            }
            Reply::Hole { at, len, .. } => {
                into[at as usize..][..len as usize].fill(0);
                got += len as usize;
            }
            _ => {}
        })?;
        if got == into.len() {
            Ok(())
        } else {
            Err(ClientError::Broken(ErrorKind::UnexpectedEof.into()))
        }
    }

    /// Makes durable what was answered before.
    pub fn flush(&mut self) -> Result<(), ClientError> {
        self.ask(Command::Flush, 0, 0, |_| {})
    }

    /// Hands the extents of a part of the volume to `each`, as far as the server tells of it in one answer: at least one.
    /// Only where the session has BLOCK_STATUS.
    pub fn extents(
        &mut self,
        offset: u64,
        length: u32,
        mut each: impl FnMut(u32, ExtentFlags),
    ) -> Result<(), ClientError> {
        self.ask(Command::BlockStatus, offset, length, |reply| {
            if let Reply::Extent { len, flags, .. } = reply {
                each(len, flags);
            }
        })
    }

    /// The socket, for other uses; nothing is out.
    pub fn into_parts(self) -> (Stream, Session) {
        (self.stream, self.session)
    }

    /// Says goodbye and hangs up.
    pub fn leave(mut self) {
        let goodbye = Request::new(Command::Disconnect, 0, 0, 0);
        // A server that is gone needs no goodbye.
        let _ = self.stream.write_all(&goodbye.to_bytes());
    }

    /// Sends a request and takes its whole answer.
    fn ask(
        &mut self,
        command: Command,
        offset: u64,
        length: u32,
        mut each: impl FnMut(Reply<'_>),
    ) -> Result<(), ClientError> {
        self.cookie += 1;
        let cookie = self.cookie;
        let request = Request::new(command, cookie, offset, length);
        let patience = self.patience;
        let sent = self.stream.write_all(&request.to_bytes());
        sent.map_err(|e| lost(e, patience))?;
        let expected = Expected {
            offset,
            len: if command == Command::Read { length } else { 0 },
        };
        let mut failed = None;
        loop {
            let mut rest = &self.input[..self.held];
            let mut done = false;
            while let Some(reply) = self
                .replies
                .next(&mut rest, |c| (c == cookie).then_some(expected))?
            {
                match reply {
                    Reply::Done { .. } => {
                        done = true;
                        break;
                    }
                    Reply::Error { code, .. } => failed = Some(code),
                    other => each(other),
                }
            }
            let used = self.held - rest.len();
            self.input.copy_within(used..self.held, 0);
            self.held -= used;
            if done {
                return failed.map_or(Ok(()), |code| Err(ClientError::Answer(code)));
            }
            self.held += more(&mut self.stream, &mut self.input[self.held..], patience)?;
        }
    }
}

fn more(stream: &mut Stream, into: &mut [u8], patience: Duration) -> Result<usize, ClientError> {
    match stream.read(into) {
        Ok(0) => Err(ClientError::Closed),
        Ok(n) => Ok(n),
        Err(e) => Err(lost(e, patience)),
    }
}

fn lost(error: io::Error, patience: Duration) -> ClientError {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => ClientError::Silent(patience),
        ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::WriteZero => {
            ClientError::Closed
        }
        _ => ClientError::Broken(error),
    }
}
