//! Names of directories and files by their numbers, and back.
//!
//! Directories are numbered level by level, in a level by the last number of their name and then by those before it, and files
//! directory by directory. That is the order of Vdbench's lists, so a file of a number has the same name and size there. A tree of
//! numbered names has all of them in its root.

use crate::bits::Bits;
use crate::sizes::Sizes;
use plimsoll_draw::{Draw, JavaRandom, STEP};
use plimsoll_plan::{Bytes, DealtFiles, NumberedNames, Tree};
use std::fmt::Write;

/// Names and sizes of a tree.
#[derive(Debug, Clone)]
pub struct Shape {
    width: u64,
    /// Files of each directory that has files.
    files: u64,
    /// Names in the place of Vdbench's.
    names: Option<NumberedNames>,
    /// Number of the first directory of each level, and behind them how many directories there are.
    levels: Vec<u64>,
    first_with_files: u64,
    sizes: Sizes,
    /// Files that are made; `None`: all.
    used: Option<Bits>,
    /// Bytes of those when they are full.
    bytes: u64,
    /// Files among them that are worked on; `None`: all of them.
    working_set: Option<Bits>,
    /// Percent of the files that are made which are there at first, and how many those are; `None`: all.
    present: Option<(u64, u64)>,
    /// Files of this host, where several share the tree.
    dealt: Option<DealtFiles>,
}

/// Directory or file of a tree, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// A directory.
    Directory(u64),
    /// A file.
    File(u64),
}

impl Shape {
    /// Of a tree whose numbers are those of a plan that was checked.
    pub fn new(tree: &Tree) -> Self {
        let width = u64::from(tree.width.max(1));
        let mut levels = vec![0];
        let mut all: u64 = 0;
        for level in 1..=tree.depth {
            all = all.saturating_add(width.saturating_pow(level));
            levels.push(all);
        }
        let first_with_files = match tree.on_all_levels {
            true => 0,
            false => levels[levels.len().saturating_sub(2)],
        };
        let sizes = Sizes::new(&tree.sizes, tree.file_count());
        let part = tree.part;
        let mut shape = Shape {
            width,
            files: tree.files,
            names: tree.names.clone(),
            first_with_files,
            bytes: sizes.total(),
            used: None,
            working_set: None,
            present: None,
            dealt: part.dealt,
            sizes,
            levels,
        };
        if let Some(dealt) = part.dealt {
            shape.deal(dealt);
        }
        // Totals are those of all hosts. Each draws its part among its own files, as each slave of Vdbench's does.
        let own = |bytes: Bytes| Bytes(bytes.0 / part.dealt.map_or(1, |d| u64::from(d.of.max(1))));
        if let Some(bytes) = part.total {
            let (used, bytes) = shape.draw(own(bytes));
            (shape.used, shape.bytes) = (Some(used), bytes);
        }
        shape.working_set = part.working_set.map(|bytes| shape.draw(own(bytes)).0);
        if let Some(percent) = part.present {
            shape.present = Some((percent.into(), 0));
            let count = (0..shape.files())
                .filter(|file| shape.is_first(*file))
                .count();
            shape.present = Some((percent.into(), count as u64));
        }
        shape
    }

    /// True where several hosts share the tree: they have all its directories in common.
    pub fn is_shared(&self) -> bool {
        self.dealt.is_some()
    }

    /// Hosts that share the tree; 1 where one has it.
    pub fn sharers(&self) -> u64 {
        self.dealt.map_or(1, |dealt| dealt.of.max(1).into())
    }

    /// True for a file that no other host has.
    pub fn is_own(&self, file: u64) -> bool {
        self.dealt.is_none_or(|dealt| dealt.has(file))
    }

    /// Leaves the files of one host.
    fn deal(&mut self, dealt: DealtFiles) {
        let mut used = Bits::new(self.files());
        self.bytes = 0;
        for file in (0..self.files()).filter(|file| dealt.has(*file)) {
            used.put(file, true);
            self.bytes = self.bytes.saturating_add(self.size(file));
        }
        self.used = Some(used);
    }

    /// Bytes, directories and files that it has beyond those of another tree in the same root.
    pub fn beyond(&self, other: &Shape) -> [u64; 3] {
        let width = self.width.min(other.width);
        let levels = self.levels.len().min(other.levels.len()) as u32;
        let in_both = (1..levels).fold(0, |sum: u64, level| {
            sum.saturating_add(width.saturating_pow(level))
        });
        let numbers = |s: &Shape| (s.width, s.first_with_files, s.files);
        let are_alike = numbers(self) == numbers(other) && self.levels == other.levels;
        let is_in_both = |file| {
            let path = |shape: &Shape| shape.path(Entry::File(file));
            file < other.files() && other.has(file) && (are_alike || path(self) == path(other))
        };
        let mut beyond = [0, self.directories() - in_both, 0];
        for file in (0..self.files()).filter(|file| self.has(*file)) {
            let is_in_both = is_in_both(file);
            let there = if is_in_both { other.size(file) } else { 0 };
            beyond[0] += self.size(file).saturating_sub(there);
            beyond[2] += u64::from(!is_in_both);
        }
        beyond
    }

    /// True where a file is among those that are there at first.
    pub fn is_first(&self, file: u64) -> bool {
        let drawn = || Draw(file.wrapping_mul(STEP)).bits() % 100;
        self.has(file) && self.present.is_none_or(|(percent, _)| drawn() < percent)
    }

    /// Number of files that are there at first.
    pub fn first_files(&self) -> u64 {
        self.present.map_or(self.used_files(), |(_, count)| count)
    }

    /// Draws files among those that are made, until they have so many bytes; with them, their bytes.
    fn draw(&self, wanted: Bytes) -> (Bits, u64) {
        let made = self.used.as_ref();
        let among: Option<Vec<u64>> =
            made.map(|made| (0..self.files()).filter(|file| made.get(*file)).collect());
        let count = self.used_files();
        let mut drawn = Bits::new(self.files());
        let mut java = JavaRandom::new(0);
        let mut bytes: u64 = 0;
        while bytes < wanted.0 && drawn.count() < count {
            let at = (java.unit() * count as f64) as u64;
            let file = among.as_ref().map_or(at, |among| among[at as usize]);
            if !drawn.get(file) {
                drawn.put(file, true);
                bytes = bytes.saturating_add(self.size(file));
            }
        }
        (drawn, bytes)
    }

    /// True where a file is made.
    pub fn has(&self, file: u64) -> bool {
        self.used.as_ref().is_none_or(|used| used.get(file))
    }

    /// True where a file is worked on.
    pub fn works_on(&self, file: u64) -> bool {
        let set = self.working_set.as_ref().or(self.used.as_ref());
        set.is_none_or(|set| set.get(file))
    }

    /// Number of files that are worked on.
    pub fn working_files(&self) -> u64 {
        let set = self.working_set.as_ref();
        set.map_or(self.used_files(), Bits::count)
    }

    /// Number of files that are made.
    pub fn used_files(&self) -> u64 {
        self.used.as_ref().map_or(self.files(), Bits::count)
    }

    /// Directories, without the root.
    pub fn directories(&self) -> u64 {
        self.levels.last().copied().unwrap_or(0)
    }

    /// Files that have a name and a size.
    pub fn files(&self) -> u64 {
        match self.has_files_in_root() {
            true => self.files,
            false => (self.directories() - self.first_with_files).saturating_mul(self.files),
        }
    }

    /// Bytes of the files that are made, when they are full.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of a file when it is full.
    pub fn size(&self, file: u64) -> u64 {
        self.sizes.of(file)
    }

    /// True for a tree without levels.
    fn has_files_in_root(&self) -> bool {
        self.levels.len() == 1
    }

    /// The directory that holds a file; `None` for the root.
    pub fn directory_of(&self, file: u64) -> Option<u64> {
        (!self.has_files_in_root()).then(|| self.first_with_files + file / self.files.max(1))
    }

    /// The directory that holds a directory; `None` for the root.
    pub fn parent(&self, directory: u64) -> Option<u64> {
        let (level, place) = self.place(directory);
        (level > 1).then(|| self.number(level - 1, place / self.width))
    }

    /// Path of an entry below the root.
    pub fn path(&self, entry: Entry) -> String {
        if let Some(names) = &self.names {
            let (Entry::Directory(number) | Entry::File(number)) = entry;
            return names.name(number);
        }
        let mut path = String::new();
        match entry {
            Entry::Directory(directory) => self.push_directory(directory, &mut path),
            Entry::File(file) => {
                if let Some(directory) = self.directory_of(file) {
                    self.push_directory(directory, &mut path);
                    path.push('/');
                }
                let _ = write!(path, "{}", file_name(file));
            }
        }
        path
    }

    /// The entry of a name in a directory; in the root, for `None`. Any other spelling of it is none.
    pub fn find(&self, within: Option<u64>, name: &str) -> Option<Entry> {
        if let Some(names) = &self.names {
            let number = names.number(name).filter(|_| within.is_none())?;
            let (count, entry) = match self.has_files_in_root() {
                true => (self.files(), Entry::File(number)),
                false => (self.directories(), Entry::Directory(number)),
            };
            return (number < count).then_some(entry);
        }
        let (level, place) = within.map_or((0, 0), |directory| self.place(directory));
        if let Some(number) = name.strip_prefix("vdb_f") {
            let file: u64 = number.strip_suffix(".file")?.parse().ok()?;
            let known = file < self.files() && self.directory_of(file) == within;
            return (known && file_name(file) == name).then_some(Entry::File(file));
        }
        let (_, last) = name
            .strip_prefix("vdb.")?
            .strip_suffix(".dir")?
            .split_once('_')?;
        let last: u64 = last.parse().ok()?;
        let known = (1..=self.width).contains(&last) && level + 1 < self.levels.len() as u32;
        let name_is_whole = known && directory_name(level + 1, last - 1) == name;
        name_is_whole
            .then(|| Entry::Directory(self.number(level + 1, place * self.width + last - 1)))
    }

    /// Level of a directory, and its place there as one number whose digits are those of its path.
    fn place(&self, directory: u64) -> (u32, u64) {
        let level = self.levels.partition_point(|first| *first <= directory) as u32;
        let offset = directory - self.levels[level as usize - 1];
        let heads = self.heads(level);
        (level, offset % heads * self.width + offset / heads)
    }

    fn number(&self, level: u32, place: u64) -> u64 {
        let (head, last) = (place / self.width, place % self.width);
        self.levels[level as usize - 1] + last * self.heads(level) + head
    }

    /// Directories of a level that have one last number.
    fn heads(&self, level: u32) -> u64 {
        self.width.saturating_pow(level - 1)
    }

    fn push_directory(&self, directory: u64, path: &mut String) {
        let (level, mut place) = self.place(directory);
        let mut digits = Vec::with_capacity(level as usize);
        for _ in 0..level {
            digits.push(place % self.width);
            place /= self.width;
        }
        for (level, digit) in (1..).zip(digits.into_iter().rev()) {
            if level > 1 {
                path.push('/');
            }
            path.push_str(&directory_name(level, digit));
        }
    }
}

fn directory_name(level: u32, digit: u64) -> String {
    format!("vdb.{level}_{}.dir", digit + 1)
}

fn file_name(file: u64) -> String {
    format!("vdb_f{file:04}.file")
}
