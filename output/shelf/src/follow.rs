//! Records that are followed: for a browser, each second, what has been added, and all that go on for whoever scrapes their metrics.

use crate::page;
use plimsoll_http::{Event, Events};
use plimsoll_live::{Source, State, open_metrics};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Time between two looks: runs write an interval a second.
const PAUSE: Duration = Duration::from_millis(500);
/// Looks that may fail one after the other, as where the record is on a server that is away for a while.
const MOST_FAILURES: u32 = 120;

/// The events of a record.
pub(crate) struct Follow {
    source: Source,
    id: String,
    next: Next,
    failures: u32,
}

/// Event to be sent next.
enum Next {
    /// All that is known, without a pause.
    All,
    /// News, after a pause.
    News,
    /// The end of the run.
    End,
    /// Nothing.
    Nothing,
}

impl Follow {
    pub(crate) fn of(source: Source, id: String) -> Self {
        Follow {
            source,
            id,
            next: Next::All,
            failures: 0,
        }
    }

    /// Event with all that is known now.
    fn now(&mut self) -> Event {
        let live = self.source.live();
        self.next = match live.state {
            State::Running => Next::News,
            _ => Next::End,
        };
        Event::Named("now", page::live::now(live, &self.id))
    }
}

impl Events for Follow {
    fn next_event(&mut self) -> Option<Event> {
        match self.next {
            Next::All => Some(self.now()),
            Next::News => {
                std::thread::sleep(PAUSE);
                let looked = self.source.look();
                self.failures = if looked.is_err() {
                    self.failures + 1
                } else {
                    0
                };
                match looked {
                    Ok(true) => Some(self.now()),
                    Err(_) if self.failures > MOST_FAILURES => None,
                    _ => Some(Event::Nothing),
                }
            }
            Next::End => {
                self.next = Next::Nothing;
                Some(Event::Named("end", String::new()))
            }
            Next::Nothing => None,
        }
    }
}

/// Records that go on, and how far each was read, so that a scrape reads only what is new.
#[derive(Default)]
pub(crate) struct Followed(Mutex<BTreeMap<PathBuf, Source>>);

impl Followed {
    /// Metrics of the runs among these records that go on.
    pub(crate) fn metrics(&self, records: impl Iterator<Item = PathBuf>) -> String {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut followed = BTreeMap::new();
        for path in records {
            let source = match known.remove(&path) {
                Some(mut source) => source.look().map(|_| source),
                None => Source::open(&path),
            };
            // One that was killed is kept too: to read it anew at each scrape would cost more.
            if let Ok(source) = source {
                followed.insert(path, source);
            }
        }
        *known = followed;
        let live = known.values().map(Source::live);
        open_metrics(live.filter(|live| live.state == State::Running))
    }
}
