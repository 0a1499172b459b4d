//! The paths by which the kernel reaches the targets' devices, and how they are.

use super::Watched;
use crate::Root;
use crate::dm;
use plimsoll_evidence::witnessed::{MapPath, PathSeen};

/// Looks at paths.
#[derive(Debug)]
pub(super) struct PathsSampler {
    root: Root,
    paths: Vec<Known>,
    /// Tells the words of a map by its number.
    status: Status,
}

/// What the device mapper says of a map, by its device number.
type Status = fn(&Root, &str) -> Option<String>;

/// A path that there was at the beginning.
#[derive(Debug)]
struct Known {
    name: String,
    of: String,
    /// The file with its state.
    state: String,
    /// The file with its asymmetric access state, where it may have one.
    access: Option<String>,
    /// The device numbers of its map and of itself, where the device mapper has it.
    in_map: Option<(String, String)>,
    /// How often it had failed at the last look.
    failures: Option<u64>,
}

impl PathsSampler {
    pub fn new(root: &Root, what: &[Watched]) -> Self {
        PathsSampler::with(root, what, dm::multipath_status)
    }

    fn with(root: &Root, what: &[Watched], status: Status) -> Self {
        let mut names: Vec<&String> = Vec::new();
        for name in what.iter().flat_map(|w| &w.devices) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut paths: Vec<Known> = Vec::new();
        for name in &names {
            paths.extend(members(root, name));
        }
        // What is a path of something is none of itself.
        for name in names {
            if !paths.iter().any(|p| p.name == *name || p.of == *name) {
                paths.extend(alone(root, name));
            }
        }
        let mut sampler = PathsSampler {
            root: root.clone(),
            paths,
            status,
        };
        // What failed before is not of this step.
        sampler.look();
        sampler
    }

    /// Each path, with the kernel's word for it. One whose word is gone with its device is `gone`.
    pub fn look(&mut self) -> Vec<PathSeen> {
        let root = &self.root;
        let maps = maps(root, &self.paths, self.status);
        let seen = |path: &mut Known| PathSeen {
            name: path.name.clone(),
            of: path.of.clone(),
            state: state(root, path),
            states_before: Vec::new(),
            map: path.in_its_map(&maps),
        };
        self.paths.iter_mut().map(seen).collect()
    }
}

/// The paths of each map that the device mapper tells of, by the map's number.
type Maps = Vec<(String, Vec<dm::Path>)>;

fn maps(root: &Root, paths: &[Known], status: Status) -> Maps {
    let mut maps: Maps = Vec::new();
    for (map, _) in paths.iter().filter_map(|p| p.in_map.as_ref()) {
        if maps.iter().any(|(number, _)| number == map) {
            continue;
        }
        let told = status(root, map).and_then(|words| dm::paths(&words));
        maps.push((map.clone(), told.unwrap_or_default()));
    }
    maps
}

impl Known {
    /// What its map holds of it, with the failures since the last look.
    fn in_its_map(&mut self, maps: &Maps) -> Option<MapPath> {
        let (map, own) = self.in_map.as_ref()?;
        let (_, paths) = maps.iter().find(|(number, _)| number == map)?;
        let path = paths.iter().find(|p| p.number == *own)?;
        let before = self.failures.replace(path.failures);
        Some(MapPath {
            state: path.state.into(),
            // A map that was loaded again counts from nothing.
            failures: before.map_or(0, |before| match path.failures.checked_sub(before) {
                Some(more) => more,
                None => path.failures,
            }),
            group: path.group,
            group_state: path.group_state.into(),
            ..MapPath::default()
        })
    }
}

/// A controller may be live and its namespace out of reach over it; then that is the word.
fn state(root: &Root, path: &Known) -> String {
    let Some(state) = root.word(&path.state) else {
        return "gone".into();
    };
    let access = path.access.as_ref().and_then(|file| root.word(file));
    match access {
        Some(access) if state == "live" && access != "optimized" => access,
        _ => state,
    }
}

/// The paths of a multipath device, of the device mapper's or of NVMe's own.
fn members(root: &Root, name: &str) -> Vec<Known> {
    let folder = format!("/sys/class/block/{name}");
    let uuid = root.word(format!("{folder}/dm/uuid")).unwrap_or_default();
    if uuid.starts_with("mpath-") {
        let slaves = root.names(format!("{folder}/slaves")).into_iter();
        let number = |name: &str| root.word(format!("/sys/class/block/{name}/dev"));
        let path = |slave: String| {
            let known = alone(root, &slave)?;
            Some(Known {
                of: name.to_owned(),
                in_map: number(name).zip(number(&slave)),
                ..known
            })
        };
        return slaves.filter_map(path).collect();
    }
    let Some((subsystem, namespace)) = nvme(name) else {
        return Vec::new();
    };
    let path = |path: String| {
        let (of, controller, number) = nvme_path(&path)?;
        let own = of == subsystem && number == namespace;
        own.then(|| Known {
            state: format!("/sys/class/nvme/nvme{controller}/state"),
            access: Some(format!("/sys/class/block/{path}/ana_state")),
            name: path,
            of: name.to_owned(),
            in_map: None,
            failures: None,
        })
    };
    let all = root.names("/sys/class/block").into_iter();
    all.filter_map(path).collect()
}

/// A disk that is its own only path: SCSI's, or NVMe's without others.
fn alone(root: &Root, name: &str) -> Option<Known> {
    let state = format!("/sys/class/block/{name}/device/state");
    root.has(&state).then(|| Known {
        name: name.to_owned(),
        of: name.to_owned(),
        state,
        access: None,
        in_map: None,
        failures: None,
    })
}

/// `nvme0n1`: its subsystem and namespace.
fn nvme(name: &str) -> Option<(u32, u32)> {
    let (subsystem, namespace) = name.strip_prefix("nvme")?.split_once('n')?;
    Some((subsystem.parse().ok()?, namespace.parse().ok()?))
}

/// `nvme0c1n1`: its subsystem, controller and namespace.
fn nvme_path(name: &str) -> Option<(u32, u32, u32)> {
    let (subsystem, rest) = name.strip_prefix("nvme")?.split_once('c')?;
    let (controller, namespace) = rest.split_once('n')?;
    Some((
        subsystem.parse().ok()?,
        controller.parse().ok()?,
        namespace.parse().ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::file;
    use plimsoll_evidence::Witnessed;
    use std::path::Path;

    fn sampler(folder: &Path, devices: &[&str]) -> PathsSampler {
        let what = Watched {
            devices: devices.iter().map(ToString::to_string).collect(),
            ..Watched::default()
        };
        PathsSampler::new(&Root::at(folder), &[what])
    }

    #[test]
    fn what_a_map_holds_of_its_paths_is_told_beside_what_their_disks_say() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        file(root, "sys/class/block/dm-3/dm/uuid", "mpath-3600a098\n");
        file(root, "sys/class/block/dm-3/dev", "253:3\n");
        for (leaf, number) in [("sdb", "8:16\n"), ("sdc", "8:32\n")] {
            file(root, &format!("sys/class/block/dm-3/slaves/{leaf}"), "");
            file(root, &format!("sys/class/block/{leaf}/dev"), number);
            file(
                root,
                &format!("sys/class/block/{leaf}/device/state"),
                "running\n",
            );
        }
        let says = |words: &str| file(root, "253:3", words);
        let what = Watched {
            devices: vec!["dm-3".into(), "sdb".into(), "sdc".into()],
            ..Watched::default()
        };
        says("2 0 0 0 2 1 A 0 1 0 8:16 A 7 E 0 1 0 8:32 A 0 ");
        let status: Status = |root, number| root.text(format!("/{number}"));
        let mut sampler = PathsSampler::with(&Root::at(root), &[what], status);
        let of = |paths: Vec<PathSeen>| -> Vec<_> {
            let maps = paths.into_iter().map(|p| p.map.expect("told"));
            maps.map(|m| (m.state, m.failures, m.group, m.group_state))
                .collect()
        };
        // What had failed before the first look is not of this step.
        let seen = of(sampler.look());
        assert_eq!(seen[0], ("active".into(), 0, 1, "active".into()));
        assert_eq!(seen[1], ("active".into(), 0, 2, "enabled".into()));
        says("2 0 0 0 2 1 E 0 1 0 8:16 F 8 A 0 1 0 8:32 A 0 ");
        let seen = of(sampler.look());
        assert_eq!(seen[0], ("failed".into(), 1, 1, "enabled".into()));
        // The map was loaded again, and the path failed there.
        says("2 0 0 0 1 1 A 0 1 0 8:16 F 1 ");
        let seen = sampler.look();
        assert_eq!(seen[0].map.as_ref().unwrap().failures, 1);
        assert_eq!(seen[1].map, None, "it is no longer in the map");
        says("garbage");
        assert_eq!(sampler.look()[0].map, None);
    }

    fn told(paths: &[PathSeen]) -> Vec<(&str, &str, &str)> {
        let each = paths.iter();
        each.map(|p| (p.name.as_str(), p.of.as_str(), p.state.as_str()))
            .collect()
    }

    #[test]
    fn the_leaves_of_a_multipath_map_are_its_paths_and_a_change_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        file(root, "sys/class/block/dm-3/dm/uuid", "mpath-3600a098\n");
        for (leaf, state) in [("sdb", "running\n"), ("sdc", "offline\n")] {
            file(root, &format!("sys/class/block/dm-3/slaves/{leaf}"), "");
            file(root, &format!("sys/class/block/{leaf}/device/state"), state);
        }
        // The partition of the map, the map, its leaves.
        let mut sampler = sampler(root, &["dm-4", "dm-3", "sdb", "sdc"]);
        let first = sampler.look();
        assert_eq!(
            told(&first),
            [("sdb", "dm-3", "running"), ("sdc", "dm-3", "offline")]
        );
        file(root, "sys/class/block/sdb/device/state", "blocked\n");
        std::fs::remove_dir_all(root.join("sys/class/block/sdc")).unwrap();
        let mut sum = Witnessed {
            paths: first,
            ..Witnessed::default()
        };
        sum.append(Witnessed {
            paths: sampler.look(),
            ..Witnessed::default()
        });
        assert_eq!(
            told(&sum.paths),
            [("sdb", "dm-3", "blocked"), ("sdc", "dm-3", "gone")]
        );
        assert_eq!(sum.paths[0].states_before, ["running"]);
        assert_eq!(sum.paths[1].states_before, ["offline"]);
    }

    #[test]
    fn a_namespace_over_two_controllers_has_two_paths_with_their_access() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for (name, access) in [("nvme0c0n1", "optimized"), ("nvme0c1n1", "inaccessible")] {
            file(root, &format!("sys/class/block/{name}/ana_state"), access);
        }
        // Of another namespace, another subsystem, a partition.
        for name in ["nvme0c0n2", "nvme1c0n1", "nvme0n1p1", "nvme0n1"] {
            file(root, &format!("sys/class/block/{name}/size"), "1");
        }
        file(root, "sys/class/block/nvme0n1/device/state", "live");
        file(root, "sys/class/nvme/nvme0/state", "live");
        file(root, "sys/class/nvme/nvme1/state", "live");
        let mut sampler = sampler(root, &["nvme0n1p1", "nvme0n1"]);
        assert_eq!(
            told(&sampler.look()),
            [
                ("nvme0c0n1", "nvme0n1", "live"),
                ("nvme0c1n1", "nvme0n1", "inaccessible")
            ]
        );
        file(root, "sys/class/nvme/nvme1/state", "connecting");
        assert_eq!(sampler.look()[1].state, "connecting");
    }

    #[test]
    fn a_disk_alone_is_its_own_path_and_what_has_no_state_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        file(root, "sys/class/block/sda/device/state", "running\n");
        file(root, "sys/class/block/vda/size", "1");
        file(root, "sys/class/block/nvme2n1/device/state", "live\n");
        let mut sampler = sampler(root, &["sda", "vda", "nvme2n1", "zram0", "sda"]);
        assert_eq!(
            told(&sampler.look()),
            [("sda", "sda", "running"), ("nvme2n1", "nvme2n1", "live")]
        );
    }
}
