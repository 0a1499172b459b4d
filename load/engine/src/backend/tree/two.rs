//! Operations on two trees: a file of the one is copied or renamed to the same path in the other.

use super::errors::code;
use super::{At, BLOCKED, Held, InHand, OVER, TreeStream};
use crate::backend::{Action, Brought, Request};
use crate::tree::{Course, NextCopy, OpenTree, TreeFile, TreeOpening};
use plimsoll_plan::{FileSelect, Op};
use plimsoll_tree::{Claim, Entry, Present};
use std::io;
use std::sync::Arc;

impl InHand {
    /// A whole file, by transfers: in order each once, or a drawn one.
    pub(super) fn copy(&mut self, stream: &TreeStream, r: &Request) -> i32 {
        let Some((to, opening)) = &stream.to else {
            return BLOCKED;
        };
        let to = (to, *opening);
        if stream.select != FileSelect::Sequential {
            let claim = {
                let population = &mut stream.tree.course().population;
                population.begin(Op::Copy, stream.select, &mut self.draw)
            };
            return claim.map_or(BLOCKED, |claim| self.copy_file(stream, to, claim, r));
        }
        let file = match next_copy(stream, to.0) {
            Ok(file) => file,
            Err(result) => return result,
        };
        let (claim, is_there) = {
            let population = &mut stream.tree.course().population;
            let claim = population.begin_on(Op::Copy, Entry::File(file));
            (claim, population.present(file) != Present::Absent)
        };
        let result = claim.map_or(BLOCKED, |claim| self.copy_file(stream, to, claim, r));
        // Somebody works on it, here or there. What is not there is not copied.
        let again = result == BLOCKED && is_there;
        to.0.when_done(move |course| course.copies.end(file, again));
        result
    }

    /// Copies the file of a claim. What the other tree has in its place is deleted first.
    fn copy_file(
        &mut self,
        stream: &TreeStream,
        (to, opening): (&Arc<OpenTree>, TreeOpening),
        claim: Claim,
        r: &Request,
    ) -> i32 {
        let mut from = Held::new(&stream.tree, claim, stream.opening);
        self.at = Some(At::Own(claim.entry));
        let shape = &stream.tree.shape;
        let name = stream.tree.name(claim.entry);
        let size = match claim.entry {
            Entry::File(file) => shape.size(file),
            Entry::Directory(_) => 0,
        };
        let begun = stream.tree.begin();
        match stream.tree.open(&name, stream.opening.flags) {
            Ok(file) => from.file = Some(file),
            Err(error) => return code(&error),
        }
        self.brought.push(begun.brought(Op::Open));
        self.at = Some(At::Other(claim.entry));
        // Nothing is taken away there for what cannot be read here.
        let mut into = match self.make_room(to, claim.entry) {
            Ok(claim) => Held::new(to, claim, opening),
            Err(code) => return code,
        };
        let begun = to.begin();
        match to.create(&name, opening.flags) {
            Ok(file) => into.file = Some(file),
            Err(error) => return code(&error),
        }
        self.brought.push(begun.brought(Op::Open));
        let moved = self.copy_bytes(stream, [from.file.as_ref(), into.file.as_ref()], size, r);
        let moved = self.closed(from.close(true), moved);
        self.closed(into.close_made(moved == 0), moved)
    }

    /// A claim to make a file where there is none, or none any more; a result where somebody works on it, or its directory is missing.
    fn make_room(&mut self, tree: &OpenTree, entry: Entry) -> Result<Claim, i32> {
        let claim = {
            let population = &mut tree.course().population;
            let op = match entry {
                Entry::File(file) if population.present(file) != Present::Absent => Op::Delete,
                _ => Op::Create,
            };
            population.begin_on(op, entry).ok_or(BLOCKED)?
        };
        if claim.op == Op::Create {
            return Ok(claim);
        }
        let begun = tree.begin();
        let done = tree.on_name(Op::Delete, &tree.name(entry));
        // At once, even where the call is played later: nobody comes between the two claims.
        let population = &mut tree.course().population;
        population.end(claim, done.is_ok());
        if let Err(error) = done {
            return Err(code(&error));
        }
        self.brought.push(begun.brought(Op::Delete));
        population.begin_on(Op::Create, entry).ok_or(BLOCKED)
    }

    /// Copies a file's bytes, each transfer counted; 0, or what failed.
    fn copy_bytes(
        &mut self,
        stream: &TreeStream,
        files: [Option<&TreeFile>; 2],
        size: u64,
        r: &Request,
    ) -> i32 {
        let length = u64::from(r.length.max(1));
        let mut at = 0;
        while at < size {
            let mut bytes = length.min(size - at);
            for (file, action) in files.into_iter().zip([Action::Read, Action::Write]) {
                let (Some(file), Some(At::Own(entry) | At::Other(entry))) = (file, &self.at) else {
                    return -libc::EBADF;
                };
                let entry = *entry;
                self.at = Some(match action {
                    Action::Write => At::Other(entry),
                    _ => At::Own(entry),
                });
                let begun = stream.tree.begin();
                let moved = file.move_at(action, r, at, bytes as u32);
                if moved <= 0 {
                    self.failed = (at, bytes as u32);
                }
                match moved {
                    // What is shorter than it was found to be is somebody else's doing.
                    0 => return -libc::ENODATA,
                    ..0 => return moved,
                    1.. => bytes = moved as u64,
                }
                self.brought.push(Brought {
                    bytes,
                    ..begun.brought(action.op())
                });
            }
            at += bytes;
        }
        0
    }

    /// Renames a file into the other tree, where it is missing there.
    pub(super) fn move_over(&mut self, stream: &TreeStream) -> i32 {
        let Some((to, _)) = &stream.to else {
            return BLOCKED;
        };
        let (claim, is_full) = {
            let population = &mut stream.tree.course().population;
            let claim = population.begin(Op::Move, stream.select, &mut self.draw);
            let Some(claim) = claim else {
                return BLOCKED;
            };
            let is_full = match claim.entry {
                Entry::File(file) => population.present(file) == Present::Full,
                Entry::Directory(_) => false,
            };
            (claim, is_full)
        };
        self.at = Some(At::Own(claim.entry));
        let end = move |well| {
            let end = move |course: &mut Course| course.population.end(claim, well);
            stream.tree.when_done(end);
        };
        let into = to.course().population.begin_on(Op::Create, claim.entry);
        let Some(into) = into else {
            end(false);
            return BLOCKED;
        };
        let name = stream.tree.name(claim.entry);
        let done = stream.tree.rename_into(&name, to);
        let well = done.is_ok();
        end(well);
        to.when_done(move |course| match well {
            true => course.population.end_create(into, is_full),
            false => course.population.end(into, false),
        });
        done.map_or_else(|error| code(&error), |()| 0)
    }
}

/// The next file in order that this stream works on; else the result. The two trees are never locked at once: others may copy the
/// other way.
fn next_copy(stream: &TreeStream, to: &OpenTree) -> Result<u64, i32> {
    loop {
        let file = match to.course().take_copy() {
            NextCopy::File(file) => file,
            NextCopy::Wait => return Err(BLOCKED),
            NextCopy::Over => return Err(OVER),
        };
        if stream.tree.shape.works_on(file) {
            return Ok(file);
        }
        to.course().copies.end(file, false);
    }
}

impl Held {
    pub(super) fn new(tree: &Arc<OpenTree>, claim: Claim, opening: TreeOpening) -> Self {
        Held {
            tree: Arc::clone(tree),
            claim: Some(claim),
            file: None,
            syncs: opening.syncs,
            goes_on_at: 0,
        }
    }

    /// Closes a file that was made; the close.
    fn close_made(mut self, is_full: bool) -> io::Result<Brought> {
        let closed = self.close_file();
        if let Some(claim) = self.claim.take() {
            let is_full = is_full && closed.is_ok();
            self.tree
                .when_done(move |course| course.population.end_create(claim, is_full));
        }
        closed
    }
}
