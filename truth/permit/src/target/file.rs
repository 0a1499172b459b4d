//! Whether a regular file may be written.

use super::content::Recogniser;
use super::device::signatures;
use super::keeper::Keeper;
use super::names::{destroy_flag, is_file_named};
use super::permit::{Ground, WritePermit};
use super::{Refusal, claims, mark};
use crate::PathHandle;
use plimsoll_witness::locks::{self, Holder};
use plimsoll_witness::occupancy::{self, Use};
use plimsoll_witness::{Root, signature};
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

/// As [`super::assess`], for a regular file.
pub(super) fn assess(
    root: &Root,
    held: PathHandle,
    destroy: &[String],
    is_ours: Recogniser<'_>,
) -> Result<WritePermit, Refusal> {
    let judged = judge(root, &held, destroy, is_ours).and_then(|(ground, file)| {
        Ok((ground, file, Keeper::of(&held, None).map_err(cannot_look)?))
    });
    match judged {
        Ok((ground, file, keeper)) => Ok(WritePermit {
            held,
            ground,
            keeper,
            guards: vec![file],
            device: None,
        }),
        Err((why, remedy)) => Err(Refusal {
            path: held.path().to_path_buf(),
            why,
            remedy,
        }),
    }
}

/// Why not, and what to do.
type Reason = (String, String);

fn judge(
    root: &Root,
    held: &PathHandle,
    destroy: &[String],
    is_ours: Recogniser<'_>,
) -> Result<(Ground, Arc<File>), Reason> {
    // Locked first and looked at then, so that no other Plimsoll comes in between.
    let file = claim(root, held)?;
    let uses = occupancy::uses_of_file(root, &file, held.resolved());
    if let Some(used) = uses.first() {
        return Err((format!("it is in use: {used}"), remedy(used)));
    }
    let is_named = is_file_named(held, destroy);
    if holds_nothing(&file) {
        return Ok((Ground::NoData, file));
    }
    let found = found_on(held, &file, is_ours);
    if is_named {
        let is_made = matches!(found, Ok(None));
        return Ok((if is_made { Ground::Made } else { Ground::Named }, file));
    }
    let Some(why) = found.map_err(cannot_look)? else {
        return Ok((Ground::Made, file));
    };
    let flag = destroy_flag(&held.path().display().to_string());
    Err((why, format!("to destroy what is in it, add {flag}")))
}

fn cannot_look(error: io::Error) -> Reason {
    (
        format!("it cannot be looked at before writing: {error}"),
        "run as a user who may read it".to_string(),
    )
}

/// The file, locked so that of several Plimsolls one writes it; on network file systems only opened.
pub(super) fn claim(root: &Root, held: &PathHandle) -> Result<Arc<File>, Reason> {
    let reader = held.open_to_read().map_err(cannot_look)?;
    let holders = || Vec::from_iter(locks::holder(root, &reader));
    let (claimed, holders) = claims::claim_patiently(held, holders);
    match claimed {
        Ok(file) if is_gone(held, &file) => Err((
            "it was removed while it was looked at".to_string(),
            "start again, or name another file".to_string(),
        )),
        Ok(file) => Ok(file),
        Err(error) if claims::is_busy(&error) => Err(locked_by(holders.first())),
        Err(error) => Err(cannot_look(error)),
    }
}

/// True where the file has lost its last name since it was looked up: another Plimsoll that made it has removed it.
fn is_gone(held: &PathHandle, file: &File) -> bool {
    held.metadata().nlink() > 0 && file.metadata().is_ok_and(|now| now.nlink() == 0)
}

/// Reason why a file that somebody has locked is not written, and what to do.
pub(super) fn locked_by(holder: Option<&Holder>) -> Reason {
    match holder {
        Some(Holder { pid, program }) if program == "plimsoll" => (
            format!("it is in use: another Plimsoll (process {pid}) is writing it"),
            "wait until that run has ended, or name another file".to_string(),
        ),
        Some(Holder { pid, program }) => (
            format!("it is in use: process {pid} ({program}) has it locked (flock)"),
            format!("stop process {pid} first, or name another file"),
        ),
        None => (
            "it is in use: a process that cannot be seen from here has it locked (flock), perhaps another Plimsoll that is writing it"
                .to_string(),
            "wait until that run has ended, or name another file".to_string(),
        ),
    }
}

/// What would be lost in a file with data, in words; `None` where Plimsoll made it and nobody else has written to it.
fn found_on(held: &PathHandle, file: &File, is_ours: Recogniser<'_>) -> io::Result<Option<String>> {
    let Some(mark) = mark::of(file) else {
        let why = "it holds data and does not carry the mark of a file that Plimsoll made";
        return Ok(Some(why.to_string()));
    };
    let mut probe = mark::probe(held)?;
    let size = probe.file().metadata()?.len();
    let others = signatures(&signature::scan(&mut probe, size, 0, 0)?, true);
    if !others.is_empty() {
        let others = others.join(", ");
        return Ok(Some(format!("Plimsoll made it, and now it holds {others}")));
    }
    let misfit = mark.misfit(held, file, is_ours)?;
    Ok(misfit.map(|why| format!("Plimsoll made it, and {why}")))
}

/// True where no byte was ever written: an empty file, or one of holes (`truncate -s`, `fallocate`). A file system
/// that doesn't know holes shows data everywhere.
pub(super) fn holds_nothing(file: &File) -> bool {
    matches!(seek(file, SeekFrom::Data(0)), Err(Errno::NXIO))
}

fn remedy(used: &Use) -> String {
    match used {
        Use::Swap { of } => format!("take it out of use first: swapoff {}", of.name),
        Use::Held { by, .. } => {
            format!("test /dev/{by} instead, or detach it first: losetup -d /dev/{by}")
        }
        Use::Opened { pid, .. }
        | Use::Mapped { pid, .. }
        | Use::Locked {
            by: Some(Holder { pid, .. }),
            ..
        } => format!("stop process {pid} first, or name another file"),
        Use::Exported { .. } | Use::Written | Use::Locked { by: None, .. } => {
            "find out who serves or uses it (an iSCSI or NVMe target, a container), or name another file"
                .to_string()
        }
        Use::Mounted { at, .. } => format!(
            "unmount it first (umount {}), or name another file",
            at.display()
        ),
        Use::Claimed { .. } => "take it out of use first".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Place, assess, destroy_name, look_up};
    use super::*;
    use std::os::unix::fs::{FileExt, symlink};
    use std::path::{Path, PathBuf};

    fn folder_with(content: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, content).unwrap();
        (folder, path)
    }

    fn names(path: &Path) -> Vec<String> {
        vec![path.display().to_string()]
    }

    fn ground(path: &Path, destroy: &[String]) -> Result<Ground, Refusal> {
        match look_up(path)? {
            Place::There(held) => {
                // What these tests write is the letter p.
                let is_ours = |_: &str, block: &[u8]| block.iter().all(|b| [0, b'p'].contains(b));
                assess(held, destroy, &is_ours).map(|permit| permit.ground())
            }
            Place::Missing(new) => new.map(|_| Ground::New),
        }
    }

    #[test]
    fn a_file_with_data_needs_its_path_and_is_told_so() {
        let (_folder, path) = folder_with(b"precious");
        let refusal = ground(&path, &[]).unwrap_err();
        assert!(
            refusal
                .remedy
                .ends_with(&format!("--destroy {}", path.display())),
            "{}",
            refusal.remedy
        );
        assert!(ground(&path, &["/other".to_string()]).is_err());
        assert_eq!(ground(&path, &names(&path)).unwrap(), Ground::Named);
        assert_eq!(destroy_name(&path), path.display().to_string());
    }

    #[test]
    fn a_missing_file_may_be_made_and_is_not_made_by_asking() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        assert_eq!(ground(&path, &[]).unwrap(), Ground::New);
        assert!(!path.exists());
        assert!(ground(&folder.path().join("no/such"), &[]).is_err());
        assert!(ground(Path::new("/dev/no-such-disk"), &[]).is_err());
    }

    #[test]
    fn empty_and_all_holes_lose_nothing() {
        let (_folder, path) = folder_with(b"");
        assert_eq!(ground(&path, &[]).unwrap(), Ground::NoData);
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(1 << 20)
            .unwrap();
        assert_eq!(ground(&path, &[]).unwrap(), Ground::NoData);
    }

    /// A file of a run, after the run or after its end was cut off; `None` where its file system keeps no marks.
    fn made(is_ended: bool) -> Option<(tempfile::TempDir, PathBuf)> {
        let (folder, path) = folder_with(&[b'p'; 1 << 16]);
        if !mark::begin(&File::open(&path).unwrap(), "").unwrap() {
            plimsoll_skipped::skipped!(
                "the temporary folder's file system keeps no user attributes"
            );
            return None;
        }
        if is_ended {
            mark::end(&PathHandle::open(&path).unwrap()).unwrap();
        }
        Some((folder, path))
    }

    fn write(path: &Path, bytes: &[u8], at: u64) {
        let file = File::options().write(true).open(path).unwrap();
        file.write_all_at(bytes, at).unwrap();
    }

    #[test]
    fn a_marked_file_needs_nothing_until_it_is_something_else() {
        for is_ended in [true, false] {
            let Some((_folder, path)) = made(is_ended) else {
                return;
            };
            assert_eq!(ground(&path, &[]).unwrap(), Ground::Made);
            assert_eq!(ground(&path, &names(&path)).unwrap(), Ground::Made);
            write(&path, b"XFSB", 0);
            let refusal = ground(&path, &[]).unwrap_err();
            assert!(refusal.why.contains("now it holds xfs"), "{refusal}");
            assert_eq!(ground(&path, &names(&path)).unwrap(), Ground::Named);
        }
    }

    #[test]
    fn what_somebody_wrote_after_the_run_is_seen_by_length_and_content() {
        for (at, said) in [
            (1 << 16, "it has 65537 bytes, and had 65536"),
            (40_000, "what it holds has changed"),
        ] {
            let Some((_folder, path)) = made(true) else {
                return;
            };
            let time = std::fs::metadata(&path).unwrap().modified().unwrap();
            let file = File::options().write(true).open(&path).unwrap();
            file.write_all_at(b"x", at).unwrap();
            file.set_modified(time).unwrap();
            drop(file);
            let refusal = ground(&path, &[]).unwrap_err();
            assert!(refusal.why.contains("since the last run"), "{refusal}");
            assert!(refusal.why.contains(said), "{refusal}");
        }
    }

    #[test]
    fn a_later_change_of_the_file_is_enough() {
        let Some((_folder, path)) = made(true) else {
            return;
        };
        let file = File::options().write(true).open(&path).unwrap();
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
        file.set_modified(later).unwrap();
        drop(file);
        let refusal = ground(&path, &[]).unwrap_err();
        assert!(refusal.why.contains("it was changed later"), "{refusal}");
    }

    #[test]
    fn after_a_run_that_was_cut_off_the_content_decides() {
        let Some((_folder, path)) = made(false) else {
            return;
        };
        write(&path, &[0; 4096], 8192);
        assert_eq!(ground(&path, &[]).unwrap(), Ground::Made);
        write(&path, b"precious", 40_000);
        let refusal = ground(&path, &[]).unwrap_err();
        let said =
            "the last run on it was cut off: at byte 36864 there is data that is not Plimsoll's";
        assert!(refusal.why.contains(said), "{refusal}");

        // To be told once to destroy a part of it is not to be told that all of it is Plimsoll's.
        let Place::There(held) = look_up(&path).unwrap() else {
            panic!("it is there")
        };
        let permit = assess(held, &names(&path), &|_, _| false).unwrap();
        permit.begin("").unwrap();
        drop(permit);
        write(&path, &[b'p'; 4096], 36_864);
        let refusal = ground(&path, &[]).unwrap_err();
        assert!(refusal.why.contains("does not carry the mark"), "{refusal}");
    }

    #[test]
    fn links_are_followed_and_a_link_to_nothing_is_refused() {
        let (folder, path) = folder_with(b"precious");
        let link = folder.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(ground(&link, &[]).is_err());
        assert_eq!(ground(&link, &names(&path)).unwrap(), Ground::Named);
        let dangling = folder.path().join("dangling");
        symlink(folder.path().join("gone"), &dangling).unwrap();
        assert_eq!(
            ground(&dangling, &[]).unwrap_err().why,
            "it is a link to nothing"
        );
    }

    #[test]
    fn another_name_of_the_same_file_is_not_the_name_that_was_given() {
        let (folder, path) = folder_with(b"precious");
        let other = folder.path().join("other");
        std::fs::hard_link(&path, &other).unwrap();
        assert!(ground(&other, &names(&path)).is_err());
    }

    #[test]
    fn a_file_that_another_program_writes_is_refused_even_by_name() {
        for content in [&b"disk image"[..], b""] {
            let (_folder, path) = folder_with(content);
            mark::begin(&File::open(&path).unwrap(), "").unwrap();
            let mut child = std::process::Command::new("cat")
                .stdin(std::process::Stdio::piped())
                .stdout(File::options().append(true).open(&path).unwrap())
                .spawn()
                .unwrap();
            let refusal = ground(&path, &names(&path));
            drop(child.stdin.take());
            child.wait().unwrap();
            assert!(refusal.unwrap_err().why.contains("open for writing"));
        }
    }

    #[test]
    fn a_writer_that_no_process_shows_is_counted_by_the_kernel() {
        let (_folder, path) = folder_with(b"disk image");
        // This process's own descriptors are passed over in /proc.
        let _writer = File::options().write(true).open(&path).unwrap();
        let refusal = ground(&path, &names(&path)).unwrap_err();
        assert!(
            refusal.why.contains("cannot be seen from here"),
            "{refusal}"
        );
    }
}
