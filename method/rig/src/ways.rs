//! A target's paths as targets of their own, for a method that compares them.

use plimsoll_plan::{Item, LabTarget, Location, NbdTarget, Plan, Target, TargetId};
use plimsoll_sim::find_persona;
use plimsoll_witness::Root;
use plimsoll_witness::block::{device_of_path, layer, node_of_name};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// More paths than this are not compared: four rounds of two probes of 0.3 s each have to fit into 32 s.
const MOST: usize = 13;

/// The plan, where each target whose paths a method compares is there by each of its paths too. Where there is one path, or
/// none that can be told from others, nothing changes; nor does it for a plan that was made so before.
pub fn with_ways(plan: Plan) -> Plan {
    with_ways_below(&Root::system(), plan)
}

fn with_ways_below(root: &Root, mut plan: Plan) -> Plan {
    let targets = &mut plan.targets;
    for item in &mut plan.items {
        let Item::Method(method) = item else { continue };
        let Some(id) = method.wants_paths() else {
            continue;
        };
        let whole = &targets[id.0 as usize];
        let ways = ways(root, &whole.location);
        if !(2..=MOST).contains(&ways.len()) {
            continue;
        }
        let first = targets.len();
        let one = |(number, location): (usize, Location)| Target {
            name: format!("{} by path {number}", whole.name),
            location,
            ..whole.clone()
        };
        let all: Vec<Target> = ways.into_iter().enumerate().map(one).collect();
        let ids = (first..first + all.len()).map(|n| TargetId(n as u32));
        method.take_paths(ids.collect());
        targets.extend(all);
    }
    plan
}

/// The target by each of its paths alone.
fn ways(root: &Root, location: &Location) -> Vec<Location> {
    match location {
        Location::Nbd(volume) => {
            let one = |path: &_| {
                Location::Nbd(NbdTarget {
                    paths: vec![Clone::clone(path)],
                    ..volume.clone()
                })
            };
            volume.paths.iter().map(one).collect()
        }
        Location::Lab(lun) if lun.path.is_none() => {
            let one = |path| {
                Location::Lab(LabTarget {
                    path: Some(path),
                    ..lun.clone()
                })
            };
            // What is wrong with an array is said where it is built.
            let paths = find_persona(&lun.array).map_or(0, |(persona, _)| persona.ports.paths);
            (0..paths).map(one).collect()
        }
        Location::Path(path) => {
            // A file's own paths are nobody's business: its file system's device holds more than the file.
            if !is_device(root, path) {
                return Vec::new();
            }
            let Ok(Some(name)) = device_of_path(root, path) else {
                return Vec::new();
            };
            let device = layer(root, &name);
            if device.kind != "multipath" {
                return Vec::new();
            }
            let one = |slave: &String| Location::Path(node_of_name(slave));
            device.slaves.iter().map(one).collect()
        }
        Location::Lab(_) | Location::Null(_) | Location::Concat(_) | Location::Tree(_) => {
            Vec::new()
        }
    }
}

/// True for a block device, and in a captured tree for what is below `/dev`.
fn is_device(root: &Root, path: &Path) -> bool {
    match root.is_system() {
        true => std::fs::metadata(path).is_ok_and(|m| m.file_type().is_block_device()),
        false => path.starts_with("/dev"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn texts(root: &Root, target: &str) -> Vec<String> {
        let location = Location::parse(target).expect(target);
        ways(root, &location).iter().map(Location::text).collect()
    }

    #[test]
    fn several_addresses_and_the_paths_of_an_array_are_taken_one_by_one() {
        let root = Root::system();
        let volume = "nbd://a:6/lun0,nbd://b:7/lun0";
        assert_eq!(texts(&root, volume), ["nbd://a:6/lun0", "nbd://b:7/lun0"]);
        let lab = texts(&root, "lab:scale-out-flash-8/lun2?scale=20");
        assert!(lab.len() > 1, "{lab:?}");
        for (path, text) in lab.iter().enumerate() {
            assert_eq!(
                *text,
                format!("lab:scale-out-flash-8/lun2?scale=20&path={path}")
            );
        }
        // One path of an array has no others, and what is wrong is said elsewhere.
        for none in ["lab:scale-out-flash-8?path=1", "lab:./none.toml", "null:1g"] {
            assert_eq!(texts(&root, none), [""; 0], "{none}");
        }
    }

    #[test]
    fn a_multipath_device_is_taken_by_its_leaves_and_a_file_on_it_is_not() {
        let tree = tempfile::tempdir().expect("a folder");
        let sys = tree.path().join("sys/class/block");
        for path in [
            "dm-1/dm",
            "dm-1/slaves",
            "dm-2/dm",
            "dm-2/slaves",
            "sdb",
            "sdc",
        ] {
            std::fs::create_dir_all(sys.join(path)).expect("made");
        }
        std::fs::write(sys.join("dm-1/dm/uuid"), "mpath-3600a").expect("written");
        std::fs::write(sys.join("dm-2/dm/uuid"), "LVM-x").expect("written");
        for (dm, leaf) in [
            ("dm-1", "sdb"),
            ("dm-1", "sdc"),
            ("dm-2", "sdb"),
            ("dm-2", "sdc"),
        ] {
            symlink(sys.join(leaf), sys.join(dm).join("slaves").join(leaf)).expect("linked");
        }
        let root = Root::at(tree.path());
        assert_eq!(texts(&root, "/dev/dm-1"), ["/dev/sdb", "/dev/sdc"]);
        assert_eq!(texts(&root, "/dev/dm-2"), [""; 0]);
        assert_eq!(texts(&root, "/dev/sdb"), [""; 0]);
        assert_eq!(texts(&root, "/mnt/file"), [""; 0]);
    }
}
