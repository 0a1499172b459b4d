//! Looks in a thread of their own: a file of the kernel's that does not answer holds nobody up.

use plimsoll_evidence::Witnessed;
use plimsoll_witness::{Root, Watch, Watched};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Time that an interval waits for its look, which takes a millisecond. A drive that does not answer takes a minute.
const PATIENCE: Duration = Duration::from_secs(1);

/// Question to the lookout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ask {
    /// Observations since the last look.
    Look,
    /// Observations that are seldom made, at a step's end.
    End,
}

/// Takes looks.
pub(super) struct Lookout {
    ask: Sender<Ask>,
    answers: Receiver<Witnessed>,
    patience: Duration,
    /// A look was asked for and has not come.
    owed: bool,
    /// Observations that have come and were not given to anybody yet.
    kept: Option<Witnessed>,
}

impl Lookout {
    /// Begins to look. Where no thread can be had, nothing is seen.
    pub fn new(what: Vec<Watched>) -> Self {
        Lookout::by(PATIENCE, move || {
            let mut watch = Watch::new(&Root::system(), &what);
            move |ask| match ask {
                Ask::Look => watch.look(),
                Ask::End => watch.end(),
            }
        })
    }

    /// Looks with what `begin` makes in the thread.
    fn by<F>(patience: Duration, begin: impl FnOnce() -> F + Send + 'static) -> Self
    where
        F: FnMut(Ask) -> Witnessed,
    {
        let (ask, asked) = channel();
        let (tell, answers) = channel();
        let thread = std::thread::Builder::new().name("witness".into());
        // Nobody waits for its end: where it hangs, it hangs alone. Without it the lines are closed, and nothing is seen.
        let _ = thread.spawn(move || {
            let mut look = begin();
            let mut told = tell.send(Witnessed::default());
            while told.is_ok()
                && let Ok(ask) = asked.recv()
            {
                told = tell.send(look(ask));
            }
        });
        let mut lookout = Lookout {
            ask,
            answers,
            patience,
            owed: true,
            kept: None,
        };
        let begun = lookout.answers.recv_timeout(patience).ok();
        lookout.take(begun);
        lookout
    }

    /// Observations since the last ones that came; `None` where none comes in time. What comes too late is part of the next.
    pub fn look(&mut self) -> Option<Witnessed> {
        self.ask(Ask::Look)
    }

    /// Observations that are seldom made; `None` where they do not come in time.
    pub fn end(&mut self) -> Option<Witnessed> {
        self.ask(Ask::End)
    }

    fn ask(&mut self, what: Ask) -> Option<Witnessed> {
        if self.owed {
            let late = self.answers.try_recv().ok();
            self.take(late);
        }
        if self.owed {
            return None;
        }
        self.owed = true;
        // Where nobody hears it, nobody answers either.
        let _ = self.ask.send(what);
        let came = self.answers.recv_timeout(self.patience).ok();
        self.take(came);
        match self.owed {
            true => None,
            false => self.kept.take(),
        }
    }

    fn take(&mut self, came: Option<Witnessed>) {
        let Some(seen) = came else { return };
        self.owed = false;
        match &mut self.kept {
            Some(kept) => kept.append(seen),
            None => self.kept = Some(seen),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(_: Ask) -> Witnessed {
        Witnessed {
            observed_s: 1.0,
            ..Witnessed::default()
        }
    }

    #[test]
    fn a_look_that_comes_too_late_is_part_of_the_next_one() {
        let (open, gate) = channel();
        let mut lookout = Lookout::by(Duration::from_secs(60), move || {
            move |_| {
                gate.recv().expect("it is opened");
                second(Ask::Look)
            }
        });
        lookout.patience = Duration::from_millis(1);
        assert_eq!(lookout.look(), None);
        assert_eq!(lookout.look(), None, "it is not asked again");
        lookout.patience = Duration::from_secs(60);
        open.send(()).unwrap();
        open.send(()).unwrap();
        let seen = std::iter::repeat_with(|| lookout.look()).find_map(|seen| seen);
        assert_eq!(seen.unwrap().observed_s, 2.0);
    }

    #[test]
    fn a_watch_that_dies_ends_nothing_but_itself() {
        let mut lookout = Lookout::by(Duration::from_secs(60), || |_| panic!("on purpose"));
        assert_eq!(lookout.look(), None);
        assert_eq!(lookout.look(), None);
    }

    #[test]
    fn the_end_has_what_is_seldom_looked_at() {
        let mut lookout = Lookout::by(Duration::from_secs(60), || {
            |ask| match ask {
                Ask::Look => second(ask),
                Ask::End => Witnessed::default(),
            }
        });
        assert_eq!(lookout.look(), Some(second(Ask::Look)));
        assert_eq!(lookout.end(), Some(Witnessed::default()));
    }

    #[test]
    fn looks_follow_each_other() {
        let mut lookout = Lookout::by(Duration::from_secs(60), || second);
        assert_eq!(lookout.look(), Some(second(Ask::Look)));
        assert_eq!(lookout.look(), Some(second(Ask::Look)));
    }
}
