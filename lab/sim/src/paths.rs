//! The host's paths to an array, as a multipath device has them: taken in turn, and left alone while they fail.

use plimsoll_array::PathCondition;
use plimsoll_array::path::Path;

/// How long a failed path is left alone before it is looked at: `polling_interval` of multipath.conf(5), 5 s by default.
pub(crate) const CHECK_NS: u64 = 5_000_000_000;

/// Takes the paths in turn.
#[derive(Debug)]
pub(crate) struct Paths {
    /// When each path is looked at next, ns; `None`: it is in use.
    look_ns: Vec<Option<u64>>,
    next: usize,
    /// Paths that are not in use.
    failed: usize,
    /// When paths were given up and taken back since they were asked for last, and the I/Os that were taken off each.
    story: Story,
}

/// What happened to the paths.
#[derive(Debug, Clone, Default)]
pub(crate) struct Story {
    /// When, ns; which path; true where it was taken back.
    pub changes: Vec<(u64, usize, bool)>,
    /// By path: I/Os that were sent again on another one.
    pub moved: Vec<u64>,
}

impl Paths {
    /// So many, all in use.
    pub fn new(count: usize) -> Self {
        Paths {
            look_ns: vec![None; count],
            next: 0,
            failed: 0,
            story: Story {
                changes: Vec::new(),
                moved: vec![0; count],
            },
        }
    }

    /// The path that goes next; any where none is in use. `states` are the true states, which a check finds out.
    #[inline]
    pub fn take(&mut self, now_ns: u64, states: &[Path]) -> usize {
        if self.failed > 0 {
            self.check(now_ns, states);
            for _ in 0..self.look_ns.len() {
                let path = self.step();
                if self.look_ns[path].is_none() {
                    return path;
                }
            }
        }
        self.step()
    }

    /// A request over this path failed.
    pub fn fail(&mut self, path: usize, now_ns: u64) {
        self.story.moved[path] += 1;
        if self.look_ns[path].replace(now_ns + CHECK_NS).is_none() {
            self.failed += 1;
            self.story.changes.push((now_ns, path, false));
        }
    }

    /// What happened since this was asked last.
    pub fn take_story(&mut self) -> Story {
        let fresh = Story {
            changes: Vec::new(),
            moved: vec![0; self.story.moved.len()],
        };
        std::mem::replace(&mut self.story, fresh)
    }

    #[inline]
    fn step(&mut self) -> usize {
        let path = self.next;
        self.next = if path + 1 >= self.look_ns.len() {
            0
        } else {
            path + 1
        };
        path
    }

    /// Looks at the paths whose time has come, and uses those again that work.
    #[cold]
    fn check(&mut self, now_ns: u64, states: &[Path]) {
        for (number, (look, path)) in self.look_ns.iter_mut().zip(states).enumerate() {
            let Some(at) = look.filter(|at| *at <= now_ns) else {
                continue;
            };
            if matches!(path.state, PathCondition::Up | PathCondition::Slow(_)) {
                *look = None;
                self.failed -= 1;
                self.story.changes.push((now_ns, number, true));
            } else {
                let late = (now_ns - at) % CHECK_NS;
                *look = Some(now_ns - late + CHECK_NS);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(up: &[bool]) -> Vec<Path> {
        let state = |up: &bool| Path {
            state: if *up {
                PathCondition::Up
            } else {
                PathCondition::Down
            },
            ..Path::default()
        };
        up.iter().map(state).collect()
    }

    #[test]
    fn a_failed_path_is_left_out_until_a_check_finds_it_up() {
        let mut paths = Paths::new(3);
        let all = states(&[true; 3]);
        assert_eq!([0; 4].map(|_| paths.take(0, &all)), [0, 1, 2, 0]);
        paths.fail(1, 100);
        paths.fail(1, 100);
        let down = states(&[true, false, true]);
        assert_eq!([0; 3].map(|_| paths.take(200, &down)), [2, 0, 2]);
        // Up again, but nobody has looked.
        assert_eq!(paths.take(CHECK_NS, &all), 0);
        assert_eq!(paths.take(2 * CHECK_NS, &down), 2);
        let later = 2 * CHECK_NS + 101;
        assert_eq!([0; 3].map(|_| paths.take(later, &all)), [0, 1, 2]);
        let story = paths.take_story();
        assert_eq!(story.changes, [(100, 1, false), (later, 1, true)]);
        assert_eq!(story.moved, [0, 2, 0]);
        assert!(paths.take_story().changes.is_empty());
    }

    #[test]
    fn where_every_path_has_failed_one_is_tried_all_the_same() {
        let mut paths = Paths::new(2);
        paths.fail(0, 0);
        paths.fail(1, 0);
        let down = states(&[false; 2]);
        assert_eq!([1; 3].map(|now| paths.take(now, &down)), [0, 1, 0]);
    }
}
