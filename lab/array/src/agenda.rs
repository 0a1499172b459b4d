//! What is to happen to the array later, and what happened.

use crate::fault::Fault;
use serde::Serialize;
use std::collections::{HashMap, VecDeque};

/// Events that are remembered.
const REMEMBERED: usize = 1024;

/// What a fault changes, and what is changed back when its time is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Path(u32),
    Controller(u32),
    Journal,
    /// The snapshot by copy-on-write.
    Copy,
    /// What others take of the cores.
    Neighbours,
    /// The errors with this number; each is of its own.
    Errors(u64),
}

/// Something to do at a time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Due {
    Inject(Fault),
    /// Undo what the change with this number did, unless somebody changed the part after it.
    Undo(Part, u64),
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// When, nanoseconds.
    pub at_ns: u64,
    /// What, in words.
    pub what: String,
}

/// The list of what is to happen, and the last events.
#[derive(Debug, Clone, Default)]
pub(crate) struct Agenda {
    /// The latest first; of the same time, the one that was entered last.
    due: Vec<(u64, u64, Due)>,
    entered: u64,
    /// Which change each part has from.
    changed: HashMap<Part, u64>,
    events: VecDeque<Event>,
}

impl Agenda {
    /// True when something is due.
    #[inline]
    pub fn is_due(&self, now: u64) -> bool {
        self.due.last().is_some_and(|d| d.0 <= now)
    }

    /// Enters something.
    pub fn enter(&mut self, at: u64, due: Due) {
        self.entered += 1;
        let entry = (at, self.entered, due);
        let place = self
            .due
            .partition_point(|d| (d.0, d.1) > (entry.0, entry.1));
        self.due.insert(place, entry);
    }

    /// Takes something out that is to happen at a time: of several that are alike, one. False where there is none.
    pub fn withdraw(&mut self, at: u64, due: &Due) -> bool {
        let found = self.due.iter().position(|d| d.0 == at && d.2 == *due);
        if let Some(place) = found {
            self.due.remove(place);
        }
        found.is_some()
    }

    /// How many things are to happen.
    pub fn len(&self) -> usize {
        self.due.len()
    }

    /// A part is no more, and with it who changed it.
    pub fn forget(&mut self, part: Part) {
        self.changed.remove(&part);
    }

    /// The first thing that is due, and when it was.
    pub fn take(&mut self, now: u64) -> Option<(u64, Due)> {
        self.is_due(now)
            .then(|| self.due.pop())
            .flatten()
            .map(|(at, _, due)| (at, due))
    }

    /// Notes that a part is changed; the number of the change.
    pub fn change(&mut self, part: Part) -> u64 {
        self.entered += 1;
        self.changed.insert(part, self.entered);
        self.entered
    }

    /// True when nobody changed the part after the change with this number.
    pub fn is_latest(&self, part: Part, change: u64) -> bool {
        self.changed.get(&part) == Some(&change)
    }

    /// Remembers an event.
    pub fn note(&mut self, at_ns: u64, what: String) {
        if self.events.len() == REMEMBERED {
            self.events.pop_front();
        }
        self.events.push_back(Event { at_ns, what });
    }

    /// The last events, the oldest first.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.events.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_out_does_not_happen() {
        let mut agenda = Agenda::default();
        let due = |path| Due::Inject(Fault::PathUp { path });
        agenda.enter(10, due(1));
        agenda.enter(20, due(1));
        assert!(!agenda.withdraw(20, &due(2)));
        assert!(agenda.withdraw(20, &due(1)));
        assert!(!agenda.withdraw(20, &due(1)));
        assert_eq!(agenda.take(30), Some((10, due(1))));
        assert_eq!(agenda.take(30), None);
    }

    #[test]
    fn gives_what_is_due_in_the_order_of_time_and_of_entry() {
        let mut agenda = Agenda::default();
        for (at, path) in [(30, 0), (10, 1), (30, 2), (20, 3)] {
            agenda.enter(at, Due::Inject(Fault::PathUp { path }));
        }
        assert!(!agenda.is_due(9));
        let taken: Vec<_> = std::iter::from_fn(|| agenda.take(30)).collect();
        let expected = [(10, 1), (20, 3), (30, 0), (30, 2)]
            .map(|(at, path)| (at, Due::Inject(Fault::PathUp { path })));
        assert_eq!(taken, expected);
    }
}
