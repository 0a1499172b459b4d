//! Which path the next I/O takes.

use plimsoll_plan::Selector;

/// What a selector knows of a path that is up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    /// Index of the path among the volume's.
    pub path: usize,
    /// I/Os that are out there.
    pub in_flight: u32,
    /// Mean service time of late, ns; 0 where none is known.
    pub mean_ns: u64,
    /// I/Os that went to other paths since the last one that took this.
    pub passed: u32,
}

impl Candidate {
    /// True where its mean service time is of so long ago that one I/O is worth finding out: else a path that was slow
    /// once would never be chosen again.
    pub fn is_forgotten(&self) -> bool {
        self.in_flight == 0 && self.passed >= FORGOTTEN
    }
}

/// I/Os that go by a path before its mean service time is nothing to go by.
const FORGOTTEN: u32 = 64;

/// Chooses among the candidates, which come in the order of their paths; `last` is the path chosen before. Where several
/// are equal they take turns.
#[inline]
pub(super) fn choose(
    selector: Selector,
    last: usize,
    candidates: impl Iterator<Item = Candidate> + Clone,
) -> Option<usize> {
    let best = match selector {
        Selector::ServiceTime => {
            if let Some(forgotten) = candidates.clone().find(Candidate::is_forgotten) {
                return Some(forgotten.path);
            }
            // A path of which nothing is known is taken to be as good as the best.
            let known = candidates.clone().map(|c| c.mean_ns);
            known.filter(|ns| *ns > 0).min().unwrap_or(1)
        }
        Selector::RoundRobin | Selector::QueueLength => 1,
    };
    let cost = |c: &Candidate| match selector {
        Selector::RoundRobin => 0,
        Selector::QueueLength => u64::from(c.in_flight),
        // What is expected where service slows in proportion to what is out.
        Selector::ServiceTime => {
            let mean_ns = if c.mean_ns > 0 { c.mean_ns } else { best };
            (u64::from(c.in_flight) + 1).saturating_mul(mean_ns)
        }
    };
    // Paths after the last one go first.
    candidates
        .map(|c| ((cost(&c), c.path <= last, c.path), c.path))
        .min()
        .map(|(_, path)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paths (in flight, mean), chosen one after the other as I/Os go out and none comes back.
    fn chosen(selector: Selector, mut paths: Vec<(u32, u64)>, ios: usize) -> Vec<usize> {
        let mut last = 0;
        let mut passed = vec![0; paths.len()];
        (0..ios)
            .map(|_| {
                let candidates = paths.iter().enumerate().map(|(path, p)| Candidate {
                    path,
                    in_flight: p.0,
                    mean_ns: p.1,
                    passed: passed[path],
                });
                last = choose(selector, last, candidates).unwrap();
                passed.iter_mut().for_each(|p| *p += 1);
                passed[last] = 0;
                paths[last].0 += 1;
                last
            })
            .collect()
    }

    #[test]
    fn paths_take_turns_whatever_is_out() {
        let turns = chosen(Selector::RoundRobin, vec![(9, 1), (0, 1), (0, 1)], 5);
        assert_eq!(turns, [1, 2, 0, 1, 2]);
    }

    #[test]
    fn the_shortest_queue_is_filled_first() {
        let turns = chosen(Selector::QueueLength, vec![(2, 1), (0, 1)], 5);
        assert_eq!(turns, [1, 1, 0, 1, 0]);
    }

    #[test]
    fn a_path_four_times_as_slow_gets_a_fifth_of_what_is_out() {
        let turns = chosen(Selector::ServiceTime, vec![(0, 400), (0, 100)], 50);
        assert_eq!(turns.iter().filter(|p| **p == 0).count(), 10);
    }

    #[test]
    fn a_path_of_which_nothing_is_known_gets_its_share_and_no_more() {
        let turns = chosen(Selector::ServiceTime, vec![(0, 0), (0, 100)], 20);
        assert_eq!(turns.iter().filter(|p| **p == 0).count(), 10);
    }

    #[test]
    fn a_path_that_was_very_slow_once_is_tried_now_and_then() {
        let turns = chosen(Selector::ServiceTime, vec![(0, 1 << 40), (0, 100)], 200);
        assert_eq!(turns.iter().filter(|p| **p == 0).count(), 1);
        assert_eq!(turns[64], 0);
    }

    #[test]
    fn no_path_is_none() {
        assert_eq!(choose(Selector::default(), 0, std::iter::empty()), None);
    }
}
