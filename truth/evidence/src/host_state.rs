//! How a host is set up: the texts of its files and of its commands' output, as they were found.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What was read of a host, by absolute path (`/sys/block/sda/queue/scheduler`). A command's output is below `/commands`:
/// `/commands/multipath -ll`. What could not be read isn't in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HostState {
    files: BTreeMap<String, String>,
}

/// What a block device is made by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceKind {
    /// A disk with a queue of its own: SCSI, NVMe, virtio.
    Disk,
    /// A map over several paths to one LUN.
    Multipath,
    /// What else the device mapper makes, and software RAID: made of other devices.
    Mapped,
    /// A file.
    Loop,
    /// Memory.
    Memory,
}

impl HostState {
    /// Keeps a text under a path.
    pub fn insert(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.files.insert(path.into(), text.into());
    }

    /// Forgets a text.
    pub fn remove(&mut self, path: &str) {
        self.files.remove(path);
    }

    /// All texts, by their paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(p, t)| (p.as_str(), t.as_str()))
    }

    /// True where nothing was read at all.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// A text, trimmed; `None` where it was not read.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(|text| text.trim())
    }

    /// A text that is a number.
    pub fn number(&self, path: &str) -> Option<u64> {
        self.text(path)?.parse().ok()
    }

    /// The names in a folder.
    pub fn names(&self, folder: &str) -> BTreeSet<&str> {
        let prefix = format!("{folder}/");
        let below = self.files.range::<String, _>(prefix.clone()..);
        let inside = below.map_while(|(path, _)| path.strip_prefix(prefix.as_str()));
        inside.filter_map(|rest| rest.split('/').next()).collect()
    }

    /// Block devices that are no partitions and hold something.
    pub fn disks(&self) -> Vec<String> {
        let holds = |name: &&str| self.number(&format!("/sys/block/{name}/size")) != Some(0);
        let names = self.names("/sys/block").into_iter().filter(holds);
        names.map(str::to_string).collect()
    }

    /// What a device is made by.
    pub fn kind(&self, disk: &str) -> DeviceKind {
        let uuid = self.text(&format!("/sys/block/{disk}/dm/uuid"));
        match uuid {
            Some(uuid) if uuid.starts_with("mpath-") => DeviceKind::Multipath,
            Some(_) => DeviceKind::Mapped,
            None if disk.starts_with("dm-") || disk.starts_with("md") => DeviceKind::Mapped,
            None if disk.starts_with("loop") => DeviceKind::Loop,
            None if disk.starts_with("zram") || disk.starts_with("ram") => DeviceKind::Memory,
            None => DeviceKind::Disk,
        }
    }

    /// The disk that a name stands for: `sda`, `/dev/sda1`, `/dev/mapper/lun0`.
    pub fn disk_of(&self, name: &str) -> Option<String> {
        let mapped = name.strip_prefix("/dev/mapper/");
        let name = mapped.or(name.strip_prefix("/dev/")).unwrap_or(name);
        let name = name.replace('/', "!");
        let is = |disk: &&str| {
            **disk == name
                || self.text(&format!("/sys/block/{disk}/dm/name")) == Some(&name)
                || self
                    .names(&format!("/sys/block/{disk}"))
                    .contains(name.as_str())
                    && self
                        .text(&format!("/sys/block/{disk}/{name}/start"))
                        .is_some()
        };
        self.names("/sys/block")
            .into_iter()
            .find(is)
            .map(str::to_string)
    }

    /// A disk and all that it is made of, itself first, each once.
    pub fn stack(&self, disk: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut pending = vec![disk.to_string()];
        while let Some(name) = pending.pop() {
            let name = self.disk_of(&name).unwrap_or(name);
            if found.contains(&name) {
                continue;
            }
            let below = self.names(&format!("/sys/block/{name}/slaves"));
            pending.extend(below.into_iter().rev().map(str::to_string));
            found.push(name);
        }
        found
    }
}
