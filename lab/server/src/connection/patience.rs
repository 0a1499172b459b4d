//! Waiting for the next request of a client that is quick.
//!
//! A thread that sleeps is woken by the client's processor, and where processors doze meanwhile that takes longer than a
//! request. A client with one request at a time pays it each time. So a thread whose client usually asks again at once
//! stays awake that long, and gives its processor to whoever wants it.

use super::{End, Wire};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A client that usually asks again within this time is quick.
const QUICK: Duration = Duration::from_micros(100);
/// Pauses that are longer count as this one.
const LONG: Duration = Duration::from_micros(800);

/// The threads that stay awake; no more than half of the processors do.
#[derive(Debug)]
pub(crate) struct Awake {
    now: AtomicUsize,
    most: usize,
}

impl Awake {
    pub(crate) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Awake {
            now: AtomicUsize::new(0),
            most: processors / 2,
        }
    }

    /// Runs `work` awake, unless too many are.
    fn stay<T>(&self, work: impl FnOnce() -> Option<T>) -> Option<T> {
        let before = self.now.fetch_add(1, Ordering::Relaxed);
        let done = if before < self.most { work() } else { None };
        self.now.fetch_sub(1, Ordering::Relaxed);
        done
    }
}

/// What is known of a client's pauses.
#[derive(Debug)]
pub(super) struct Patience {
    /// How long it usually takes until it asks again: a mean in which the last pauses weigh most.
    usual: Duration,
}

impl Patience {
    pub(super) fn new() -> Self {
        Patience { usual: LONG }
    }

    /// Waits for bytes; 0 when the other side has hung up.
    pub(super) fn receive(
        &mut self,
        awake: &Awake,
        wire: &mut Wire<'_>,
        place: &mut [u8],
    ) -> Result<usize, End> {
        let begun = Instant::now();
        let came = match self.is_quick() {
            true => awake.stay(|| look(wire, place, begun)),
            false => None,
        };
        let came = came.unwrap_or_else(|| wire.receive(place));
        self.learn(begun.elapsed());
        came
    }

    fn is_quick(&self) -> bool {
        self.usual < QUICK
    }

    fn learn(&mut self, pause: Duration) {
        // One long pause says little of the next ones.
        self.usual = (self.usual * 7 + pause.min(LONG)) / 8;
    }
}

/// Looks for bytes as long as a quick client takes.
fn look(wire: &mut Wire<'_>, place: &mut [u8], begun: Instant) -> Option<Result<usize, End>> {
    while begun.elapsed() < QUICK {
        match wire.try_receive(place) {
            Ok(None) => std::thread::yield_now(),
            Ok(Some(n)) => return Some(Ok(n)),
            Err(error) => return Some(Err(error)),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_quick_once_it_has_asked_again_at_once_for_a_while_and_until_it_dawdles() {
        let mut patience = Patience::new();
        assert!(!patience.is_quick());
        (0..40).for_each(|_| patience.learn(Duration::from_micros(20)));
        assert!(patience.is_quick());
        patience.learn(Duration::from_secs(5));
        assert!(!patience.is_quick());
        (0..40).for_each(|_| patience.learn(Duration::from_micros(20)));
        assert!(patience.is_quick());
        (0..8).for_each(|_| patience.learn(Duration::from_micros(200)));
        assert!(!patience.is_quick());
    }

    #[test]
    fn no_more_than_half_of_the_processors_stay_awake() {
        let awake = Awake {
            now: AtomicUsize::new(0),
            most: 1,
        };
        let inner = awake.stay(|| Some(awake.stay(|| Some(()))));
        assert_eq!(inner, Some(None));
        assert_eq!(awake.stay(|| Some(7)), Some(7));
    }
}
