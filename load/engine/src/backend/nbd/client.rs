//! A connection that waits for each answer: for the handshake, and for looks at a volume before and after a step.

use super::error::ClientError;
use super::stream::Stream;
use super::waited::Waited;
use plimsoll_nbd::client::{Awaited, Handshake, Outcome, Progress, Replies, Reply, Wanted};
use plimsoll_nbd::{Command, ExtentFlags, MAX_MESSAGE, ProtocolError, Request, Session};
use plimsoll_plan::NbdUri;
use std::io::{self, ErrorKind, Read, Write};
use std::time::Duration;

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
        let mut is_welcome = true;
        let connected = Self::negotiate(uri, allocation, patience, &mut is_welcome);
        connected.map_err(|error| match error {
            ClientError::Closed | ClientError::Cut if !is_welcome => ClientError::Unwelcome,
            other => other,
        })
    }

    /// `is_welcome`: false from the beginning of TLS to the first word through it.
    fn negotiate(
        uri: &NbdUri,
        allocation: bool,
        patience: Duration,
        is_welcome: &mut bool,
    ) -> Result<Self, ClientError> {
        let mut stream = Stream::dial(uri, patience).map_err(ClientError::Connect)?;
        let mut input = vec![0; MAX_MESSAGE];
        let mut held = 0;
        let mut output = Vec::new();
        let wanted = Wanted {
            allocation,
            ..Wanted::export(&uri.export)
        };
        let mut handshake = match uri.tls {
            Some(_) => Handshake::with_tls(wanted)?,
            None => Handshake::new(wanted)?,
        };
        let mut waited = Waited::new(patience);
        let session = loop {
            let mut rest = &input[..held];
            let progress = handshake.next(&mut rest, &mut output)?;
            let used = held - rest.len();
            input.copy_within(used..held, 0);
            held -= used;
            match progress {
                Progress::Ready(session) => break session,
                Progress::Send => {
                    send(&mut stream, &output, &mut waited)?;
                    output.clear();
                }
                Progress::StartTls => {
                    *is_welcome = false;
                    stream = stream.start_tls(uri, &mut waited)?;
                }
                Progress::NeedInput => {
                    held += more(&mut stream, &mut input[held..], &mut waited)?;
                    *is_welcome = true;
                }
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

    /// Session that both sides agreed on.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Reads as many bytes as there is room for; no more than the export's largest payload.
    pub fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), ClientError> {
        let length = into.len() as u32;
        self.ask(Command::Read, offset, length, |reply| match reply {
            Reply::Payload { at, bytes, .. } => {
                into[at as usize..][..bytes.len()].copy_from_slice(bytes);
            }
            Reply::Hole { at, len, .. } => into[at as usize..][..len as usize].fill(0),
            _ => {}
        })
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

    /// The socket, for other uses; nothing is out. Fails where the server has said something unasked.
    pub fn into_parts(self) -> Result<(Stream, Session), ClientError> {
        if self.held > 0 || self.stream.holds() {
            return Err(ProtocolError::Malformed("what comes after an answer").into());
        }
        Ok((self.stream, self.session))
    }

    /// Says goodbye and hangs up.
    pub fn leave(mut self) {
        let goodbye = Request::new(Command::Disconnect, 0, 0, 0);
        // A server that is gone needs no goodbye.
        let _ = self.stream.write_all(&goodbye.to_bytes());
        self.stream.farewell();
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
        let mut in_flight = [(cookie, Awaited::new(&request))];
        let mut waited = Waited::new(self.patience);
        send(&mut self.stream, &request.to_bytes(), &mut waited)?;
        loop {
            let mut rest = &self.input[..self.held];
            let mut ended = None;
            while let Some(reply) = self.replies.next(&mut rest, &mut in_flight[..])? {
                if let Reply::Done { outcome, .. } = reply {
                    ended = Some(outcome);
                    break;
                }
                each(reply);
            }
            let used = self.held - rest.len();
            self.input.copy_within(used..self.held, 0);
            self.held -= used;
            match ended {
                Some(Outcome::Good) => return Ok(()),
                Some(Outcome::Failed(code)) => return Err(ClientError::Answer(code)),
                Some(Outcome::Short(_)) => return Err(ClientError::Short),
                None => {}
            }
            let room = &mut self.input[self.held..];
            self.held += more(&mut self.stream, room, &mut waited)?;
        }
    }
}

fn send(stream: &mut Stream, mut bytes: &[u8], waited: &mut Waited) -> Result<(), ClientError> {
    while !bytes.is_empty() {
        match waited.retry(|| stream.write(bytes)) {
            Ok(0) => return Err(ClientError::Closed),
            Ok(n) => bytes = &bytes[n..],
            Err(e) => return Err(unsent(stream, e, waited)),
        }
    }
    // TLS may hold the last of them.
    let flushed = waited.retry(|| stream.flush());
    flushed.map_err(|e| unsent(stream, e, waited))
}

fn more(stream: &mut Stream, into: &mut [u8], waited: &mut Waited) -> Result<usize, ClientError> {
    match waited.retry(|| stream.read(into)) {
        Ok(0) => Err(ClientError::Closed),
        Ok(n) => Ok(n),
        Err(e) => Err(lost(e, waited)),
    }
}

fn unsent(stream: &mut Stream, error: io::Error, waited: &mut Waited) -> ClientError {
    lost(stream.why(error, waited), waited)
}

fn lost(error: io::Error, waited: &Waited) -> ClientError {
    match error.kind() {
        ErrorKind::TimedOut => ClientError::Silent(waited.patience()),
        ErrorKind::UnexpectedEof => ClientError::Cut,
        ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::WriteZero => {
            ClientError::Closed
        }
        _ => ClientError::Broken(error),
    }
}
