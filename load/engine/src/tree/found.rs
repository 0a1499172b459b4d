//! Contents found below the root of a tree, before anything is made there.

use crate::EngineError;
use crate::tree::{OpenTree, Root, TreeOpening};
use plimsoll_permit::Refusal;
use plimsoll_permit::tree::{HELD, LOST_AND_FOUND, TreeGround, TreeLock, TreeRoot, find};
use plimsoll_plan::Tree;
use plimsoll_tree::{Entry, Inside, Leftover, Leftovers, Others, Population, Shape};
use rustix::fs::FileType;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

/// A root, and what exists below it.
#[derive(Debug)]
pub struct FoundTree {
    pub(crate) ground: TreeGround,
    pub(crate) population: Population,
    /// Trees that take turns with it in its root, and what is there of them.
    others: Others,
    leftovers: Leftovers,
    /// Use that is made of it.
    usage: TreeUse,
    /// True where its names are numbered, beside whatever else the root holds.
    is_among_others: bool,
    seen: Seen,
}

/// Amounts that were found below a root.
#[derive(Debug, Clone, Default)]
struct Seen {
    /// Of all that is there.
    all: There,
    /// Of each tree, its own first and then the others in their order: a name may be one of several trees.
    each: Vec<There>,
    /// Count of its files that hold something, and less than all of their bytes.
    begun: u64,
}

/// Amount that is there, of a tree's files as far as they belong to this host.
#[derive(Debug, Clone, Copy, Default)]
struct There {
    /// Bytes: of a tree, no more than its file is to have.
    bytes: u64,
    directories: u64,
    files: u64,
}

/// Use that is made of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeUse {
    /// Reading: nothing below its root is changed.
    Reads,
    /// Reading by one of several hosts of the run of this name.
    ReadsTogether(String),
    /// Change: something is made, written or deleted there.
    Changes,
    /// Change by one of several hosts of the run of this name, each on files of its own.
    ChangesTogether(String),
}

impl TreeUse {
    fn lock(&self) -> TreeLock<'_> {
        match self {
            TreeUse::Reads => TreeLock::Reading,
            TreeUse::Changes => TreeLock::Alone,
            TreeUse::ReadsTogether(run) => TreeLock::ReadingTogether(run),
            TreeUse::ChangesTogether(run) => TreeLock::Together(run),
        }
    }

    fn changes(&self) -> bool {
        matches!(self, TreeUse::Changes | TreeUse::ChangesTogether(_))
    }
}

/// Names in the root of a tree that are left alone there: files of Vdbench's own, and the directory that mkfs makes.
const LEFT_ALONE: [&str; 3] = ["vdb_control.file", "no_dismount.txt", LOST_AND_FOUND];

/// Remedy where the names in a tree are those of another.
const OTHER_NUMBERS: &str =
    "give the tree the numbers that it was made with, or name an empty directory";

/// Owners of what may be in a root that several trees have.
const IN_TURN: &str = "the trees that take turns in it";

/// Looks at everything below the root of a tree. Nothing is made, and nothing is changed.
///
/// # Errors
/// Anything that is not the tree's: it is left alone, and so is all the rest. Also a tree that would be changed and is not Plimsoll's. Beside
/// numbered names there may be others; only what one of them itself is can be in the way. So may the names of the trees that take turns with
/// it.
pub fn look(tree: &Tree, others: &[&Tree], usage: TreeUse) -> Result<FoundTree, EngineError> {
    let changes = usage.changes();
    if tree.names.is_some() && matches!(tree.root.try_exists(), Ok(false)) {
        return Err(EngineError::Tree(Refusal {
            path: tree.root.clone(),
            why: "there is no such directory".to_string(),
            remedy: format!("make it first: mkdir -p {}", tree.root.display()),
        }));
    }
    let ground = find(&tree.root).map_err(EngineError::Tree)?;
    let mut found = FoundTree {
        population: Population::empty(Shape::new(tree)),
        others: Others::of(others),
        leftovers: Leftovers::default(),
        ground,
        usage,
        is_among_others: tree.names.is_some(),
        seen: Seen::of(1 + others.len()),
    };
    let refuse = |why: String, remedy: &str| {
        Err(EngineError::Tree(Refusal {
            path: tree.root.clone(),
            why,
            remedy: remedy.to_string(),
        }))
    };
    if changes && found.ground.is_read_only() {
        return refuse(
            "its file system is mounted read-only".to_string(),
            "mount it for writing, or name a directory elsewhere",
        );
    }
    let root = match &found.ground {
        TreeGround::Missing(_) | TreeGround::Empty(_) => return Ok(found),
        TreeGround::Foreign(root) if found.is_among_others => root,
        TreeGround::Foreign(root) if changes => {
            return Err(EngineError::Tree(root.refusal_as_foreign()));
        }
        TreeGround::Marked(root) | TreeGround::Foreign(root) => root,
    };
    // Whoever changes it has it to himself; else the walk would meet names that come and go.
    let lock = match found.ground {
        // What is somebody else's gets no attribute of a run.
        TreeGround::Foreign(_) => TreeLock::Reading,
        _ => found.usage.lock(),
    };
    if !found.is_among_others && !root.lock(lock) {
        return refuse(HELD.0.to_string(), HELD.1);
    }
    let mut look = Look {
        root,
        population: &mut found.population,
        others: &found.others,
        leftovers: &mut found.leftovers,
        is_among_others: found.is_among_others,
        seen: &mut found.seen,
    };
    look.whole(&match others {
        [] => format!("this tree ({})", tree.words()),
        _ => IN_TURN.to_string(),
    })?;
    Ok(found)
}

impl FoundTree {
    /// Makes the root where it is missing, marks it and takes it; one that is only read is left as it is.
    pub(crate) fn open(self, openings: Vec<TreeOpening>) -> io::Result<OpenTree> {
        let changes = self.usage.changes();
        let lock = self.usage.lock();
        let root = match self.ground {
            TreeGround::Empty(root) | TreeGround::Marked(root) | TreeGround::Foreign(root)
                if self.is_among_others && changes =>
            {
                root.share()
            }
            TreeGround::Missing(new) if changes => new.make(lock)?,
            TreeGround::Missing(_) => return Err(io::ErrorKind::NotFound.into()),
            TreeGround::Empty(root) | TreeGround::Marked(root) if changes => root.take(lock)?,
            TreeGround::Empty(root) | TreeGround::Marked(root) | TreeGround::Foreign(root) => root,
        };
        let root = Root::Here(root);
        let mut tree = OpenTree::new(root, self.population, self.others, openings);
        tree.course().leftovers = self.leftovers;
        tree.fills_empty_only = self.is_among_others && self.seen.begun == 0;
        Ok(tree)
    }

    /// True where it has files, in which somebody may have put something.
    pub fn has_files(&self) -> bool {
        let [_, files, _] = self.population.counts();
        files > 0 || self.leftovers.has_files()
    }

    /// Count of its names that are there.
    pub fn names(&self) -> u64 {
        let [directories, files, _] = self.population.counts();
        directories + files
    }

    /// Count of its files that hold something, and less than all of their bytes.
    pub fn begun(&self) -> u64 {
        self.seen.begun
    }

    /// True where nothing of it is missing.
    pub fn is_complete(&self) -> bool {
        self.population.is_complete()
    }

    /// True where all directories of the tree of a place are there: its own at 0, and then those that take turns with it.
    pub fn has_directories(&self, place: usize) -> bool {
        self.seen.each[place].directories == self.shape(place).directories()
    }

    /// Bytes and names that are missing of the tree of a place: bytes, where files are filled. With `is_anew` all that is there is deleted
    /// first; else only names that are the tree's serve it, and what a tree has made which had the root `before` it.
    pub fn missing(
        &self,
        place: usize,
        fills: bool,
        is_anew: bool,
        before: Option<(usize, [u64; 2])>,
    ) -> [u64; 2] {
        let (shape, there) = (self.shape(place), self.seen.each[place]);
        let there = if is_anew { self.seen.all } else { there };
        // Hosts that share it need room for the part of each.
        let by_all = |[bytes, directories, files]: [u64; 3]| {
            let bytes = if fills { bytes } else { 0 };
            let files = files.saturating_mul(shape.sharers());
            [
                bytes.saturating_mul(shape.sharers()),
                directories.saturating_add(files),
            ]
        };
        let missing = by_all([
            shape.bytes().saturating_sub(there.bytes),
            shape.directories().saturating_sub(there.directories),
            shape.used_files().saturating_sub(there.files),
        ]);
        let Some((earlier, need)) = before.filter(|_| !is_anew) else {
            return missing;
        };
        let beyond = by_all(shape.beyond(self.shape(earlier)));
        [0, 1].map(|at| need[at].saturating_add(missing[at].min(beyond[at])))
    }

    fn shape(&self, place: usize) -> &Shape {
        match place.checked_sub(1) {
            None => self.population.shape(),
            Some(other) => &self.others.shapes()[other],
        }
    }
}

impl Seen {
    fn of(trees: usize) -> Self {
        let each = vec![There::default(); trees];
        Seen {
            each,
            ..Seen::default()
        }
    }
}

impl OpenTree {
    /// Looks again at what is there, where another tree has had the root since. Nothing is changed.
    pub(crate) fn take_turn(&self) -> Result<(), EngineError> {
        let Some(root) = self.root.here().ok().filter(|_| !self.has_turn()) else {
            return Ok(());
        };
        let mut population = Population::empty(Arc::clone(&self.shape));
        let mut leftovers = Leftovers::default();
        Look {
            root,
            population: &mut population,
            others: &self.others,
            leftovers: &mut leftovers,
            is_among_others: false,
            seen: &mut Seen::of(1 + self.others.shapes().len()),
        }
        .whole(IN_TURN)?;
        let mut course = self.course();
        (course.population, course.leftovers) = (population, leftovers);
        self.has_it_now();
        Ok(())
    }
}

enum Stop {
    /// Foreign entry, and what to do about it.
    Foreign(String, &'static str),
    Mount(String),
    Failed(io::Error),
}

impl Stop {
    fn of(error: io::Error, path: &str) -> Self {
        match error.kind() {
            io::ErrorKind::CrossesDevices => Stop::Mount(path.to_string()),
            _ => Stop::Failed(error),
        }
    }
}

struct Look<'l> {
    root: &'l TreeRoot,
    population: &'l mut Population,
    others: &'l Others,
    leftovers: &'l mut Leftovers,
    is_among_others: bool,
    seen: &'l mut Seen,
}

/// Directory that is looked at: its path, and its place in the tree, if it has one there, and in the others.
struct Here {
    path: String,
    own: Option<Option<u64>>,
    inside: Inside,
}

impl Look<'_> {
    /// Looks at all of it; `whose` says what belongs there.
    fn whole(&mut self, whose: &str) -> Result<(), EngineError> {
        let root = Here {
            path: String::new(),
            own: Some(None),
            inside: self.others.root(),
        };
        let (why, remedy) = match self.directory(&root) {
            Ok(()) => return Ok(()),
            Err(Stop::Foreign(what, remedy)) => {
                (format!("it holds {what}, which is not of {whose}"), remedy)
            }
            Err(Stop::Mount(path)) => (
                format!("something else is mounted in it, at {path}"),
                "unmount it, or name a directory without mounts below it",
            ),
            Err(Stop::Failed(error)) => (error.to_string(), "check the directory"),
        };
        Err(EngineError::Tree(Refusal {
            path: self.root.path().to_path_buf(),
            why,
            remedy: remedy.to_string(),
        }))
    }

    fn directory(&mut self, here: &Here) -> Result<(), Stop> {
        let names = self.root.names(&here.path);
        for (name, is_directory) in names.map_err(|error| Stop::of(error, &here.path))? {
            if here.path.is_empty() && LEFT_ALONE.iter().any(|own| name == *own) {
                continue;
            }
            self.name(here, &name, is_directory)?;
        }
        Ok(())
    }

    fn name(&mut self, here: &Here, name: &OsStr, is_directory: bool) -> Result<(), Stop> {
        let slash = if here.path.is_empty() { "" } else { "/" };
        let of = |why: &str, remedy| {
            let name = name.as_bytes().escape_ascii();
            Stop::Foreign(format!("{}{slash}{name}{why}", here.path), remedy)
        };
        let foreign = |why| of(why, "remove that name, or name an empty directory");
        let text = name.to_str().unwrap_or_default();
        let own = here
            .own
            .and_then(|own| self.population.shape().find(own, text));
        if self.is_among_others && own.is_none() {
            return Ok(());
        }
        let in_others = self.others.find(&here.inside, text);
        let all = || std::iter::once(&own).chain(&in_others);
        let left = Leftover::of(&in_others).filter(|_| own.is_none());
        let entry = own.or(left.map(|(_, entry)| entry));
        let path = format!("{}{slash}{text}", here.path);
        match entry.ok_or_else(|| of("", OTHER_NUMBERS))? {
            Entry::Directory(directory) if is_directory => {
                self.seen.all.directories += 1;
                for (there, entry) in self.seen.each.iter_mut().zip(all()) {
                    there.directories += u64::from(matches!(entry, Some(Entry::Directory(_))));
                }
                match left {
                    Some((left, _)) => self.leftovers.found_directory(left),
                    None => self.population.found_directory(directory),
                }
                if self.is_among_others {
                    let found = self.root.stat_here(&path);
                    return found.map(drop).map_err(|error| Stop::of(error, &path));
                }
                self.directory(&Here {
                    path,
                    own: own.map(|_| Some(directory)),
                    inside: Inside::below(&in_others),
                })
            }
            Entry::File(file) if !is_directory => {
                let found = self.root.stat_here(&path);
                let found = found.map_err(|error| Stop::of(error, &path))?;
                match FileType::from_raw_mode(found.stx_mode.into()) {
                    FileType::RegularFile if found.stx_nlink == 1 => {}
                    FileType::RegularFile => return Err(foreign(" with a second name")),
                    FileType::Symlink => return Err(foreign(", a symbolic link")),
                    _ => return Err(foreign(", no regular file")),
                }
                self.file(file, left.map(|(left, _)| left), found.stx_size, all());
                Ok(())
            }
            Entry::Directory(_) => Err(of(", no directory", OTHER_NUMBERS)),
            Entry::File(_) => Err(of(", a directory", OTHER_NUMBERS)),
        }
    }

    /// A file was found, the tree's or what another has left; `all` are the files that it is in each tree.
    fn file<'e>(
        &mut self,
        file: u64,
        left: Option<Leftover>,
        bytes: u64,
        all: impl Iterator<Item = &'e Option<Entry>>,
    ) {
        let shape = Arc::clone(self.population.shape());
        let shapes = std::iter::once(&*shape).chain(self.others.shapes());
        for ((there, shape), entry) in self.seen.each.iter_mut().zip(shapes).zip(all) {
            if let Some(Entry::File(file)) = *entry
                && shape.has(file)
            {
                there.files += 1;
                there.bytes += bytes.min(shape.size(file));
            }
        }
        let is_own = match left {
            Some(left) => self.others.is_own(left),
            None => shape.is_own(file),
        };
        if !is_own {
            return;
        }
        self.seen.all.files += 1;
        self.seen.all.bytes = self.seen.all.bytes.saturating_add(bytes);
        match left {
            Some(left) => self.leftovers.found_file(left),
            None => {
                self.seen.begun += u64::from(bytes > 0 && bytes < shape.size(file));
                self.population.found_file(file, bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{TreeUse, look};
    use plimsoll_plan::{Bytes, FileSizes, Tree, TreePart};

    fn tree(root: &std::path::Path, width: u32, size: u64) -> Tree {
        Tree {
            root: root.join("t"),
            depth: 1,
            width,
            files: 3,
            on_all_levels: false,
            sizes: FileSizes::Fixed(Bytes(size)),
            part: TreePart::default(),
            names: None,
        }
    }

    #[test]
    fn a_root_is_looked_at_again_where_another_tree_has_had_it_since_and_not_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, two] = [1, 2].map(|width| tree(folder.path(), width, 4096));
        let found = look(&one, &[&two], TreeUse::Changes).expect("nothing there");
        let one_open = found.open(Vec::new()).expect("made");
        let two_open = one_open.in_turn(&two, &[&one], Vec::new()).expect("open");
        let mine = one.root.join("mine");
        let turns = [(&one_open, true), (&two_open, false), (&one_open, true)];
        for (open, has_it) in turns {
            std::fs::write(&mine, "").expect("a file");
            assert_eq!(open.take_turn().is_ok(), has_it);
            std::fs::remove_file(&mine).expect("removed");
        }
        two_open.take_turn().expect("only the tree's");
        std::fs::write(&mine, "").expect("a file");
        assert!(two_open.take_turn().is_ok() && one_open.take_turn().is_err());
    }

    #[test]
    fn what_another_tree_has_left_is_known_from_the_first_turn_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, two] = [1, 2].map(|width| tree(folder.path(), width, 4096));
        let open = look(&one, &[], TreeUse::Changes).expect("allowed");
        let open = open.open(Vec::new()).expect("made");
        let root = open.root.here().expect("a directory");
        root.make_directory("vdb.1_2.dir").expect("made");
        root.create("vdb.1_2.dir/vdb_f0003.file", rustix::fs::OFlags::empty())
            .expect("made");
        root.keep();
        drop(open);
        let found = look(&one, &[&two], TreeUse::Changes).expect("allowed");
        let open = found.open(Vec::new()).expect("taken");
        assert!(open.course().leftovers.has_files());
    }

    /// Three files of one directory are there; the other tree has three of 8 KiB in each of two.
    #[test]
    fn what_is_missing_of_a_tree_in_turn_is_what_its_own_names_lack() {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, two] = [(1, 4096), (2, 8192)].map(|(w, size)| tree(folder.path(), w, size));
        let missing = |is_anew| {
            let found = look(&one, &[&two], TreeUse::Changes).expect("allowed");
            let first = found.missing(0, true, false, None);
            [None, Some((0, first))].map(|before| found.missing(1, true, is_anew, before))
        };
        // What the first tree makes is there by then.
        assert_eq!(missing(false), [[6 * 8192, 8], [9 * 4096 + 3 * 4096, 8]]);
        let open = look(&one, &[], TreeUse::Changes)
            .expect("allowed")
            .open(Vec::new());
        let open = open.expect("made");
        let root = open.root.here().expect("a directory");
        root.make_directory("vdb.1_1.dir").expect("made");
        for file in 0..3 {
            let path = format!("vdb.1_1.dir/vdb_f000{file}.file");
            root.create(&path, rustix::fs::OFlags::empty())
                .expect("made")
                .set_len(4096)
                .expect("longer");
        }
        drop(open);
        assert_eq!(missing(false), [[9 * 4096, 4]; 2]);
        assert_eq!(missing(true)[0], [6 * 8192 - 3 * 4096, 4]);
    }
}
