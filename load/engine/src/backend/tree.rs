//! Operations on trees: carried out by the thread that is handed them, as synchronous I/O is.
//!
//! The file is chosen here, and so is the operation where the tree is being made. The worker therefore asks the backend afterwards
//! what was done ([`Backend::chosen`](super::Backend::chosen)).

mod errors;
mod make;
mod notes;
mod script;
mod stream;
mod two;

pub(crate) use notes::{Note, OnTree, notes};
pub use script::Script;
pub use stream::{Rounds, TreeStream};

use self::errors::{another_host_does, code};
use super::psync::Medium;
use super::{Action, Brought, FailedAt, Request};
use crate::tree::{Name, OpenTree, TreeFile};
use plimsoll_draw::Draw;
use plimsoll_plan::{Op, PerFile};
use plimsoll_tree::{Claim, Entry, Present};
use rustix::fs::OFlags;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Result of an operation that found nothing to do.
pub(crate) const BLOCKED: i32 = i32::MIN + 1;
/// Result of an operation of a stream that has nothing more to do.
pub(crate) const OVER: i32 = i32::MIN + 2;

/// Result of an operation on a directory that another host has done, or will.
const ELSEWHERE: i32 = i32::MIN + 3;

/// Result of an operation that found nothing to do, of a stream that never will again.
pub(crate) const IN_VAIN: i32 = i32::MIN + 4;

/// Pause of a thread that found nothing to do, so that retries do not use up a CPU.
const PAUSE: Duration = Duration::from_micros(200);

/// One thread's hands: the files that it reads and writes.
pub struct Hands {
    streams: Arc<[TreeStream]>,
    notes: Arc<[Note]>,
    files: InHand,
}

/// Files that one thread works on.
struct InHand {
    draw: Draw,
    /// Of each stream: the file that it reads, or reads and writes; then the one that it writes.
    current: Vec<Option<Current>>,
    /// What the operation under way has brought with it.
    brought: Vec<Brought>,
    /// What it is on.
    at: Option<At>,
    /// Place and length of the transfer that failed last, bytes; zeros where none did.
    failed: (u64, u32),
}

/// What an operation is on.
enum At {
    /// An entry of the stream's tree.
    Own(Entry),
    /// The same entry of the tree that files are copied or moved into.
    Other(Entry),
    /// A path that a tree has left which had the root before.
    Left(String),
}

/// A file that is read or written, transfer by transfer.
struct Current {
    held: Held,
    size: u64,
    /// From its beginning to its end; else at random places, as often as it has blocks.
    in_order: bool,
    at: u64,
    /// Transfers until it is left.
    left: u64,
    /// Bytes that are left out where it is gone on with.
    leaves_out: u64,
}

impl Current {
    fn is_through(&self) -> bool {
        self.left == 0 || self.in_order && self.at >= self.size
    }
}

/// An open file, and the claim on it, which ends with this.
struct Held {
    tree: Arc<OpenTree>,
    /// Nothing once it was given back.
    claim: Option<Claim>,
    file: Option<TreeFile>,
    /// True where the file is flushed before it is closed.
    syncs: bool,
    /// Place where whoever goes through it in order goes on later, bytes.
    goes_on_at: u64,
}

impl Held {
    /// Closes the file and ends the claim; the close.
    fn close(mut self, well: bool) -> io::Result<Brought> {
        let closed = self.close_file();
        self.give_back(well && closed.is_ok());
        closed
    }

    fn close_file(&mut self) -> io::Result<Brought> {
        let begun = self.tree.begin();
        let syncs = self.syncs;
        self.file.take().map_or(Ok(()), |file| file.close(syncs))?;
        Ok(begun.brought(Op::Close))
    }

    fn give_back(&mut self, well: bool) {
        // Closed first: whoever has the claim next finds the file as it was left.
        // Where a step ends with a file still open, nobody is left to tell of a close that fails.
        let _ = self.close_file();
        let Some(claim) = self.claim.take() else {
            return;
        };
        let goes_on_at = self.goes_on_at;
        self.tree.when_done(move |course| {
            if let (Op::Read | Op::Write, Entry::File(file)) = (claim.op, claim.entry) {
                course.population.leave_at(file, goes_on_at);
            }
            course.population.end(claim, well);
        });
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.give_back(false);
    }
}

impl Hands {
    /// Hands that play no part in threads: their scripts are played elsewhere.
    pub fn of_scripts(streams: Arc<[TreeStream]>, seed: u64) -> Self {
        Hands::new(streams, notes(0), seed)
    }

    pub(crate) fn new(streams: Arc<[TreeStream]>, notes: Arc<[Note]>, seed: u64) -> Self {
        let files = InHand {
            draw: Draw(seed),
            current: (0..2 * streams.len()).map(|_| None).collect(),
            brought: Vec::new(),
            at: None,
            failed: (0, 0),
        };
        Hands {
            streams,
            notes,
            files,
        }
    }
}

impl InHand {
    fn work(&mut self, stream: &TreeStream, number: usize, r: &Request) -> (Action, i32) {
        if stream.makes {
            return self.make(stream, 2 * number, r);
        }
        if let Some(rounds) = &stream.rounds {
            return (r.action, self.next_name(stream, rounds, r.action.op()));
        }
        let result = match r.action {
            Action::Read | Action::Write => {
                let is_apart = r.action == Action::Write && !stream.reads_and_writes;
                self.transfer(stream, 2 * number + usize::from(is_apart), r)
            }
            Action::Open | Action::Close => self.open_and_close(stream, r.action),
            Action::Copy => self.copy(stream, r),
            Action::Move => self.move_over(stream),
            action => {
                let mut course = stream.tree.course();
                let begun = course.population.begin_beside(
                    stream.shares,
                    action.op(),
                    stream.select,
                    &mut self.draw,
                );
                drop(course);
                begun.map_or(BLOCKED, |claim| self.on_name(&stream.tree, claim))
            }
        };
        match result == BLOCKED && stream.is_in_vain() {
            true => (r.action, IN_VAIN),
            false => (r.action, result),
        }
    }

    /// The operation on the next name of a tree in rounds. A file that is there is opened, where it is to be made, as fio does.
    fn next_name(&mut self, stream: &TreeStream, rounds: &Rounds, op: Op) -> i32 {
        let taken = rounds.taken.fetch_add(1, Ordering::Relaxed);
        let shape = &stream.tree.shape;
        let names = (shape.directories() + shape.files()).max(1);
        if taken / names >= rounds.count {
            return OVER;
        }
        let entry = match shape.files() {
            0 => Entry::Directory(taken % names),
            _ => Entry::File(taken % names),
        };
        self.at = Some(At::Own(entry));
        let tree = &stream.tree;
        let name = tree.name(entry);
        let done = self.carry_out(tree, op, &name);
        let done = match done {
            Err(error) if op == Op::Create && error.kind() == io::ErrorKind::AlreadyExists => tree
                .open(&name, OFlags::RDWR)
                .and_then(|file| file.close(false)),
            done => done,
        };
        done.map_or_else(|error| code(&error), |()| 0)
    }

    /// Carries an operation on a name out; a create opens and closes the file.
    fn carry_out(&mut self, tree: &OpenTree, op: Op, name: &Name) -> io::Result<()> {
        if op != Op::Create {
            return tree.on_name(op, name);
        }
        let begun = tree.begin();
        let file = tree.create(name, OFlags::empty())?;
        self.brought.push(begun.brought(Op::Open));
        let begun = tree.begin();
        file.close(false)?;
        self.brought.push(begun.brought(Op::Close));
        Ok(())
    }

    /// One transfer of a file; the next file is opened for it where there is none.
    fn transfer(&mut self, stream: &TreeStream, place: usize, r: &Request) -> i32 {
        if self.current[place].is_none() {
            // What is read has to be full, and stays so when it is written too.
            let (op, flags) = match (stream.reads_and_writes, r.action) {
                (true, _) => (Op::Read, OFlags::RDWR),
                (false, Action::Write) => (Op::Write, OFlags::WRONLY),
                (false, _) => (Op::Read, OFlags::RDONLY),
            };
            let begun = stream.tree.course().population.begin_beside(
                stream.shares,
                op,
                stream.select,
                &mut self.draw,
            );
            let Some(claim) = begun else {
                return BLOCKED;
            };
            if let Err(code) = self.take(stream, place, claim, r, flags) {
                return code;
            }
        }
        self.move_bytes(place, r, r.action)
    }

    /// Opens the file of a claim to be gone through.
    fn take(
        &mut self,
        stream: &TreeStream,
        place: usize,
        claim: Claim,
        r: &Request,
        flags: OFlags,
    ) -> Result<(), i32> {
        let Entry::File(file) = claim.entry else {
            return Err(BLOCKED);
        };
        self.at = Some(At::Own(claim.entry));
        let shape = &stream.tree.shape;
        let (name, size) = (stream.tree.name(claim.entry), shape.size(file));
        let (is_full, left_at) = {
            let population = &stream.tree.course().population;
            let is_full = population.present(file) == Present::Full;
            (is_full, population.place(file))
        };
        // What is not full yet has no random places: it is written from its beginning, and is full then.
        let in_order = !(stream.is_random && is_full);
        let blocks = |bytes: u64| bytes.div_ceil(u64::from(r.length.max(1)));
        let mut held = Held::new(&stream.tree, claim, stream.opening);
        let begun = stream.tree.begin();
        let opened = stream.tree.open(&name, flags | stream.opening.flags);
        let file = opened.map_err(|e| code(&e))?;
        self.brought.push(begun.brought(Op::Open));
        let is_empty = |file: &TreeFile| file.length().is_ok_and(|bytes| bytes == 0);
        if stream.makes && stream.tree.fills_empty_only && !is_empty(&file) {
            return Err(code(&io::Error::from_raw_os_error(libc::ESTALE)));
        }
        let at = match is_full {
            _ if !in_order || !stream.goes_on() => 0,
            true => left_at,
            // What is not full goes on at its end, by whole transfers.
            false => {
                let there = file.length().unwrap_or(0);
                let length = u64::from(r.length.max(1));
                (there / length * length).min(size.saturating_sub(1) / length * length)
            }
        };
        held.file = Some(file);
        let is_short = stream.leaves_one_out && is_full;
        self.current[place] = Some(Current {
            held,
            leaves_out: if is_short { r.length.into() } else { 0 },
            size,
            in_order,
            at,
            left: match stream.per_file {
                Some(PerFile::Transfers(count)) => count,
                Some(PerFile::Percent(percent)) => {
                    blocks(size.saturating_mul(percent.into()) / 100).max(1)
                }
                None if in_order => u64::MAX,
                None => blocks(size),
            },
        });
        Ok(())
    }

    fn move_bytes(&mut self, place: usize, r: &Request, action: Action) -> i32 {
        let Some(mut current) = self.current[place].take() else {
            return BLOCKED;
        };
        self.at = current.held.claim.map(|claim| At::Own(claim.entry));
        let length = u64::from(r.length.max(1));
        let at = match current.in_order {
            true => current.at,
            false => r.offset / length % current.size.div_ceil(length).max(1) * length,
        };
        let bytes = length.min(current.size.saturating_sub(at));
        let file = current.held.file.as_ref();
        let moved = file.map_or(-libc::EBADF, |file| {
            file.move_at(action, r, at, bytes as u32)
        });
        if moved <= 0 {
            self.failed = (at, bytes as u32);
            // What is shorter than it was found to be is somebody else's doing.
            let result = match moved == 0 && bytes > 0 {
                true => -libc::ENODATA,
                false => moved,
            };
            return self.closed(current.held.close(false), result);
        }
        current.at += moved as u64;
        if current.in_order {
            current.held.goes_on_at = current.at;
        }
        current.left = current.left.saturating_sub(1);
        match current.is_through() {
            true => {
                let is_whole = current.in_order && current.at >= current.size;
                let next = current.at + current.leaves_out;
                if current.in_order {
                    current.held.goes_on_at = if next < current.size { next } else { 0 };
                }
                self.closed(current.held.close(is_whole), moved)
            }
            false => {
                self.current[place] = Some(current);
                moved
            }
        }
    }

    /// The result of an operation that ends with a close: where that fails, what was written may be lost.
    fn closed(&mut self, close: io::Result<Brought>, result: i32) -> i32 {
        match close {
            Ok(close) => self.brought.push(close),
            Err(error) if result >= 0 => return code(&error),
            Err(_) => {}
        }
        result
    }

    /// Opens a file and closes it again, of which one is the operation, and the other what it brings with it.
    fn open_and_close(&mut self, stream: &TreeStream, action: Action) -> i32 {
        let begun = stream.tree.course().population.begin_beside(
            stream.shares,
            action.op(),
            stream.select,
            &mut self.draw,
        );
        let Some(claim) = begun else {
            return BLOCKED;
        };
        self.at = Some(At::Own(claim.entry));
        let name = stream.tree.name(claim.entry);
        let mut held = Held::new(&stream.tree, claim, stream.opening);
        let begun = stream.tree.begin();
        let flags = OFlags::RDONLY | stream.opening.flags;
        held.file = match stream.tree.open(&name, flags) {
            Ok(file) => Some(file),
            Err(error) => return code(&error),
        };
        let opened = begun.brought(Op::Open);
        let closed = held.close(true);
        if action == Action::Close {
            self.brought.push(opened);
            return closed.map_or_else(|error| code(&error), |_| 0);
        }
        self.closed(closed, 0)
    }

    /// An operation on the name of a claim, which ends with it.
    fn on_name(&mut self, tree: &Arc<OpenTree>, claim: Claim) -> i32 {
        self.at = Some(At::Own(claim.entry));
        let done = self.carry_out(tree, claim.op, &tree.name(claim.entry));
        let result = result_of(tree, claim.op, done);
        let well = matches!(result, 0 | ELSEWHERE);
        tree.when_done(move |course| course.population.end(claim, well));
        result
    }

    /// Path of the entry that the operation under way is on; of a move both paths.
    fn path(&self, stream: &TreeStream, action: Action) -> Option<String> {
        let path = |tree: &OpenTree, entry: Entry| {
            let path = tree.root.path().join(tree.shape.path(entry));
            path.display().to_string()
        };
        Some(match (self.at.as_ref()?, &stream.to) {
            (At::Left(left), _) => stream.tree.root.path().join(left).display().to_string(),
            (At::Own(entry) | At::Other(entry), Some((to, _))) if action == Action::Move => {
                format!("{} to {}", path(&stream.tree, *entry), path(to, *entry))
            }
            (At::Other(entry), Some((to, _))) => path(to, *entry),
            (At::Own(entry) | At::Other(entry), _) => path(&stream.tree, *entry),
        })
    }
}

/// Result of an operation on a name, which another host may have done where hosts share the tree.
fn result_of(tree: &OpenTree, op: Op, done: io::Result<()>) -> i32 {
    match done {
        Ok(()) => 0,
        Err(error) if tree.shape.is_shared() && another_host_does(op, &error) => ELSEWHERE,
        Err(error) => code(&error),
    }
}

impl Hands {
    fn work(&mut self, number: usize, r: &Request) -> (Action, i32) {
        self.files.brought.clear();
        self.files.at = None;
        self.files.failed = (0, 0);
        self.files.work(&self.streams[number], number, r)
    }
}

impl Medium for Hands {
    const ADDRESSED: bool = false;

    fn carry_out(&mut self, r: &Request) -> i32 {
        let number = self.notes[r.slot as usize].stream();
        let (action, result) = self.work(number, r);
        if result < 0 && !matches!(result, BLOCKED | OVER | IN_VAIN) {
            let (offset, length) = self.files.failed;
            self.notes[r.slot as usize].failed_at(FailedAt {
                path: self.files.path(&self.streams[number], action),
                offset,
                length,
            });
        }
        if result == BLOCKED {
            std::thread::sleep(PAUSE);
        }
        let brought = std::mem::take(&mut self.files.brought);
        self.notes[r.slot as usize].done(action, brought);
        result
    }
}
