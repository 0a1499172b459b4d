//! The names that `--destroy` takes.

use crate::path_handle::PathHandle;
use plimsoll_witness::Root;
use plimsoll_witness::block::{self, NameSource, StableName};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Whether a name given with `--destroy` means the file or device at `path`, be it one that is accepted or not.
pub fn is_meant(given: &str, path: &Path) -> bool {
    let same = |a: &Path, b: &Path| match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    };
    let named = || of_device(&Root::system(), path);
    same(Path::new(given), path)
        || (is_device(path) && named().iter().any(|name| means(given, name)))
}

/// What `--destroy` takes for the target at `path`: a device's most stable name, a file's path.
pub fn destroy_name(path: &Path) -> String {
    let named = is_device(path)
        .then(|| of_device(&Root::system(), path).into_iter().next())
        .flatten();
    named.map_or_else(|| path.display().to_string(), |name| name.text)
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

/// Whether `--destroy` was given with this very file's path. Another hard link to it is another name.
pub(super) fn is_file_named(held: &PathHandle, destroy: &[String]) -> bool {
    destroy.iter().any(|given| {
        PathHandle::open(Path::new(given)).is_ok_and(|given| {
            given.identity() == held.identity() && given.resolved() == held.resolved()
        })
    })
}

/// A link's name is also taken with its folder before it.
pub(super) fn means(given: &str, name: &StableName) -> bool {
    let folders: &[&str] = match name.source {
        NameSource::ById => &["/dev/disk/by-id/"],
        NameSource::Place => &["/dev/disk/by-path/"],
        NameSource::Definition => &["/dev/mapper/"],
        NameSource::Wwn | NameSource::Serial | NameSource::Kernel => &[],
    };
    given == name.text
        || folders
            .iter()
            .any(|folder| given.strip_prefix(folder) == Some(name.text.as_str()))
}

fn is_device(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|m| m.file_type().is_block_device())
}

fn of_device(root: &Root, path: &Path) -> Vec<StableName> {
    match block::device_of_path(root, path) {
        Ok(Some(name)) => block::stable_names(root, &block::layer(root, &name)),
        _ => Vec::new(),
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
    fn any_stable_name_counts_and_a_link_with_its_folder_too() {
        let names = [
            ("naa.600", NameSource::Wwn),
            ("scsi-3600", NameSource::ById),
        ]
        .map(|(text, source)| StableName {
            text: text.to_string(),
            source,
        });
        let is_taken = |given: &str| names.iter().any(|name| means(given, name));
        for given in ["naa.600", "scsi-3600", "/dev/disk/by-id/scsi-3600"] {
            assert!(is_taken(given), "{given}");
        }
        for given in ["/dev/disk/by-id/naa.600", "/dev/sda", ""] {
            assert!(!is_taken(given), "{given}");
        }
    }
}
