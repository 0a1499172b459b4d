//! Destroying data is hard to do by accident: whether a target may be written.
//!
//! A target that is in use (mounted, swap, part of another device, open for writing elsewhere) is never written; no
//! flag changes that, because the writes would corrupt what is running now. A target that holds something is written
//! only where it is named with `--destroy NAME`.

mod claims;
mod device;
pub(crate) mod export;
mod file;

use plimsoll_witness::Root;
use std::fs::File;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Leave to write to one target. It holds the target until it is dropped: while a device's permit lives, nobody can
/// mount the device or build on it.
#[derive(Debug)]
pub struct WritePermit {
    /// The target, links resolved.
    pub path: PathBuf,
    /// Why it may be written.
    pub ground: Ground,
    /// What keeps others away from a device, or the file itself; `None` for a file that is yet to be made.
    pub guard: Option<Arc<File>>,
}

/// Why a target may be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ground {
    /// There is no such file yet.
    New,
    /// A file without a byte of data: empty, or holes from end to end.
    NoData,
    /// A file that carries Plimsoll's mark.
    Made,
    /// A device on which nothing was found, and that `--destroy` doesn't name.
    Blank,
    /// `--destroy` names it; for a device also where nothing was found on it.
    Named,
}

/// Why a target is not written, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}; {remedy}", path.display())]
pub struct Refusal {
    /// The target as it was given.
    pub path: PathBuf,
    /// What was seen; one sentence without a full stop.
    pub why: String,
    /// What to do or to type; one sentence without a full stop.
    pub remedy: String,
}

/// Whether the file or device at `path` may be written, where `--destroy` was given with the names `destroy`.
///
/// Looking at a device reads about 3 MiB and some hundred sampled blocks. A file that isn't there is a permit to make
/// it; nothing is created here.
pub fn assess(path: &Path, destroy: &[String]) -> Result<WritePermit, Refusal> {
    let refuse = |why: String, remedy: &str| Refusal {
        path: path.to_path_buf(),
        why,
        remedy: remedy.to_string(),
    };
    let metadata = match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return file::assess_missing(path);
        }
        Err(error) => {
            return Err(refuse(
                error.to_string(),
                "check the path and your rights to it",
            ));
        }
        Ok(metadata) => metadata,
    };
    let resolved = path
        .canonicalize()
        .map_err(|error| refuse(error.to_string(), "check the path and your rights to it"))?;
    let root = Root::system();
    if metadata.file_type().is_block_device() {
        device::assess(&root, path, resolved, destroy)
    } else if metadata.is_file() {
        file::assess(&root, path, resolved, destroy)
    } else {
        Err(refuse(
            "it is neither a file nor a block device".to_string(),
            "name a file or a block device; `plimsoll ls` lists the devices",
        ))
    }
}

/// Why the device at `path` would not be written whatever is typed, as far as that is known without reading from it;
/// `None` for files, and for devices that nobody uses.
pub fn in_use(path: &Path) -> Option<String> {
    let is_device = std::fs::metadata(path).is_ok_and(|m| m.file_type().is_block_device());
    is_device
        .then(|| device::in_use(&Root::system(), path))
        .flatten()
}

/// Whether a name given with `--destroy` means the file or device at `path`, be it one that is accepted or not.
pub(crate) fn is_meant(given: &str, path: &Path) -> bool {
    let same = |a: &Path, b: &Path| match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    };
    let is_device = std::fs::metadata(path).is_ok_and(|m| m.file_type().is_block_device());
    same(Path::new(given), path) || (is_device && device::is_meant(&Root::system(), given, path))
}

/// What `--destroy` takes for the target at `path`: a device's most stable name, a file's path.
pub fn destroy_name(path: &Path) -> String {
    let is_device = std::fs::metadata(path).is_ok_and(|m| m.file_type().is_block_device());
    let named = is_device
        .then(|| device::best_name(&Root::system(), path))
        .flatten();
    named.unwrap_or_else(|| path.display().to_string())
}

/// The flag to type, quoted for a shell where the name needs it.
pub fn destroy_flag(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:,@%=".contains(c);
    if !name.is_empty() && name.chars().all(is_plain) {
        format!("--destroy {name}")
    } else {
        format!("--destroy '{}'", name.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_for_a_shell_only_where_they_must_be() {
        assert_eq!(destroy_flag("naa.6000-1"), "--destroy naa.6000-1");
        assert_eq!(destroy_flag("/tmp/my file"), "--destroy '/tmp/my file'");
        assert_eq!(destroy_flag("it's"), r"--destroy 'it'\''s'");
    }

    #[test]
    fn what_is_no_storage_is_refused_without_being_opened() {
        for path in ["/dev/null", "/tmp", "/dev/zero"] {
            let refusal = assess(Path::new(path), &[path.to_string()]).unwrap_err();
            assert!(
                refusal.why.contains("neither a file nor a block device"),
                "{refusal}"
            );
        }
    }
}
