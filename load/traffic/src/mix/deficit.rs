//! The stream that is furthest behind its share.

/// Keeps streams at their shares, exactly and evenly: after any number of I/Os each stream is within about one I/O of
/// its share (stride scheduling, Waldspurger and Weihl, 1995).
#[derive(Debug, Clone)]
pub struct Deficit {
    streams: Vec<Share>,
    /// The stream whose next I/O is due first.
    next: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Share {
    /// The virtual time between two I/Os; infinite for a stream that has no share or has ended.
    gap: f64,
    taken: u64,
    /// The virtual time from which on `taken` counts.
    since: f64,
    /// The virtual time of the next I/O; infinite for one that is set aside, too.
    due: f64,
}

impl Deficit {
    /// Streams by share; shares that are not above 0 are never taken.
    pub fn new(shares: &[f64]) -> Self {
        let streams = shares
            .iter()
            .map(|s| {
                let gap = if s.is_finite() && *s > 0.0 {
                    s.recip()
                } else {
                    f64::INFINITY
                };
                Share {
                    gap,
                    taken: 0,
                    since: 0.0,
                    due: gap * 0.5,
                }
            })
            .collect();
        let mut deficit = Deficit {
            streams,
            next: None,
        };
        deficit.find();
        deficit
    }

    /// The stream that goes next, without taking it; `None` when all have ended.
    #[inline]
    pub fn peek(&self) -> Option<usize> {
        self.next
    }

    /// Counts an I/O of the stream that [`Deficit::peek`] names.
    #[inline]
    pub fn take(&mut self) {
        if let Some(i) = self.next {
            let s = &mut self.streams[i];
            s.taken += 1;
            // Not a running sum: that would drift.
            s.due = s.since + s.gap * (s.taken as f64 + 0.5);
            self.find();
        }
    }

    /// The stream that goes next, taken; `None` when all have ended.
    #[inline]
    #[allow(
        clippy::should_implement_trait,
        reason = "an endless source, not an iterator to be adapted"
    )]
    pub fn next(&mut self) -> Option<usize> {
        let next = self.peek();
        self.take();
        next
    }

    /// Ends a stream; the others go on at their shares of what remains.
    pub fn retire(&mut self, stream: usize) {
        if let Some(s) = self.streams.get_mut(stream) {
            s.due = f64::INFINITY;
            s.gap = f64::INFINITY;
            self.find();
        }
    }

    /// Leaves a stream out until it is brought back.
    pub fn set_aside(&mut self, stream: usize) {
        if let Some(s) = self.streams.get_mut(stream) {
            s.due = f64::INFINITY;
            self.find();
        }
    }

    /// A stream that was set aside has its share again, from now on: what it has missed is not made up for.
    pub fn bring_back(&mut self, stream: usize) {
        let now = self.next.map_or(0.0, |next| self.streams[next].due);
        if let Some(s) = self.streams.get_mut(stream) {
            (s.since, s.taken) = (now, 0);
            s.due = now + s.gap * 0.5;
            self.find();
        }
    }

    #[inline]
    fn find(&mut self) {
        let mut best = f64::INFINITY;
        self.next = None;
        for (i, s) in self.streams.iter().enumerate() {
            if s.due < best {
                best = s.due;
                self.next = Some(i);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_stream_stays_near_its_share_at_all_times(
            shares in proptest::collection::vec(1u32..1000, 1..8), rounds in 1usize..2000
        ) {
            let total: f64 = shares.iter().map(|s| f64::from(*s)).sum();
            let shares: Vec<f64> = shares.into_iter().map(f64::from).collect();
            let mut deficit = Deficit::new(&shares);
            let mut counts = vec![0u64; shares.len()];
            for round in 1..=rounds {
                counts[deficit.next().expect("a stream")] += 1;
                for (c, s) in counts.iter().zip(&shares) {
                    let ideal = round as f64 * s / total;
                    prop_assert!((*c as f64 - ideal).abs() < 1.0 + shares.len() as f64 / 2.0);
                }
            }
        }
    }

    #[test]
    fn streams_interleave_evenly() {
        let mut deficit = Deficit::new(&[3.0, 1.0]);
        let order: Vec<_> = (0..8).filter_map(|_| deficit.next()).collect();
        assert_eq!(order.iter().filter(|i| **i == 1).count(), 2);
        assert!(order.windows(2).all(|w| w != [1, 1]));
    }

    #[test]
    fn who_was_set_aside_has_its_share_again_and_no_more() {
        let mut deficit = Deficit::new(&[3.0, 1.0]);
        deficit.set_aside(0);
        assert!((0..100).all(|_| deficit.next() == Some(1)));
        deficit.bring_back(0);
        let of_0 = (0..400).filter(|_| deficit.next() == Some(0)).count();
        assert!((299..=301).contains(&of_0), "{of_0}");
        // All of them away, and one after the other back again.
        deficit.set_aside(0);
        deficit.set_aside(1);
        assert_eq!(deficit.next(), None);
        deficit.bring_back(1);
        assert!((0..100).all(|_| deficit.next() == Some(1)));
        deficit.bring_back(0);
        let of_0 = (0..400).filter(|_| deficit.next() == Some(0)).count();
        assert!((299..=301).contains(&of_0), "{of_0}");
        // One that has ended stays so.
        deficit.retire(0);
        deficit.set_aside(0);
        deficit.bring_back(0);
        assert!((0..5).all(|_| deficit.next() == Some(1)));
    }

    #[test]
    fn peek_does_not_take_and_retired_streams_are_left_out() {
        let mut deficit = Deficit::new(&[1.0, 1.0, 0.0]);
        assert_eq!(deficit.peek(), deficit.peek());
        deficit.retire(0);
        assert!((0..5).all(|_| deficit.next() == Some(1)));
        deficit.retire(1);
        assert_eq!(deficit.next(), None);
    }
}
