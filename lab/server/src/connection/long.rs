//! Long requests: done in pieces, which take turns with those of other connections, and only as long as their own is there.

use super::End;
use super::carry_out::stored;
use super::outbox::ReplyContent;
use super::session::Connection;
use crate::store::{CHUNK, StoreError};
use plimsoll_array::{Completion, Io, IoKind, Status};
use plimsoll_content::Identity;
use plimsoll_nbd::{Command, CommandFlags, Request};
use std::collections::VecDeque;
use std::ops::Range;

/// Trims and zeros that are longer than this are, bytes: few enough chunks to change at once.
pub(super) const LONG_ZEROS: u32 = 256 << 10;
/// A long request.
#[derive(Debug)]
pub(super) struct Long {
    pub(super) request: Request,
    pub(super) op: IoKind,
    /// Where its next piece starts, bytes.
    pub(super) at: u64,
    /// What a write carried.
    blocks: Vec<Identity>,
    /// The piece that is answered last.
    last: Option<Completion>,
    /// When the array had the first piece, nanoseconds.
    begun: Option<u64>,
    /// Why it is not stored.
    failed: Option<StoreError>,
}

impl Long {
    pub(super) fn new(request: Request, op: IoKind) -> Self {
        Long {
            request,
            op,
            at: request.offset,
            blocks: Vec::new(),
            last: None,
            begun: None,
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
            ..Self::new(request, IoKind::Write)
        }
    }

    pub(super) fn end(&self) -> u64 {
        self.request.offset + u64::from(self.request.len)
    }

    /// The next piece, of about so many bytes: the last one is no shorter than the others. Pieces end where chunks do, so
    /// that only the two ends of the request are chunks in part.
    pub(super) fn piece(&self, bytes: u64) -> Range<u64> {
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
            IoKind::Read | IoKind::Write => self.request.len.into(),
            IoKind::Trim | IoKind::Zero | IoKind::Flush => 0,
        }
    }
}

/// The long requests of a connection, in order.
#[derive(Debug, Default)]
pub(super) struct Longs {
    waiting: VecDeque<Long>,
    /// The bytes of their data.
    bytes: u64,
    /// The line that the connection stands in.
    line: Option<usize>,
}

impl Longs {
    pub(super) fn push(&mut self, long: Long) {
        self.bytes += long.bytes();
        self.waiting.push_back(long);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How many there are, and the bytes of their data.
    pub(super) fn size(&self) -> (usize, u64) {
        (self.waiting.len(), self.bytes)
    }
}

impl Connection<'_> {
    /// Does a piece of the first long request when it is its turn; when to come again, while there is one.
    pub(super) fn take_turn(&mut self) -> Result<Option<u64>, End> {
        let Some(long) = self.longs.waiting.front() else {
            return Ok(None);
        };
        let (model, turns) = (&self.lab.model, &self.lab.turns);
        let line = line(long.op);
        self.longs.line = Some(line);
        if let Err(later) = turns.ask(line, self.id, model.now()) {
            return Ok(Some(later));
        }
        let begun = model.now();
        let Some(mut long) = self.longs.waiting.pop_front() else {
            return Ok(None);
        };
        let (completion, takes) = self.do_piece(&mut long);
        let now = self.lab.model.now();
        // In any case as long as it took here, so that others have the processor.
        turns.done(line, self.id, now, takes.max(now - begun));
        self.longs.line = None;
        let done = completion.status == Status::Done;
        if done && long.at < long.end() && (long.failed.is_none() || long.op == IoKind::Write) {
            self.longs.waiting.push_front(long);
        } else {
            self.longs.bytes -= long.bytes();
            match done {
                true => self.finish(long)?,
                false => self.answer(long.request.cookie, completion, ReplyContent::Done, 0)?,
            }
        }
        Ok((!self.longs.is_empty()).then_some(now))
    }

    /// A piece, in the model and in the store; what the model says of it, and how long it takes its line, nanoseconds.
    fn do_piece(&self, long: &mut Long) -> (Completion, u64) {
        let (shared, bytes) = self.lab.model.piece(self.id, long.op, long.request.len);
        let piece = long.piece(bytes);
        let len = (piece.end - piece.start) as u32;
        let io = Io {
            len,
            blocks: long.blocks(&piece),
            ..self.io(long.op, piece.start)
        };
        let whole = long.request.len;
        let (completion, takes) = self.lab.model.submit_piece(&io, whole, shared);
        if completion.status != Status::Done {
            return (completion, takes);
        }
        if matches!(long.op, IoKind::Trim | IoKind::Zero) {
            let keep = long.request.flags.contains(CommandFlags::NO_HOLE);
            let keep = keep && long.request.command == Command::WriteZeroes;
            let zeroed = self.lab.store.zero(self.lun, piece.clone(), keep);
            long.failed = zeroed.err();
        }
        let begun = completion.at_ns.saturating_sub(completion.array_ns);
        long.begun.get_or_insert(begun);
        let slowest = long.last.is_none_or(|l| l.at_ns < completion.at_ns);
        long.last = if slowest { Some(completion) } else { long.last };
        long.at = piece.end;
        (completion, takes)
    }

    /// The last piece is done, or there is no use in going on.
    fn finish(&mut self, long: Long) -> Result<(), End> {
        let Request { cookie, len, .. } = long.request;
        let bytes = long.bytes() as u32;
        let answer = match (long.failed, long.op) {
            (Some(error), _) => stored(Err(error)),
            (None, IoKind::Read) => ReplyContent::Read {
                offset: long.request.offset,
                len,
                whole: long.request.flags.contains(CommandFlags::DF),
            },
            (None, _) => self.durable(&long.request),
        };
        let Some(last) = long.last else { return Ok(()) };
        let io = Io {
            len,
            ..self.io(long.op, long.request.offset)
        };
        let array_ns = last.at_ns.saturating_sub(long.begun.unwrap_or(last.at_ns));
        self.lab.model.count(&io, array_ns);
        self.answer(cookie, last, answer, bytes)
    }
}

/// The lines in which pieces stand.
pub(crate) const LINES: usize = 2;

/// The line in which pieces stand: data in one, and in the other zeros and trims, which move none.
pub(super) fn line(op: IoKind) -> usize {
    match op {
        IoKind::Read | IoKind::Write => 0,
        IoKind::Trim | IoKind::Zero | IoKind::Flush => 1,
    }
}

impl Drop for Connection<'_> {
    /// What a client has begun ends with it.
    fn drop(&mut self) {
        if let Some(line) = self.longs.line {
            self.lab.turns.leave(line, self.id, self.lab.model.now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u32 = 1 << 20;
    const ZEROS: u64 = 4 << 20;

    #[test]
    fn pieces_cover_a_request_once_and_end_where_chunks_do() {
        for (offset, len) in [
            (0, 512 * MIB),
            (1, 3 * MIB),
            (4095, 9 * MIB + 2),
            (8192, MIB),
            (3, u32::MAX),
        ] {
            let request = Request::new(Command::WriteZeroes, 1, offset, len);
            let mut long = Long::new(request, IoKind::Zero);
            while long.at < long.end() {
                let piece = long.piece(ZEROS);
                assert_eq!(piece.start, long.at);
                assert!(piece.end > piece.start && piece.end - piece.start < 2 * ZEROS);
                assert!(piece.end.is_multiple_of(4096) || piece.end == long.end());
                long.at = piece.end;
            }
            assert_eq!(long.at, offset + u64::from(len));
        }
    }

    #[test]
    fn a_piece_of_a_write_carries_what_is_written_there() {
        let block = |n: u64| Identity::Data {
            fingerprint: n,
            compressed: 0,
        };
        // Three whole chunks and a part at each end.
        let request = Request::new(Command::Write, 1, 4096 * 10 + 1, 4 * 4096);
        let mut long = Long::write(request, (0..5).map(block).collect(), None);
        assert_eq!(long.blocks(&(40961..49152)), [block(0), block(1)]);
        long.at = 49152;
        assert_eq!(long.blocks(&(49152..57345)), [block(2), block(3), block(4)]);
    }
}
