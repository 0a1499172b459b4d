//! Long requests: done in pieces, which take turns with those of other connections, and only as long as their own is there.

use super::End;
use super::carry_out::stored;
use super::outbox::Answer;
use super::session::Connection;
use crate::store::{CHUNK, StoreError};
use plimsoll_array::{Completion, Op, Status};
use plimsoll_content::Identity;
use plimsoll_nbd::{Command, CommandFlags, Request};
use std::collections::VecDeque;
use std::ops::Range;

/// Reads and writes that are longer than this are long, bytes. Hosts seldom send longer ones.
pub(super) const LONG_DATA: u32 = 1 << 20;
/// Trims and zeros that are longer than this are, bytes: few enough chunks to change at once.
pub(super) const LONG_ZEROS: u32 = 256 << 10;
/// A piece of a trim or of zeros, bytes.
const ZEROS: u64 = 4 << 20;
/// A line is taken for no longer than this at once, nanoseconds, however long the array's queues are.
const LONGEST: u64 = 100_000_000;

/// A long request.
#[derive(Debug)]
pub(super) struct Long {
    request: Request,
    op: Op,
    /// Where its next piece starts, bytes.
    at: u64,
    /// What a write carried.
    blocks: Vec<Identity>,
    /// The piece that is answered last.
    last: Option<Completion>,
    /// Why it is not stored.
    failed: Option<StoreError>,
}

impl Long {
    pub(super) fn new(request: Request, op: Op) -> Self {
        Long {
            request,
            op,
            at: request.offset,
            blocks: Vec::new(),
            last: None,
            failed: None,
        }
    }

    /// A write whose data has come. Where it could not all be stored, that is its answer.
    pub(super) fn write(
        request: Request,
        blocks: Vec<Identity>,
        failed: Option<StoreError>,
    ) -> Self {
        Long {
            blocks,
            failed,
            ..Self::new(request, Op::Write)
        }
    }

    fn end(&self) -> u64 {
        self.request.offset + u64::from(self.request.len)
    }

    /// The next piece, of about so many bytes: the last one is no shorter than the others. Pieces end where chunks do, so
    /// that only the two ends of the request are chunks in part.
    fn piece(&self, bytes: u64) -> Range<u64> {
        let next = (self.at + bytes) / CHUNK as u64 * CHUNK as u64;
        match next + bytes > self.end() {
            true => self.at..self.end(),
            false => self.at..next,
        }
    }

    /// What a piece of a write carries.
    fn blocks(&self, piece: &Range<u64>) -> &[Identity] {
        let chunk = CHUNK as u64;
        let first = (piece.start / chunk - self.request.offset / chunk) as usize;
        let end = (piece.end.div_ceil(chunk) - self.request.offset / chunk) as usize;
        self.blocks.get(first..end).unwrap_or_default()
    }

    /// Bytes of data that came with it or that it wants.
    pub(super) fn bytes(&self) -> u64 {
        match self.op {
            Op::Read | Op::Write => self.request.len.into(),
            Op::Trim | Op::Zero | Op::Flush => 0,
        }
    }
}

/// The long requests of a connection, in order.
#[derive(Debug, Default)]
pub(super) struct Longs {
    waiting: VecDeque<Long>,
    /// The line that the connection stands in.
    line: Option<usize>,
}

impl Longs {
    pub(super) fn push(&mut self, long: Long) {
        self.waiting.push_back(long);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How many there are, and the bytes of their data.
    pub(super) fn size(&self) -> (usize, u64) {
        let bytes = self.waiting.iter().map(Long::bytes).sum();
        (self.waiting.len(), bytes)
    }
}

impl Connection<'_> {
    /// Does a piece of the first long request when it is its turn; when to come again, while there is one.
    pub(super) fn take_turn(&mut self) -> Result<Option<u64>, End> {
        let Some(long) = self.longs.waiting.front() else {
            return Ok(None);
        };
        let (model, turns) = (&self.lab.model, &self.lab.turns);
        let line = self.lab.line(self.path, long.op);
        self.longs.line = Some(line);
        if let Err(later) = turns.ask(line, self.id, model.now()) {
            return Ok(Some(later));
        }
        let begun = model.now();
        let Some(mut long) = self.longs.waiting.pop_front() else {
            return Ok(None);
        };
        let completion = self.do_piece(&mut long);
        let now = self.lab.model.now();
        let takes = self.taken(&long, &completion, begun).max(now - begun);
        turns.done(line, self.id, now, takes.min(LONGEST));
        self.longs.line = None;
        if completion.status != Status::Done {
            self.answer(long.request.cookie, completion, Answer::Done, 0)?;
        } else if long.at < long.end() && (long.failed.is_none() || long.op == Op::Write) {
            self.longs.waiting.push_front(long);
        } else {
            self.finish(long)?;
        }
        Ok((!self.longs.is_empty()).then_some(now))
    }

    /// A piece, in the model and in the store; what the model says of it.
    fn do_piece(&self, long: &mut Long) -> Completion {
        let bytes = match long.op {
            Op::Read | Op::Write => self.lab.model.piece_bytes(long.op),
            Op::Trim | Op::Zero | Op::Flush => ZEROS,
        };
        let piece = long.piece(bytes);
        let len = (piece.end - piece.start) as u32;
        let completion = self.submit(long.op, piece.start, len, long.blocks(&piece));
        if completion.status != Status::Done {
            return completion;
        }
        if matches!(long.op, Op::Trim | Op::Zero) {
            let keep = long.request.flags.contains(CommandFlags::NO_HOLE);
            let keep = keep && long.request.command == Command::WriteZeroes;
            let zeroed = self.lab.store.zero(self.lun, piece.clone(), keep);
            long.failed = zeroed.err();
        }
        let slowest = long.last.is_none_or(|l| l.at_ns < completion.at_ns);
        long.last = if slowest { Some(completion) } else { long.last };
        long.at = piece.end;
        completion
    }

    /// How long a piece keeps others waiting, nanoseconds: of data, what is not mere distance; of zeros, all of it, as
    /// they are in no hurry.
    fn taken(&self, long: &Long, completion: &Completion, begun: u64) -> u64 {
        if !self.lab.model.timing || completion.status != Status::Done {
            return 0;
        }
        let all = completion.at_ns.saturating_sub(begun);
        match long.op {
            Op::Read | Op::Write => {
                let shared = all.saturating_sub(self.lab.model.unshared_ns(long.op));
                shared.max(all / 4)
            }
            Op::Trim | Op::Zero | Op::Flush => all,
        }
    }

    /// The last piece is done, or there is no use in going on.
    fn finish(&mut self, long: Long) -> Result<(), End> {
        let Request { cookie, len, .. } = long.request;
        let bytes = long.bytes() as u32;
        let answer = match (long.failed, long.op) {
            (Some(error), _) => stored(Err(error)),
            (None, Op::Read) => Answer::Read {
                offset: long.request.offset,
                len,
                whole: long.request.flags.contains(CommandFlags::DF),
            },
            (None, _) => self.durable(&long.request),
        };
        match long.last {
            Some(last) => self.answer(cookie, last, answer, bytes),
            None => Ok(()),
        }
    }
}

impl Drop for Connection<'_> {
    /// What a client has begun ends with it.
    fn drop(&mut self) {
        if let Some(line) = self.longs.line {
            self.lab.turns.leave(line, self.id);
        }
    }
}
