//! When an open-loop stream's I/Os are due.

mod within;

use crate::recorded::Recorded;
use crate::replay::Recording;
use plimsoll_plan::{Arrival, Load, RateSegment, Step, Window};
use plimsoll_traffic::{Arrivals, Schedule};
use within::{Within, rotated};

/// A stream's absolute schedule. Cloning it gives a second reader of the same schedule.
#[derive(Debug, Clone)]
pub enum Pace {
    /// One rate.
    Steady(Arrivals),
    /// Rates one after the other.
    Varying(Schedule),
    /// The times of a log.
    Recorded(Recorded),
    /// One of these for a part of the time.
    Within(Box<Within>),
}

impl Pace {
    /// The next intended start, ns from the step's start.
    #[inline(always)]
    pub fn next_ns(&mut self) -> u64 {
        match self {
            Pace::Steady(a) => a.next_ns(),
            Pace::Varying(s) => s.next_ns(),
            Pace::Recorded(r) => r.next_ns(),
            Pace::Within(w) => w.next_ns(),
        }
    }

    /// Number of intended starts that are expected from `from_ns` to `to_ns`, ns from the step's start.
    pub fn expected(&self, from_ns: u64, to_ns: u64) -> f64 {
        match self {
            Pace::Steady(a) => a.expected(from_ns, to_ns),
            Pace::Varying(s) => s.expected(from_ns, to_ns),
            Pace::Recorded(r) => r.expected(from_ns, to_ns),
            Pace::Within(w) => w.expected(from_ns, to_ns),
        }
    }

    /// True where no more intended starts come, however long the step goes on.
    pub fn is_over(&self) -> bool {
        match self {
            Pace::Steady(_) | Pace::Varying(_) => false,
            Pace::Recorded(r) => r.is_over(),
            Pace::Within(w) => w.is_over(),
        }
    }

    /// A second reader, for the I/Os that count. `due_ns` is the intended start that this one gave last: the second reader's first,
    /// where it counts.
    pub fn counting(&self, due_ns: u64) -> (Pace, u64) {
        let mut pace = self.clone();
        match pace.skip_syncs() {
            false => (pace, due_ns),
            true => {
                let due_ns = pace.next_ns();
                (pace, due_ns)
            }
        }
    }

    /// Gives no syncs from now on; whether the last that it gave was one.
    fn skip_syncs(&mut self) -> bool {
        match self {
            Pace::Steady(_) | Pace::Varying(_) => false,
            Pace::Recorded(r) => r.skip_syncs(),
            Pace::Within(w) => w.pace.skip_syncs(),
        }
    }

    /// True where the intended start that it gave last is a sync's.
    #[inline(always)]
    pub fn is_sync(&self) -> bool {
        match self {
            Pace::Steady(_) | Pace::Varying(_) => false,
            Pace::Recorded(r) => r.is_sync(),
            Pace::Within(w) => w.pace.is_sync(),
        }
    }

    /// The times of a log, counted from the beginning of a window.
    pub fn recorded(ios: Recording, window: Window) -> Pace {
        let pace = Pace::Recorded(Recorded::new(ios));
        match window.is_whole() {
            true => pace,
            false => Pace::Within(Box::new(Within::new(pace, window))),
        }
    }

    /// The schedule of one stream on one of its workers; `None` where it has none: in a closed loop, unless the stream
    /// has a rate of its own.
    pub fn of(step: &Step, stream: usize, seed: u64, worker: u32, workers: u32) -> Option<Pace> {
        let pace = Pace::from_beginning(step, stream, seed, worker, workers)?;
        let window = step.streams[stream].window;
        Some(match window.is_whole() {
            true => pace,
            false => Pace::Within(Box::new(Within::new(pace, window))),
        })
    }

    /// The same, counted from the beginning of the stream's window and without end.
    fn from_beginning(
        step: &Step,
        stream: usize,
        seed: u64,
        worker: u32,
        workers: u32,
    ) -> Option<Pace> {
        let s = &step.streams[stream];
        if let Some(rate) = s.fixed_rate {
            let arrival = s.arrival.unwrap_or_else(|| arrival_of(&step.load));
            let arrivals = Arrivals::new(rate.0, arrival, seed, worker, workers);
            return Some(Pace::Steady(arrivals));
        }
        let part = share_of(step, stream);
        match &step.load {
            Load::Max | Load::MaxShared | Load::PercentOfLast { .. } => None,
            Load::Rate { rate, arrival } => {
                let arrivals = Arrivals::new(rate.0 * part, *arrival, seed, worker, workers);
                Some(Pace::Steady(arrivals))
            }
            Load::Schedule { segments, arrival } => {
                let part_of = |g: &RateSegment| (g.rate.0 * part, g.length.0);
                let segments = rotated(segments, s.window.from.0);
                let parts: Vec<(f64, u64)> = segments.iter().map(part_of).collect();
                let schedule = Schedule::new(&parts, *arrival, seed, worker, workers);
                Some(Pace::Varying(schedule))
            }
        }
    }
}

fn arrival_of(load: &Load) -> Arrival {
    match load {
        Load::Rate { arrival, .. }
        | Load::PercentOfLast { arrival, .. }
        | Load::Schedule { arrival, .. } => *arrival,
        Load::Max | Load::MaxShared => Arrival::default(),
    }
}

/// A stream's part of what the streams without a fixed rate share, 0..=1; nothing for one that has such a rate.
pub fn share_of(step: &Step, stream: usize) -> f64 {
    if step.streams[stream].fixed_rate.is_some() {
        return 0.0;
    }
    let total = step.shares();
    if total > 0.0 {
        step.streams[stream].share / total
    } else {
        0.0
    }
}
