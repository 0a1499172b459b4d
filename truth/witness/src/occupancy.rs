//! Who uses a device: mounts, swap, other devices built on it, programs that have it open.

use crate::block::{self, DeviceNumber};
use crate::{Root, mounts, openers};
use serde::Serialize;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// One use of a device, of one of its partitions, or of something built on them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "use", rename_all = "snake_case")]
pub enum Use {
    /// A file system on `device` is mounted.
    Mounted {
        /// The device that is mounted: itself, or one above it.
        device: String,
        /// Where.
        at: PathBuf,
    },
    /// `device` is swapped to.
    Swap {
        /// The device: itself, or one above it.
        device: String,
    },
    /// `device` is part of another device.
    Held {
        /// The device: itself, or one above it.
        device: String,
        /// What is built on it.
        by: String,
        /// `dm`, `md`, `multipath`, `loop`…
        by_kind: String,
    },
    /// A program has it open for writing.
    Opened {
        /// The program's name.
        program: String,
        /// Its process.
        pid: u32,
    },
    /// The kernel says that somebody holds it, and nothing above says who.
    Claimed,
}

impl std::fmt::Display for Use {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Use::Mounted { device, at } => write!(f, "{device} is mounted at {}", at.display()),
            Use::Swap { device } => write!(f, "{device} is swap space in use"),
            Use::Held {
                device,
                by,
                by_kind,
            } => write!(f, "{device} is part of {by} ({by_kind})"),
            Use::Opened { program, pid } => {
                write!(f, "process {pid} ({program}) has it open for writing")
            }
            Use::Claimed => write!(f, "somebody holds it (an exclusive open fails)"),
        }
    }
}

/// The uses of the device `name`, of its partitions and of all that is built on them. What needs an exclusive open
/// isn't asked here; see [`claim`].
pub fn uses_of_device(root: &Root, name: &str) -> Vec<Use> {
    let above = block::above(root, name);
    let mut uses = mounted(root, &above);
    uses.extend(swapped(root, &above));
    for device in &above {
        for by in root.names(format!("/sys/class/block/{device}/holders")) {
            uses.push(Use::Held {
                device: device.clone(),
                by_kind: block::layer(root, &by).kind,
                by,
            });
        }
    }
    let numbers: Vec<DeviceNumber> = above
        .iter()
        .filter_map(|device| block::number_of_name(root, device))
        .collect();
    uses.extend(openers::of_devices(root, &numbers));
    uses
}

/// The uses of a regular file: swap, a loop device, programs that have it open for writing. `path` is absolute and
/// without links.
pub fn uses_of_file(root: &Root, path: &Path) -> Vec<Use> {
    let shown = path.display().to_string();
    let mut uses = Vec::new();
    if mounts::swaps(root).iter().any(|swap| swap == path) {
        uses.push(Use::Swap {
            device: shown.clone(),
        });
    }
    for disk in block::disks(root) {
        let file = root.word(format!("/sys/class/block/{disk}/loop/backing_file"));
        if file.as_deref() == Some(shown.as_str()) {
            uses.push(Use::Held {
                device: shown.clone(),
                by: disk,
                by_kind: "loop".to_string(),
            });
        }
    }
    if let Ok(metadata) = std::fs::metadata(root.path(path)) {
        uses.extend(openers::of_file(root, metadata.dev(), metadata.ino()));
    }
    uses
}

/// Opens a block device for reading so that nobody else can mount it, build on it or claim it while the file is open;
/// others' ordinary opens go on. `ResourceBusy` where somebody holds it already.
pub fn claim(device: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .custom_flags(rustix::fs::OFlags::EXCL.bits() as i32)
        .open(device)
}

fn mounted(root: &Root, above: &[String]) -> Vec<Use> {
    mounts::mounts(root)
        .into_iter()
        .filter_map(|mount| {
            let device = block::name_of_number(root, mount.device)
                .or_else(|| block::device_of_source(root, &mount.source))?;
            above.contains(&device).then_some(Use::Mounted {
                device,
                at: mount.point,
            })
        })
        .collect()
}

fn swapped(root: &Root, above: &[String]) -> Vec<Use> {
    mounts::swaps(root)
        .iter()
        .filter_map(|swap| block::device_of_source(root, swap.to_str()?))
        .filter(|device| above.contains(device))
        .map(|device| Use::Swap { device })
        .collect()
}
