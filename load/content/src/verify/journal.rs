//! What was written and stands, so that it can be read back.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Mark that tells one write from all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The header's seed.
    pub seed: u64,
    /// The header's time.
    pub time: (u32, u32),
}

/// The writes of one target that are to be read back. A place that was written again stands as it was written last; one on
/// which two writes were out at once holds nobody knows which, and is left out.
#[derive(Debug, Default)]
pub struct Journal(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// By their first byte.
    stands: BTreeMap<u64, Piece>,
    out: Vec<Out>,
    writers: Vec<Writer>,
    written: u64,
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    end: u64,
    /// `None` where the content has no header.
    mark: Option<Mark>,
    /// Its number among all writes.
    number: u64,
}

/// An I/O that is out.
#[derive(Debug)]
struct Out {
    start: u64,
    end: u64,
    is_write: bool,
    /// A write touched the same bytes meanwhile.
    disturbed: bool,
}

#[derive(Debug)]
struct Writer {
    name: String,
    /// What it wrote and nobody has read back: the first byte, and its number.
    unread: VecDeque<(u64, u64)>,
}

/// Expectation of what a read should have brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Bytes that a write has left there; its header's mark, where it has one.
    Written(Option<Mark>),
    /// Nothing: it was written meanwhile.
    Unknown,
}

impl Journal {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a writer; the same for each of that name.
    pub fn writer(&self, name: &str) -> u32 {
        let writers = &mut self.state().writers;
        let at = writers.iter().position(|w| w.name == name);
        let at = at.unwrap_or_else(|| {
            writers.push(Writer {
                name: name.to_string(),
                unread: VecDeque::new(),
            });
            writers.len() - 1
        });
        at as u32
    }

    /// A write goes out.
    pub fn begin_write(&self, start: u64, len: u64) {
        self.state().begin(start, start + len, true);
    }

    /// Ends a write that is back, and stands; with its header's mark, where it has one.
    pub fn end_write(&self, writer: u32, start: u64, len: u64, mark: Option<Mark>) {
        let state = &mut *self.state();
        let undisturbed = state.end(start, start + len, true);
        state.forget(start, start + len);
        if !undisturbed {
            return;
        }
        state.written += 1;
        let number = state.written;
        let end = start + len;
        state.stands.insert(start, Piece { end, mark, number });
        if let Some(writer) = state.writers.get_mut(writer as usize) {
            writer.unread.push_back((start, number));
        }
    }

    /// A write has failed, or the place was trimmed: nobody knows what is there.
    pub fn forget(&self, start: u64, len: u64, was_write: bool) {
        let state = &mut *self.state();
        if was_write {
            state.end(start, start + len, true);
        }
        state.forget(start, start + len);
    }

    /// Number of a writer's writes that were not read back.
    pub fn unread(&self, writer: u32) -> usize {
        let state = self.state();
        let writer = state.writers.get(writer as usize);
        writer.map_or(0, |w| w.unread.len())
    }

    /// The next of a writer's that stands, in the order in which they were written; a read of it goes out.
    pub fn next_read(&self, writer: u32) -> Option<(u64, u32)> {
        let state = &mut *self.state();
        loop {
            let unread = &mut state.writers.get_mut(writer as usize)?.unread;
            let (start, number) = unread.pop_front()?;
            let Some(piece) = state.stands.get(&start).filter(|p| p.number == number) else {
                continue;
            };
            let end = piece.end;
            state.begin(start, end, false);
            return Some((start, (end - start) as u32));
        }
    }

    /// A read that [`Journal::next_read`] has given is back.
    pub fn end_read(&self, start: u64, len: u64) -> Expected {
        let state = &mut *self.state();
        let undisturbed = state.end(start, start + len, false);
        match state.stands.get(&start) {
            Some(piece) if undisturbed && piece.end == start + len => Expected::Written(piece.mark),
            _ => Expected::Unknown,
        }
    }
}

impl State {
    fn begin(&mut self, start: u64, end: u64, is_write: bool) {
        let mut disturbed = false;
        for other in &mut self.out {
            let meets = other.start < end && start < other.end;
            other.disturbed |= meets && is_write;
            disturbed |= meets && other.is_write;
        }
        self.out.push(Out {
            start,
            end,
            is_write,
            disturbed,
        });
    }

    /// Whether nothing has disturbed it.
    fn end(&mut self, start: u64, end: u64, is_write: bool) -> bool {
        let same = |o: &Out| o.start == start && o.end == end && o.is_write == is_write;
        let at = self.out.iter().position(same);
        at.is_none_or(|at| !self.out.swap_remove(at).disturbed)
    }

    /// Whatever stands there does so no more.
    fn forget(&mut self, start: u64, end: u64) {
        let before = self.stands.range(..start).next_back();
        let before = before
            .filter(|(_, piece)| piece.end > start)
            .map(|(at, _)| *at);
        let within = self.stands.range(start..end).map(|(at, _)| *at);
        let gone: Vec<u64> = before.into_iter().chain(within).collect();
        for at in gone {
            self.stands.remove(&at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: Option<Mark> = Some(Mark {
        seed: 7,
        time: (1, 2),
    });

    fn write(journal: &Journal, start: u64, len: u64) {
        journal.begin_write(start, len);
        journal.end_write(0, start, len, MARK);
    }

    fn reads(journal: &Journal) -> Vec<(u64, u32)> {
        std::iter::from_fn(|| journal.next_read(0)).collect()
    }

    #[test]
    fn what_stands_is_read_back_once_in_the_order_in_which_it_was_written() {
        let journal = Journal::default();
        assert_eq!(journal.writer("a"), 0);
        for start in [8192, 0, 4096, 8192] {
            write(&journal, start, 4096);
        }
        assert_eq!(journal.unread(0), 4);
        assert_eq!(reads(&journal), [(0, 4096), (4096, 4096), (8192, 4096)]);
        assert_eq!(journal.end_read(0, 4096), Expected::Written(MARK));
        assert_eq!(journal.unread(0), 0);
    }

    #[test]
    fn a_part_that_was_written_again_makes_the_rest_unknown() {
        let journal = Journal::default();
        journal.writer("a");
        write(&journal, 0, 16384);
        write(&journal, 4096, 512);
        assert_eq!(reads(&journal), [(4096, 512)]);
        write(&journal, 0, 8192);
        journal.forget(8000, 10, false);
        assert_eq!(reads(&journal), []);
    }

    #[test]
    fn writes_that_were_out_at_once_on_one_place_leave_nothing_to_check() {
        let journal = Journal::default();
        journal.writer("a");
        journal.begin_write(0, 4096);
        journal.begin_write(2048, 4096);
        journal.begin_write(8192, 4096);
        journal.end_write(0, 0, 4096, MARK);
        journal.end_write(0, 2048, 4096, MARK);
        journal.end_write(0, 8192, 4096, MARK);
        assert_eq!(reads(&journal), [(8192, 4096)]);
    }

    #[test]
    fn a_read_during_which_its_place_was_written_proves_nothing() {
        let journal = Journal::default();
        journal.writer("a");
        write(&journal, 0, 4096);
        assert_eq!(journal.next_read(0), Some((0, 4096)));
        write(&journal, 0, 4096);
        assert_eq!(journal.end_read(0, 4096), Expected::Unknown);
        assert_eq!(journal.next_read(0), Some((0, 4096)));
        assert_eq!(journal.end_read(0, 4096), Expected::Written(MARK));
    }
}
