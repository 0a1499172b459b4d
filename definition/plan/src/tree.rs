//! Trees: directories and files as a target.
//!
//! A few numbers describe a tree. `plimsoll-tree` derives its names and sizes from them, as Vdbench does from an `fsd=`; or its names are
//! numbered ones of its own, as fio's are.

use crate::{Bytes, LabError, LabTarget, SizeSpec, TargetId};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// Most files of a tree, as of Vdbench's.
pub const TREE_FILES_MAX: u64 = 128 << 20;

/// Most directories of a tree.
pub const TREE_DIRECTORIES_MAX: u64 = 16 << 20;

/// Most levels: a name has to fit into a path.
pub const TREE_DEPTH_MAX: u32 = 64;

/// Tree of directories and files below a root.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// The directory that holds it; `lab:PERSONA` for the file system of a simulated filer.
    pub root: PathBuf,
    /// Levels of directories below the root.
    pub depth: u32,
    /// Directories in the root, and in each directory but those of the last level.
    pub width: u32,
    /// Files of each directory that has files.
    pub files: u64,
    /// All levels have files, not only the last.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_all_levels: bool,
    /// Sizes of its files when they are full.
    pub sizes: FileSizes,
    /// Parts of its files that are made, and worked on.
    #[serde(default, skip_serializing_if = "TreePart::is_all")]
    pub part: TreePart,
    /// Names of its own, in the place of Vdbench's. All of it lies in the root itself then, among whatever else that holds: files, where
    /// it has no level, or else directories, one of which is as wide as the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<NumberedNames>,
}

/// Names with a number in them, from 0 on: `j.0.17`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberedNames {
    /// Text before the number.
    pub before: String,
    /// Text behind it.
    pub after: String,
}

impl NumberedNames {
    /// Names of a text with one `*` where the number stands; none of them may lead elsewhere.
    pub fn of(text: &str) -> Option<Self> {
        let (before, after) = text.split_once('*')?;
        (!text.contains('/') && !after.contains('*')).then(|| NumberedNames {
            before: before.to_string(),
            after: after.to_string(),
        })
    }

    /// Name of a number.
    pub fn name(&self, number: u64) -> String {
        format!("{}{number}{}", self.before, self.after)
    }

    /// Number of a name; any other spelling of it is none.
    pub fn number(&self, name: &str) -> Option<u64> {
        let digits = name.strip_prefix(&self.before)?.strip_suffix(&self.after)?;
        let number: u64 = digits.parse().ok()?;
        (self.name(number) == name).then_some(number)
    }

    /// True where a name may be one of both.
    pub fn may_meet(&self, other: &NumberedNames) -> bool {
        let begins = |a: &str, b: &str| a.starts_with(b) || b.starts_with(a);
        let ends = |a: &str, b: &str| a.ends_with(b) || b.ends_with(a);
        begins(&self.before, &other.before) && ends(&self.after, &other.after)
    }
}

impl fmt::Display for NumberedNames {
    /// `j.0.*`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}*{}", self.before, self.after)
    }
}

/// Parts of a tree's files, drawn as Vdbench draws it: with the same numbers, the same files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreePart {
    /// Bytes that the files that are made have together, at least; `None`: all files are made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Bytes>,
    /// Bytes of those among them that are worked on; `None`: all of them are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_set: Option<Bytes>,
    /// Percent of the files that are made which are there before the first run; `None`: none where workloads create files, else all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub present: Option<u32>,
    /// Files that one of several hosts has in a tree that they share; `None`: all of them. `total` and `working_set` are those of all hosts together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dealt: Option<DealtFiles>,
}

/// Every n-th file, as Vdbench deals the files of a shared file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DealtFiles {
    /// Number of the first one, below `of`.
    pub first: u32,
    /// Hosts that share the tree.
    pub of: u32,
}

impl DealtFiles {
    /// True for a file that is among them.
    pub fn has(self, file: u64) -> bool {
        file % u64::from(self.of.max(1)) == u64::from(self.first)
    }
}

impl TreePart {
    /// True where it is all of them.
    pub fn is_all(&self) -> bool {
        *self == TreePart::default()
    }
}

/// Sizes of the files of a tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileSizes {
    /// All alike.
    Fixed(Bytes),
    /// (size, percent of the files), summing to 100.
    Weighted(Vec<(Bytes, f64)>),
    /// Uniform multiples of `align` from `min` to `max`.
    Range {
        /// Smallest.
        min: Bytes,
        /// Largest.
        max: Bytes,
        /// Step.
        align: Bytes,
    },
    /// Vdbench's `sizes=(n,0)`: from a half to one and a half of n, rounded.
    Around(Bytes),
}

/// File work of a stream on a tree: the order in which it takes files, or the making of the tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileWork {
    /// Order in which files and directories are taken.
    #[serde(default)]
    pub select: FileSelect,
    /// Making of the tree, in place of drawn operations: directories, files, then their content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub makes: Option<Making>,
    /// Transfers on a file until the next file is taken; as many as it has blocks where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_file: Option<PerFile>,
    /// Whoever goes on in a file that is full leaves out the transfer that is next there, as Vdbench does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leaves_one_out: bool,
    /// A file may be worked on by several I/Os at once, of this stream and of others that say so, too; only making a file and taking it
    /// away are done alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shares: bool,
    /// Number of its opening among its target's [openings](crate::Target::openings).
    #[serde(default, skip_serializing_if = "is_own")]
    pub opening: u32,
    /// Tree of the same numbers that files are copied and moved into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<TargetId>,
    /// Times that it goes through a tree of numbered names in order, each name once, whatever has become of it; then it has nothing more to
    /// do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u64>,
}

/// Amount of transfers on a file until the next one is taken. What is gone through in order goes on there later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PerFile {
    /// So many.
    Transfers(u64),
    /// So many bytes, as a percentage of the file's size.
    Percent(u32),
}

impl Tree {
    /// True where both have the same directories and files, with the same sizes.
    pub fn is_like(&self, other: &Tree) -> bool {
        let root = other.root.clone();
        Tree {
            root,
            ..self.clone()
        } == *other
    }
}

fn is_own(opening: &u32) -> bool {
    *opening == 0
}

impl FileWork {
    /// True where nothing was said of files.
    pub fn is_default(&self) -> bool {
        let opening = self.opening;
        *self
            == FileWork {
                opening,
                ..FileWork::default()
            }
    }
}

/// Order in which files and directories are taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileSelect {
    /// Each is drawn.
    #[default]
    Random,
    /// One after the other in the tree's order, over and over; all workers together.
    Sequential,
}

/// Way to make a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Making {
    /// All directories and files that are missing are made.
    Missing,
    /// Missing directories are made, and no files.
    Directories,
    /// All of the tree is made, after whatever existed of it has been deleted.
    Anew,
    /// All directories are made, and no files, after whatever existed of the tree has been deleted.
    DirectoriesAnew,
    /// Nothing is made: all that exists of the tree is deleted.
    Deleted,
}

// Percentages are finite, so that equality is total.
impl Eq for Tree {}

impl Tree {
    /// What stands behind the `lab:` of a root that is a simulated filer's.
    fn behind_lab(&self) -> Option<&str> {
        self.root.to_str()?.strip_prefix("lab:")
    }

    /// True where its root is a simulated filer's (`./lab:x` reaches a directory of such a name).
    pub fn is_simulated(&self) -> bool {
        self.behind_lab().is_some()
    }

    /// The LUN whose file system it is on, where its root is a simulated filer's.
    pub fn filer(&self) -> Option<Result<LabTarget, LabError>> {
        self.behind_lab().map(str::parse)
    }

    /// True where a root lies in the other, or is the same.
    pub fn overlaps(&self, other: &Tree) -> bool {
        match (self.filer(), other.filer()) {
            (None, None) => {
                self.root.starts_with(&other.root) || other.root.starts_with(&self.root)
            }
            (Some(Ok(own)), Some(Ok(other))) => own.array == other.array && own.lun == other.lun,
            _ => false,
        }
    }

    /// Directories, without the root; at most [`u64::MAX`].
    pub fn directory_count(&self) -> u64 {
        (1..=self.depth.min(TREE_DEPTH_MAX))
            .fold(0, |sum: u64, level| sum.saturating_add(self.level(level)))
    }

    /// Directories that have files.
    pub fn directories_with_files(&self) -> u64 {
        match self.on_all_levels {
            true => self.directory_count(),
            false => self.level(self.depth),
        }
    }

    /// Files; at most [`u64::MAX`].
    pub fn file_count(&self) -> u64 {
        self.directories_with_files().saturating_mul(self.files)
    }

    /// What it is called: its root, with its names where it has some of its own.
    pub fn title(&self) -> PathBuf {
        let names = self.names.as_ref().map(NumberedNames::to_string);
        match names {
            None => self.root.clone(),
            Some(names) if self.root == Path::new(".") => names.into(),
            Some(names) => self.root.join(names),
        }
    }

    /// True where a path is in it: below its root, or one of its names there.
    pub fn holds(&self, path: &Path) -> bool {
        let Some(names) = &self.names else {
            return path.starts_with(&self.root);
        };
        let here = path.strip_prefix(".").unwrap_or(path);
        let root = self.root.strip_prefix(".").unwrap_or(&self.root);
        let name = here.strip_prefix(root).ok().and_then(Path::to_str);
        name.is_some_and(|name| names.number(name).is_some())
    }

    /// True where nothing is of both of two trees of numbered names, in whatever roots.
    pub fn is_apart_by_names(&self, other: &Tree) -> bool {
        let both = self.names.as_ref().zip(other.names.as_ref());
        both.is_some_and(|(own, other)| !own.may_meet(other))
    }

    /// Bytes of all its files when they are full, approximately: where sizes differ, their mean counts.
    pub fn mean_bytes(&self) -> Bytes {
        let all = Bytes((self.file_count() as f64 * self.sizes.mean()) as u64);
        self.part.total.map_or(all, |total| total.min(all))
    }

    /// Summary of its numbers: `12 directories, 18 files of 4KiB`.
    pub fn words(&self) -> String {
        let counted = |n: u64, one: &str, many: &str| match n {
            1 => format!("1 {one}"),
            n => format!("{n} {many}"),
        };
        let files = counted(self.file_count(), "file", "files");
        match (&self.names, self.depth) {
            (Some(names), 0) => return format!("{files} of {} called {names}", self.sizes.words()),
            (Some(names), _) => {
                let directories = counted(self.directory_count(), "directory", "directories");
                return format!("{directories} called {names}");
            }
            (None, _) => {}
        }
        let part =
            |of: Option<Bytes>, what: &str| of.map_or(String::new(), |b| format!("{what}{b}"));
        format!(
            "{}, {} of {}{}{}{}{}",
            counted(self.directory_count(), "directory", "directories"),
            files,
            self.sizes.words(),
            part(self.part.total, ", in all "),
            part(self.part.working_set, ", a working set of "),
            self.part.present.map_or(String::new(), |percent| format!(
                ", {percent}% there at first"
            )),
            self.part.dealt.map_or(String::new(), |dealt| format!(
                ", of which this host has one file in {}, from number {} on",
                dealt.of, dealt.first
            ))
        )
    }

    fn level(&self, level: u32) -> u64 {
        u64::from(self.width).saturating_pow(level)
    }
}

impl FileSizes {
    /// The mean size, bytes.
    pub fn mean(&self) -> f64 {
        match self {
            FileSizes::Fixed(size) | FileSizes::Around(size) => size.0 as f64,
            FileSizes::Weighted(list) => list.iter().map(|(b, p)| b.0 as f64 * p / 100.0).sum(),
            FileSizes::Range { min, max, .. } => (min.0 as f64 + max.0 as f64) / 2.0,
        }
    }

    /// The largest that a file may be, bytes.
    pub fn max(&self) -> Bytes {
        match self {
            FileSizes::Fixed(size) => *size,
            FileSizes::Weighted(list) => list.iter().map(|(b, _)| *b).max().unwrap_or_default(),
            FileSizes::Range { max, .. } => *max,
            FileSizes::Around(size) => Bytes(size.0.saturating_mul(2)),
        }
    }

    /// Sizes of which all others are multiples, or which they lie between.
    pub fn all(&self) -> impl Iterator<Item = Bytes> {
        let all = match self {
            FileSizes::Fixed(size) => vec![*size],
            FileSizes::Weighted(list) => list.iter().map(|(size, _)| *size).collect(),
            FileSizes::Range { min, max, align } => vec![*min, *max, *align],
            // Rounded to whole KiB.
            FileSizes::Around(_) => Vec::new(),
        };
        all.into_iter()
    }

    /// `4 KiB`
    pub fn words(&self) -> String {
        match self {
            FileSizes::Fixed(size) => size.to_string(),
            FileSizes::Weighted(list) => {
                let parts = list
                    .iter()
                    .map(|(size, percent)| format!("{size} ({percent}%)"));
                parts.collect::<Vec<_>>().join(", ")
            }
            FileSizes::Range { min, max, align } => format!("{min} to {max} by {align}"),
            FileSizes::Around(size) => format!("about {size}"),
        }
    }
}

impl From<SizeSpec> for FileSizes {
    fn from(size: SizeSpec) -> Self {
        match size {
            SizeSpec::Fixed(size) => FileSizes::Fixed(size),
            SizeSpec::Weighted(list) => FileSizes::Weighted(list),
            SizeSpec::Range { min, max, align } => FileSizes::Range { min, max, align },
            SizeSpec::ByOperation(own) => FileSizes::from(own.read),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(depth: u32, width: u32, files: u64, on_all_levels: bool) -> Tree {
        Tree {
            root: "/t".into(),
            depth,
            width,
            files,
            on_all_levels,
            sizes: FileSizes::Fixed(Bytes(4096)),
            part: TreePart::default(),
            names: None,
        }
    }

    #[test]
    fn a_number_has_one_name_and_names_that_may_meet_are_said_to() {
        let names = |text| NumberedNames::of(text).expect("names");
        let own = names("j.1.*");
        assert_eq!(
            (own.name(7).as_str(), own.number("j.1.7")),
            ("j.1.7", Some(7))
        );
        for other in ["j.1.07", "j.1.+7", "j.1.", "j.1.7x", "j.10.7"] {
            assert_eq!(own.number(other), None, "{other}");
        }
        assert!(!own.may_meet(&names("j.10.*")) && !names("a*x").may_meet(&names("a*y")));
        assert!(names("j*").may_meet(&names("j1*")) && own.may_meet(&own));
        for wrong in ["j", "a*b*", "d/j*"] {
            assert_eq!(NumberedNames::of(wrong), None, "{wrong}");
        }
        let tree = Tree {
            names: Some(own),
            ..tree(0, 0, 3, false)
        };
        assert_eq!(tree.words(), "3 files of 4KiB called j.1.*");
        assert_eq!((tree.directory_count(), tree.file_count()), (0, 3));
        assert!(tree.holds(Path::new("/t/j.1.9")) && !tree.holds(Path::new("/t/x/j.1.9")));
    }

    #[test]
    fn files_are_on_the_last_level_or_on_all() {
        let counts = |t: Tree| (t.directory_count(), t.file_count());
        assert_eq!(counts(tree(1, 2, 10, false)), (2, 20));
        assert_eq!(counts(tree(2, 3, 10, false)), (12, 90));
        assert_eq!(counts(tree(2, 3, 10, true)), (12, 120));
        assert_eq!(counts(tree(64, 9, 1_000, true)), (u64::MAX, u64::MAX));
        assert_eq!(tree(1, 1, 1, false).words(), "1 directory, 1 file of 4KiB");
    }
}
