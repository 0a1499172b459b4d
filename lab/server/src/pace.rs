//! How much at once, and how far apart, where some have short requests and others want much.
//!
//! A short request waits for what is in the array already. So beside short ones a long one is done in pieces, of which the
//! next one comes when the array has nothing left to do of the last one, also of what was acknowledged; and pieces are as
//! long as keeps that short. What a piece sets off now and then (garbage collection) cannot be cut. It is made rare: fewer
//! short requests meet it than a 99th percentile shows.

use plimsoll_array::{Array, CHUNK, Completion, Io, IoKind, Persona, Status};

/// Reads and writes that are longer than this are long in any case, bytes. Hosts seldom send longer ones.
const LONG_DATA: u32 = 2 << 20;
/// Those that are not short wait outside where the array is so far behind, nanoseconds; and so do short ones of connections
/// that have much in flight, where it is further behind. So whoever comes then does not wait for all that others ever sent.
const DEEP: u64 = 20_000_000;
const DEEPER: u64 = 100_000_000;
/// Requests of no more than this may be short, bytes; and a connection that has no more than this in flight is light.
pub(crate) const SHORT: u32 = 64 << 10;
/// A connection that has no more than so many requests in flight is light.
pub(crate) const FEW: usize = 16;
/// Who had a short request within this time will have another one, and who had much in flight will again, nanoseconds.
pub(crate) const LATELY: u64 = 100_000_000;
/// What those with much in flight may have together beside light ones, bytes and requests. Each may have one request.
const BUDGET: (u64, usize) = (1 << 20, 256);
/// A piece should keep the array busy for no longer than this beside short requests, nanoseconds…
const TARGET: u64 = 150_000;
/// …and its port where there are none.
const PORT_TIME: u64 = 250_000;
/// The shortest and the longest piece, bytes.
const SHORTEST: u64 = 16 << 10;
const LONGEST: u64 = 256 << 10;
/// A piece of a trim or of zeros, bytes.
const ZEROS: u64 = 4 << 20;
/// A piece that keeps the array busy so many times as long as pieces usually do has set something off.
const UNUSUAL: u64 = 8;
/// So many short requests of a connection are served between two such pieces.
const BETWEEN: u64 = 1024;
/// The array is left alone for no longer than this at once, nanoseconds, however long its queues are, and for no longer
/// than this after a piece that has set something off.
const LONGEST_PAUSE: u64 = 100_000_000;
const LONGEST_REST: u64 = 1_000_000_000;
/// How many pieces of data are on their way where nobody has short requests.
const AT_A_TIME: u64 = 8;

/// What is known of those who have short requests, and of what pieces cost.
#[derive(Debug)]
pub(crate) struct Pace {
    /// Pieces of long reads and writes where nobody has short requests, bytes.
    alone: [u64; 2],
    /// The same beside short ones.
    shared: [u64; 2],
    /// How long a piece usually keeps the array busy, nanoseconds.
    usual: [u64; 2],
    /// The last connections that had short requests, and when; two different ones.
    short: [Option<(u64, u64)>; 2],
    /// One of these, and when it had its last one.
    sample: (u64, u64),
    /// How far apart its short requests are, nanoseconds.
    gap_ns: u64,
    /// Connections that have much in flight, and until when they count.
    heavy: Vec<(u64, u64)>,
}

impl Pace {
    pub(crate) fn new(array: &Array, persona: &Persona) -> Self {
        let carried = |ns| array.front_end().carries(ns) / CHUNK * CHUNK;
        let carried = |ns| carried(ns).clamp(SHORTEST, LONGEST);
        let read = carried(PORT_TIME);
        // As long as it has to be to go past the journal anyway.
        let past = persona.journal.map_or(0, |j| u64::from(j.bypass_kib) << 10);
        let past = (past / CHUNK + 1) * CHUNK;
        Pace {
            alone: [read, read.max(past)],
            shared: [carried(TARGET), SHORTEST],
            usual: [TARGET; 2],
            short: [None; 2],
            sample: (0, 0),
            gap_ns: 0,
            heavy: Vec::new(),
        }
    }

    /// A light connection has a short request.
    #[inline]
    pub(crate) fn note_short(&mut self, who: u64, now: u64) {
        let gap = now.saturating_sub(self.sample.1);
        if who == self.sample.0 {
            let gap = gap.min(LATELY);
            self.gap_ns = match self.gap_ns {
                0 => gap,
                mean => (mean * 15 + gap) / 16,
            };
        }
        if who == self.sample.0 || gap > LATELY {
            self.sample = (who, now);
        }
        match self.short {
            [Some((first, _)), _] if first == who => {}
            _ => self.short.swap(0, 1),
        }
        self.short[0] = Some((who, now));
    }

    /// A connection has much in flight.
    pub(crate) fn note_heavy(&mut self, who: u64, now: u64) {
        self.heavy.retain(|h| h.1 > now && h.0 != who);
        self.heavy.push((who, now + LATELY));
    }

    /// Somebody else has had a short request lately.
    #[inline]
    pub(crate) fn is_shared(&self, who: u64, now: u64) -> bool {
        let others = self.short.iter().flatten().filter(|s| s.0 != who);
        others.into_iter().any(|s| now < s.1.saturating_add(LATELY))
    }

    /// A read or write of this length has to stand in line, where the array is so far behind, nanoseconds.
    pub(crate) fn is_long(&self, who: u64, now: u64, len: u32, behind: u64) -> bool {
        len > LONG_DATA || len > SHORT && (behind > DEEP || self.is_shared(who, now))
    }

    /// What a connection with much in flight may have beside light ones, or where the array is so far behind, nanoseconds:
    /// bytes, and requests.
    pub(crate) fn share(&self, who: u64, now: u64, behind: u64) -> Option<(u64, usize)> {
        let heavy = self.heavy.len().max(1);
        let share = (BUDGET.0 / heavy as u64, (BUDGET.1 / heavy).max(1));
        (behind > DEEPER || self.is_shared(who, now)).then_some(share)
    }

    /// The next piece of a long request, bytes.
    pub(crate) fn piece_bytes(&self, op: IoKind, whole: u32, shared: bool) -> u64 {
        match shared {
            _ if !moves(op) => ZEROS,
            false if whole <= LONG_DATA => whole.into(),
            true => self.shared[usize::from(op == IoKind::Write)],
            false => self.alone[usize::from(op == IoKind::Write)],
        }
    }

    /// A piece of a request of `whole` bytes goes to the array; what that says, and how long its line is taken,
    /// nanoseconds.
    pub(crate) fn submit_piece(
        &mut self,
        array: &mut Array,
        now: u64,
        io: &Io,
        whole: u32,
        shared: bool,
    ) -> (Completion, u64) {
        let before = array.backlog(now);
        let completion = array.submit_piece(now, io, whole);
        if completion.status != Status::Done {
            return (completion, 0);
        }
        let answered = completion.at_ns.saturating_sub(now);
        let after = array.backlog(now);
        if !shared && moves(io.op) {
            // Long requests alone are as fast as the array.
            let pause = match whole <= LONG_DATA {
                true => after.saturating_sub(DEEP),
                false => answered / AT_A_TIME,
            };
            return (completion, pause.min(LONGEST_PAUSE));
        }
        let pause = answered.max(after).min(LONGEST_PAUSE);
        let rest = match moves(io.op) {
            true => self.learn(io.op, after.saturating_sub(before)),
            false => 0,
        };
        (completion, pause + rest)
    }

    /// A piece keeps the array busy for so much longer. How long the array has to be left alone for that, beyond that time.
    fn learn(&mut self, op: IoKind, busy: u64) -> u64 {
        let at = usize::from(op == IoKind::Write);
        let usual = self.usual[at];
        let unusual = busy > UNUSUAL * usual.max(PORT_TIME);
        // Such a piece says little of the others, unless all are like that.
        self.usual[at] = (usual * 15 + busy.min(2 * usual.max(PORT_TIME))) / 16;
        if unusual {
            return (BETWEEN * self.gap_ns).min(LONGEST_REST);
        }
        let bytes = self.shared[at];
        self.shared[at] = match busy {
            0..TARGET if busy * 2 <= TARGET => (bytes * 2).min(LONGEST),
            _ if busy > TARGET * 2 => (bytes / 2 / CHUNK * CHUNK).max(SHORTEST),
            _ => bytes,
        };
        0
    }
}

/// Bytes go over a port.
fn moves(op: IoKind) -> bool {
    matches!(op, IoKind::Read | IoKind::Write)
}
