//! Looks at the arrays at the ends of a step's intervals.

use crate::look::Look;
use crate::multipath::MultipathArray;
use plimsoll_engine::worker::Timeline;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Looks that were taken and not asked for yet.
pub(crate) type Taken = Rc<RefCell<VecDeque<Vec<Look>>>>;

/// Takes a look at every array when an interval's end goes by. The worker's report of an interval comes later than its
/// end, when requests of the next one are in the array already.
#[derive(Debug)]
pub(crate) struct Watch {
    next_ns: u64,
    timeline: Timeline,
    taken: Taken,
}

impl Watch {
    /// Of a step's intervals.
    pub fn new(timeline: Timeline) -> Self {
        Watch {
            next_ns: timeline.interval_end_ns(timeline.start_ns),
            timeline,
            taken: Taken::default(),
        }
    }

    /// Where the looks will be.
    pub fn taken(&self) -> Taken {
        Rc::clone(&self.taken)
    }

    /// True where an interval's end goes by until `now_ns`.
    #[inline]
    pub fn is_due(&self, now_ns: u64) -> bool {
        self.next_ns <= now_ns
    }

    /// Time goes on to `now_ns`; nothing is submitted before.
    #[inline]
    pub fn pass(&mut self, now_ns: u64, models: &RefCell<Vec<MultipathArray>>) {
        if self.is_due(now_ns) {
            self.look(now_ns, &models.borrow());
        }
    }

    #[cold]
    fn look(&mut self, now_ns: u64, models: &[MultipathArray]) {
        while self.next_ns <= now_ns {
            let at_ns = self.next_ns;
            self.taken.borrow_mut().push_back(all(models, at_ns));
            self.next_ns = match at_ns >= self.timeline.end_ns() {
                true => u64::MAX,
                false => self.timeline.interval_end_ns(at_ns),
            };
        }
    }
}

/// A look at each array.
pub(crate) fn all(models: &[MultipathArray], at_ns: u64) -> Vec<Look> {
    models.iter().map(|model| Look::at(model, at_ns)).collect()
}
