//! Shared mappings, through which a file or device may be written long after its descriptor was closed.

use crate::Root;
use crate::occupancy::Subject;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// What is wanted of that which the process has mapped, shared, and may write to.
pub(super) fn mapped<'s>(
    root: &Root,
    pid: u32,
    wanted: &impl Fn(&Metadata) -> Option<&'s Subject>,
) -> Option<&'s Subject> {
    let (place, maps) = maps(root, pid)?;
    maps.lines().filter_map(Mapping::of).find_map(|mapping| {
        let subject = wanted(&mapping.leads(root, &place)?)?;
        mapping.may_write(root, &place).then_some(subject)
    })
}

/// The mappings of the process, and the folder that tells of them: its own; where its first thread has ended, and so has
/// none, that of another thread.
fn maps(root: &Root, pid: u32) -> Option<(String, String)> {
    let told = |place: String| {
        let maps = root.word(format!("{place}/maps"))?;
        Some((place, maps))
    };
    let own = format!("/proc/{pid}");
    let threads = || root.names(format!("{own}/task"));
    let of_thread = |thread: String| told(format!("{own}/task/{thread}"));
    told(own.clone()).or_else(|| threads().into_iter().find_map(of_thread))
}

/// A shared mapping of something with an inode, as a line of `/proc/PID/maps` tells of it.
struct Mapping<'t> {
    /// As `/proc/PID/map_files` has it: without zeros in front.
    range: String,
    is_writable: bool,
    path: &'t str,
}

impl<'t> Mapping<'t> {
    fn of(line: &'t str) -> Option<Self> {
        // 7f2c1e000000-7f2c1e100000 rw-s 00000000 fd:01 131   /var/lib/db
        let mut words = line.splitn(6, ' ');
        let (range, modes) = (words.next()?, words.next()?);
        if !modes.ends_with('s') {
            return None;
        }
        let (_, _, inode) = (words.next()?, words.next()?, words.next()?);
        let (from, to) = range.split_once('-')?;
        let number = |text| u64::from_str_radix(text, 16).ok();
        (inode != "0").then_some(Mapping {
            range: format!("{:x}-{:x}", number(from)?, number(to)?),
            is_writable: modes.contains('w'),
            path: words.next().unwrap_or_default().trim_start(),
        })
    }

    /// What is mapped: by the kernel's own link, which only an administrator may follow; else by its name.
    fn leads(&self, root: &Root, place: &str) -> Option<Metadata> {
        let direct = std::fs::metadata(self.link(root, place));
        let named = || {
            let below = self.path.strip_prefix('/')?;
            std::fs::metadata(root.path(format!("{place}/root")).join(below)).ok()
        };
        direct.ok().or_else(named)
    }

    /// A mapping that is read only for now may be made writable where its file was opened for writing, which the mode of
    /// the kernel's link tells.
    fn may_write(&self, root: &Root, place: &str) -> bool {
        let mode = || std::fs::symlink_metadata(self.link(root, place)).map(|link| link.mode());
        self.is_writable || mode().is_ok_and(|mode| mode & 0o200 != 0)
    }

    fn link(&self, root: &Root, place: &str) -> PathBuf {
        root.path(format!("{place}/map_files/{}", self.range))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_mappings_of_files_are_told_from_others() {
        let line = "00400000-00452000 rw-s 00000000 08:02 173521      /srv/my disk";
        let mapping = Mapping::of(line).expect("shared");
        assert_eq!(mapping.range, "400000-452000");
        assert_eq!((mapping.is_writable, mapping.path), (true, "/srv/my disk"));
        let line = line.replace("rw-s", "r--s");
        assert!(Mapping::of(&line).is_some_and(|read| !read.is_writable));
        for other in [
            line.replace("r--s", "r--p"),
            "7f00-7f01 rw-s 00000000 00:00 0 ".to_string(),
            "7f00-7f01 rw-p 00000000 00:00 0 [heap]".to_string(),
            "nonsense".to_string(),
            String::new(),
        ] {
            assert!(Mapping::of(&other).is_none(), "{other}");
        }
    }
}
