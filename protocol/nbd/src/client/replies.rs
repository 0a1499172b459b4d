//! What a server answers to requests.

use super::awaited::{Awaited, InFlight, Outcome};
use crate::bytes;
use crate::error::{ErrorCode, ProtocolError};
use crate::export::Session;
use crate::flags::ExtentFlags;
use crate::numbers::{CHUNK_MAGIC, MAX_OPTION, SIMPLE_MAGIC, chunk};
use crate::reply::{CHUNK_HEADER, SIMPLE_REPLY};

/// A piece of an answer. Each request ends in exactly one [`Reply::Done`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply<'a> {
    /// Data of a read.
    Payload {
        /// Cookie of the request.
        cookie: u64,
        /// Offset in the request's data, bytes; `at + bytes.len()` is never past its length.
        at: u32,
        /// The data, as far as it is in the input.
        bytes: &'a [u8],
    },
    /// Zeros of a read, which were not sent.
    Hole {
        /// Cookie of the request.
        cookie: u64,
        /// Offset in the request's data, bytes.
        at: u32,
        /// Length, bytes; `at + len` is never past the request's length.
        len: u32,
    },
    /// The next extent of a BLOCK_STATUS.
    Extent {
        /// Cookie of the request.
        cookie: u64,
        /// Length, bytes.
        len: u32,
        /// State of the extent: hole, zeros.
        flags: ExtentFlags,
    },
    /// The request fails, which its [`Reply::Done`] will say again.
    Error {
        /// Cookie of the request.
        cookie: u64,
        /// Error code.
        code: ErrorCode,
        /// The byte of the export at which it failed, where the server says so.
        at: Option<u64>,
        /// Message of the server; may be empty.
        message: &'a str,
    },
    /// Nothing more comes for this request.
    Done {
        /// Cookie of the request.
        cookie: u64,
        /// Outcome of the request.
        outcome: Outcome,
    },
}

/// Data of a read that comes next in the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PayloadAhead {
    /// Cookie of the request that the data belongs to.
    pub cookie: u64,
    /// Offset in the request's data, bytes.
    pub at: u32,
    /// Length of the data ahead, bytes.
    pub left: u32,
}

/// Reads the stream of replies.
///
/// A server may answer a read in several pieces in any order. Each byte comes once, and inside of its request, or the
/// stream ends in an error; a read is good when all its bytes have come.
#[derive(Debug)]
pub struct Replies {
    structured: bool,
    allocation: Option<u32>,
    state: State,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Header,
    Payload { ahead: PayloadAhead, done: bool },
    Extents { cookie: u64, left: u32, done: bool },
    Done { cookie: u64 },
}

/// A chunk's header.
struct Chunk {
    done: bool,
    kind: u16,
    cookie: u64,
    len: u32,
}

impl Replies {
    /// The replies of a session.
    pub fn new(session: &Session) -> Self {
        Replies {
            structured: session.structured,
            allocation: session.allocation,
            state: State::Header,
        }
    }

    /// Takes the next piece from `input`; `None` when more bytes are needed.
    #[inline]
    pub fn next<'a>(
        &mut self,
        input: &mut &'a [u8],
        in_flight: &mut (impl InFlight + ?Sized),
    ) -> Result<Option<Reply<'a>>, ProtocolError> {
        loop {
            match self.state {
                State::Header => {
                    let reply = match peek_magic(input) {
                        None => return Ok(None),
                        Some(SIMPLE_MAGIC) => self.simple(input, in_flight)?,
                        Some(CHUNK_MAGIC) if self.structured => self.chunk(input, in_flight)?,
                        Some(found) => {
                            return Err(ProtocolError::Magic {
                                what: "a reply",
                                found: found.into(),
                            });
                        }
                    };
                    match reply {
                        Taken::More => return Ok(None),
                        Taken::Header => {}
                        Taken::Reply(reply) => return Ok(Some(reply)),
                    }
                }
                State::Payload { ahead, .. } => {
                    if input.is_empty() {
                        return Ok(None);
                    }
                    let len = input.len().min(ahead.left as usize);
                    let (bytes, rest) = input.split_at(len);
                    *input = rest;
                    self.took(len as u32);
                    let PayloadAhead { cookie, at, .. } = ahead;
                    return Ok(Some(Reply::Payload { cookie, at, bytes }));
                }
                State::Extents { cookie, left, done } => {
                    let mut rest = *input;
                    let mut fields = || Some((bytes::u32(&mut rest)?, bytes::u32(&mut rest)?));
                    let Some((len, flags)) = fields() else {
                        return Ok(None);
                    };
                    if len == 0 {
                        return Err(ProtocolError::Malformed("an extent"));
                    }
                    *input = rest;
                    self.state = match left - 8 {
                        0 => end(cookie, done),
                        left => State::Extents { cookie, left, done },
                    };
                    let flags = ExtentFlags::from_bits_retain(flags);
                    return Ok(Some(Reply::Extent { cookie, len, flags }));
                }
                State::Done { cookie } => {
                    self.state = State::Header;
                    let outcome = find(in_flight, cookie)?.end();
                    return Ok(Some(Reply::Done { cookie, outcome }));
                }
            }
        }
    }

    /// Data that comes next, when it is data. It may be read from the socket into its place, in part or all.
    #[inline]
    pub fn payload(&self) -> Option<PayloadAhead> {
        match self.state {
            State::Payload { ahead, .. } => Some(ahead),
            _ => None,
        }
    }

    /// So many bytes of the payload were read past `next`. More than were left count as all of them.
    #[inline]
    pub fn took(&mut self, bytes: u32) {
        if let State::Payload { ahead, done } = &mut self.state {
            let bytes = bytes.min(ahead.left);
            ahead.at += bytes;
            ahead.left -= bytes;
            if ahead.left == 0 {
                self.state = end(ahead.cookie, *done);
            }
        }
    }

    #[inline]
    fn simple<'a>(
        &mut self,
        input: &mut &'a [u8],
        in_flight: &mut (impl InFlight + ?Sized),
    ) -> Result<Taken<'a>, ProtocolError> {
        let Some((head, rest)) = input.split_first_chunk::<SIMPLE_REPLY>() else {
            return Ok(Taken::More);
        };
        let mut fields = &head[4..];
        let mut field = || Some((bytes::u32(&mut fields)?, bytes::u64(&mut fields)?));
        let (error, cookie) = field().ok_or(ProtocolError::Malformed("a reply"))?;
        let awaited = find(in_flight, cookie)?;
        *input = rest;
        self.state = State::Done { cookie };
        if error != 0 {
            let code = ErrorCode::from_wire(error);
            awaited.fail(code);
            return Ok(Taken::Reply(Reply::Error {
                cookie,
                code,
                at: None,
                message: "",
            }));
        }
        match awaited.data_len() {
            Some(_) if self.structured => {
                return Err(ProtocolError::Malformed("a simple reply to a read"));
            }
            Some(left) if left > 0 => {
                let at = awaited.bring_all(cookie)?;
                let ahead = PayloadAhead { cookie, at, left };
                self.state = State::Payload { ahead, done: true };
            }
            _ => {}
        }
        Ok(Taken::Header)
    }

    fn chunk<'a>(
        &mut self,
        input: &mut &'a [u8],
        in_flight: &mut (impl InFlight + ?Sized),
    ) -> Result<Taken<'a>, ProtocolError> {
        let mut rest = *input;
        let Some(chunk) = take_chunk(&mut rest) else {
            return Ok(Taken::More);
        };
        let Chunk {
            done,
            kind,
            cookie,
            len,
        } = chunk;
        let awaited = find(in_flight, cookie)?;
        let taken = match kind {
            chunk::NONE if len == 0 && done => {
                self.state = State::Done { cookie };
                Taken::Header
            }
            chunk::OFFSET_DATA if len > 8 => match bytes::u64(&mut rest) {
                None => return Ok(Taken::More),
                Some(offset) => {
                    let left = len - 8;
                    let at = awaited.bring(cookie, offset, left)?;
                    let ahead = PayloadAhead { cookie, at, left };
                    self.state = State::Payload { ahead, done };
                    Taken::Header
                }
            },
            chunk::OFFSET_HOLE if len == 12 => {
                let mut fields = || Some((bytes::u64(&mut rest)?, bytes::u32(&mut rest)?));
                let Some((offset, len)) = fields() else {
                    return Ok(Taken::More);
                };
                if len == 0 {
                    return Err(ProtocolError::Malformed("a hole"));
                }
                let at = awaited.bring(cookie, offset, len)?;
                self.state = end(cookie, done);
                Taken::Reply(Reply::Hole { cookie, at, len })
            }
            chunk::BLOCK_STATUS if len >= 12 && (len - 4) % 8 == 0 => match bytes::u32(&mut rest) {
                None => return Ok(Taken::More),
                Some(id) if Some(id) == self.allocation => {
                    awaited.bring_extents(cookie)?;
                    let left = len - 4;
                    self.state = State::Extents { cookie, left, done };
                    Taken::Header
                }
                Some(_) => return Err(ProtocolError::Malformed("a metadata context")),
            },
            kind if chunk::is_error(kind) => {
                if len > MAX_OPTION {
                    let what = "an error";
                    let len = len.into();
                    return Err(ProtocolError::TooLong { what, len });
                }
                let Some(body) = bytes::slice(&mut rest, len as usize) else {
                    return Ok(Taken::More);
                };
                self.state = end(cookie, done);
                let (code, at, message) = error(kind, body)?;
                awaited.fail(code);
                Taken::Reply(Reply::Error {
                    cookie,
                    code,
                    at,
                    message,
                })
            }
            chunk::NONE | chunk::OFFSET_DATA | chunk::OFFSET_HOLE | chunk::BLOCK_STATUS => {
                return Err(ProtocolError::Malformed("a chunk"));
            }
            kind => return Err(ProtocolError::UnknownChunk(kind)),
        };
        *input = rest;
        Ok(taken)
    }
}

/// Result of reading a header.
enum Taken<'a> {
    /// Nothing: it is not all there.
    More,
    /// A state that has more to say.
    Header,
    /// A whole piece.
    Reply(Reply<'a>),
}

fn end(cookie: u64, done: bool) -> State {
    if done {
        State::Done { cookie }
    } else {
        State::Header
    }
}

#[inline]
fn peek_magic(input: &[u8]) -> Option<u32> {
    input.first_chunk().map(|magic| u32::from_be_bytes(*magic))
}

fn take_chunk(input: &mut &[u8]) -> Option<Chunk> {
    let (head, rest) = input.split_first_chunk::<CHUNK_HEADER>()?;
    let mut fields = &head[4..];
    let chunk = Chunk {
        done: bytes::u16(&mut fields)? & chunk::DONE != 0,
        kind: bytes::u16(&mut fields)?,
        cookie: bytes::u64(&mut fields)?,
        len: bytes::u32(&mut fields)?,
    };
    *input = rest;
    Some(chunk)
}

/// The request that a reply is to.
#[inline]
fn find(
    in_flight: &mut (impl InFlight + ?Sized),
    cookie: u64,
) -> Result<&mut Awaited, ProtocolError> {
    in_flight
        .find(cookie)
        .filter(|awaited| awaited.is_out())
        .ok_or(ProtocolError::UnknownCookie(cookie))
}

/// Parts of an error chunk: the error, the offset where it happened, and the server's message.
fn error(kind: u16, mut body: &[u8]) -> Result<(ErrorCode, Option<u64>, &str), ProtocolError> {
    let malformed = ProtocolError::Malformed("an error");
    let mut fields = || {
        let code = ErrorCode::from_wire(bytes::u32(&mut body)?);
        let len = bytes::u16(&mut body)?;
        Some((code, bytes::slice(&mut body, len.into())?))
    };
    let (code, message) = fields().ok_or(malformed.clone())?;
    let at = match kind {
        chunk::ERROR_OFFSET => Some(bytes::u64(&mut body).ok_or(malformed)?),
        _ => None,
    };
    Ok((code, at, std::str::from_utf8(message).unwrap_or_default()))
}
