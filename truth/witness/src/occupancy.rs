//! Who uses a device or file, and all that shares storage with it: mounts, swap, other devices built on it, programs that have it
//! open, the kernel that serves it.

use crate::block::{self, DeviceNumber};
use crate::exports;
use crate::locks;
use crate::openers::{self, Key};
use crate::storage::{Node, Relation, Sharer, Storage};
pub use crate::uses::{Subject, Use};
use crate::{Root, lease, mounts};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The uses of the device `name` and of all that shares storage with it. What needs an exclusive open isn't asked here; see
/// [`claim`].
pub fn uses_of_device(root: &Root, storage: &Storage, name: &str) -> Vec<Use> {
    uses(root, storage, &Node::Device(name.to_string()), name)
}

/// The uses of a regular file, whatever it is called, and of the loop devices on it. `file` must be open for reading only;
/// `path` is what it is called in the answer.
pub fn uses_of_file(root: &Root, file: &File, path: &Path) -> Vec<Use> {
    let mut uses = visible_uses_of_file(root, file, path);
    if root.is_system() && uses.is_empty() {
        if locks::is_byte_locked(file) {
            let of = Subject::itself(path.display().to_string());
            uses.push(Use::Locked { of, by: None });
        }
        if lease::has_writer(file) == Some(true) {
            uses.push(Use::Written);
        }
    }
    uses
}

/// As [`uses_of_file`], without the kernel's own count of writers and its locks on bytes: this process may itself have the file open
/// for writing, and locked.
pub fn visible_uses_of_file(root: &Root, file: &File, path: &Path) -> Vec<Use> {
    let Ok(metadata) = file.metadata() else {
        return Vec::new();
    };
    let (dev, inode) = (metadata.dev(), metadata.ino());
    let node = match root.is_system() {
        true => Node::File { dev, inode },
        false => Node::Named(path.display().to_string()),
    };
    let shown = path.display().to_string();
    uses(root, &Storage::with_file(root, &node), &node, &shown)
}

fn uses(root: &Root, storage: &Storage, node: &Node, shown: &str) -> Vec<Use> {
    let shared = storage.shared_with(node);
    let sharers: Vec<(&Sharer, Subject)> = shared
        .iter()
        .map(|sharer| (sharer, subject(sharer, shown)))
        .collect();
    let mut uses = mounted(root, &sharers);
    uses.extend(swapped(root, &sharers));
    uses.extend(held(storage, &shared, shown));
    uses.extend(openers::of(root, &keys(root, &sharers)));
    uses.extend(exported(root, &sharers));
    uses
}

/// What a sharer is called.
fn subject(sharer: &Sharer, shown: &str) -> Subject {
    let name = match &sharer.thing.node {
        _ if sharer.relation == Relation::Itself => shown.to_string(),
        Node::Device(name) | Node::Named(name) => name.clone(),
        Node::File { .. } => "the file".to_string(),
    };
    Subject {
        name,
        relation: sharer.relation,
    }
}

type Sharers<'a> = [(&'a Sharer<'a>, Subject)];

/// The sharer that is the device of this name.
fn device_among(sharers: &Sharers, name: &str) -> Option<Subject> {
    let mut devices = sharers.iter();
    let found = devices.find(|(sharer, _)| sharer.thing.device() == Some(name));
    found.map(|(_, subject)| subject.clone())
}

/// The sharer that is the file or device at a path.
fn named_among(root: &Root, sharers: &Sharers, path: &Path) -> Option<Subject> {
    if !root.is_system() {
        return device_among(sharers, &block::device_of_source(root, path.to_str()?)?);
    }
    let metadata = std::fs::metadata(path).ok()?;
    if metadata.file_type().is_block_device() {
        let number = DeviceNumber::of(metadata.rdev());
        return device_among(sharers, &block::name_of_number(root, number)?);
    }
    let node = Node::File {
        dev: metadata.dev(),
        inode: metadata.ino(),
    };
    let found = sharers.iter().find(|(sharer, _)| sharer.thing.node == node);
    found.map(|(_, subject)| subject.clone())
}

fn mounted(root: &Root, sharers: &Sharers) -> Vec<Use> {
    mounts::everywhere(root)
        .into_iter()
        .filter_map(|mount| {
            let device = block::name_of_number(root, mount.device)
                .or_else(|| block::device_of_source(root, &mount.source));
            let of = match device {
                Some(device) => device_among(sharers, &device),
                // An image that is mounted without a loop device.
                None if mount.filesystem == "erofs" => {
                    let views = [PathBuf::from("/")].into_iter().chain(mount.view());
                    let mut paths = views.map(|view| {
                        view.join(mount.source.strip_prefix('/').unwrap_or(&mount.source))
                    });
                    paths.find_map(|path| named_among(root, sharers, &path))
                }
                None => None,
            }?;
            Some(Use::Mounted {
                of,
                at: mount.point,
            })
        })
        .collect()
}

fn swapped(root: &Root, sharers: &Sharers) -> Vec<Use> {
    let swaps = mounts::swaps(root);
    let devices = swaps.iter().filter_map(|swap| {
        let device = block::device_of_source(root, swap.to_str()?)?;
        device_among(sharers, &device)
    });
    let files = sharers
        .iter()
        .filter(|(sharer, _)| match sharer.thing.node {
            Node::File { dev, inode } => swaps_to(root, &swaps, dev, inode),
            _ => false,
        });
    let files = files.map(|(_, subject)| subject.clone());
    devices.chain(files).map(|of| Use::Swap { of }).collect()
}

/// What is built on it, or on a part of its storage that nothing else shares out.
fn held(storage: &Storage, shared: &[Sharer], shown: &str) -> Vec<Use> {
    let built = shared.iter().filter(|sharer| {
        let is_other = matches!(sharer.relation, Relation::Above | Relation::Beside);
        is_other && sharer.is_direct && sharer.thing.is_built()
    });
    built
        .map(|built| {
            let parts: Vec<&Sharer> = storage
                .parts_of(built.thing)
                .filter_map(|part| shared.iter().find(|s| s.thing.node == part.node))
                .collect();
            // It itself, then what is above it, then another path.
            let order = [
                Relation::Itself,
                Relation::Above,
                Relation::Beside,
                Relation::Below,
            ];
            let mut found = order
                .iter()
                .filter_map(|relation| parts.iter().find(|part| part.relation == *relation));
            let of = found
                .next()
                .map_or_else(|| Subject::itself(shown), |part| subject(part, shown));
            Use::Held {
                of,
                by: built.thing.device().unwrap_or_default().to_string(),
                by_kind: built.thing.kind.clone(),
            }
        })
        .collect()
}

/// What programs that use the sharers have open: their nodes, and those that take commands to a disk.
fn keys(root: &Root, sharers: &Sharers) -> Vec<(Key, Subject)> {
    let mut keys = Vec::new();
    for (sharer, subject) in sharers {
        if let Node::File { dev, inode } = sharer.thing.node {
            keys.push((Key::File { dev, inode }, subject.clone()));
        }
        keys.extend(
            sharer
                .thing
                .number
                .map(|n| (Key::Block(n), subject.clone())),
        );
        let Some(disk) = sharer
            .thing
            .device()
            .filter(|_| sharer.thing.kind == "disk")
        else {
            continue;
        };
        for (name, number) in block::command_nodes(root, disk) {
            let relation = Relation::Beside;
            keys.push((Key::Character(number), Subject { name, relation }));
        }
    }
    keys
}

fn exported(root: &Root, sharers: &Sharers) -> Vec<Use> {
    let exports = exports::exports(root).into_iter();
    exports
        .filter_map(|export| {
            let of = named_among(root, sharers, &export.path)?;
            Some(Use::Exported { of, by: export.by })
        })
        .collect()
}

/// Names of swap files are those of one mount name space, so each is looked up in every one that can be seen.
fn swaps_to(root: &Root, swaps: &[PathBuf], dev: u64, inode: u64) -> bool {
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

/// Claims on what shares the storage of the device `name` and isn't held with it: other paths of it, and what loop devices below
/// it are made of. `try_claim` claims a device by its name. An error where somebody else holds one.
pub fn claimed<T>(
    storage: &Storage,
    name: &str,
    mut try_claim: impl FnMut(&str) -> io::Result<T>,
) -> Result<Vec<T>, Use> {
    let mut claims = Vec::new();
    for sharer in storage.to_claim(name) {
        let of = subject(&sharer, name);
        match try_claim(&of.name) {
            Ok(claim) => claims.push(claim),
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                return Err(Use::Claimed { of });
            }
            // It has no node, or is for others: what can be seen of it was looked at.
            Err(_) => {}
        }
    }
    Ok(claims)
}

/// Opens a block device for reading so that nobody else can mount it, build on it or claim it while the file is open;
/// others' ordinary opens go on. `ResourceBusy` where somebody holds it already.
pub fn claim(device: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .custom_flags(rustix::fs::OFlags::EXCL.bits() as i32)
        .open(device)
}
