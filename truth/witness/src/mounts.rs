//! What is mounted, and what is swapped to.

use crate::Root;
use crate::block::DeviceNumber;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// One mount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// The file system's device number; major 0 where it has none of its own (tmpfs, NFS, btrfs, overlay).
    pub device: DeviceNumber,
    /// Where it is mounted.
    pub point: PathBuf,
    /// `ext4`, `xfs`, `nfs4`…
    pub filesystem: String,
    /// `/dev/sda1`, `server:/export`, `tmpfs`.
    pub source: String,
}

impl Mount {
    /// The root of the mount name space that it was seen in, where that isn't this process's own.
    pub fn view(&self) -> Option<PathBuf> {
        let below = self.point.strip_prefix("/proc").ok()?;
        let pid = below.components().next()?;
        let view = Path::new("/proc").join(pid).join("root");
        self.point.starts_with(&view).then_some(view)
    }
}

/// The mounts that this process sees, in the kernel's order: a later one may cover an earlier one.
pub fn mounts(root: &Root) -> Vec<Mount> {
    let text = root.text("/proc/self/mountinfo").unwrap_or_default();
    text.lines().filter_map(mount).collect()
}

/// The mounts of every mount name space that can be seen, each once, this process's first. One that only another process
/// sees has its place below that process's root: `/proc/PID/root/mnt`.
pub fn everywhere(root: &Root) -> Vec<Mount> {
    let mut all = mounts(root);
    let mut known: HashSet<(DeviceNumber, PathBuf)> = all.iter().map(place).collect();
    for pid in name_spaces(root) {
        let text = root
            .text(format!("/proc/{pid}/mountinfo"))
            .unwrap_or_default();
        for mut mount in text.lines().filter_map(mount) {
            if known.insert(place(&mount)) {
                let below = mount.point.strip_prefix("/").unwrap_or(&mount.point);
                mount.point = PathBuf::from(format!("/proc/{pid}/root")).join(below);
                all.push(mount);
            }
        }
    }
    all
}

fn place(mount: &Mount) -> (DeviceNumber, PathBuf) {
    (mount.device, mount.point.clone())
}

/// One process of each mount name space that isn't this process's own.
pub(crate) fn name_spaces(root: &Root) -> Vec<u32> {
    let mut known: HashSet<PathBuf> = root.link("/proc/self/ns/mnt").into_iter().collect();
    let pids = root.names("/proc");
    pids.iter()
        .filter_map(|name| name.parse::<u32>().ok())
        .filter(|pid| {
            root.link(format!("/proc/{pid}/ns/mnt"))
                .is_some_and(|space| known.insert(space))
        })
        .collect()
}

/// The mount that holds `path`, an absolute path without links.
pub fn holding<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    mounts
        .iter()
        .filter(|mount| path.starts_with(&mount.point))
        .max_by_key(|mount| mount.point.components().count())
}

/// Devices and files in use as swap.
pub fn swaps(root: &Root) -> Vec<PathBuf> {
    let text = root.text("/proc/swaps").unwrap_or_default();
    text.lines()
        .skip(1)
        .filter_map(|line| Some(PathBuf::from(unescape(line.split_whitespace().next()?))))
        .collect()
}

/// `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw` (proc(5)): optional fields end at the dash.
fn mount(line: &str) -> Option<Mount> {
    let (before, after) = line.split_once(" - ")?;
    let mut before = before.split(' ').skip(2);
    let device = before.next()?.parse().ok()?;
    let point = PathBuf::from(unescape(before.nth(1)?));
    let mut after = after.split(' ');
    Some(Mount {
        device,
        point,
        filesystem: after.next()?.to_string(),
        source: unescape(after.next().unwrap_or_default()),
    })
}

/// The kernel writes space, tab, newline and backslash as `\040`, three octal digits.
pub(crate) fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let digits = tail
            .get(..3)
            .filter(|d| d.iter().all(|b| (b'0'..=b'7').contains(b)));
        match (first, digits) {
            (b'\\', Some(digits)) => {
                let value = digits
                    .iter()
                    .fold(0u32, |sum, digit| sum * 8 + u32::from(digit - b'0'));
                bytes.push(value as u8);
                rest = &tail[3..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_optional_fields_and_escapes_is_read() {
        let line = r"36 35 98:17 / /mnt/my\040disk rw,noatime master:1 propagate_from:2 - ext4 /dev/a\134b rw,errors=x";
        let mount = mount(line).unwrap();
        assert_eq!(
            mount.device,
            DeviceNumber {
                major: 98,
                minor: 17
            }
        );
        assert_eq!(mount.point, Path::new("/mnt/my disk"));
        assert_eq!(mount.filesystem, "ext4");
        assert_eq!(mount.source, r"/dev/a\b");
    }

    #[test]
    fn the_deepest_mount_holds_a_path_and_the_last_one_covers() {
        let lines = [
            "1 0 8:1 / / rw - ext4 /dev/sda1 rw",
            "2 1 8:2 / /data rw - xfs /dev/sda2 rw",
            "3 1 8:3 / /data rw - xfs /dev/sda3 rw",
        ];
        let mounts: Vec<Mount> = lines.iter().filter_map(|line| mount(line)).collect();
        assert_eq!(
            holding(&mounts, Path::new("/data/x")).unwrap().source,
            "/dev/sda3"
        );
        assert_eq!(
            holding(&mounts, Path::new("/database")).unwrap().source,
            "/dev/sda1"
        );
    }

    #[test]
    fn broken_lines_are_passed_over() {
        assert_eq!(mount(""), None);
        assert_eq!(mount("1 2 x:y / / rw - ext4 /dev/sda rw"), None);
        assert_eq!(unescape(r"\9\04"), r"\9\04");
    }
}
