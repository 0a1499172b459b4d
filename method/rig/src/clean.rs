//! Test files that are no longer needed: those that bear our mark, and hold nothing but what Plimsoll wrote.

use crate::marks;
use plimsoll_permit::PathHandle;
use plimsoll_permit::target::{FoundPath, Ground, assess, is_being_written, is_marked, look_up};
use plimsoll_witness::filesystem::is_shared_by_hosts;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Folders within each other; more would be a trap.
const DEEPEST: usize = 64;

/// A test file that bears our mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Size, bytes.
    pub size: u64,
    /// Fate of the file.
    pub fate: Fate,
}

/// Fate of a test file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// File that holds nothing but what Plimsoll wrote, and would be removed.
    Ours,
    /// Removed.
    Removed,
    /// Kept, for this reason.
    Stays(String),
}

/// Looks for test files below a folder, and where `remove` is set, removes those that hold nothing but what Plimsoll wrote. Links are
/// not followed, other file systems below it are not entered, and files without our mark are not mentioned.
///
/// # Errors
/// The folder cannot be read; what cannot be read below it is passed over.
pub fn clean(folder: &Path, remove: bool, each: &mut dyn FnMut(TestFile)) -> io::Result<()> {
    let real = folder.canonicalize()?;
    let device = real.metadata()?.dev();
    let mut folders = vec![(PathBuf::new(), 0)];
    while let Some((below, depth)) = folders.pop() {
        let entries = match std::fs::read_dir(real.join(&below)) {
            Ok(entries) => entries,
            Err(error) if depth == 0 => return Err(error),
            Err(_) => continue,
        };
        let found = entries
            .flatten()
            .filter_map(|e| Some((e.file_name(), e.metadata().ok()?)));
        let mut names: Vec<_> = found.collect();
        names.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, there) in names {
            let path = below.join(name);
            // Of files some file systems (overlay) tell the device below.
            if there.is_dir() && there.dev() == device && depth < DEEPEST {
                folders.push((path, depth + 1));
            } else if there.is_file() {
                let judged = judge(&real.join(&path), remove);
                // Shown as it was named.
                let path = folder.join(path);
                judged.into_iter().for_each(|file| {
                    each(TestFile {
                        path: path.clone(),
                        ..file
                    })
                });
            }
        }
    }
    Ok(())
}

/// A marked file and its fate; `None` for one without our mark, and for one that is not where it was found.
fn judge(path: &Path, remove: bool) -> Option<TestFile> {
    let held = PathHandle::open(path).ok()?;
    // A link that took its place meanwhile leads elsewhere.
    let is_here = held.metadata().is_file() && held.resolved() == path;
    if !is_here || !held.open_to_read().is_ok_and(|file| is_marked(&file)) {
        return None;
    }
    let size = held.metadata().len();
    drop(held);
    let fate = fate(path, remove).unwrap_or_else(Fate::Stays);
    Some(TestFile {
        path: path.to_path_buf(),
        size,
        fate,
    })
}

fn fate(path: &Path, remove: bool) -> Result<Fate, String> {
    let FoundPath::There(held) = look_up(path).map_err(|refusal| refusal.why)? else {
        return Err("it is gone".to_owned());
    };
    if held.resolved() != path {
        return Err("a link took its place".to_owned());
    }
    let file = held.open_to_read().map_err(|error| error.to_string())?;
    if !is_marked(&file) {
        return Err("another file took its place".to_owned());
    }
    // Locks and open files of other hosts are not seen here; of what they write only the mark tells.
    if is_shared_by_hosts(&file) && is_being_written(&file) {
        let why = "a run on another host may be writing it, or was cut off; remove it by hand when no run uses it";
        return Err(why.to_owned());
    }
    drop(file);
    let permit = assess(held, &[], &marks::is_ours).map_err(|refusal| refusal.why)?;
    if !matches!(permit.ground(), Ground::Made | Ground::NoData) {
        return Err("it holds what Plimsoll did not write".to_owned());
    }
    if !remove {
        return Ok(Fate::Ours);
    }
    match permit.remove().map_err(|error| error.to_string())? {
        None => Ok(Fate::Removed),
        Some(why) => Err(why.to_owned()),
    }
}
