//! What requests do to the model and to the store.

use super::End;
use super::incoming::{Incoming, PIECE, identify};
use super::long::{LONG_ZEROS, Long};
use super::outbox::ReplyContent;
use super::session::Connection;
use crate::pace::SHORT;
use crate::store::StoreError;
use plimsoll_array::{Completion, Io, IoKind, Status};
use plimsoll_content::Identity;
use plimsoll_nbd::{Command, CommandFlags, ErrorCode, Request};

impl Connection<'_> {
    /// Everything but a write.
    #[inline]
    pub(super) fn carry_out(&mut self, request: &Request) -> Result<(), End> {
        let Request {
            command,
            flags,
            cookie,
            offset,
            len,
        } = *request;
        match command {
            Command::Read if self.is_long(len) => {
                self.longs.push(Long::new(*request, IoKind::Read));
                Ok(())
            }
            Command::Read => {
                let completion = self.submit(IoKind::Read, offset, len, &[]);
                let whole = flags.contains(CommandFlags::DF);
                let answer = ReplyContent::Read { offset, len, whole };
                self.answer(cookie, completion, answer, len)
            }
            Command::Flush => {
                let completion = self.submit(IoKind::Flush, 0, 0, &[]);
                let answer = stored(self.lab.store.flush());
                self.answer(cookie, completion, answer, 0)
            }
            Command::Trim => self.zero(request, IoKind::Trim, false),
            Command::WriteZeroes => {
                let keep = flags.contains(CommandFlags::NO_HOLE);
                self.zero(request, IoKind::Zero, keep)
            }
            Command::BlockStatus => {
                let one = flags.contains(CommandFlags::REQ_ONE);
                let answer = ReplyContent::Extents { offset, len, one };
                self.outbox.push(self.lab.model.now(), cookie, answer, 0);
                Ok(())
            }
            // The others never come here: they are not offered, or have their own way.
            Command::Write | Command::Cache | Command::Disconnect => Ok(()),
        }
    }

    /// Bytes of the write that came last.
    #[inline]
    pub(super) fn put(&mut self, mut bytes: &[u8]) -> Result<(), End> {
        if let Some(request) = self.write.take() {
            if bytes.len() == request.len as usize && bytes.len() <= PIECE {
                let mut blocks = std::mem::take(&mut self.blocks);
                blocks.clear();
                identify(self.lab.model.identify, request.offset, bytes, &mut blocks);
                let result = self.write_whole(&request, bytes, &blocks);
                self.blocks = blocks;
                return result;
            }
            self.begin_pieces(request);
        }
        while let Some(incoming) = self.incoming.as_mut().filter(|_| !bytes.is_empty()) {
            let room = incoming.room();
            let (here, rest) = bytes.split_at(bytes.len().min(room.len()));
            room[..here.len()].copy_from_slice(here);
            bytes = rest;
            if incoming.came(here.len()) {
                self.store_piece()?;
            }
        }
        Ok(())
    }

    /// A write that is not there at once begins.
    pub(super) fn begin_pieces(&mut self, request: Request) {
        let piece = std::mem::take(&mut self.piece);
        self.incoming = Some(Incoming::new(request, piece));
    }

    /// A piece of a write is full, or the last one. A write of one piece is as one that was there at once.
    pub(super) fn store_piece(&mut self) -> Result<(), End> {
        let Some(mut incoming) = self.incoming.take() else {
            return Ok(());
        };
        let (offset, bytes) = incoming.piece();
        let mut blocks = Vec::new();
        identify(self.lab.model.identify, offset, bytes, &mut blocks);
        let request = incoming.request;
        let result = if incoming.is_whole() && incoming.is_complete() {
            self.write_whole(&request, bytes, &blocks)
        } else {
            let result = self.lab.store.write(self.lun, offset, bytes, &blocks);
            incoming.failed = incoming.failed.or(result.err());
            incoming.blocks.append(&mut blocks);
            if !incoming.is_complete() {
                incoming.next_piece();
                self.incoming = Some(incoming);
                return Ok(());
            }
            let (blocks, failed) = (std::mem::take(&mut incoming.blocks), incoming.failed.take());
            self.pieces_stored(&request, blocks, failed)
        };
        self.piece = incoming.into_memory();
        result
    }

    /// A write of several pieces is in the store.
    fn pieces_stored(
        &mut self,
        request: &Request,
        blocks: Vec<Identity>,
        failed: Option<StoreError>,
    ) -> Result<(), End> {
        if self.is_long(request.len) {
            self.longs.push(Long::write(*request, blocks, failed));
            return Ok(());
        }
        let completion = self.submit(IoKind::Write, request.offset, request.len, &blocks);
        let answer = match failed {
            Some(error) => stored(Err(error)),
            None => self.durable(request),
        };
        self.answer(request.cookie, completion, answer, request.len)
    }

    /// A write of which nothing was stored yet. One that the array refuses is not stored at all, unless it is long: then its
    /// pieces go to the array after their bytes came, and what a refused one brought is there, as of a torn write.
    fn write_whole(
        &mut self,
        request: &Request,
        bytes: &[u8],
        blocks: &[Identity],
    ) -> Result<(), End> {
        if self.is_long(request.len) {
            let result = self
                .lab
                .store
                .write(self.lun, request.offset, bytes, blocks);
            let long = Long::write(*request, blocks.to_vec(), result.err());
            self.longs.push(long);
            return Ok(());
        }
        let completion = self.submit(IoKind::Write, request.offset, request.len, blocks);
        let answer = match completion.status {
            Status::Done => match self
                .lab
                .store
                .write(self.lun, request.offset, bytes, blocks)
            {
                Ok(()) => self.durable(request),
                error => stored(error),
            },
            _ => ReplyContent::Done,
        };
        self.answer(request.cookie, completion, answer, request.len)
    }

    /// A trim or a write of zeros, which may be of any length.
    fn zero(&mut self, request: &Request, op: IoKind, keep: bool) -> Result<(), End> {
        if request.len > LONG_ZEROS || self.is_long(request.len) {
            self.longs.push(Long::new(*request, op));
            return Ok(());
        }
        let completion = self.submit(op, request.offset, request.len, &[]);
        let answer = match completion.status {
            Status::Done => {
                let range = request.offset..request.offset + u64::from(request.len);
                match self.lab.store.zero(self.lun, range, keep) {
                    Ok(()) => self.durable(request),
                    error => stored(error),
                }
            }
            _ => ReplyContent::Done,
        };
        self.answer(request.cookie, completion, answer, 0)
    }

    #[inline]
    pub(super) fn submit(
        &mut self,
        op: IoKind,
        offset: u64,
        len: u32,
        blocks: &[Identity],
    ) -> Completion {
        let by = self.bear(op, len).filter(|_| len <= SHORT);
        let io = Io {
            len,
            blocks,
            ..self.io(op, offset)
        };
        self.lab.model.submit(&io, by)
    }

    /// A request of no length over this connection.
    #[inline]
    pub(super) fn io(&self, op: IoKind, offset: u64) -> Io<'static> {
        Io {
            lun: self.lun,
            path: self.path,
            op,
            offset,
            len: 0,
            blocks: &[],
        }
    }

    /// Done, and durable where that was asked for.
    pub(super) fn durable(&self, request: &Request) -> ReplyContent {
        if request.flags.contains(CommandFlags::FUA) {
            stored(self.lab.store.flush())
        } else {
            ReplyContent::Done
        }
    }

    /// Answers as the model wants it: with `done` when it was done, to a request with so many bytes of data.
    #[inline]
    pub(super) fn answer(
        &mut self,
        cookie: u64,
        completion: Completion,
        done: ReplyContent,
        bytes: u32,
    ) -> Result<(), End> {
        let due = completion.at_ns;
        match completion.status {
            Status::Done => self.outbox.push(due, cookie, done, bytes),
            // Nobody will ever hear of it.
            Status::Lost => {}
            Status::PathDown => return Err(End::PathDown),
            Status::Invalid => {
                let why = "the array does not have this";
                self.outbox
                    .push(due, cookie, ReplyContent::Error(ErrorCode::Invalid, why), 0);
            }
            // A media error, and whatever else an array may come to fail with.
            _ => {
                let why = "the array could not do it";
                self.outbox
                    .push(due, cookie, ReplyContent::Error(ErrorCode::Io, why), 0);
            }
        }
        Ok(())
    }
}

pub(super) fn stored(result: Result<(), StoreError>) -> ReplyContent {
    match result {
        Ok(()) => ReplyContent::Done,
        Err(StoreError::Full) => {
            ReplyContent::Error(ErrorCode::NoSpace, "the memory for data is full")
        }
        Err(_) => ReplyContent::Error(ErrorCode::Io, "the backing file does not take it"),
    }
}
