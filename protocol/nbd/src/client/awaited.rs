//! A request in flight, and how far its answer has come.

use super::coverage::{Clash, Coverage};
use crate::error::{ErrorCode, ProtocolError};
use crate::request::{Command, Request};

/// The requests in flight, which their owner keeps in a form that suits it.
pub trait InFlight {
    /// The request with this cookie; `None` where there is none, or not all of it was sent.
    fn find(&mut self, cookie: u64) -> Option<&mut Awaited>;
}

/// Few requests, each with its cookie.
impl InFlight for [(u64, Awaited)] {
    fn find(&mut self, cookie: u64) -> Option<&mut Awaited> {
        self.iter_mut()
            .find(|(c, _)| *c == cookie)
            .map(|(_, awaited)| awaited)
    }
}

/// A request in flight. It remembers by range what of its answer has come, so that no byte counts twice.
#[derive(Debug, Clone)]
pub struct Awaited {
    answer: Form,
    offset: u64,
    len: u32,
    came: Coverage,
    error: Option<ErrorCode>,
}

/// Form of the answer to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Data.
    Data,
    /// Extents, once.
    Extents,
    /// Extents, which have come.
    ExtentsCame,
    /// Nothing but that it is done.
    Nothing,
    /// Nothing more; the request was answered.
    Over,
}

/// Outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Success: of a read all data has come, of a BLOCK_STATUS at least one extent.
    Good,
    /// The server's first error.
    Failed(ErrorCode),
    /// The server says that it is done, and gave no error; but of a read only so many bytes have come, or of a
    /// BLOCK_STATUS nothing.
    Short(u32),
}

impl Awaited {
    /// A place for a request, without one.
    pub const NONE: Awaited = Awaited {
        answer: Form::Over,
        offset: 0,
        len: 0,
        came: Coverage::NONE,
        error: None,
    };

    /// A request that goes out.
    #[inline]
    pub fn new(request: &Request) -> Self {
        Awaited {
            answer: match request.command {
                Command::Read => Form::Data,
                Command::BlockStatus => Form::Extents,
                _ => Form::Nothing,
            },
            offset: request.offset,
            len: request.len,
            ..Awaited::NONE
        }
    }

    /// True where it was not answered yet.
    #[inline]
    pub(super) fn is_out(&self) -> bool {
        self.answer != Form::Over
    }

    /// Length of the request's data, bytes; `None` where it has none.
    #[inline]
    pub(super) fn data_len(&self) -> Option<u32> {
        (self.answer == Form::Data).then_some(self.len)
    }

    /// A piece of its data comes: where in it, bytes.
    #[inline]
    pub(super) fn bring(
        &mut self,
        cookie: u64,
        offset: u64,
        len: u32,
    ) -> Result<u32, ProtocolError> {
        if self.answer != Form::Data {
            return Err(ProtocolError::OtherReply(cookie));
        }
        let at = offset.checked_sub(self.offset);
        let fits = |at: &u64| {
            at.checked_add(len.into())
                .is_some_and(|end| end <= self.len.into())
        };
        let at = at
            .filter(fits)
            .ok_or(ProtocolError::OutsideRequest(cookie))? as u32;
        match self.came.add(at, len) {
            Ok(()) => Ok(at),
            Err(Clash::Twice) => Err(ProtocolError::Twice(cookie)),
            Err(Clash::Scattered) => Err(ProtocolError::Scattered(cookie)),
        }
    }

    /// All its data comes, in one piece.
    #[inline]
    pub(super) fn bring_all(&mut self, cookie: u64) -> Result<u32, ProtocolError> {
        self.bring(cookie, self.offset, self.len)
    }

    /// Records that the request's extents have come.
    pub(super) fn bring_extents(&mut self, cookie: u64) -> Result<(), ProtocolError> {
        match self.answer {
            Form::Extents => self.answer = Form::ExtentsCame,
            Form::ExtentsCame => return Err(ProtocolError::Twice(cookie)),
            Form::Data | Form::Nothing | Form::Over => {
                return Err(ProtocolError::OtherReply(cookie));
            }
        }
        Ok(())
    }

    /// Records that the request fails; later errors do not change the first.
    pub(super) fn fail(&mut self, code: ErrorCode) {
        self.error.get_or_insert(code);
    }

    /// Nothing more comes: how it ended.
    #[inline]
    pub(super) fn end(&mut self) -> Outcome {
        let form = std::mem::replace(&mut self.answer, Form::Over);
        match (self.error, form) {
            (Some(code), _) => Outcome::Failed(code),
            (None, Form::Data) if self.came.total() < self.len => Outcome::Short(self.came.total()),
            (None, Form::Extents) => Outcome::Short(0),
            (None, _) => Outcome::Good,
        }
    }
}
