//! Long requests take turns.
//!
//! A request of 28 bytes can ask for gigabytes. What is long is done in pieces, and the pieces of all connections stand in
//! line. Of a line one piece is done at a time, and the next one only when what the last one kept busy is free again. So
//! whoever has short requests meets at most one piece of each line, however many others have long ones; and those are
//! served in turn.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Who stands first and does not come within this time goes to the end of the line, nanoseconds.
const GRACE: u64 = 5_000_000;
/// At least so long is a line left alone after a piece, nanoseconds.
const LEAST: u64 = 20_000;

/// The lines.
#[derive(Debug)]
pub(crate) struct Turns(Vec<Mutex<Line>>);

#[derive(Debug, Default)]
struct Line {
    /// Who waits, by the connection's number; the first may go, or is at it.
    waiting: VecDeque<u64>,
    /// The first is at it.
    busy: bool,
    /// When the next one may go.
    free_ns: u64,
    /// Since when the first has been the first.
    first_ns: u64,
    /// How long the line was taken for the last piece.
    pace_ns: u64,
}

impl Turns {
    pub(crate) fn new(lines: usize) -> Self {
        Turns((0..lines).map(|_| Mutex::default()).collect())
    }

    /// A connection wants to have a piece done: it may, or asks again at the time that it is told. Who may, says
    /// [`Turns::done`] afterwards.
    pub(crate) fn ask(&self, line: usize, who: u64, now: u64) -> Result<(), u64> {
        self.line(line).ask(who, now)
    }

    /// A piece was done at `now`, and keeps the line for so long.
    pub(crate) fn done(&self, line: usize, who: u64, now: u64, takes_ns: u64) {
        let mut line = self.line(line);
        if line.waiting.front() == Some(&who) {
            line.waiting.pop_front();
            line.busy = false;
            line.pace_ns = takes_ns.max(LEAST);
            line.free_ns = now.saturating_add(line.pace_ns);
            line.first_ns = line.free_ns;
        }
    }

    /// A connection wants nothing any more.
    pub(crate) fn leave(&self, line: usize, who: u64, now: u64) {
        let mut line = self.line(line);
        if line.waiting.front() == Some(&who) {
            line.busy = false;
            // The next one is first from now on, however long the line was free.
            line.first_ns = now.max(line.free_ns);
        }
        line.waiting.retain(|w| *w != who);
    }

    /// A piece is nothing that a panic could leave half done here.
    fn line(&self, line: usize) -> MutexGuard<'_, Line> {
        self.0[line].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    fn ask(&mut self, who: u64, now: u64) -> Result<(), u64> {
        let at = match self.waiting.iter().position(|w| *w == who) {
            Some(at) => at,
            None => {
                if self.waiting.is_empty() {
                    self.first_ns = now;
                }
                self.waiting.push_back(who);
                self.waiting.len() - 1
            }
        };
        if self.busy || now < self.free_ns {
            return Err(self.expected(at, now));
        }
        if at > 0 {
            if now < self.first_ns.max(self.free_ns).saturating_add(GRACE) {
                return Err(self.expected(at, now));
            }
            // Those before it were asleep. They keep their order.
            self.waiting.rotate_left(at);
        }
        self.busy = true;
        Ok(())
    }

    /// When it will probably be the turn of the one at this place.
    fn expected(&self, at: usize, now: u64) -> u64 {
        let pace = self.pace_ns.max(LEAST);
        let before = (at as u64 + u64::from(self.busy)).saturating_mul(pace);
        // Whoever waits for somebody who sleeps must notice.
        // The further back, the less often.
        let patience = GRACE.max(at as u64 * 1_000_000);
        self.free_ns
            .max(now + LEAST)
            .saturating_add(before.min(patience))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks as a connection does, until it may; when that is.
    fn goes(turns: &Turns, who: u64, mut now: u64) -> u64 {
        while let Err(later) = turns.ask(0, who, now) {
            assert!(later > now, "it would ask for ever");
            now = later;
        }
        now
    }

    #[test]
    fn those_who_wait_go_one_after_the_other_in_the_order_in_which_they_came() {
        let turns = Turns::new(1);
        assert_eq!(turns.ask(0, 1, 0), Ok(()));
        let told = [2, 3].map(|who| turns.ask(0, who, 0).unwrap_err());
        assert!(told[0] > 0 && told[0] < told[1], "{told:?}");
        turns.done(0, 1, 10_000, 1_000_000);
        assert!(turns.ask(0, 3, 1_010_000).is_err(), "2 is first");
        assert_eq!(goes(&turns, 2, 20_000), 1_010_000);
        turns.done(0, 2, 1_010_000, 500_000);
        // Whoever wants another piece stands behind the others.
        assert!(turns.ask(0, 2, 1_010_000).is_err());
        assert_eq!(goes(&turns, 3, 1_010_000), 1_510_000);
    }

    #[test]
    fn who_is_first_after_somebody_left_is_waited_for_as_long_as_any() {
        let turns = Turns::new(1);
        for who in 1..=3 {
            let _ = turns.ask(0, who, 0);
        }
        // Long after the line was free for the first.
        let now = 100 * GRACE;
        turns.leave(0, 1, now);
        assert!(turns.ask(0, 3, now + 1).is_err(), "2 is first");
        assert_eq!(turns.ask(0, 2, now + 2), Ok(()));
    }

    #[test]
    fn who_leaves_or_does_not_come_holds_nobody_up() {
        let turns = Turns::new(2);
        for who in 1..=4 {
            let _ = turns.ask(0, who, 0);
        }
        // The first leaves in the middle of its piece, and nobody has to wait for its end.
        turns.leave(0, 1, 0);
        // The second never comes.
        let gone = goes(&turns, 3, 1000);
        assert!((GRACE..2 * GRACE).contains(&gone), "{gone}");
        turns.done(0, 3, gone, 1_000_000);
        assert_eq!(goes(&turns, 4, gone), gone + 1_000_000);
        turns.done(0, 4, gone + 1_000_000, 0);
        assert!(
            turns.ask(0, 2, gone + 1_100_000).is_ok(),
            "it may still come"
        );
        assert_eq!(
            turns.ask(1, 9, 0),
            Ok(()),
            "lines have nothing to do with each other"
        );
    }
}
