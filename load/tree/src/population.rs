//! Population of a tree: the entries that exist, and those that are being worked on.
//!
//! A claim is leave to do one operation on one entry. No two claims conflict: a file is claimed once at a time, or by several that share
//! it and neither make nor take it away; a directory that is made or removed is claimed alone, and one in which something is made or
//! looked for is not removed meanwhile.

use crate::bits::Bits;
use crate::shape::{Entry, Shape};
use plimsoll_draw::Draw;
use plimsoll_plan::{FileSelect, Making, Op};
use std::collections::HashMap;
use std::sync::Arc;

/// State of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Present {
    /// Absent: the file does not exist.
    Absent,
    /// Made, without all of its bytes.
    Made,
    /// Full: the file has all of its bytes.
    Full,
}

/// Leave for an operation on an entry, to be given back by [`Population::end`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// The operation.
    pub op: Op,
    /// The entry that it is on.
    pub entry: Entry,
    /// True where others that share it may work on the file at the same time.
    pub shares: bool,
}

/// Entries of a tree that exist, and the claims on them.
#[derive(Debug, Clone)]
pub struct Population {
    shape: Arc<Shape>,
    directories: Bits,
    /// Directories that are being made or removed.
    directories_busy: Bits,
    /// Count for each directory of its entries and of the claims that it must outlive.
    users: Vec<u32>,
    made: Bits,
    full: Bits,
    /// Of those that are worked on: files that are made, and files that are full.
    working: [u64; 2],
    /// Files that are claimed.
    busy: Bits,
    /// Of those that are shared, the count of claims.
    sharers: HashMap<u64, u32>,
    /// Of each file: the place where whoever goes through it in order goes on, sectors. Empty where no file is left before its end.
    left_at: Vec<u32>,
    /// Claims that are out.
    out: u64,
    /// Numbers from which the next directory and the next file in order are looked for.
    next_directory: u64,
    next_file: u64,
}

/// Bytes of the unit in which a place within a file is kept: every transfer but a file's last is a multiple of it.
const SECTOR: u64 = 512;

/// Entries that are drawn at random, before all are looked through from the last drawn on.
const DRAWS: u32 = 8;

impl Population {
    /// Nothing of it exists.
    pub fn empty(shape: impl Into<Arc<Shape>>) -> Self {
        let shape = shape.into();
        let (directories, files) = (shape.directories(), shape.files());
        Population {
            directories: Bits::new(directories),
            directories_busy: Bits::new(directories),
            users: vec![0; directories as usize],
            made: Bits::new(files),
            full: Bits::new(files),
            working: [0; 2],
            busy: Bits::new(files),
            sharers: HashMap::new(),
            left_at: Vec::new(),
            out: 0,
            next_directory: 0,
            next_file: 0,
            shape,
        }
    }

    /// The names and sizes.
    pub fn shape(&self) -> &Arc<Shape> {
        &self.shape
    }

    /// A directory was found.
    pub fn found_directory(&mut self, directory: u64) {
        if !self.directories.get(directory) {
            self.directories.put(directory, true);
            self.use_parent(directory);
        }
    }

    /// A file was found, so many bytes of it.
    pub fn found_file(&mut self, file: u64, bytes: u64) {
        if !self.made.get(file) {
            self.keep_directory_of(file);
        }
        self.set(file, [true, bytes >= self.shape.size(file)]);
    }

    /// Makes all that a step makes of a tree of which nothing is there: its directories, and the files that are there at first, full.
    pub fn is_made(&mut self, making: Making) {
        if making == Making::Deleted {
            return;
        }
        (0..self.shape.directories()).for_each(|directory| self.found_directory(directory));
        if matches!(making, Making::Missing | Making::Anew) {
            let shape = Arc::clone(&self.shape);
            for file in (0..shape.files()).filter(|file| shape.is_first(*file)) {
                self.found_file(file, shape.size(file));
            }
        }
    }

    /// Notes whether a file is made, and whether it is full.
    fn set(&mut self, file: u64, is: [bool; 2]) {
        let is_used = self.shape.works_on(file);
        let states = [&mut self.made, &mut self.full].into_iter().zip(is);
        for ((bits, is), working) in states.zip(&mut self.working) {
            let was = bits.get(file);
            bits.put(file, is);
            if is_used {
                *working += u64::from(is);
                *working -= u64::from(was);
            }
        }
    }

    /// Directories, files, and full files that exist.
    pub fn counts(&self) -> [u64; 3] {
        [
            self.directories.count(),
            self.made.count(),
            self.full.count(),
        ]
    }

    /// True where all of it exists and is full; of a tree of which a part is there at first, as many files as those are.
    pub fn is_complete(&self) -> bool {
        let [directories, _, full] = self.counts();
        let mut files = 0..self.shape.files();
        let first = self.shape.first_files();
        directories == self.shape.directories()
            && full >= first
            && (first < self.shape.used_files()
                || files.all(|file| self.full.get(file) || !self.shape.has(file)))
    }

    /// True where a file that is missing is made when the tree is.
    pub(crate) fn lacks(&self, file: u64) -> bool {
        // Where a part is there at first, any other file may stand in for one of it.
        let may_stand_in = self.shape.first_files() < self.shape.used_files();
        self.shape.is_first(file)
            && !(may_stand_in && self.made.count() >= self.shape.first_files())
    }

    /// True where a directory exists.
    pub fn has_directory(&self, directory: u64) -> bool {
        self.directories.get(directory)
    }

    /// State of a file.
    pub fn present(&self, file: u64) -> Present {
        match (self.made.get(file), self.full.get(file)) {
            (false, _) => Present::Absent,
            (true, false) => Present::Made,
            (true, true) => Present::Full,
        }
    }

    /// Keeps from now on where each full file is left: four bytes a file.
    pub fn keep_places(&mut self) {
        if self.left_at.is_empty() {
            self.left_at = vec![0; self.shape.files() as usize];
        }
    }

    /// The place where a full file was left before its end, bytes; its beginning, where it was not.
    pub fn place(&self, file: u64) -> u64 {
        let sectors = self.left_at.get(file as usize).copied();
        u64::from(sectors.unwrap_or(0)) * SECTOR
    }

    /// Notes the place where a file is left, and is gone on with later.
    pub fn leave_at(&mut self, file: u64, bytes: u64) {
        if let Some(place) = self.left_at.get_mut(file as usize) {
            *place = u32::try_from(bytes / SECTOR).unwrap_or(0);
        }
    }

    /// An entry for an operation; `None` where no entry is free for it, and it is blocked.
    pub fn begin(&mut self, op: Op, select: FileSelect, draw: &mut Draw) -> Option<Claim> {
        self.begin_beside(false, op, select, draw)
    }

    /// The same; with `shares` on a file that others who share it may be working on, too.
    pub fn begin_beside(
        &mut self,
        shares: bool,
        op: Op,
        select: FileSelect,
        draw: &mut Draw,
    ) -> Option<Claim> {
        let is_exclusive = matches!(op, Op::Create | Op::Delete | Op::Copy | Op::Move);
        let shares = shares && !is_exclusive;
        let on_directories = matches!(op, Op::Mkdir | Op::Rmdir | Op::Readdir);
        let count = match on_directories {
            true => self.shape.directories(),
            false => self.shape.files(),
        };
        let entry = |at| match on_directories {
            true => Entry::Directory(at),
            false => Entry::File(at),
        };
        if count == 0 || self.has_none(op) {
            return None;
        }
        let mut from = match (select, on_directories) {
            (FileSelect::Sequential, true) => self.next_directory,
            (FileSelect::Sequential, false) => self.next_file,
            (FileSelect::Random, _) => {
                let mut at = draw.bits() % count;
                for _ in 1..DRAWS {
                    if self.may_begin(op, entry(at), shares) {
                        break;
                    }
                    at = draw.bits() % count;
                }
                at
            }
        };
        for _ in 0..count {
            let at = from % count;
            from = at + 1;
            if self.may_begin(op, entry(at), shares) {
                match on_directories {
                    true => self.next_directory = from,
                    false => self.next_file = from,
                }
                return Some(self.claim(op, entry(at), shares));
            }
        }
        None
    }

    /// True for an entry that is free for an operation, and among those that are worked on.
    fn may_begin(&self, op: Op, entry: Entry, shares: bool) -> bool {
        let is_used = match entry {
            Entry::Directory(_) => true,
            Entry::File(file) => self.shape.works_on(file),
        };
        is_used && self.is_free(op, entry, shares)
    }

    /// Takes an entry for an operation, where it is free for that.
    pub fn begin_on(&mut self, op: Op, entry: Entry) -> Option<Claim> {
        self.is_free(op, entry, false)
            .then(|| self.claim(op, entry, false))
    }

    /// True where no entry that is worked on is in the state that an operation needs, so that a search would be in vain.
    fn has_none(&self, op: Op) -> bool {
        match op {
            Op::Mkdir => self.directories.count() == self.shape.directories(),
            Op::Rmdir | Op::Readdir => self.directories.count() == 0,
            Op::Create => self.working[0] == self.shape.working_files(),
            Op::Read | Op::Copy => self.working[1] == 0,
            _ => self.working[0] == 0,
        }
    }

    /// True where an operation finds nothing and never will again, whatever of these is done beside it.
    pub fn is_in_vain(&self, op: Op, beside: &[Op]) -> bool {
        let any = |ops: &[Op]| ops.iter().any(|op| beside.contains(op));
        let comes = match op {
            Op::Mkdir => any(&[Op::Rmdir]),
            Op::Rmdir => any(&[Op::Mkdir, Op::Delete, Op::Move]),
            Op::Readdir => any(&[Op::Mkdir]),
            Op::Create => any(&[Op::Delete, Op::Move, Op::Mkdir]),
            Op::Read | Op::Copy if self.working[0] > 0 => any(&[Op::Create, Op::Write]),
            _ => any(&[Op::Create]),
        };
        let on_directories = matches!(op, Op::Mkdir | Op::Rmdir | Op::Readdir);
        // Other hosts make and remove directories that they have in common.
        if comes || on_directories && self.shape.is_shared() {
            return false;
        }
        let is_free = |entry| self.may_begin(op, entry, false);
        let is_any_free = || match on_directories {
            true => (0..self.shape.directories()).any(|at| is_free(Entry::Directory(at))),
            false => (0..self.shape.files()).any(|at| is_free(Entry::File(at))),
        };
        self.has_none(op) || self.out == 0 && !is_any_free()
    }

    fn is_free(&self, op: Op, entry: Entry, shares: bool) -> bool {
        match entry {
            Entry::Directory(directory) => {
                let there = self.is_there(directory);
                let parent = self.shape.parent(directory);
                match op {
                    Op::Mkdir => {
                        !self.directories.get(directory)
                            && !self.directories_busy.get(directory)
                            && parent.is_none_or(|p| self.is_there(p))
                    }
                    Op::Rmdir => there && self.users[directory as usize] == 0,
                    _ => there,
                }
            }
            Entry::File(file) => {
                let is_shared = shares && self.sharers.contains_key(&file);
                (!self.busy.get(file) || is_shared)
                    && match op {
                        Op::Create => {
                            !self.made.get(file)
                                && self
                                    .shape
                                    .directory_of(file)
                                    .is_none_or(|directory| self.is_there(directory))
                        }
                        Op::Read | Op::Copy => self.full.get(file),
                        _ => self.made.get(file),
                    }
            }
        }
    }

    fn is_there(&self, directory: u64) -> bool {
        self.directories.get(directory) && !self.directories_busy.get(directory)
    }

    fn claim(&mut self, op: Op, entry: Entry, shares: bool) -> Claim {
        self.out += 1;
        match entry {
            Entry::Directory(directory) if op == Op::Readdir => self.keep(directory),
            Entry::Directory(directory) => {
                self.directories_busy.put(directory, true);
                if op == Op::Mkdir {
                    self.use_parent(directory);
                }
            }
            Entry::File(file) => {
                self.busy.put(file, true);
                if shares {
                    *self.sharers.entry(file).or_default() += 1;
                }
                if op == Op::Create {
                    self.keep_directory_of(file);
                }
            }
        }
        Claim { op, entry, shares }
    }

    /// Ends a claim: its operation went well, or has changed nothing. A write that went well has left the file full.
    pub fn end(&mut self, claim: Claim, well: bool) {
        self.out = self.out.saturating_sub(1);
        match (claim.op, claim.entry) {
            (Op::Readdir, Entry::Directory(directory)) => self.let_go(directory),
            (op, Entry::Directory(directory)) => {
                self.directories_busy.put(directory, false);
                let is_there = (op == Op::Mkdir) == well;
                self.directories.put(directory, is_there);
                if let (false, Some(parent)) = (is_there, self.shape.parent(directory)) {
                    self.let_go(parent);
                }
            }
            (op, Entry::File(file)) => {
                let others = claim.shares && self.is_left_to_others(file);
                self.busy.put(file, others);
                match op {
                    Op::Create if well => self.set(file, [true, false]),
                    Op::Create => self.let_go_directory_of(file),
                    Op::Delete | Op::Move if well => {
                        self.set(file, [false, false]);
                        self.leave_at(file, 0);
                        self.let_go_directory_of(file);
                    }
                    Op::Write if well => self.set(file, [true, true]),
                    _ => {}
                }
            }
        }
    }

    /// Ends one of the claims that share a file; true where there are others.
    fn is_left_to_others(&mut self, file: u64) -> bool {
        let left = self.sharers.remove(&file).unwrap_or(1) - 1;
        if left > 0 {
            self.sharers.insert(file, left);
        }
        left > 0
    }

    /// Ends a create that has brought all of a file's bytes, or none of them.
    pub fn end_create(&mut self, claim: Claim, is_full: bool) {
        self.end(claim, true);
        if let Entry::File(file) = claim.entry {
            self.set(file, [true, is_full]);
        }
    }

    /// Claims that are out.
    pub(crate) fn claims_out(&self) -> u64 {
        self.out
    }

    fn use_parent(&mut self, directory: u64) {
        if let Some(parent) = self.shape.parent(directory) {
            self.keep(parent);
        }
    }

    fn keep_directory_of(&mut self, file: u64) {
        if let Some(directory) = self.shape.directory_of(file) {
            self.keep(directory);
        }
    }

    fn let_go_directory_of(&mut self, file: u64) {
        if let Some(directory) = self.shape.directory_of(file) {
            self.let_go(directory);
        }
    }

    fn keep(&mut self, directory: u64) {
        if let Some(users) = self.users.get_mut(directory as usize) {
            *users += 1;
        }
    }

    fn let_go(&mut self, directory: u64) {
        if let Some(users) = self.users.get_mut(directory as usize) {
            *users = users.saturating_sub(1);
        }
    }
}
