//! What a client asks for.

use crate::error::{ErrorCode, ProtocolError};
use crate::export::Session;
use crate::flags::{CommandFlags, TransmissionFlags};
use crate::numbers::MAX_PAYLOAD;
use crate::request::{Command, RawRequest, Request};

/// Event in the stream from the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// A request that may be carried out: known, allowed, aligned and inside of the export. The payload of a write
    /// follows.
    Request(Request),
    /// Data of the write that came last.
    Payload {
        /// Offset in the write, bytes.
        at: u32,
        /// The data, as far as it is in the input.
        bytes: &'a [u8],
    },
    /// A request that can only be answered with an error. A payload that it has is passed over.
    Refused {
        /// Cookie of the request.
        cookie: u64,
        /// The error.
        code: ErrorCode,
        /// Fault of the request.
        why: &'static str,
    },
    /// The client leaves: answer what is in flight and hang up.
    Disconnect,
}

/// Data of a write that comes next in the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PayloadAhead {
    /// Offset in the write, bytes.
    pub at: u32,
    /// Length of the data ahead, bytes.
    pub left: u32,
}

/// Reads the stream of requests.
#[derive(Debug)]
pub struct Requests {
    size: u64,
    flags: TransmissionFlags,
    minimum: u32,
    maximum: u32,
    block_status: bool,
    state: State,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Header,
    Payload(PayloadAhead),
    Skip(u32),
}

impl Requests {
    /// The requests of a session.
    pub fn new(session: &Session) -> Self {
        Requests {
            size: session.export.size,
            flags: session.export.flags,
            minimum: session.export.block_sizes.minimum,
            maximum: session.export.block_sizes.maximum.min(MAX_PAYLOAD),
            block_status: session.allocation.is_some(),
            state: State::Header,
        }
    }

    /// Takes what comes next from `input`; `None` when more bytes are needed.
    #[inline]
    pub fn next<'a>(&mut self, input: &mut &'a [u8]) -> Result<Option<Event<'a>>, ProtocolError> {
        loop {
            match self.state {
                State::Header => {
                    let Some(raw) = RawRequest::take(input)? else {
                        return Ok(None);
                    };
                    return Ok(Some(self.judge(&raw)));
                }
                State::Payload(ahead) => {
                    if input.is_empty() {
                        return Ok(None);
                    }
                    let len = input.len().min(ahead.left as usize);
                    let (bytes, rest) = input.split_at(len);
                    *input = rest;
                    self.took(len as u32);
                    return Ok(Some(Event::Payload {
                        at: ahead.at,
                        bytes,
                    }));
                }
                State::Skip(left) => {
                    let here = input.len().min(left as usize);
                    *input = &input[here..];
                    match left - here as u32 {
                        0 => self.state = State::Header,
                        left => {
                            self.state = State::Skip(left);
                            return Ok(None);
                        }
                    }
                }
            }
        }
    }

    /// Data that comes next, when it is data. It may be read from the socket into its place, in part or all.
    #[inline]
    pub fn payload(&self) -> Option<PayloadAhead> {
        match self.state {
            State::Payload(ahead) => Some(ahead),
            _ => None,
        }
    }

    /// So many bytes of the payload were read past `next`. More than were left count as all of them.
    #[inline]
    pub fn took(&mut self, bytes: u32) {
        if let State::Payload(ahead) = &mut self.state {
            let bytes = bytes.min(ahead.left);
            ahead.at += bytes;
            ahead.left -= bytes;
            if ahead.left == 0 {
                self.state = State::Header;
            }
        }
    }

    fn judge<'a>(&mut self, raw: &RawRequest) -> Event<'a> {
        let write = raw.command == Command::Write as u16;
        match self.check(raw) {
            Ok(request) if request.command == Command::Disconnect => Event::Disconnect,
            Ok(request) => {
                if write {
                    self.state = State::Payload(PayloadAhead {
                        at: 0,
                        left: raw.len,
                    });
                }
                Event::Request(request)
            }
            Err((code, why)) => {
                if write {
                    self.state = State::Skip(raw.len);
                }
                Event::Refused {
                    cookie: raw.cookie,
                    code,
                    why,
                }
            }
        }
    }

    /// The rules of the document's section on requests, in one place.
    #[inline]
    fn check(&self, raw: &RawRequest) -> Result<Request, (ErrorCode, &'static str)> {
        use Command::*;
        let command = Command::from_wire(raw.command);
        let command = command.ok_or((ErrorCode::Invalid, "unknown command"))?;
        let flags = CommandFlags::from_bits_retain(raw.flags);
        let request = Request {
            command,
            flags,
            cookie: raw.cookie,
            offset: raw.offset,
            len: raw.len,
        };
        if command == Disconnect {
            return Ok(request);
        }
        if !self.offers(command) {
            return Err((ErrorCode::Invalid, "this command was not offered"));
        }
        if !self.allowed_flags(command).contains(flags) {
            return Err((ErrorCode::Invalid, "a flag that this command doesn't have"));
        }
        let changes = matches!(command, Write | Trim | WriteZeroes);
        if changes && self.flags.contains(TransmissionFlags::READ_ONLY) {
            return Err((ErrorCode::NotPermitted, "the export is read-only"));
        }
        if command == Flush {
            return Ok(request);
        }
        if raw.len == 0 {
            return Err((ErrorCode::Invalid, "the length is 0"));
        }
        if matches!(command, Read | Write) && raw.len > self.maximum {
            return Err((ErrorCode::Invalid, "longer than the largest payload"));
        }
        let end = raw.offset.checked_add(raw.len.into());
        if end.is_none_or(|end| end > self.size) {
            let code = match command {
                Write | WriteZeroes => ErrorCode::NoSpace,
                _ => ErrorCode::Invalid,
            };
            return Err((code, "past the end of the export"));
        }
        let minimum = u64::from(self.minimum);
        let aligned = |n: u64| n.is_multiple_of(minimum);
        if !aligned(raw.offset) || !aligned(raw.len.into()) {
            return Err((ErrorCode::Invalid, "not a multiple of the block size"));
        }
        Ok(request)
    }

    fn offers(&self, command: Command) -> bool {
        use TransmissionFlags as Flags;
        match command {
            Command::Read | Command::Write | Command::Disconnect => true,
            Command::Flush => self.flags.contains(Flags::FLUSH),
            Command::Trim => self.flags.contains(Flags::TRIM),
            Command::Cache => self.flags.contains(Flags::CACHE),
            Command::WriteZeroes => self.flags.contains(Flags::WRITE_ZEROES),
            Command::BlockStatus => self.block_status,
        }
    }

    fn allowed_flags(&self, command: Command) -> CommandFlags {
        let when = |offered: TransmissionFlags, flag: CommandFlags| {
            if self.flags.contains(offered) {
                flag
            } else {
                CommandFlags::empty()
            }
        };
        // A client may set FUA on any command once it was offered; it means nothing on most of them.
        let fua = when(TransmissionFlags::FUA, CommandFlags::FUA);
        fua | match command {
            Command::Read => when(TransmissionFlags::DF, CommandFlags::DF),
            Command::WriteZeroes => {
                CommandFlags::NO_HOLE | when(TransmissionFlags::FAST_ZERO, CommandFlags::FAST_ZERO)
            }
            Command::BlockStatus => CommandFlags::REQ_ONE,
            _ => CommandFlags::empty(),
        }
    }
}
