//! The header of a request.

use crate::bytes;
use crate::error::ProtocolError;
use crate::flags::CommandFlags;
use crate::numbers::REQUEST_MAGIC;

/// Bytes of a request's header. A write's payload follows it.
pub const REQUEST: usize = 28;

/// Command of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum Command {
    /// Returns data.
    Read = 0,
    /// Stores data.
    Write = 1,
    /// Ends the connection; no reply.
    Disconnect = 2,
    /// Makes durable what was answered before.
    Flush = 3,
    /// Gives space back.
    Trim = 4,
    /// Expects reads soon.
    Cache = 5,
    /// Writes zeros.
    WriteZeroes = 6,
    /// Asks which extents are holes.
    BlockStatus = 7,
}

impl Command {
    /// The command of a number.
    pub fn from_wire(code: u16) -> Option<Self> {
        use Command::*;
        let all = [
            Read,
            Write,
            Disconnect,
            Flush,
            Trim,
            Cache,
            WriteZeroes,
            BlockStatus,
        ];
        all.get(usize::from(code)).copied()
    }
}

/// A request, without a write's payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Command to carry out.
    pub command: Command,
    /// And how.
    pub flags: CommandFlags,
    /// The client's own number for it; the reply carries it.
    pub cookie: u64,
    /// Offset of the first byte in the export, bytes.
    pub offset: u64,
    /// Length, bytes.
    pub len: u32,
}

impl Request {
    /// A request without flags.
    pub fn new(command: Command, cookie: u64, offset: u64, len: u32) -> Self {
        Request {
            command,
            flags: CommandFlags::empty(),
            cookie,
            offset,
            len,
        }
    }

    /// The header as it is sent. After that of a write come `len` bytes of data.
    #[inline]
    pub fn to_bytes(&self) -> [u8; REQUEST] {
        let mut out = [0; REQUEST];
        out[0..4].copy_from_slice(&REQUEST_MAGIC.to_be_bytes());
        out[4..6].copy_from_slice(&self.flags.bits().to_be_bytes());
        out[6..8].copy_from_slice(&(self.command as u16).to_be_bytes());
        out[8..16].copy_from_slice(&self.cookie.to_be_bytes());
        out[16..24].copy_from_slice(&self.offset.to_be_bytes());
        out[24..28].copy_from_slice(&self.len.to_be_bytes());
        out
    }
}

/// A header as it came: the command may be unknown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawRequest {
    pub command: u16,
    pub flags: u16,
    pub cookie: u64,
    pub offset: u64,
    pub len: u32,
}

impl RawRequest {
    /// Takes a header; `None` when it is not all there.
    #[inline]
    pub(crate) fn take(input: &mut &[u8]) -> Result<Option<Self>, ProtocolError> {
        let Some((head, rest)) = input.split_first_chunk::<REQUEST>() else {
            return Ok(None);
        };
        let mut head = head.as_slice();
        let magic = bytes::u32(&mut head);
        if magic != Some(REQUEST_MAGIC) {
            return Err(ProtocolError::Magic {
                what: "a request",
                found: magic.unwrap_or_default().into(),
            });
        }
        *input = rest;
        let mut fields = || {
            Some(RawRequest {
                flags: bytes::u16(&mut head)?,
                command: bytes::u16(&mut head)?,
                cookie: bytes::u64(&mut head)?,
                offset: bytes::u64(&mut head)?,
                len: bytes::u32(&mut head)?,
            })
        };
        Ok(fields())
    }
}
