//! Long requests: done in pieces, which take turns with those of other connections, and only as long as their own is there.

use super::End;
use super::carry_out::stored;
use super::outbox::Answer;
use super::session::Connection;
use crate::store::{CHUNK, StoreError};
use plimsoll_array::{Completion, Io, Op, Status};
use plimsoll_content::Identity;
use plimsoll_nbd::{Command, CommandFlags, Request};
use std::collections::VecDeque;
use std::ops::Range;

/// Reads and writes that are longer than this are long, bytes. Hosts seldom send longer ones.
pub(super) const LONG_DATA: u32 = 2 << 20;
/// Trims and zeros that are longer than this are, bytes: few enough chunks to change at once.
pub(super) const LONG_ZEROS: u32 = 256 << 10;
/// A piece of a trim or of zeros, bytes.
const ZEROS: u64 = 4 << 20;
/// A line is taken for no longer than this at once, nanoseconds, however long the array's queues are.
const LONGEST: u64 = 100_000_000;
/// How many pieces of data are on their way where nobody has short requests.
const AT_A_TIME: u64 = 8;
/// How many times as long as its own time the array may work on a write after it.
const BEHIND: u64 = 4;

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
    /// When the array had the first piece, nanoseconds.
    begun: Option<u64>,
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
        let completion = self.do_piece(&mut long);
        let now = self.lab.model.now();
        let takes = match model.timing {
            true => taken_ns(long.op, &completion, begun, model.is_shared()),
            false => 0,
        };
        // In any case no longer than somebody else may have a processor.
        let takes = takes.max(now - begun);
        turns.done(line, self.id, now, takes.min(LONGEST));
        self.longs.line = None;
        let done = completion.status == Status::Done;
        if done && long.at < long.end() && (long.failed.is_none() || long.op == Op::Write) {
            self.longs.waiting.push_front(long);
        } else {
            self.longs.bytes -= long.bytes();
            match done {
                true => self.finish(long)?,
                false => self.answer(long.request.cookie, completion, Answer::Done, 0)?,
            }
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
        let io = Io {
            len,
            blocks: long.blocks(&piece),
            ..self.io(long.op, piece.start)
        };
        let completion = self.lab.model.submit_piece(&io);
        if completion.status != Status::Done {
            return completion;
        }
        if matches!(long.op, Op::Trim | Op::Zero) {
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
        completion
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
fn line(op: Op) -> usize {
    match op {
        Op::Read | Op::Write => 0,
        Op::Trim | Op::Zero | Op::Flush => 1,
    }
}

/// How long the line is taken for a piece that was begun then, nanoseconds. Where others have short requests, one is done at
/// a time; and after a write they are left alone for a while, as the media are busy with it when it is acknowledged.
/// Where nobody has, several may be on their way, so that long requests alone are as fast as the array.
fn taken_ns(op: Op, completion: &Completion, begun: u64, shared: bool) -> u64 {
    if completion.status != Status::Done {
        return 0;
    }
    let all = completion.at_ns.saturating_sub(begun);
    match op {
        Op::Read | Op::Write if !shared => all / AT_A_TIME,
        Op::Write => all.saturating_mul(BEHIND),
        Op::Read | Op::Trim | Op::Zero | Op::Flush => all,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Model;
    use crate::turns::Turns;
    use plimsoll_array::{Array, Persona};

    const MIB: u32 = 1 << 20;

    /// A client that wants the same long thing again and again, over a path.
    struct Hostile {
        long: Long,
        path: u32,
        next: u64,
    }

    /// Arrays in virtual time, a good client and hostile ones.
    struct Scene {
        persona: Persona,
        array: Array,
        model: Model,
        turns: Turns,
    }

    impl Scene {
        fn new(name: &str) -> Self {
            let mut persona = Persona::named(name).unwrap();
            let scale = persona.scale;
            // 1 GiB.
            persona.luns.gib = scale;
            let array = || Array::new(&persona, scale, 1).unwrap();
            let mut filled = array();
            filled.fill_unique(0, 0..1 << 18, 1);
            Scene {
                turns: Turns::new(LINES),
                model: Model::new(array(), &persona, true),
                array: filled,
                persona,
            }
        }

        fn submit(&mut self, now: u64, path: u32, op: Op, piece: Range<u64>) -> Completion {
            self.array.submit(
                now,
                &Io {
                    lun: 0,
                    path,
                    op,
                    offset: piece.start,
                    len: (piece.end - piece.start) as u32,
                    blocks: &[],
                },
            )
        }

        /// What a connection does when it comes round to its long request.
        fn turn(&mut self, who: u64, hostile: &mut Hostile, now: u64) {
            let (op, path) = (hostile.long.op, hostile.path);
            let line = line(op);
            if let Err(later) = self.turns.ask(line, who, now) {
                hostile.next = later;
                return;
            }
            let bytes = match op {
                Op::Read | Op::Write => self.model.piece_bytes(op),
                _ => ZEROS,
            };
            let piece = hostile.long.piece(bytes);
            hostile.long.at = match piece.end == hostile.long.end() {
                true => hostile.long.request.offset,
                false => piece.end,
            };
            let completion = self.submit(now, path, op, piece);
            let takes = taken_ns(op, &completion, now, true);
            self.turns.done(line, who, now, takes.min(LONGEST));
            hostile.next = now + 1;
        }

        /// The 99th percentile of a client that reads and writes 4 KiB, one at a time, beside so many hostile ones.
        fn p99(&mut self, hostile: u64, kind: (Op, u32)) -> u64 {
            let start = |n: u64| plimsoll_content::mix64(n) % (1 << 17) * 4096;
            let request = |n: u64| Request::new(Command::Read, n, start(n), kind.1);
            let mut others: Vec<Hostile> = (0..hostile)
                .map(|n| Hostile {
                    long: Long::new(request(n), kind.0),
                    path: n as u32 % self.persona.ports.paths,
                    next: 0,
                })
                .collect();
            let (mut latencies, mut next, mut random) = (Vec::new(), 0, 1_u64);
            while latencies.len() < 3000 {
                let first = (0..others.len()).min_by_key(|n| others[*n].next);
                match first.filter(|n| others[*n].next <= next) {
                    Some(n) => {
                        let now = others[n].next;
                        self.turn(n as u64, &mut others[n], now);
                    }
                    None => {
                        random = plimsoll_content::mix64(random);
                        let at = (random >> 8) % (1 << 18) * 4096;
                        let op = if random & 1 == 0 { Op::Read } else { Op::Write };
                        let completion = self.submit(next, 0, op, at..at + 4096);
                        latencies.push(completion.at_ns - next);
                        next = completion.at_ns;
                    }
                }
            }
            latencies.sort_unstable();
            latencies[latencies.len() * 99 / 100]
        }
    }

    const NAMES: [&str; 4] = [
        "scale-out-flash-8",
        "hybrid-hci",
        "single-ssd",
        "flash-gateway",
    ];

    #[test]
    fn a_good_client_beside_any_number_with_long_requests_waits_at_most_three_times_as_long() {
        let kinds = [
            (Op::Zero, 512 * MIB),
            (Op::Trim, 512 * MIB),
            (Op::Read, 32 * MIB),
        ];
        for name in NAMES {
            let alone = Scene::new(name).p99(0, (Op::Read, 0));
            for (kind, hostile) in kinds.iter().flat_map(|k| [1, 8, 250].map(|n| (*k, n))) {
                let beside = Scene::new(name).p99(hostile, kind);
                assert!(
                    beside <= 3 * alone,
                    "{name}: {beside} ns beside {hostile} of {kind:?}, {alone} ns alone"
                );
            }
        }
    }

    /// What a write leaves behind (garbage, destaging) is the model's to say; but there is never more of it than one
    /// client makes.
    #[test]
    fn long_writes_of_many_are_no_worse_than_those_of_one() {
        for name in NAMES {
            let alone = Scene::new(name).p99(0, (Op::Read, 0));
            let [one, many] = [1, 250].map(|n| Scene::new(name).p99(n, (Op::Write, 32 * MIB)));
            assert!(
                one <= 6 * alone,
                "{name}: {one} ns beside one, {alone} ns alone"
            );
            assert!(
                many <= one + one / 10,
                "{name}: {many} ns beside many, {one} ns beside one"
            );
        }
    }

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
            let mut long = Long::new(request, Op::Zero);
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
