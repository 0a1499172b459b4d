//! What a worker may spend on waiting awake.

/// A budget of time that is spent awake before I/Os come due.
///
/// A worker that sleeps to a time wakes after it, by what waking takes on this host. One that wakes before it and looks at
/// the clock until then is on time, and costs a CPU meanwhile: at a modest rate most of one. So there's a budget. It grows
/// by a part of the time that passes, and by what a sleep would have cost for each I/O, so that at rates where nobody could
/// sleep between two I/Os nobody does. While it is short a worker wakes as much earlier as the budget is good for; as only
/// what is really spent awake is taken off, that settles where most wake-ups are on time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Awake {
    /// Without end: punctual whatever it costs.
    unbounded: bool,
    /// What is left, in ns / [`PART`].
    left: u64,
    /// Until when it has grown, ns.
    grown_ns: u64,
}

/// The budget grows by one part in so many of the time: about three percent of a CPU.
const PART: u64 = 32;
/// And by this for each I/O, ns: less than to go to sleep and to wake costs.
const EACH_NS: u64 = 2_000;
/// It never is more than this, ns.
const MOST_NS: u64 = 1_000_000;

impl Awake {
    /// Full; without end where `punctual`.
    pub(super) fn new(punctual: bool, now_ns: u64) -> Self {
        Awake {
            unbounded: punctual,
            left: MOST_NS * PART,
            grown_ns: now_ns,
        }
    }

    /// Counts the time up to `now_ns`, in which so many I/Os were issued.
    #[inline(always)]
    pub(super) fn grow(&mut self, now_ns: u64, ios: usize) {
        let grown = now_ns.saturating_sub(self.grown_ns) + ios as u64 * EACH_NS * PART;
        self.grown_ns = now_ns;
        self.left = (self.left + grown).min(MOST_NS * PART);
    }

    /// So long was spent awake, ns.
    #[inline(always)]
    pub(super) fn spend(&mut self, ns: u64) {
        self.left = self.left.saturating_sub(ns.saturating_mul(PART));
    }

    /// How much of `wanted_ns` may be spent awake, ns.
    #[inline(always)]
    pub(super) fn allows(&self, wanted_ns: u64) -> u64 {
        if self.unbounded {
            wanted_ns
        } else {
            wanted_ns.min(self.left / PART)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_by_time_and_by_ios_up_to_its_most() {
        let mut awake = Awake::new(false, 0);
        assert_eq!(awake.allows(u64::MAX), MOST_NS);
        awake.spend(u64::MAX);
        assert_eq!(awake.allows(100), 0);
        // Little by little as well as at once.
        for ns in 1..=3_200 {
            awake.grow(ns, 0);
        }
        assert_eq!(awake.allows(u64::MAX), 100);
        awake.grow(3_200, 3);
        assert_eq!(awake.allows(u64::MAX), 100 + 3 * EACH_NS);
        assert_eq!(awake.allows(50), 50);
        awake.grow(u64::MAX / 2, 0);
        assert_eq!(awake.allows(u64::MAX), MOST_NS);
    }

    #[test]
    fn the_punctual_have_as_much_as_they_want() {
        let mut awake = Awake::new(true, 0);
        awake.spend(u64::MAX);
        assert_eq!(awake.allows(200_000), 200_000);
    }
}
