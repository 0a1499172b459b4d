//! Replies as they are sent.

use crate::error::ErrorCode;
use crate::export::Session;
use crate::flags::ExtentFlags;
use crate::numbers::chunk;
use crate::reply;

/// An extent of a BLOCK_STATUS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Length, bytes.
    pub len: u32,
    /// State of the extent: hole, zeros.
    pub flags: ExtentFlags,
}

/// Appends replies, in the form that the session has. Data is not appended: it follows what was.
#[derive(Debug, Clone, Copy)]
pub struct ReplyEncoder {
    structured: bool,
    allocation: Option<u32>,
}

impl ReplyEncoder {
    /// The replies of a session.
    pub fn new(session: &Session) -> Self {
        ReplyEncoder {
            structured: session.structured,
            allocation: session.allocation,
        }
    }

    /// True when holes need not be sent.
    pub fn has_holes(&self) -> bool {
        self.structured
    }

    /// The header of a piece of a read; the data has to follow it. Without structured replies there is one piece, the
    /// whole read.
    #[inline]
    pub fn data(&self, cookie: u64, offset: u64, len: u32, last: bool, output: &mut Vec<u8>) {
        if self.structured {
            let flags = if last { chunk::DONE } else { 0 };
            output.extend(reply::chunk(flags, chunk::OFFSET_DATA, cookie, len + 8));
            output.extend(offset.to_be_bytes());
        } else {
            output.extend(reply::simple(0, cookie));
        }
    }

    /// A piece of a read that is zeros. Only where [`ReplyEncoder::has_holes`].
    #[inline]
    pub fn hole(&self, cookie: u64, offset: u64, len: u32, last: bool, output: &mut Vec<u8>) {
        let flags = if last { chunk::DONE } else { 0 };
        output.extend(reply::chunk(flags, chunk::OFFSET_HOLE, cookie, 12));
        output.extend(offset.to_be_bytes());
        output.extend(len.to_be_bytes());
    }

    /// A request other than a read or a BLOCK_STATUS is done.
    #[inline]
    pub fn done(&self, cookie: u64, output: &mut Vec<u8>) {
        output.extend(reply::simple(0, cookie));
    }

    /// A BLOCK_STATUS: at least one extent. Nothing is appended in a session without one.
    pub fn extents(&self, cookie: u64, extents: &[Extent], output: &mut Vec<u8>) {
        let Some(id) = self.allocation else {
            return;
        };
        let len = 4 + 8 * extents.len() as u32;
        output.extend(reply::chunk(chunk::DONE, chunk::BLOCK_STATUS, cookie, len));
        output.extend(id.to_be_bytes());
        for extent in extents {
            output.extend(extent.len.to_be_bytes());
            output.extend(extent.flags.bits().to_be_bytes());
        }
    }

    /// A request fails; `why` is for a person, and cut to what the protocol carries.
    pub fn error(&self, cookie: u64, code: ErrorCode, why: &str, output: &mut Vec<u8>) {
        if !self.structured {
            output.extend(reply::simple(code as u32, cookie));
            return;
        }
        let why = &why.as_bytes()[..why.len().min(4096)];
        let len = 6 + why.len() as u32;
        output.extend(reply::chunk(chunk::DONE, chunk::ERROR, cookie, len));
        output.extend((code as u32).to_be_bytes());
        output.extend((why.len() as u16).to_be_bytes());
        output.extend(why);
    }
}
