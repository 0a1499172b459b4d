//! Block devices by their numbers and kernel names, and their partitions.

use crate::Root;
use std::path::PathBuf;
use std::str::FromStr;

/// A device's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceNumber {
    /// Which driver.
    pub major: u32,
    /// Which of its devices.
    pub minor: u32,
}

impl DeviceNumber {
    /// From `st_dev` or `st_rdev`.
    pub fn of(dev: u64) -> Self {
        DeviceNumber {
            major: rustix::fs::major(dev),
            minor: rustix::fs::minor(dev),
        }
    }
}

impl std::fmt::Display for DeviceNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

impl FromStr for DeviceNumber {
    type Err = std::num::ParseIntError;

    /// `8:17`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (major, minor) = text.split_once(':').unwrap_or((text, ""));
        Ok(DeviceNumber {
            major: major.parse()?,
            minor: minor.parse()?,
        })
    }
}

/// The kernel name of the device with this number; `None` where `/sys` doesn't list it.
pub fn name_of_number(root: &Root, number: DeviceNumber) -> Option<String> {
    let link = root.link(format!("/sys/dev/block/{number}"))?;
    Some(link.file_name()?.to_str()?.to_string())
}

/// The number of the device with this kernel name.
pub fn number_of_name(root: &Root, name: &str) -> Option<DeviceNumber> {
    root.number(format!("/sys/class/block/{name}/dev"))
}

/// Node of a device. The kernel writes `!` in `/sys` for a `/` in the name (`cciss!c0d0`).
pub fn node_of_name(name: &str) -> PathBuf {
    PathBuf::from("/dev").join(name.replace('!', "/"))
}

/// The disk of a partition; `None` for what is no partition.
pub fn disk_of_partition(root: &Root, name: &str) -> Option<String> {
    if !root.has(format!("/sys/class/block/{name}/partition")) {
        return None;
    }
    let link = root.link(format!("/sys/class/block/{name}"))?;
    Some(link.parent()?.file_name()?.to_str()?.to_string())
}

/// The partitions of a disk, by number.
pub fn partitions(root: &Root, disk: &str) -> Vec<String> {
    let folder = format!("/sys/class/block/{disk}");
    let mut found: Vec<(u32, String)> = root
        .names(&folder)
        .into_iter()
        .filter_map(|name| Some((root.number(format!("{folder}/{name}/partition"))?, name)))
        .collect();
    found.sort();
    found.into_iter().map(|(_, name)| name).collect()
}

/// Every disk-like device (no partitions), by kernel name.
pub fn disks(root: &Root) -> Vec<String> {
    root.names("/sys/block")
}

/// Character devices that take commands to a disk, by kernel name: `sg0` and `0:0:0:0` (bsg) of a SCSI disk, `ng0n1` of a
/// namespace.
pub(crate) fn command_nodes(root: &Root, disk: &str) -> Vec<(String, DeviceNumber)> {
    let device = format!("/sys/class/block/{disk}/device");
    let below = |folder: String| {
        let names = root.names(&folder).into_iter();
        names.map(move |name| (format!("{folder}/{name}/dev"), name))
    };
    let scsi = below(format!("{device}/scsi_generic")).chain(below(format!("{device}/bsg")));
    let nvme = disk.strip_prefix("nvme").map(|rest| {
        let name = format!("ng{rest}");
        (format!("/sys/class/nvme-generic/{name}/dev"), name)
    });
    scsi.chain(nvme)
        .filter_map(|(path, name)| Some((name, root.number(path)?)))
        .collect()
}
