//! Making of a tree, after what is there of it, and of others that had its root, was deleted where that is asked for.

use super::{At, BLOCKED, ELSEWHERE, InHand, OVER, TreeStream, result_of};
use crate::backend::{Action, Request};
use crate::tree::{Name, OpenTree};
use plimsoll_plan::Op;
use plimsoll_tree::{Leftover, Next};
use rustix::fs::OFlags;

/// Directories of other hosts that a worker passes over in one operation.
const DIRECTORIES_AT_ONCE: u32 = 64;

impl InHand {
    /// The next piece of a tree's making; the file that is being filled goes first.
    pub(super) fn make(&mut self, stream: &TreeStream, place: usize, r: &Request) -> (Action, i32) {
        if self.current[place].is_some() {
            return (Action::Write, self.move_bytes(place, r, Action::Write));
        }
        // A worker that finds many directories made by other hosts comes back in between to be stopped.
        for _ in 0..DIRECTORIES_AT_ONCE {
            let next = {
                let mut course = stream.tree.course();
                let course = &mut *course;
                let maker = course.maker.as_mut();
                maker.map_or(Next::Over, |maker| {
                    maker.next(&mut course.population, &mut course.leftovers)
                })
            };
            let (op, result) = match next {
                Next::Over => return (Action::Write, OVER),
                Next::Wait => return (Action::Write, BLOCKED),
                Next::Do(claim) if claim.op == Op::Write => {
                    let result = self.take(stream, place, claim, r, OFlags::WRONLY);
                    let moved = result.map(|()| self.move_bytes(place, r, Action::Write));
                    return (Action::Write, moved.unwrap_or_else(|code| code));
                }
                Next::Do(claim) => (claim.op, self.on_name(&stream.tree, claim)),
                Next::Remove(op, left) => (op, self.remove(&stream.tree, op, left)),
            };
            // A file that is made here is opened again to be filled, which counts as its one open.
            self.brought.clear();
            if result != ELSEWHERE {
                return (Action::from(op), result);
            }
        }
        (Action::Write, BLOCKED)
    }

    /// A delete or rmdir of a name that another tree has left.
    fn remove(&mut self, tree: &OpenTree, op: Op, left: Leftover) -> i32 {
        let name = Name {
            path: tree.others.path(left, op == Op::Rmdir),
            entry: None,
        };
        let done = tree.on_name(op, &name);
        self.at = Some(At::Left(name.path));
        tree.course().leftovers.end();
        result_of(tree, op, done)
    }
}
