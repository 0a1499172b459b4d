//! The file system of devices' nodes, where nothing is made.

use std::os::unix::fs::MetadataExt;

/// True for the file system of `/dev`: what is made there is in memory, and has a device's name.
pub(crate) fn is_among_devices(file_system: u64) -> bool {
    let number = |path: &str| std::fs::metadata(path).map(|m| m.dev()).ok();
    // Where `/dev` is a plain folder of the root, so is what is in it.
    number("/dev").filter(|dev| Some(*dev) != number("/")) == Some(file_system)
}
