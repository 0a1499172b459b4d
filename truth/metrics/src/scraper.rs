//! One endpoint's thread: it looks when it is asked to, and nobody waits for it.

use crate::fetch::{FetchError, Fetcher};
use crate::look::Look;
use crate::mapping::Mapping;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// Outcome of one look.
pub(crate) struct ScrapeAnswer {
    /// Time that the look was asked for; the endpoint was asked after it.
    pub asked: Instant,
    /// Time that the answer took.
    pub took: Duration,
    /// Look that was taken, or the reason why there is none.
    pub look: Result<Look, FetchError>,
}

/// The thread's other end. It ends when this is dropped.
pub(crate) struct Scraper {
    orders: Sender<Instant>,
    answers: Receiver<ScrapeAnswer>,
}

impl Scraper {
    /// Begins to wait for orders. Where there can be no thread, no look is answered.
    pub fn start(url: &str, mapping: Mapping) -> Scraper {
        let (orders, wanted) = mpsc::channel();
        let (seen, answers) = mpsc::channel();
        let fetcher = Fetcher::new(url);
        let thread = std::thread::Builder::new().name("array-metrics".into());
        let work = move || work(&wanted, &seen, &fetcher, &mapping);
        // It is not waited for: it may be asleep for a second, and holds nothing.
        drop(thread.spawn(work));
        Scraper { orders, answers }
    }

    /// Asks for a look at that time; an earlier wish that still waits is forgotten.
    pub fn ask(&self, at: Instant) {
        // Without a thread there is nobody to be told.
        let _ = self.orders.send(at);
    }

    /// Answers since the last call.
    pub fn answers(&self) -> Vec<ScrapeAnswer> {
        self.answers.try_iter().collect()
    }

    /// The next answer, waited for until then.
    pub fn wait_until(&self, end: Instant) -> Option<ScrapeAnswer> {
        let left = end.saturating_duration_since(Instant::now());
        self.answers.recv_timeout(left).ok()
    }
}

fn work(
    wanted: &Receiver<Instant>,
    seen: &Sender<ScrapeAnswer>,
    fetcher: &Fetcher,
    mapping: &Mapping,
) {
    while let Ok(mut at) = wanted.recv() {
        loop {
            let left = at.saturating_duration_since(Instant::now());
            match wanted.recv_timeout(left) {
                Ok(other) => at = other,
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        let begun = Instant::now();
        let text = fetcher.text();
        let took = begun.elapsed();
        // Somewhere in between it looked at its counters.
        let look = text.and_then(|text| Look::read(mapping, &text, begun + took / 2));
        let look = look.and_then(|look| match look.places().is_empty() {
            true => Err(FetchError::Foreign),
            false => Ok(look),
        });
        let answer = ScrapeAnswer {
            asked: at,
            took,
            look,
        };
        if seen.send(answer).is_err() {
            return;
        }
    }
}
