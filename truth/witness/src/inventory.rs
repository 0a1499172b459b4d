//! What can be tested here: each block device, what it is made of, who uses it, what it holds.

mod table;

pub use table::table;

use crate::block::{self, StableName};
use crate::content::fingerprint;
use crate::occupancy::{self, Subject, Use};
use crate::probe::Probe;
use crate::signature::{self, Scan};
use crate::storage::Storage;
use crate::{Root, label, reservation};
use plimsoll_evidence::BlockLayer;
use serde::Serialize;
use std::io::{self, ErrorKind, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Sampled looks at a device in a listing; few, so that a listing of many disks stays quick.
const LISTING_SAMPLES: usize = 32;
/// The seed of those looks.
const LISTING_SEED: u64 = 0x706c_696d;

/// One block device.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Device {
    /// Its node: `/dev/sda`.
    pub path: PathBuf,
    /// Names that `--destroy` takes, the best first.
    pub names: Vec<StableName>,
    /// Itself, then what it is made of, down to the disks.
    pub stack: Vec<BlockLayer>,
    /// Its paths, where it has several.
    pub paths: Vec<DevicePath>,
    /// Read-only.
    pub read_only: bool,
    /// Who uses it.
    pub uses: Vec<Use>,
    /// What it holds.
    pub content: Content,
    /// Whether Plimsoll would write to it.
    pub write: Write,
}

/// One path of a multipath device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DevicePath {
    /// Kernel name of the path: `sdb`, `nvme0c1n1`.
    pub name: String,
    /// What the kernel says of it: `running`, `live`, `offline`; `unknown` where it says nothing.
    pub state: String,
}

/// What a device holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    /// No bytes at all: an unattached loop device.
    Empty,
    /// All that was looked at is zero.
    Blank,
    /// Storage tests' data: Plimsoll's label, and no signature beside it.
    Tests,
    /// Known signatures.
    Signatures {
        /// Of what: `ext4`.
        of: Vec<String>,
    },
    /// Data of no known kind.
    Data {
        /// Where the first was seen, bytes.
        at: u64,
    },
    /// It cannot be read.
    Unreadable {
        /// Why.
        why: String,
    },
}

/// Whether Plimsoll would write to a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Write {
    /// At once: it is blank and nobody uses it.
    Allowed,
    /// With `--destroy NAME` only.
    Destroy {
        /// The name to type.
        name: String,
        /// What would be lost.
        why: String,
    },
    /// Not at all.
    Refused {
        /// Why.
        why: String,
    },
}

/// Every device of `/sys/block` that has a size, each followed by its partitions.
pub fn list(root: &Root) -> Vec<Device> {
    let storage = Storage::of(root);
    block::disks(root)
        .iter()
        // The single paths of an NVMe namespace have no node of their own.
        .filter(|disk| root.number::<u8>(format!("/sys/class/block/{disk}/hidden")) != Some(1))
        .flat_map(|disk| std::iter::once(disk.clone()).chain(block::partitions(root, disk)))
        .map(|name| device(root, &storage, &name))
        .filter(|device| device.content != Content::Empty)
        .collect()
}

/// One device by its kernel name.
pub fn device(root: &Root, storage: &Storage, name: &str) -> Device {
    let stack = block::stack(root, name);
    let names = block::stable_names(root, &stack[0]);
    let path = block::node_of_name(name);
    let mut uses = occupancy::uses_of_device(root, storage, name);
    let read_only = root.number::<u8>(format!("/sys/class/block/{name}/ro")) == Some(1);
    let (content, write) = if let Some(map) = block::suspended(root, name) {
        // Whoever reads from it waits.
        let why = format!("{map} is suspended (dmsetup resume {map})");
        (
            Content::Unreadable { why: why.clone() },
            Write::Refused { why },
        )
    } else {
        if uses.is_empty() && root.is_system() {
            uses.extend(claimed(storage, name));
        }
        let content = content(root, &path, stack[0].size_bytes, &names);
        let reserved = is_reserved(root, &path);
        let write = write(&names, &uses, &content, read_only, reserved);
        (content, write)
    };
    Device {
        paths: paths(root, &stack[0]),
        path,
        names,
        stack,
        read_only,
        uses,
        content,
        write,
    }
}

fn write(
    names: &[StableName],
    uses: &[Use],
    content: &Content,
    read_only: bool,
    reserved: Option<String>,
) -> Write {
    if read_only {
        return Write::Refused {
            why: "it is read-only".to_string(),
        };
    }
    if let Some(used) = uses.first() {
        return Write::Refused {
            why: used.to_string(),
        };
    }
    let why = reserved.or_else(|| match content {
        Content::Empty | Content::Blank | Content::Tests => None,
        Content::Signatures { of } => Some(format!("it holds {}", of.join(", "))),
        Content::Data { at } => Some(format!("it holds data (first seen at byte {at})")),
        Content::Unreadable { why } => Some(format!("it cannot be looked at: {why}")),
    });
    match (why, names.first()) {
        (Some(why), Some(name)) => Write::Destroy {
            name: name.text.clone(),
            why,
        },
        (Some(why), None) => Write::Refused { why },
        (None, _) => Write::Allowed,
    }
}

/// The claim that somebody else has on a device or on its storage.
fn claimed(storage: &Storage, name: &str) -> Option<Use> {
    let claim = |name: &str| occupancy::claim(&block::node_of_name(name));
    if claim(name).is_err_and(|error| error.kind() == ErrorKind::ResourceBusy) {
        let of = Subject::itself(name);
        return Some(Use::Claimed { of });
    }
    occupancy::claimed(storage, name, claim).err()
}

fn is_reserved(root: &Root, path: &Path) -> Option<String> {
    let device = std::fs::File::open(root.path(path)).ok()?;
    let held = reservation::reservation(&device)?;
    Some(format!(
        "a SCSI reservation ({}) is on it, key {:#x}",
        held.kind, held.key
    ))
}

fn content(root: &Root, path: &Path, size: u64, names: &[StableName]) -> Content {
    if size == 0 {
        return Content::Empty;
    }
    match look(root, path, names) {
        Ok((_, true)) => Content::Tests,
        Ok((scan, _)) if !scan.signatures.is_empty() => Content::Signatures {
            of: scan
                .signatures
                .into_iter()
                .map(|found| found.name)
                .collect(),
        },
        Ok((scan, _)) => scan
            .data_at
            .map_or(Content::Blank, |at| Content::Data { at }),
        Err(error) => Content::Unreadable {
            why: error.to_string(),
        },
    }
}

/// What it holds, and whether that is tests' data alone.
fn look(root: &Root, path: &Path, names: &[StableName]) -> io::Result<(Scan, bool)> {
    let mut probe = Probe::open(&root.path(path))?;
    let size = probe.file().seek(SeekFrom::End(0))?;
    let scan = signature::scan(&mut probe, size, LISTING_SEED, LISTING_SAMPLES)?;
    let name = names.first().map_or("", |name| name.text.as_str());
    let is_tests = match label::read(&mut probe, name, size)? {
        None => false,
        Some(_) if scan.signatures_beside_tests().next().is_some() => false,
        // Whose the blocks are that a run has left which was cut off only the next run can tell.
        Some(crate::content::Content::BeingWritten(_)) => true,
        Some(crate::content::Content::Left {
            fingerprint: left, ..
        }) => fingerprint(&mut probe, size, label::LABEL_BYTES as u64)? == left,
    };
    Ok((scan, is_tests))
}

/// A dm-multipath device's members, or an NVMe namespace's controllers (hidden disks `nvme0c1n1`).
fn paths(root: &Root, device: &BlockLayer) -> Vec<DevicePath> {
    if device.kind == "multipath" {
        let state = |name: &String| root.word(format!("/sys/class/block/{name}/device/state"));
        return device
            .slaves
            .iter()
            .map(|name| DevicePath {
                name: name.clone(),
                state: state(name).unwrap_or_else(|| "unknown".to_string()),
            })
            .collect();
    }
    let folder = format!("/sys/class/block/{}/multipath", device.name);
    root.names(&folder)
        .into_iter()
        .map(|name| {
            let state = root
                .word(format!("{folder}/{name}/device/state"))
                .unwrap_or_else(|| "unknown".to_string());
            DevicePath { name, state }
        })
        .collect()
}
