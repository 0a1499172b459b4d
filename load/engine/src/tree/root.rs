//! Root of a tree: a directory of this host, or none at all, where somebody else carries the calls out in a time of their own.
//!
//! All that operations on trees ask of a file system goes through [`Root`] and [`TreeFile`]. Without a file system each call succeeds at
//! once and is kept, in order, in the script of its operation; so are the ends of claims, which are due when the script is through. A
//! simulated file system plays the script in its own time.

use super::{Course, OpenTree};
use crate::backend::psync::carry_out;
use crate::backend::{Action, Brought, Request};
use plimsoll_permit::tree::TreeRoot;
use plimsoll_plan::Op;
use plimsoll_tree::Entry;
use rustix::fs::OFlags;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Root of a tree.
#[derive(Debug)]
pub enum Root {
    /// A directory of this host.
    Here(TreeRoot),
    /// No directory: calls are kept to be played.
    Elsewhere(Elsewhere),
}

/// A tree whose calls are played by somebody else.
#[derive(Debug)]
pub struct Elsewhere {
    /// Its number, for whoever plays its calls.
    number: u32,
    title: PathBuf,
    calls: CallRecord,
}

/// Calls of the operation under way, for all trees of a simulated file system.
#[derive(Debug, Clone, Default)]
pub struct CallRecord(Arc<Mutex<Recorded>>);

#[derive(Default)]
struct Recorded {
    calls: Vec<TreeCall>,
    ends: Vec<WhenDone>,
    /// Lengths of files that were written, by tree and file.
    lengths: HashMap<(u32, u64), u64>,
}

impl std::fmt::Debug for Recorded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.calls).finish()
    }
}

/// What is to be done to a tree's state when an operation is through.
type WhenDone = Box<dyn FnOnce() + Send>;

/// A call to a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeCall {
    /// What is asked for; a close that flushes its file is [durable](TreeCall::is_durable).
    pub op: Op,
    /// Number of the tree.
    pub tree: u32,
    /// What it is on.
    pub entry: Entry,
    /// Directory that holds the entry; `None`: the root.
    pub directory: Option<u64>,
    /// Place in the file, bytes.
    pub offset: u64,
    /// Bytes that are moved.
    pub bytes: u32,
    /// True where it is answered only when what was written is safe.
    pub is_durable: bool,
}

/// Calls of one operation, and what is due when they are through.
#[derive(Default)]
pub struct Calls {
    /// The calls, in order.
    pub calls: Vec<TreeCall>,
    ends: Vec<WhenDone>,
}

impl Calls {
    /// Ends the claims of the operation.
    pub fn end(self) {
        self.ends.into_iter().for_each(|end| end());
    }
}

impl CallRecord {
    /// Takes what the operation under way has called for.
    pub fn take(&self) -> Calls {
        let mut recorded = self.lock();
        Calls {
            calls: std::mem::take(&mut recorded.calls),
            ends: std::mem::take(&mut recorded.ends),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Recorded> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Name of a tree: its path below the root, and the entry that it is; none of what another tree has left there.
pub(crate) struct Name {
    pub path: String,
    pub entry: Option<Entry>,
}

/// Beginning of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Begun {
    At(Instant),
    /// Number of the call in its script: what it takes is known when it was played.
    Call(usize),
}

impl Begun {
    /// An operation that has ended and moved nothing. Of a call that is yet to be played its number stands in the place of its time.
    pub fn brought(self, op: Op) -> Brought {
        let ns = match self {
            Begun::At(begun) => u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX),
            Begun::Call(number) => number as u64,
        };
        Brought { op, ns, bytes: 0 }
    }
}

/// An open file of a tree.
#[derive(Debug)]
pub(crate) enum TreeFile {
    Here(File),
    Elsewhere {
        calls: CallRecord,
        /// A call on it that moves nothing.
        call: TreeCall,
    },
}

impl Root {
    /// The directory, where it is one of this host.
    pub fn here(&self) -> io::Result<&TreeRoot> {
        match self {
            Root::Here(root) => Ok(root),
            Root::Elsewhere(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Path of the root.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Root::Here(root) => root.path(),
            Root::Elsewhere(there) => &there.title,
        }
    }

    /// Root of a tree without a directory.
    pub(crate) fn elsewhere(number: u32, title: PathBuf, calls: &CallRecord) -> Self {
        Root::Elsewhere(Elsewhere {
            number,
            title,
            calls: calls.clone(),
        })
    }
}

impl OpenTree {
    /// Name of an entry.
    pub(crate) fn name(&self, entry: Entry) -> Name {
        Name {
            path: self.shape.path(entry),
            entry: Some(entry),
        }
    }

    /// A call begins.
    pub(crate) fn begin(&self) -> Begun {
        match &self.root {
            Root::Here(_) => Begun::At(Instant::now()),
            Root::Elsewhere(there) => Begun::Call(there.calls.lock().calls.len()),
        }
    }

    /// Does something to the state when the operation under way is through: at once, where its calls were made.
    pub(crate) fn when_done(self: &Arc<Self>, end: impl FnOnce(&mut Course) + Send + 'static) {
        let Root::Elsewhere(there) = &self.root else {
            return end(&mut self.course());
        };
        let tree = Arc::clone(self);
        let end = move || end(&mut tree.course());
        there.calls.lock().ends.push(Box::new(end));
    }

    /// Opens a file.
    pub(crate) fn open(&self, name: &Name, flags: OFlags) -> io::Result<TreeFile> {
        match &self.root {
            Root::Here(root) => root.open(&name.path, flags).map(TreeFile::Here),
            Root::Elsewhere(there) => self.file(there, Op::Open, name, flags),
        }
    }

    /// Makes a file, and opens it.
    pub(crate) fn create(&self, name: &Name, flags: OFlags) -> io::Result<TreeFile> {
        match &self.root {
            Root::Here(root) => root.create(&name.path, flags).map(TreeFile::Here),
            Root::Elsewhere(there) => self.file(there, Op::Create, name, flags),
        }
    }

    /// Carries an operation out on a name that opens no file.
    pub(crate) fn on_name(&self, op: Op, name: &Name) -> io::Result<()> {
        let path = name.path.as_str();
        match &self.root {
            Root::Here(root) => match op {
                Op::Mkdir => root.make_directory(path),
                Op::Rmdir => root.remove_directory(path),
                Op::Stat => root.stat(path).map(drop),
                Op::Readdir => root.read_directory(path).map(drop),
                Op::Delete => root.delete(path),
                Op::Setattr => root.set_time(path),
                // That it may not be read is an answer, too.
                Op::Access => root.may_read(path).map(drop),
                _ => Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP)),
            },
            Root::Elsewhere(there) => self.record(there, op, name).map(drop),
        }
    }

    /// Renames a file to the same path in another tree. Each tree elsewhere is a file system of its own.
    pub(crate) fn rename_into(&self, name: &Name, to: &OpenTree) -> io::Result<()> {
        match (&self.root, &to.root) {
            (Root::Here(root), Root::Here(other)) => root.rename_into(&name.path, other),
            _ => Err(io::ErrorKind::CrossesDevices.into()),
        }
    }

    fn file(&self, there: &Elsewhere, op: Op, name: &Name, flags: OFlags) -> io::Result<TreeFile> {
        let call = TreeCall {
            is_durable: flags.intersects(OFlags::SYNC | OFlags::DSYNC),
            ..self.record(there, op, name)?
        };
        let calls = there.calls.clone();
        Ok(TreeFile::Elsewhere { calls, call })
    }

    fn record(&self, there: &Elsewhere, op: Op, name: &Name) -> io::Result<TreeCall> {
        let call = self.call(there, op, name)?;
        let mut recorded = there.calls.lock();
        recorded.calls.push(call);
        if let (Op::Create | Op::Delete, Entry::File(file)) = (op, call.entry) {
            recorded.lengths.remove(&(there.number, file));
        }
        Ok(call)
    }

    fn call(&self, there: &Elsewhere, op: Op, name: &Name) -> io::Result<TreeCall> {
        let entry = name.entry.ok_or(io::ErrorKind::Unsupported)?;
        Ok(TreeCall {
            op,
            tree: there.number,
            entry,
            directory: match entry {
                Entry::File(file) => self.shape.directory_of(file),
                Entry::Directory(directory) => self.shape.parent(directory),
            },
            offset: 0,
            bytes: 0,
            is_durable: false,
        })
    }
}

impl TreeFile {
    /// Bytes that are in it.
    pub fn length(&self) -> io::Result<u64> {
        match self {
            TreeFile::Here(file) => Ok(file.metadata()?.len()),
            TreeFile::Elsewhere { calls, call } => {
                let lengths = &calls.lock().lengths;
                Ok(key(call).map_or(0, |key| lengths.get(&key).copied().unwrap_or(0)))
            }
        }
    }

    /// Closes it, flushed where it is to be. A network's file system tells only then of what it could not write, or had no room for.
    pub fn close(self, syncs: bool) -> io::Result<()> {
        match self {
            TreeFile::Here(file) => {
                if syncs {
                    file.sync_all()?;
                }
                Ok(nix::unistd::close(file)?)
            }
            TreeFile::Elsewhere { calls, call } => {
                calls.lock().calls.push(TreeCall {
                    op: Op::Close,
                    is_durable: syncs,
                    ..call
                });
                Ok(())
            }
        }
    }

    /// Moves bytes at a place; how many, or -errno.
    pub fn move_at(&self, action: Action, r: &Request, at: u64, bytes: u32) -> i32 {
        let file = match self {
            TreeFile::Here(file) => file,
            TreeFile::Elsewhere { calls, call } => {
                let op = action.op();
                let mut recorded = calls.lock();
                recorded.calls.push(TreeCall {
                    op,
                    offset: at,
                    bytes,
                    is_durable: call.is_durable && op == Op::Write,
                    ..*call
                });
                if let (Op::Write, Some(key)) = (op, key(call)) {
                    let length = recorded.lengths.entry(key).or_default();
                    *length = (*length).max(at + u64::from(bytes));
                }
                return bytes as i32;
            }
        };
        let request = Request {
            action,
            offset: at,
            length: bytes,
            ..*r
        };
        carry_out(file.as_raw_fd(), &request)
    }
}

fn key(call: &TreeCall) -> Option<(u32, u64)> {
    match call.entry {
        Entry::File(file) => Some((call.tree, file)),
        Entry::Directory(_) => None,
    }
}
