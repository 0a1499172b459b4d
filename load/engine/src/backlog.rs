//! How many of an open-loop stream's I/Os are due but not issued.

use crate::pace::Pace;

/// Reads ahead of a blocked stream's schedule to count what is due.
///
/// It counts one by one, exactly, as long as there is not too much to count. Where a schedule asks for far more than can
/// be issued, the rest is what the rate makes it, which costs nothing for each I/O: with even gaps that is exact too,
/// with random ones it is off by about the root of what was not counted, less than 0.1 % of all that is due. What was
/// counted then agrees with what is issued again as soon as the stream has caught up.
#[derive(Debug, Clone, Default)]
pub struct Backlog {
    ahead: Option<Ahead>,
    /// True where it waits for a slot, and not for the worker.
    for_slots: bool,
    /// Intended starts passed so far, issued or not.
    pub due: u64,
}

/// The second reader of the schedule.
#[derive(Debug, Clone)]
struct Ahead {
    pace: Pace,
    /// The first intended start that is not counted yet.
    next_ns: u64,
    /// What was due before it, where all that follows is taken from the rate.
    known: Option<u64>,
}

/// How many intended starts one turn of the loop may count, so that counting never stops it for long.
const PER_TURN: u32 = 64;

/// Most intended starts that a worker may count one by one in a sample: about a millisecond's work.
pub const PER_SAMPLE: u32 = 1 << 18;

impl Backlog {
    /// The stream's I/O of intended start `due_ns` found no slot; `pace` gives the ones after it.
    pub fn open(&mut self, pace: &Pace, due_ns: u64) {
        self.look(pace, due_ns);
        self.for_slots = true;
    }

    /// True where something found no slot, and all that is due has not been issued since.
    pub fn is_for_slots(&self) -> bool {
        self.for_slots
    }

    /// The stream's I/O of intended start `due_ns` was not issued yet; `pace` gives the ones after it.
    pub fn look(&mut self, pace: &Pace, due_ns: u64) {
        if self.ahead.is_none() {
            let (pace, next_ns) = pace.counting(due_ns);
            self.ahead = Some(Ahead {
                pace,
                next_ns,
                known: None,
            });
        }
    }

    /// True where what is due is counted apart from what is issued.
    #[inline(always)]
    pub fn is_open(&self) -> bool {
        self.ahead.is_some()
    }

    /// Counts what has come due by `now_ns`, or a turn's worth of it; takes what it counts off `left`.
    pub fn advance(&mut self, now_ns: u64, left: &mut u32) {
        let Some(ahead) = &mut self.ahead else {
            return;
        };
        if ahead.known.is_none() {
            let turn = PER_TURN.min(*left);
            let counted = ahead.count(now_ns.saturating_add(1), turn);
            *left -= counted;
            self.due += u64::from(counted);
        }
    }

    /// Counts all that came due before `end_ns`, at most `left` of them one by one; takes those off `left`.
    pub fn advance_to(&mut self, end_ns: u64, left: &mut u32) {
        let Some(ahead) = &mut self.ahead else {
            return;
        };
        if ahead.known.is_none() {
            let counted = ahead.count(end_ns, *left);
            *left -= counted;
            self.due += u64::from(counted);
            if ahead.next_ns >= end_ns {
                return;
            }
            ahead.known = Some(self.due);
        }
        if let Some(known) = ahead.known.filter(|_| ahead.next_ns < end_ns) {
            // The first is one for certain; nothing is known of those after it.
            let more = ahead.pace.expected(ahead.next_ns, end_ns - 1) as u64;
            self.due = self.due.max(known.saturating_add(1).saturating_add(more));
        }
    }

    /// One I/O was issued whose intended start has passed. While nothing is backlogged, that's how dues are counted.
    #[inline(always)]
    pub fn issued(&mut self, issued: u64) {
        match &self.ahead {
            None => self.due = issued,
            Some(ahead) if ahead.known.is_none() && issued >= self.due => self.close(issued),
            Some(_) => {}
        }
    }

    /// Nothing is backlogged any more.
    pub fn close(&mut self, issued: u64) {
        self.ahead = None;
        self.for_slots = false;
        self.due = issued;
    }
}

impl Ahead {
    /// Counts what is due before `end_ns`, one by one, up to `most`.
    fn count(&mut self, end_ns: u64, most: u32) -> u32 {
        let mut counted = 0;
        while self.next_ns < end_ns && counted < most {
            counted += 1;
            self.next_ns = self.pace.next_ns();
        }
        counted
    }
}
