//! Which path the next I/O takes.

use plimsoll_plan::Selector;

/// What a selector knows of a path that is up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    /// Which of the volume's paths.
    pub path: usize,
    /// I/Os that are out there.
    pub in_flight: u32,
    /// Mean service time of late, ns; 0 where none is known.
    pub mean_ns: u64,
}

/// Chooses among the candidates, which come in the order of their paths; `last` is the path chosen before. Where several
/// are equal they take turns.
#[inline]
pub(super) fn choose(
    selector: Selector,
    last: usize,
    candidates: impl Iterator<Item = Candidate>,
) -> Option<usize> {
    let cost = |c: &Candidate| match selector {
        Selector::RoundRobin => 0,
        Selector::QueueLength => u64::from(c.in_flight),
        // What is expected where service slows in proportion to what is out.
        Selector::ServiceTime => (u64::from(c.in_flight) + 1).saturating_mul(c.mean_ns.max(1)),
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
        (0..ios)
            .map(|_| {
                let candidates = paths.iter().enumerate().map(|(path, p)| Candidate {
                    path,
                    in_flight: p.0,
                    mean_ns: p.1,
                });
                last = choose(selector, last, candidates).unwrap();
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
    fn no_path_is_none() {
        assert_eq!(choose(Selector::default(), 0, std::iter::empty()), None);
    }
}
