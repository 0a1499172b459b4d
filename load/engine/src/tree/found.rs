//! Contents found below the root of a tree, before anything is made there.

use crate::EngineError;
use crate::tree::{OpenTree, TreeOpening};
use plimsoll_permit::Refusal;
use plimsoll_permit::tree::{LOST_AND_FOUND, TreeGround, TreeLock, TreeRoot, find};
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
    /// Bytes that its files hold, and those of the others.
    bytes: u64,
    /// Count of its files that hold something, and less than all of their bytes.
    begun: u64,
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
        bytes: 0,
        begun: 0,
    };
    let refuse = |why: String, remedy: &str| {
        Err(EngineError::Tree(Refusal {
            path: tree.root.clone(),
            why,
            remedy: remedy.to_string(),
        }))
    };
    let root = match &found.ground {
        TreeGround::Missing(_) | TreeGround::Empty(_) => return Ok(found),
        TreeGround::Foreign(root) if found.is_among_others => root,
        TreeGround::Foreign(root) if changes => {
            return Err(EngineError::Tree(root.refusal_as_foreign()));
        }
        TreeGround::Marked(root) | TreeGround::Foreign(root) => root,
    };
    if changes && root.is_read_only() {
        return refuse(
            "its file system is mounted read-only".to_string(),
            "mount it for writing, or name a directory elsewhere",
        );
    }
    // Whoever changes it has it to himself; else the walk would meet names that come and go.
    let lock = match found.ground {
        // What is somebody else's gets no attribute of a run.
        TreeGround::Foreign(_) => TreeLock::Reading,
        _ => found.usage.lock(),
    };
    if !found.is_among_others && !root.lock(lock) {
        return refuse(
            "another run works on this tree, or another program has it locked".to_string(),
            "wait for its end, or name another directory; where hosts of one run share it, say shared = true of the target",
        );
    }
    let mut look = Look {
        root,
        population: &mut found.population,
        others: &found.others,
        leftovers: &mut found.leftovers,
        is_among_others: found.is_among_others,
        bytes: 0,
        begun: 0,
    };
    look.whole(&match others {
        [] => format!("this tree ({})", tree.words()),
        _ => IN_TURN.to_string(),
    })?;
    (found.bytes, found.begun) = (look.bytes, look.begun);
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
        let mut tree = OpenTree::new(root, self.population, self.others, openings);
        tree.fills_empty_only = self.is_among_others && self.begun == 0;
        Ok(tree)
    }

    /// True where it has files, in which somebody may have put something.
    pub fn has_files(&self) -> bool {
        let [_, files, _] = self.population.counts();
        files > 0 || self.leftovers.has_files()
    }

    /// True where all its directories are there.
    pub fn has_directories(&self) -> bool {
        let [directories, ..] = self.population.counts();
        directories == self.population.shape().directories()
    }

    /// Count of its names that are there.
    pub fn names(&self) -> u64 {
        let [directories, files, _] = self.population.counts();
        directories + files
    }

    /// Count of its files that hold something, and less than all of their bytes.
    pub fn begun(&self) -> u64 {
        self.begun
    }

    /// True where nothing of it is missing.
    pub fn is_complete(&self) -> bool {
        self.population.is_complete()
    }

    /// Bytes and names that are missing of it: bytes, where files are filled.
    pub fn missing(&self, fills: bool) -> [u64; 2] {
        self.missing_of_shape(self.population.shape(), fills)
    }

    /// Bytes and names that are missing of a tree that takes turns with it, as far as they are not there of one of them.
    pub fn missing_of(&self, tree: &Tree, fills: bool) -> [u64; 2] {
        self.missing_of_shape(&Shape::new(tree), fills)
    }

    fn missing_of_shape(&self, shape: &Shape, fills: bool) -> [u64; 2] {
        // Hosts that share it need room for the part of each.
        let bytes = shape.bytes().saturating_sub(self.bytes);
        let bytes = bytes.saturating_mul(shape.sharers());
        let [directories, files, _] = self.population.counts();
        let names = shape
            .directories()
            .saturating_sub(directories)
            .saturating_add(shape.used_files().saturating_sub(files) * shape.sharers());
        [if fills { bytes } else { 0 }, names]
    }
}

impl OpenTree {
    /// Looks again at what is there, where another tree has had the root since. Nothing is changed.
    pub(crate) fn take_turn(&self) -> Result<(), EngineError> {
        if self.others.is_empty() {
            return Ok(());
        }
        let mut population = Population::empty(Arc::clone(&self.shape));
        let mut leftovers = Leftovers::default();
        Look {
            root: &self.root,
            population: &mut population,
            others: &self.others,
            leftovers: &mut leftovers,
            is_among_others: false,
            bytes: 0,
            begun: 0,
        }
        .whole(IN_TURN)?;
        let mut course = self.course();
        (course.population, course.leftovers) = (population, leftovers);
        Ok(())
    }
}

enum Stop {
    /// What is not of the tree, and what to do about it.
    Foreign(String, &'static str),
    Mount(String),
    Failed(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Failed(error)
    }
}

struct Look<'l> {
    root: &'l TreeRoot,
    population: &'l mut Population,
    others: &'l Others,
    leftovers: &'l mut Leftovers,
    is_among_others: bool,
    bytes: u64,
    begun: u64,
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
                format!("another file system is mounted in it, at {path}"),
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
        let names = self.root.names(&here.path).map_err(|error| match error {
            mount if mount.kind() == io::ErrorKind::CrossesDevices => {
                Stop::Mount(here.path.clone())
            }
            error => Stop::Failed(error),
        });
        for (name, is_directory) in names? {
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
        let left = Leftover::of(&in_others).filter(|_| own.is_none());
        let entry = own.or(left.map(|(_, entry)| entry));
        let path = format!("{}{slash}{text}", here.path);
        match entry.ok_or_else(|| of("", OTHER_NUMBERS))? {
            Entry::Directory(directory) if is_directory => {
                match left {
                    Some((left, _)) => self.leftovers.found_directory(left),
                    None => self.population.found_directory(directory),
                }
                if self.is_among_others {
                    return Ok(());
                }
                self.directory(&Here {
                    path,
                    own: own.map(|_| Some(directory)),
                    inside: Inside::below(&in_others),
                })
            }
            Entry::File(file) if !is_directory => {
                let stat = self.root.stat(&path)?;
                match FileType::from_raw_mode(stat.st_mode) {
                    FileType::RegularFile if stat.st_nlink == 1 => {}
                    FileType::RegularFile => return Err(foreign(" with a second name")),
                    FileType::Symlink => return Err(foreign(", a symbolic link")),
                    _ => return Err(foreign(", no regular file")),
                }
                self.file(file, left.map(|(left, _)| left), stat.st_size as u64);
                Ok(())
            }
            Entry::Directory(_) => Err(of(", no directory", OTHER_NUMBERS)),
            Entry::File(_) => Err(of(", a directory", OTHER_NUMBERS)),
        }
    }

    /// A file was found, the tree's or what another has left.
    fn file(&mut self, file: u64, left: Option<Leftover>, bytes: u64) {
        let shape = self.population.shape();
        let is_own = match left {
            Some(left) => self.others.is_own(left),
            None => shape.is_own(file),
        };
        if !is_own {
            return;
        }
        self.bytes = self.bytes.saturating_add(bytes);
        match left {
            Some(left) => self.leftovers.found_file(left),
            None => {
                self.begun += u64::from(bytes > 0 && bytes < shape.size(file));
                self.population.found_file(file, bytes);
            }
        }
    }
}
