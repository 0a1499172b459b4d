//! A client that does one thing at a time.

use plimsoll_nbd::client::{Awaited, Handshake, Outcome, Progress, Replies, Reply, Wanted};
use plimsoll_nbd::{Command, CommandFlags, ErrorCode, ExtentFlags, MAX_MESSAGE, Request};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// A connection with an export.
pub struct Client {
    socket: UnixStream,
    input: Vec<u8>,
    held: usize,
    replies: Replies,
    cookie: u64,
}

/// How a request ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    pub error: Option<ErrorCode>,
    pub data: Vec<u8>,
    pub extents: Vec<(u32, ExtentFlags)>,
    /// Bytes that were holes, not sent.
    pub hole_bytes: u32,
}

impl Client {
    pub fn connect(socket: &Path, export: &str) -> Result<Self> {
        let wanted = Wanted {
            allocation: true,
            ..Wanted::export(export)
        };
        Self::connect_as(socket, wanted)
    }

    pub fn connect_as(socket: &Path, wanted: Wanted) -> Result<Self> {
        let mut socket = UnixStream::connect(socket)?;
        socket.set_read_timeout(Some(Duration::from_secs(20)))?;
        let mut handshake = Handshake::new(wanted).map_err(Error::other)?;
        let (mut input, mut held, mut output) = (vec![0; MAX_MESSAGE], 0, Vec::new());
        let session = loop {
            let mut rest = &input[..held];
            let progress = handshake
                .next(&mut rest, &mut output)
                .map_err(Error::other)?;
            let rest = rest.len();
            input.copy_within(held - rest..held, 0);
            held = rest;
            match progress {
                Progress::Ready(session) => break session,
                Progress::StartTls => unreachable!("nobody asked for it"),
                Progress::Send => socket.write_all(&std::mem::take(&mut output))?,
                Progress::NeedInput => match socket.read(&mut input[held..])? {
                    0 => return Err(ErrorKind::UnexpectedEof.into()),
                    n => held += n,
                },
            }
        };
        Ok(Client {
            socket,
            input,
            held,
            replies: Replies::new(&session),
            cookie: 0,
        })
    }

    /// How long it waits for an answer.
    pub fn patience(&mut self, time: Duration) {
        self.socket.set_read_timeout(Some(time)).unwrap();
    }

    pub fn read(&mut self, offset: u64, len: u32) -> Answer {
        self.call(Command::Read, CommandFlags::empty(), offset, len, &[])
    }

    pub fn try_read(&mut self, offset: u64, len: u32) -> Result<Answer> {
        self.try_call(Command::Read, CommandFlags::empty(), offset, len, &[])
    }

    pub fn write(&mut self, offset: u64, bytes: &[u8]) -> Answer {
        let len = bytes.len() as u32;
        self.call(Command::Write, CommandFlags::FUA, offset, len, bytes)
    }

    pub fn status(&mut self, offset: u64, len: u32) -> Vec<(u32, ExtentFlags)> {
        self.call(
            Command::BlockStatus,
            CommandFlags::empty(),
            offset,
            len,
            &[],
        )
        .extents
    }

    /// One request and its answer. Panics when the connection breaks.
    pub fn call(
        &mut self,
        command: Command,
        flags: CommandFlags,
        offset: u64,
        len: u32,
        payload: &[u8],
    ) -> Answer {
        self.try_call(command, flags, offset, len, payload).unwrap()
    }

    pub fn try_call(
        &mut self,
        command: Command,
        flags: CommandFlags,
        offset: u64,
        len: u32,
        payload: &[u8],
    ) -> Result<Answer> {
        self.cookie += 1;
        let request = Request {
            flags,
            ..Request::new(command, self.cookie, offset, len)
        };
        self.socket.write_all(&request.to_bytes())?;
        self.socket.write_all(payload)?;
        self.answer(&request)
    }

    fn answer(&mut self, request: &Request) -> Result<Answer> {
        let len = if request.command == Command::Read {
            request.len
        } else {
            0
        };
        let mut in_flight = [(request.cookie, Awaited::new(request))];
        let mut answer = Answer {
            error: None,
            data: vec![0xee; len as usize],
            extents: Vec::new(),
            hole_bytes: 0,
        };
        loop {
            let mut rest = &self.input[..self.held];
            let mut done = None;
            while done.is_none() {
                match self
                    .replies
                    .next(&mut rest, &mut in_flight[..])
                    .map_err(Error::other)?
                {
                    None => break,
                    Some(Reply::Payload { at, bytes, .. }) => {
                        answer.data[at as usize..][..bytes.len()].copy_from_slice(bytes);
                    }
                    Some(Reply::Hole { at, len, .. }) => {
                        answer.data[at as usize..][..len as usize].fill(0);
                        answer.hole_bytes += len;
                    }
                    Some(Reply::Extent { len, flags, .. }) => answer.extents.push((len, flags)),
                    Some(Reply::Error { code, .. }) => answer.error = Some(code),
                    Some(Reply::Done { outcome, .. }) => done = Some(outcome),
                }
            }
            let rest = rest.len();
            self.input.copy_within(self.held - rest..self.held, 0);
            self.held = rest;
            if let Some(outcome) = done {
                assert!(!matches!(outcome, Outcome::Short(_)), "{outcome:?}");
                return Ok(answer);
            }
            match self.socket.read(&mut self.input[self.held..])? {
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                n => self.held += n,
            }
        }
    }
}
