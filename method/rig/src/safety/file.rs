//! Whether a regular file may be written.

use super::{Ground, Refusal, WritePermit, destroy_flag};
use crate::mark;
use plimsoll_witness::Root;
use plimsoll_witness::occupancy::{self, Use};
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A path with nothing there: leave to make it, where its folder is.
pub(super) fn assess_missing(path: &Path) -> Result<WritePermit, Refusal> {
    let refuse = |why: &str, remedy: String| Refusal {
        path: path.to_path_buf(),
        why: why.to_string(),
        remedy,
    };
    if path.is_symlink() {
        return Err(refuse(
            "it is a link to nothing",
            "name the file itself, or remove the link".to_string(),
        ));
    }
    if path.starts_with("/dev") && !path.starts_with("/dev/shm") {
        return Err(refuse(
            "there is no such device",
            "`plimsoll ls` lists the devices".to_string(),
        ));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if path.file_name().is_none() || !folder.is_dir() {
        return Err(refuse(
            "its folder doesn't exist",
            format!("make the folder first: mkdir -p {}", folder.display()),
        ));
    }
    Ok(WritePermit {
        path: path.to_path_buf(),
        ground: Ground::New,
        guard: None,
    })
}

/// As [`super::assess`], for a regular file; `resolved` has no links.
pub(super) fn assess(
    root: &Root,
    path: &Path,
    resolved: PathBuf,
    destroy: &[String],
) -> Result<WritePermit, Refusal> {
    let refuse = |why: String, remedy: String| Refusal {
        path: path.to_path_buf(),
        why,
        remedy,
    };
    let file = File::open(&resolved).map_err(|error| {
        refuse(
            format!("it cannot be looked at before writing: {error}"),
            "run as a user who may read it".to_string(),
        )
    })?;
    let made = mark::has(&file);
    for used in occupancy::uses_of_file(root, &resolved) {
        // Several runs may share a file that was made for them.
        if !(made && matches!(used, Use::Opened { .. })) {
            return Err(refuse(format!("it is in use: {used}"), remedy(&used)));
        }
    }
    let ground = if made {
        Ground::Made
    } else if holds_nothing(&file) {
        Ground::NoData
    } else if is_named(&resolved, destroy) {
        Ground::Named
    } else {
        return Err(refuse(
            "it holds data and does not carry the mark of a file that Plimsoll made".to_string(),
            format!(
                "to destroy what is in it, add {}",
                destroy_flag(&path.display().to_string())
            ),
        ));
    };
    Ok(WritePermit {
        path: resolved,
        ground,
        guard: Some(Arc::new(file)),
    })
}

/// True where no byte was ever written: an empty file, or one of holes (`truncate -s`, `fallocate`). A file system
/// that doesn't know holes shows data everywhere.
fn holds_nothing(file: &File) -> bool {
    matches!(seek(file, SeekFrom::Data(0)), Err(Errno::NXIO))
}

fn is_named(resolved: &Path, destroy: &[String]) -> bool {
    destroy.iter().any(|given| {
        Path::new(given)
            .canonicalize()
            .is_ok_and(|given| given == resolved)
    })
}

fn remedy(used: &Use) -> String {
    match used {
        Use::Swap { device } => format!("take it out of use first: swapoff {device}"),
        Use::Held { by, .. } => {
            format!("test /dev/{by} instead, or detach it first: losetup -d /dev/{by}")
        }
        Use::Opened { pid, .. } => format!("stop process {pid} first, or name another file"),
        Use::Mounted { .. } | Use::Claimed => "take it out of use first".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{assess, destroy_name};
    use super::*;
    use std::os::unix::fs::symlink;

    fn folder_with(content: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, content).unwrap();
        (folder, path)
    }

    fn names(path: &Path) -> Vec<String> {
        vec![path.display().to_string()]
    }

    #[test]
    fn a_file_with_data_needs_its_path_and_is_told_so() {
        let (_folder, path) = folder_with(b"precious");
        let refusal = assess(&path, &[]).unwrap_err();
        assert!(
            refusal
                .remedy
                .ends_with(&format!("--destroy {}", path.display())),
            "{}",
            refusal.remedy
        );
        assert!(assess(&path, &["/other".to_string()]).is_err());
        assert_eq!(assess(&path, &names(&path)).unwrap().ground, Ground::Named);
        assert_eq!(destroy_name(&path), path.display().to_string());
    }

    #[test]
    fn a_missing_file_may_be_made_and_is_not_made_by_asking() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        assert_eq!(assess(&path, &[]).unwrap().ground, Ground::New);
        assert!(!path.exists());
        assert!(assess(&folder.path().join("no/such"), &[]).is_err());
        assert!(assess(Path::new("/dev/no-such-disk"), &[]).is_err());
    }

    #[test]
    fn empty_and_all_holes_lose_nothing() {
        let (_folder, path) = folder_with(b"");
        assert_eq!(assess(&path, &[]).unwrap().ground, Ground::NoData);
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(1 << 20)
            .unwrap();
        assert_eq!(assess(&path, &[]).unwrap().ground, Ground::NoData);
    }

    #[test]
    fn a_marked_file_needs_nothing() {
        let (_folder, path) = folder_with(b"ours");
        if !mark::set(&File::open(&path).unwrap()).unwrap() {
            eprintln!("skipped: the temporary folder's file system keeps no user attributes");
            return;
        }
        assert_eq!(assess(&path, &[]).unwrap().ground, Ground::Made);
    }

    #[test]
    fn links_are_followed_and_a_link_to_nothing_is_refused() {
        let (folder, path) = folder_with(b"precious");
        let link = folder.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(assess(&link, &[]).is_err());
        assert_eq!(
            assess(&link, &names(&path)).unwrap().path,
            path.canonicalize().unwrap()
        );
        let dangling = folder.path().join("dangling");
        symlink(folder.path().join("gone"), &dangling).unwrap();
        assert_eq!(
            assess(&dangling, &[]).unwrap_err().why,
            "it is a link to nothing"
        );
    }

    #[test]
    fn another_name_of_the_same_file_is_not_the_name_that_was_given() {
        let (folder, path) = folder_with(b"precious");
        let other = folder.path().join("other");
        std::fs::hard_link(&path, &other).unwrap();
        assert!(assess(&other, &names(&path)).is_err());
    }

    #[test]
    fn a_file_that_another_program_writes_is_refused_even_by_name() {
        let (_folder, path) = folder_with(b"disk image");
        let mut child = std::process::Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .stdout(File::options().append(true).open(&path).unwrap())
            .spawn()
            .unwrap();
        let refusal = assess(&path, &names(&path));
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(refusal.unwrap_err().why.contains("open for writing"));
    }
}
