//! Where the control groups of this process lie.

use crate::Root;
use crate::mounts::unescape;

/// Version of control groups, by the files that a group has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// All controllers in one hierarchy.
    Two,
    /// Version 1's hierarchy for CPU time.
    OneCpu,
    /// Version 1's hierarchy for I/O.
    OneBlkio,
}

/// This process's groups in each hierarchy that is mounted, from the topmost that can be seen down to its own.
pub(super) fn folders(root: &Root) -> Vec<(Version, String)> {
    let cgroups = root.text("/proc/self/cgroup").unwrap_or_default();
    let mounts = root.text("/proc/self/mountinfo").unwrap_or_default();
    let versions = [Version::Two, Version::OneCpu, Version::OneBlkio];
    let of_version = |version: Version| {
        let path = cgroups.lines().find_map(|line| own_path(line, version))?;
        let mount = mounts.lines().find_map(|line| mount(line, version))?;
        Some((version, down((&mount.0, &mount.1), path)?))
    };
    let found = versions.into_iter().filter_map(of_version);
    found
        .flat_map(|(version, folders)| folders.into_iter().map(move |f| (version, f)))
        .collect()
}

/// `0::/user.slice` of version 2, `4:cpu,cpuacct:/user.slice` of version 1.
fn own_path(line: &str, version: Version) -> Option<&str> {
    let mut parts = line.splitn(3, ':');
    let (number, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
    let is_it = match version {
        Version::Two => number == "0" && controllers.is_empty(),
        Version::OneCpu => controllers.split(',').any(|c| c == "cpu"),
        Version::OneBlkio => controllers.split(',').any(|c| c == "blkio"),
    };
    is_it.then_some(path)
}

/// Which group is mounted, and where: `32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu`.
fn mount(line: &str, version: Version) -> Option<(String, String)> {
    let (before, after) = line.split_once(" - ")?;
    let mut after = after.split(' ');
    let (kind, options) = (after.next()?, after.nth(1).unwrap_or_default());
    let controls = |controller| options.split(',').any(|option| option == controller);
    let is_it = match version {
        Version::Two => kind == "cgroup2",
        Version::OneCpu => kind == "cgroup" && controls("cpu"),
        Version::OneBlkio => kind == "cgroup" && controls("blkio"),
    };
    let mut before = before.split(' ').skip(3);
    is_it.then_some((unescape(before.next()?), unescape(before.next()?)))
}

/// The folders from the mounted group down to this process's; `None` where that does not lie below it.
fn down((mounted, point): (&str, &str), cgroups: &str) -> Option<Vec<String>> {
    let below = match mounted {
        "/" => cgroups,
        _ => cgroups.strip_prefix(mounted)?,
    };
    if !(below.is_empty() || below.starts_with('/')) {
        return None;
    }
    let mut folders = vec![point.to_string()];
    for name in below.split('/').filter(|name| !name.is_empty()) {
        // A group outside of this process's name space.
        if name == ".." {
            return None;
        }
        let deeper = format!("{}/{name}", folders[folders.len() - 1]);
        folders.push(deeper);
    }
    Some(folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_groups_from_the_mounted_one_down_are_found() {
        let down = |mount, cgroups| down(mount, cgroups).map(|found| found.join(" "));
        let all = ("/", "/cg");
        assert_eq!(down(all, "/").as_deref(), Some("/cg"));
        assert_eq!(down(all, "/a/b").as_deref(), Some("/cg /cg/a /cg/a/b"));
        let part = ("/docker/abc", "/cg");
        assert_eq!(down(part, "/docker/abc").as_deref(), Some("/cg"));
        assert_eq!(down(part, "/docker/abc/x").as_deref(), Some("/cg /cg/x"));
        for outside in ["/docker/abcd", "/", "/other"] {
            assert_eq!(down(part, outside), None, "{outside}");
        }
        assert_eq!(down(all, "/../other"), None);
    }
}
