//! The paths by which the kernel reaches the targets' devices, and how they are.

use super::Watched;
use crate::Root;
use plimsoll_evidence::witnessed::PathSeen;

/// Looks at paths.
#[derive(Debug)]
pub(super) struct PathsSampler {
    root: Root,
    paths: Vec<Known>,
}

/// A path that there was at the beginning.
#[derive(Debug)]
struct Known {
    name: String,
    of: String,
    /// The file with its state.
    state: String,
    /// The file with its asymmetric access state, where it may have one.
    access: Option<String>,
}

impl PathsSampler {
    pub fn new(root: &Root, what: &[Watched]) -> Self {
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
        PathsSampler {
            root: root.clone(),
            paths,
        }
    }

    /// Each path, with the kernel's word for it. One whose word is gone with its device is `gone`.
    pub fn look(&mut self) -> Vec<PathSeen> {
        let root = &self.root;
        let seen = |path: &Known| PathSeen {
            name: path.name.clone(),
            of: path.of.clone(),
            state: state(root, path),
            states_before: Vec::new(),
        };
        self.paths.iter().map(seen).collect()
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
        let path = |slave: String| {
            let known = alone(root, &slave)?;
            Some(Known {
                of: name.to_owned(),
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
    use plimsoll_evidence::Witnessed;
    use std::path::Path;

    fn file(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn sampler(folder: &Path, devices: &[&str]) -> PathsSampler {
        let what = Watched {
            devices: devices.iter().map(ToString::to_string).collect(),
            ..Watched::default()
        };
        PathsSampler::new(&Root::at(folder), &[what])
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
