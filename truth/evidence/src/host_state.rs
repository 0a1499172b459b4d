//! How a host is set up: the texts of its files and of its commands' output, as they were found.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Texts that were read from a host, by absolute path (`/sys/block/sda/queue/scheduler`). A command's output is below `/commands`:
/// `/commands/multipath -ll`. What could not be read isn't in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HostState {
    files: BTreeMap<String, String>,
}

/// Kind of a block device, by what makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceKind {
    /// A disk with a queue of its own: SCSI, NVMe, virtio.
    Disk,
    /// A map over several paths to one LUN.
    Multipath,
    /// Other devices of the device mapper, and software RAID: made of other devices.
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

    /// Number of CPUs online; `None` where it was not read, or cannot be understood.
    pub fn cpus_online(&self) -> Option<usize> {
        // `0-7,9`.
        let ranges = self.text("/sys/devices/system/cpu/online")?.split(',');
        ranges
            .map(|range| match range.split_once('-') {
                Some((from, to)) => {
                    let (from, to): (usize, usize) = (from.parse().ok()?, to.parse().ok()?);
                    to.checked_sub(from)?.checked_add(1)
                }
                None => range.parse::<usize>().ok().map(|_| 1),
            })
            .try_fold(0_usize, |all, one| all.checked_add(one?))
    }

    /// Block devices that are no partitions and hold something. An empty CD drive says 1 GiB; such drives carry no load.
    pub fn disks(&self) -> Vec<String> {
        let holds = |name: &&str| {
            let is_drive = name.starts_with("sr") || name.starts_with("fd");
            !is_drive && self.number(&format!("/sys/block/{name}/size")) != Some(0)
        };
        let names = self.names("/sys/block").into_iter().filter(holds);
        names.map(str::to_string).collect()
    }

    /// Kind of a device, by what makes it.
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

/// Text that may be shown to others: lines with passwords or user names are empty, as is the kernel's command line, which may hold those of
/// the disk that it boots from. The other lines keep their numbers.
pub fn without_secrets(path: &str, text: &str) -> String {
    const WORDS: [&str; 7] = [
        "password",
        "passwd",
        "passphrase",
        "username",
        "secret",
        "chap",
        "command line",
    ];
    let is_open = path.starts_with("/etc/") || path.starts_with("/commands/");
    // Both addresses are in a line of connections: with whom the host talks is nobody's business, but for SMB servers.
    let to_smb = |line: &str| {
        let remote = line.split_whitespace().nth(2);
        remote.is_some_and(|address| address.ends_with(":01BD"))
    };
    let line = |line: &str| {
        let lower = line.to_ascii_lowercase();
        let is_secret = is_open && WORDS.iter().any(|word| lower.contains(word));
        let is_talk = path.starts_with("/proc/net/tcp") && !to_smb(line);
        if path == "/proc/mounts" {
            mount_without_secrets(line)
        } else if is_secret || is_talk {
            String::new()
        } else {
            line.to_string()
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A mount: `user:password@host`, and options that name a user or hold a password.
fn mount_without_secrets(line: &str) -> String {
    let word = |(at, word): (usize, &str)| match at {
        0 => word
            .rsplit_once('@')
            .filter(|(who, _)| who.contains(':') || who.contains("//"))
            .map_or(word.to_string(), |(_, host)| format!("...@{host}")),
        3 => word
            .split(',')
            .map(option_without_secrets)
            .collect::<Vec<_>>()
            .join(","),
        _ => word.to_string(),
    };
    line.split(' ')
        .enumerate()
        .map(word)
        .collect::<Vec<_>>()
        .join(" ")
}

fn option_without_secrets(option: &str) -> String {
    let is_secret = |key: &str| {
        ["user", "pass", "cred", "secret", "key"]
            .iter()
            .any(|w| key.contains(w))
    };
    match option.split_once('=') {
        Some((key, _)) if is_secret(&key.to_ascii_lowercase()) => format!("{key}=..."),
        _ => option.to_string(),
    }
}

#[cfg(test)]
mod secrets {
    use super::without_secrets;

    #[test]
    fn nothing_that_lets_somebody_in_is_kept_and_lines_keep_their_numbers() {
        let log = "[0] Unknown kernel command line parameters \"netroot=iscsi:me:s3cret@10.0.0.1\"\n[1] sda";
        assert_eq!(without_secrets("/commands/dmesg", log), "\n[1] sda");
        let conf = "defaults {\n CHAP_key s3cret\n}";
        assert_eq!(
            without_secrets("/etc/multipath.conf", conf),
            "defaults {\n\n}"
        );
        let mounts = "//nas/a /a cifs rw,username=me,pass=s3cret,vers=3 0 0\nftp://me:s3cret@host/x /x fuse rw 0 0\n/dev/sda1 / ext4 rw 0 0";
        let shown = without_secrets("/proc/mounts", mounts);
        assert_eq!(
            shown,
            "//nas/a /a cifs rw,username=...,pass=...,vers=3 0 0\n...@host/x /x fuse rw 0 0\n/dev/sda1 / ext4 rw 0 0"
        );
        // To an SMB server, to another one, and from a client of this host's own server.
        let tcp = "0: 0100000A:9C40 0400000A:01BD 01\n1: 0100000A:9C42 0400000A:0016 01\n2: 0100000A:01BD 0900000A:9C44 01";
        let shown = without_secrets("/proc/net/tcp", tcp);
        assert_eq!(shown, "0: 0100000A:9C40 0400000A:01BD 01\n\n");
    }
}
