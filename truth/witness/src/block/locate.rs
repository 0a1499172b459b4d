//! Which device lies under a path.

use super::{DeviceNumber, name_of_number};
use crate::{Root, mounts};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Why nothing can be said of a path.
#[derive(Debug, thiserror::Error)]
pub enum LocateError {
    /// It cannot be looked at.
    #[error("{path}: {source}")]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

/// The kernel name of the device that `path` is, or that its file system is on. `None`: no block device shows, as for
/// tmpfs, NFS or overlay. A file system with a number of its own (btrfs) is found by its mount's source.
///
/// Under a captured tree a path below `/dev` names its device and any other path goes by the mounts alone.
pub fn device_of_path(root: &Root, path: &Path) -> Result<Option<String>, LocateError> {
    if !root.is_system() {
        return Ok(captured_device(root, path));
    }
    let unreadable = |source| LocateError::Unreadable {
        path: path.to_path_buf(),
        source,
    };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if metadata.file_type().is_block_device() {
        return Ok(name_of_number(root, DeviceNumber::of(metadata.rdev())));
    }
    let number = DeviceNumber::of(metadata.dev());
    if let Some(name) = name_of_number(root, number) {
        return Ok(Some(name));
    }
    let path = path.canonicalize().map_err(unreadable)?;
    let mounts = mounts::mounts(root);
    Ok(mounts::holding(&mounts, &path).and_then(|mount| device_of_source(root, &mount.source)))
}

fn captured_device(root: &Root, path: &Path) -> Option<String> {
    if path.starts_with("/dev") {
        return device_of_source(root, path.to_str()?);
    }
    let mounts = mounts::mounts(root);
    let mount = mounts::holding(&mounts, path)?;
    name_of_number(root, mount.device).or_else(|| device_of_source(root, &mount.source))
}

/// `/dev/sda1`, `/dev/mapper/vg-lv`, or a link below `/dev`.
pub(crate) fn device_of_source(root: &Root, source: &str) -> Option<String> {
    let below = source.strip_prefix("/dev/")?;
    let known = |name: &str| {
        root.has(format!("/sys/class/block/{name}"))
            .then(|| name.to_string())
    };
    if let Some(mapped) = below.strip_prefix("mapper/") {
        let by_name = super::disks(root).into_iter().find(|disk| {
            root.text(format!("/sys/class/block/{disk}/dm/name"))
                .as_deref()
                == Some(mapped)
        });
        if by_name.is_some() {
            return by_name;
        }
    }
    known(&below.replace('/', "!")).or_else(|| known(root.link(source)?.file_name()?.to_str()?))
}
