//! Loop devices, and the very file or device that each is made of.

use crate::block::{DeviceNumber, disks, node_of_name, number_of_name};
use crate::{Root, mounts};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// A loop device in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// Its kernel name: `loop0`.
    pub name: String,
    /// What it is made of.
    pub backing: Backing,
    /// Where in it the device begins, bytes.
    pub offset: u64,
    /// How many bytes of it the device has at most; `u64::MAX` where nothing limits it.
    pub limit: u64,
}

/// What a loop device is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backing {
    /// A file, whatever it is called and whoever sees it.
    File {
        /// Its file system's device number.
        dev: u64,
        /// Its inode.
        inode: u64,
    },
    /// A block device.
    Device(DeviceNumber),
    /// Only a name is known: under a captured tree, or where the device may not be asked.
    Named(String),
}

/// The kernel's `struct loop_info64` has 232 bytes and begins with these numbers.
const INFO_WORDS: usize = 232 / 8;
const DEVICE: usize = 0;
const INODE: usize = 1;
const RDEVICE: usize = 2;
const OFFSET: usize = 3;
const SIZE_LIMIT: usize = 4;
const LOOP_GET_STATUS64: libc::Ioctl = 0x4C05;

/// The loop devices that are set up.
///
/// The kernel itself is asked, by inode: the name that it shows is that of one mount name space, and another link or a
/// bind mount leads to the same file.
pub fn loops(root: &Root) -> Vec<Loop> {
    disks(root)
        .into_iter()
        .filter_map(|name| {
            let shown = root.bytes(format!("/sys/class/block/{name}/loop/backing_file"))?;
            Some(asked(root, &name).unwrap_or_else(|| Loop {
                backing: named(root, &shown),
                name,
                offset: 0,
                limit: u64::MAX,
            }))
        })
        .collect()
}

/// The type of the file system that has a loop device's file; `None` where it is made of a device, or that cannot be seen. The mounts
/// of others count, too: a file has its file system's number in all of them.
pub fn filesystem_below(root: &Root, name: &str) -> Option<String> {
    let own = loops(root).into_iter().find(|l| l.name == name)?;
    match own.backing {
        Backing::File { dev, .. } => {
            let number = DeviceNumber::of(dev);
            let mut mounts = mounts::everywhere(root).into_iter();
            mounts.find(|m| m.device == number).map(|m| m.filesystem)
        }
        Backing::Named(path) => {
            let mounts = mounts::mounts(root);
            Some(
                mounts::holding(&mounts, Path::new(&path))?
                    .filesystem
                    .clone(),
            )
        }
        Backing::Device(_) => None,
    }
}

fn asked(root: &Root, name: &str) -> Option<Loop> {
    if !root.is_system() {
        return None;
    }
    let device = File::open(node_of_name(name)).ok()?;
    let number = DeviceNumber::of(device.metadata().ok()?.rdev());
    if number_of_name(root, name) != Some(number) {
        return None;
    }
    let mut info = [0u64; INFO_WORDS];
    // SAFETY: the call writes one `struct loop_info64`, which is as long as `info`.
    let answered = unsafe { libc::ioctl(device.as_raw_fd(), LOOP_GET_STATUS64, &mut info) };
    if answered != 0 {
        return None;
    }
    let backing = match info[RDEVICE] {
        0 => Backing::File {
            dev: info[DEVICE],
            inode: info[INODE],
        },
        number => Backing::Device(DeviceNumber::of(number)),
    };
    Some(Loop {
        name: name.to_string(),
        backing,
        offset: info[OFFSET],
        // 0 is no limit.
        limit: info[SIZE_LIMIT].checked_sub(1).map_or(u64::MAX, |l| l + 1),
    })
}

/// The name without the line's end; it may end in blanks of its own.
fn named(root: &Root, shown: &[u8]) -> Backing {
    let shown = shown.strip_suffix(b"\n").unwrap_or(shown);
    let name = String::from_utf8_lossy(shown).into_owned();
    if !root.is_system() {
        return Backing::Named(name);
    }
    match std::fs::metadata(Path::new(&name)) {
        Ok(found) if found.file_type().is_block_device() => {
            Backing::Device(DeviceNumber::of(found.rdev()))
        }
        Ok(found) => Backing::File {
            dev: found.dev(),
            inode: found.ino(),
        },
        Err(_) => Backing::Named(name),
    }
}
