//! Looks at the arrays at the ends of a step's intervals.

use crate::look::Look;
use crate::multipath::MultipathArray;
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
    every_ns: u64,
    end_ns: u64,
    taken: Taken,
}

impl Watch {
    /// Of a step's intervals: from `start_ns`, one each `every_ns`, the last one to `end_ns`.
    pub fn new(start_ns: u64, every_ns: u64, end_ns: u64) -> Self {
        let every_ns = every_ns.max(1);
        Watch {
            next_ns: start_ns.saturating_add(every_ns).min(end_ns),
            every_ns,
            end_ns,
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
            self.next_ns = match at_ns >= self.end_ns {
                true => u64::MAX,
                false => at_ns.saturating_add(self.every_ns).min(self.end_ns),
            };
        }
    }
}

/// A look at each array.
pub(crate) fn all(models: &[MultipathArray], at_ns: u64) -> Vec<Look> {
    models.iter().map(|b| Look::at(&b.array, at_ns)).collect()
}
