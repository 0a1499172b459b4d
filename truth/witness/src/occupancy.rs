//! Who uses a device: mounts, swap, other devices built on it, programs that have it open.

use crate::block::{self, DeviceNumber};
use crate::loops::{self, Backing, Loop};
use crate::{Root, lease, mounts, openers};
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
    /// A program has it mapped, shared, and may write to it.
    Mapped {
        /// The program's name.
        program: String,
        /// Its process.
        pid: u32,
    },
    /// The kernel says that somebody holds it, and nothing above says who.
    Claimed,
    /// The kernel counts a writer of the file, and nothing above says who.
    Written,
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
            Use::Mapped { program, pid } => {
                write!(f, "process {pid} ({program}) has it mapped for writing")
            }
            Use::Claimed => write!(f, "somebody holds it (an exclusive open fails)"),
            Use::Written => write!(
                f,
                "somebody who cannot be seen from here has it open for writing"
            ),
        }
    }
}

/// The uses of the device `name`, of its partitions and of all that is built on them. What needs an exclusive open
/// isn't asked here; see [`claim`].
pub fn uses_of_device(root: &Root, name: &str) -> Vec<Use> {
    let loops = loops::loops(root);
    let above = above(root, &loops, name);
    let mut uses = mounted(root, &above);
    uses.extend(swapped(root, &above));
    for device in &above {
        let number = block::number_of_name(root, device);
        let on_it = loops
            .iter()
            .filter(|l| is_made_of(l, device, number))
            .map(|l| l.name.clone());
        let holders = root.names(format!("/sys/class/block/{device}/holders"));
        for by in holders.into_iter().chain(on_it) {
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
    uses_below(root, &loops, name, &mut uses);
    uses
}

/// Who uses what a loop device is made of, down to the leaves: another loop device on the same bytes, whoever has the
/// file or the device below open for writing. The kernel lets them all write at once.
fn uses_below(root: &Root, loops: &[Loop], name: &str, uses: &mut Vec<Use>) {
    let disk = block::disk_of_partition(root, name).unwrap_or_else(|| name.to_string());
    let Some(own) = loops.iter().find(|l| l.name == disk) else {
        return;
    };
    for other in loops
        .iter()
        .filter(|l| l.name != own.name && l.overlaps(own))
    {
        uses.push(Use::Held {
            device: format!("what {disk} is made of"),
            by: other.name.clone(),
            by_kind: "loop".to_string(),
        });
    }
    match own.backing {
        Backing::File { dev, inode } => uses.extend(openers::of_file(root, dev, inode)),
        Backing::Device(number) => {
            let Some(below) = block::name_of_number(root, number) else {
                return;
            };
            // Its partitions and what is built on them, too. Loop devices, the asking one among them, are none of these.
            let all = block::above(root, &below);
            uses.extend(mounted(root, &all));
            uses.extend(swapped(root, &all));
            for device in &all {
                for by in root.names(format!("/sys/class/block/{device}/holders")) {
                    uses.push(Use::Held {
                        device: device.clone(),
                        by_kind: block::layer(root, &by).kind,
                        by,
                    });
                }
            }
            let numbers: Vec<DeviceNumber> = all
                .iter()
                .filter_map(|device| block::number_of_name(root, device))
                .collect();
            uses.extend(openers::of_devices(root, &numbers));
            // A loop device doesn't hold what it is made of, so whoever does is somebody else.
            let busy = |e: io::Error| e.kind() == io::ErrorKind::ResourceBusy;
            if root.is_system() && claim(&block::node_of_name(&below)).is_err_and(busy) {
                uses.push(Use::Claimed);
            }
            uses_below(root, loops, &below, uses);
        }
        Backing::Named(_) => {}
    }
}

/// The device and all that is built on it; loop devices, which `/sys` doesn't count among the holders, included.
fn above(root: &Root, loops: &[Loop], name: &str) -> Vec<String> {
    let mut found: Vec<String> = vec![name.to_string()];
    let mut next = 0;
    while let Some(current) = found.get(next).cloned() {
        next += 1;
        let number = block::number_of_name(root, &current);
        let on_it = loops
            .iter()
            .filter(|l| is_made_of(l, &current, number))
            .map(|l| l.name.clone());
        for above in block::above(root, &current).into_iter().chain(on_it) {
            if !found.contains(&above) {
                found.push(above);
            }
        }
    }
    found
}

fn is_made_of(made: &Loop, device: &str, number: Option<DeviceNumber>) -> bool {
    match &made.backing {
        Backing::Device(of) => Some(*of) == number,
        Backing::Named(path) => Path::new(path) == block::node_of_name(device),
        Backing::File { .. } => false,
    }
}

/// The uses of a regular file, whatever it is called: swap, a loop device, whoever has it open for writing. `file` must
/// be open for reading only; `path` is what it is called in the answer.
pub fn uses_of_file(root: &Root, file: &File, path: &Path) -> Vec<Use> {
    let mut uses = visible_uses_of_file(root, file, path);
    if root.is_system() && uses.is_empty() && lease::has_writer(file) == Some(true) {
        uses.push(Use::Written);
    }
    uses
}

/// As [`uses_of_file`], without the kernel's own count of writers: this process may itself have the file open for writing.
pub fn visible_uses_of_file(root: &Root, file: &File, path: &Path) -> Vec<Use> {
    let Ok(metadata) = file.metadata() else {
        return Vec::new();
    };
    let (dev, inode) = (metadata.dev(), metadata.ino());
    let shown = path.display().to_string();
    let mut uses = Vec::new();
    if swaps_to(root, dev, inode) {
        uses.push(Use::Swap {
            device: shown.clone(),
        });
    }
    for made in loops::loops(root) {
        let is_on_it = match &made.backing {
            Backing::File { dev: d, inode: i } => (*d, *i) == (dev, inode),
            Backing::Named(name) => *name == shown,
            Backing::Device(_) => false,
        };
        if is_on_it {
            uses.push(Use::Held {
                device: shown.clone(),
                by: made.name,
                by_kind: "loop".to_string(),
            });
        }
    }
    if !root.is_system() {
        return uses;
    }
    uses.extend(openers::of_file(root, dev, inode));
    uses
}

/// Names of swap files are those of one mount name space, so each is looked up in every one that can be seen.
fn swaps_to(root: &Root, dev: u64, inode: u64) -> bool {
    let swaps = mounts::swaps(root);
    if swaps.is_empty() || !root.is_system() {
        return false;
    }
    let views: Vec<PathBuf> = mounts::name_spaces(root)
        .into_iter()
        .map(|pid| PathBuf::from(format!("/proc/{pid}/root")))
        .collect();
    swaps.iter().any(|swap| {
        let here = std::iter::once(swap.clone());
        let elsewhere = views.iter().filter_map(|view| {
            let below = swap.strip_prefix("/").ok()?;
            Some(view.join(below))
        });
        here.chain(elsewhere).any(|path| {
            std::fs::metadata(path).is_ok_and(|found| (found.dev(), found.ino()) == (dev, inode))
        })
    })
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
    mounts::everywhere(root)
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
