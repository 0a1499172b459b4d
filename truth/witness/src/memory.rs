//! How much memory this process may still take before somebody is killed for it.

use crate::Root;
use std::path::{Component, Path, PathBuf};

/// Memory that can still be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Available {
    /// How much, bytes.
    pub bytes: u64,
    /// The control group whose limit says so; `None` where the machine has no more.
    pub group: Option<PathBuf>,
}

/// What can still be had: what the machine can give without swapping, or less where this process' control group, or one
/// above it, has a limit. Pages of files that nobody used lately can be given back, so they count as free. `None` where
/// nothing says so.
pub fn available(root: &Root) -> Option<Available> {
    let text = root.text("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok());
    let machine = kib.map(|kib| Available {
        bytes: kib.saturating_mul(1024),
        group: None,
    });
    let groups = folders(root)
        .into_iter()
        .filter_map(|(version, folder)| left(root, version, folder));
    machine.into_iter().chain(groups).min_by_key(|a| a.bytes)
}

/// The two kinds of control groups, and the names of what they say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

impl Version {
    /// The files of the limit and of what is taken, and the line of what can be given back.
    fn names(self) -> [&'static str; 3] {
        match self {
            Version::One => [
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                "total_inactive_file",
            ],
            Version::Two => ["memory.max", "memory.current", "inactive_file"],
        }
    }
}

/// What a group's limit leaves; `None` where it has none.
fn left(root: &Root, version: Version, folder: PathBuf) -> Option<Available> {
    let [limit, taken, idle] = version.names();
    // "max" is no number, and no limit.
    let limit: u64 = root.number(folder.join(limit))?;
    let taken: u64 = root.number(folder.join(taken)).unwrap_or(0);
    let stat = root.text(folder.join("memory.stat")).unwrap_or_default();
    let idle = stat
        .lines()
        .find_map(|l| l.strip_prefix(idle)?.strip_prefix(' ')?.parse::<u64>().ok())
        .unwrap_or(0);
    Some(Available {
        bytes: limit.saturating_sub(taken.saturating_sub(idle)),
        group: Some(folder),
    })
}

/// The folders of this process' groups that may limit its memory, and of all above them.
fn folders(root: &Root) -> Vec<(Version, PathBuf)> {
    let groups = root.text("/proc/self/cgroup").unwrap_or_default();
    let mounts = root.text("/proc/self/mountinfo").unwrap_or_default();
    let mut folders = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':');
        let (_, Some(kinds), Some(path)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let version = match kinds {
            "" => Version::Two,
            _ if kinds.split(',').any(|k| k == "memory") => Version::One,
            _ => continue,
        };
        for mount in mounts.lines().filter_map(|l| Mount::read(l, version)) {
            let folder = mount.folder(root, path);
            let above = folder.ancestors().take_while(|f| f.starts_with(&mount.at));
            folders.extend(above.map(|f| (version, f.to_owned())));
        }
    }
    folders
}

/// Where a hierarchy of groups is mounted.
struct Mount {
    /// The group that is seen there.
    group: PathBuf,
    at: PathBuf,
}

impl Mount {
    /// A line of `/proc/self/mountinfo`, where it is one of such groups.
    fn read(line: &str, version: Version) -> Option<Self> {
        let (front, back) = line.split_once(" - ")?;
        let mut front = front.split(' ').skip(3);
        let (group, at) = (front.next()?, front.next()?);
        let mut back = back.split(' ');
        let (kind, options) = (back.next()?, back.nth(1)?);
        let right = match version {
            Version::Two => kind == "cgroup2",
            Version::One => kind == "cgroup" && options.split(',').any(|o| o == "memory"),
        };
        right.then(|| Mount {
            group: PathBuf::from(group),
            at: PathBuf::from(at),
        })
    }

    /// Where a group is seen. In a container its name may be another one than the mount's; then the mount is the group.
    fn folder(&self, root: &Root, group: &str) -> PathBuf {
        let group = Path::new(group);
        let below = group.strip_prefix(&self.group).unwrap_or(group);
        let below = below.strip_prefix("/").unwrap_or(below);
        let folder = self.at.join(below);
        // A name with `..` in it is above what can be seen here.
        let outside = below.components().any(|c| c == Component::ParentDir);
        match !outside && root.path(&folder).is_dir() {
            true => folder,
            false => self.at.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    const MIB: u64 = 1 << 20;

    /// A tree of these files, on a machine that has 8 GiB left.
    fn tree(files: &[(&str, &str)]) -> (TempDir, Root) {
        let folder = TempDir::new().unwrap();
        let free = (
            "proc/meminfo",
            "MemTotal: 16384000 kB\nMemAvailable:    8388608 kB\n",
        );
        for (name, text) in files.iter().chain(&[free]) {
            crate::root::file(folder.path(), name, text);
        }
        let root = Root::at(folder.path());
        (folder, root)
    }

    const TWO: (&str, &str) = (
        "proc/self/mountinfo",
        "24 1 0:22 / /proc rw - proc proc rw\n\
         30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n",
    );
    const ONE: (&str, &str) = (
        "proc/self/mountinfo",
        "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n\
         35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n",
    );

    fn of(bytes: u64, group: &str) -> Option<Available> {
        let group = Some(PathBuf::from(group));
        Some(Available { bytes, group })
    }

    #[test]
    fn without_a_group_that_limits_it_the_machine_decides() {
        let unlimited = [
            TWO,
            ("proc/self/cgroup", "0::/user.slice\n"),
            ("sys/fs/cgroup/user.slice/memory.max", "max\n"),
        ];
        let machine = Some(Available {
            bytes: 8 << 30,
            group: None,
        });
        assert_eq!(available(&tree(&[]).1), machine);
        assert_eq!(available(&tree(&unlimited).1), machine);
        let nothing = TempDir::new().unwrap();
        assert_eq!(available(&Root::at(nothing.path())), None);
    }

    #[test]
    fn the_tightest_group_above_counts_less_what_is_taken_but_not_idle_files() {
        let (_folder, root) = tree(&[
            TWO,
            ("proc/self/cgroup", "0::/machine.slice/lab.scope/inner\n"),
            (
                "sys/fs/cgroup/machine.slice/lab.scope/inner/memory.max",
                "max\n",
            ),
            (
                "sys/fs/cgroup/machine.slice/lab.scope/memory.max",
                "536870912\n",
            ),
            (
                "sys/fs/cgroup/machine.slice/lab.scope/memory.current",
                "209715200\n",
            ),
            (
                "sys/fs/cgroup/machine.slice/lab.scope/memory.stat",
                "anon 104857600\nworkingset_inactive_file 5\ninactive_file 104857600\n",
            ),
            ("sys/fs/cgroup/machine.slice/memory.max", "4294967296\n"),
            ("sys/fs/cgroup/machine.slice/memory.current", "1073741824\n"),
        ]);
        let lab = "/sys/fs/cgroup/machine.slice/lab.scope";
        assert_eq!(available(&root), of(412 * MIB, lab));
    }

    #[test]
    fn the_older_kind_of_groups_counts_too_and_its_largest_number_is_no_limit() {
        let groups = ("proc/self/cgroup", "4:memory:/box\n1:cpu:/\n0::/\n");
        let tight = [
            ONE,
            groups,
            (
                "sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
            (
                "sys/fs/cgroup/memory/box/memory.limit_in_bytes",
                "67108864\n",
            ),
            (
                "sys/fs/cgroup/memory/box/memory.usage_in_bytes",
                "67108864\n",
            ),
            (
                "sys/fs/cgroup/memory/box/memory.stat",
                "inactive_file 1\ntotal_inactive_file 1048576\n",
            ),
        ];
        let found = available(&tree(&tight).1);
        assert_eq!(found, of(MIB, "/sys/fs/cgroup/memory/box"));
        let machine = available(&tree(&tight[..3]).1).unwrap();
        assert_eq!((machine.bytes, machine.group), (8 << 30, None));
    }

    #[test]
    fn in_a_container_the_mount_is_the_group_whatever_its_name_outside() {
        for (group, mounted) in [
            ("/docker/0a1b", "/docker/0a1b"),
            ("/docker/0a1b", "/"),
            ("/../x", "/"),
        ] {
            let mount = format!("30 23 0:26 {mounted} /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
            let (_folder, root) = tree(&[
                ("proc/self/mountinfo", &mount),
                ("proc/self/cgroup", &format!("0::{group}\n")),
                ("sys/fs/cgroup/memory.max", "1073741824\n"),
                ("sys/fs/cgroup/memory.current", "73741824\n"),
            ]);
            assert_eq!(
                available(&root),
                of(1_000_000_000, "/sys/fs/cgroup"),
                "{group}"
            );
        }
    }
}
