//! Ends a point that has shown what it was to show.

use crate::method::{Observed, Observer};
use crate::pieces::pieces;
use plimsoll_evidence::Interval;
use plimsoll_measure::ratio_interval;

/// The mean response is known well enough, and far enough from a limit, at these shares of it.
const SURE: f64 = 0.02;
const FAR: f64 = 0.25;

/// Conditions under which a point has shown enough.
///
/// What an interval rests on runs its time: who stops at the first narrow interval has too few that are right. So only a point
/// that is far from every limit ends before that.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Enough {
    /// True where the point may end before its time at all.
    pub may_end: bool,
    /// The limits of the mean response, ns.
    pub limits_ns: Vec<f64>,
    /// A mean response past this, ns: the rate is not near any limit.
    pub past_ns: f64,
    /// Least time before a point past all limits is ended, s.
    pub look_s: f64,
}

/// Looks at each counted interval.
#[derive(Debug)]
pub(crate) struct Watch {
    enough: Enough,
    responses: Vec<f64>,
    timed: Vec<f64>,
    seconds: f64,
}

impl Watch {
    pub fn new(enough: Enough) -> Self {
        Watch {
            enough,
            responses: Vec::new(),
            timed: Vec::new(),
            seconds: 0.0,
        }
    }

    fn has_enough(&self) -> bool {
        let ios: f64 = self.timed.iter().sum();
        let mean = self.responses.iter().sum::<f64>() / ios.max(1.0);
        if self.seconds >= self.enough.look_s && mean > self.enough.past_ns {
            return true;
        }
        let far = |limit: &f64| (mean / limit).ln().abs() > FAR;
        let interval = ratio_interval(&self.responses, &self.timed);
        let half_width = interval.and_then(|i| i.half_width);
        self.enough.may_end
            && self.enough.limits_ns.iter().all(far)
            && half_width.is_some_and(|h| h <= SURE * mean)
    }
}

impl Observer for Watch {
    fn observe(&mut self, interval: &Interval) -> Observed {
        if !interval.counts() {
            return Observed::Continue;
        }
        self.seconds += interval.length_ns as f64 / 1e9;
        for piece in pieces(interval) {
            self.responses.push(piece.sample.response_sum_ns as f64);
            self.timed.push(piece.sample.timed as f64);
        }
        match self.has_enough() {
            true => Observed::End,
            false => Observed::Continue,
        }
    }
}
