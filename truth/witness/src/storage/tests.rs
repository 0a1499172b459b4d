//! Trees of `/sys` as kernels lay them out, with tables as `dmsetup table` prints them.

use super::*;
use crate::occupancy::uses_of_device;
use std::fs;
use std::os::unix::fs::symlink;

struct Tree(tempfile::TempDir);

const GIB: u64 = 1 << 21;

impl Tree {
    fn new() -> Tree {
        Tree(tempfile::tempdir().unwrap())
    }

    fn root(&self) -> Root {
        Root::at(self.0.path())
    }

    fn file(&self, path: &str, content: &str) {
        crate::root::file(self.0.path(), path, content);
    }

    /// A device of so many sectors, by its place below /sys/devices.
    fn device(&self, place: &str, number: &str, sectors: u64, files: &[(&str, &str)]) {
        let name = place.rsplit('/').next().unwrap();
        let folder = format!("sys/devices/{place}");
        self.file(&format!("{folder}/dev"), number);
        self.file(&format!("{folder}/size"), &sectors.to_string());
        for (file, content) in files {
            self.file(&format!("{folder}/{file}"), content);
        }
        for links in ["class/block", "dev/block"] {
            let link = if links == "dev/block" { number } else { name };
            let link = self.0.path().join("sys").join(links).join(link);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(format!("../../devices/{place}"), link).unwrap();
        }
        if !files.iter().any(|(file, _)| *file == "partition") {
            self.file(&format!("sys/block/{name}/dev"), number);
        }
    }

    /// A path of a LUN with two partitions: `sdb`, `8:16`.
    fn path(&self, name: &str, minor: u32, sectors: u64) {
        let wwid = [("device/wwid", "naa.600a098038303053\n")];
        self.device(
            &format!("host/{name}"),
            &format!("8:{minor}"),
            sectors,
            &wwid,
        );
        for (number, start) in [("1", "2048"), ("2", "1048576")] {
            let place = format!("host/{name}/{name}{number}");
            let minor = minor + number.parse::<u32>().unwrap();
            let files = [("partition", number), ("start", start)];
            self.device(&place, &format!("8:{minor}"), GIB / 4, &files);
        }
    }

    fn map(&self, name: &str, uuid: &str, slaves: &[&str]) {
        let minor = name.trim_start_matches("dm-");
        let files = [("dm/name", name), ("dm/uuid", uuid)];
        let size = if uuid.starts_with("mpath") {
            GIB
        } else {
            GIB / 4
        };
        self.device(
            &format!("virtual/{name}"),
            &format!("253:{minor}"),
            size,
            &files,
        );
        for slave in slaves {
            self.file(&format!("sys/class/block/{name}/slaves/{slave}"), "");
        }
    }

    fn mount(&self, device: &str, number: &str) {
        let line = format!("1 0 {number} / /db rw - xfs /dev/{device} rw\n");
        self.file("proc/self/mountinfo", &line);
    }

    fn first_use(&self, storage: &Storage, name: &str) -> Option<String> {
        let uses = uses_of_device(&self.root(), storage, name);
        uses.first().map(ToString::to_string)
    }
}

fn two_paths() -> Tree {
    let tree = Tree::new();
    tree.path("sdb", 16, GIB);
    tree.path("sdc", 32, GIB);
    tree
}

fn to_claim(storage: &Storage, name: &str) -> Vec<String> {
    let sharers = storage.to_claim(name).into_iter();
    sharers
        .filter_map(|s| s.thing.device().map(str::to_string))
        .collect()
}

#[test]
fn a_lun_that_is_mounted_by_one_path_is_in_use_by_the_other() {
    let tree = two_paths();
    tree.mount("sdc1", "8:33");
    let storage = Storage::of(&tree.root());
    let message = "sdc1 (the same storage) is mounted at /db";
    for path in ["sdb", "sdb1"] {
        assert_eq!(tree.first_use(&storage, path).as_deref(), Some(message));
    }
    let above = tree.first_use(&storage, "sdc");
    assert_eq!(above.as_deref(), Some("sdc1 is mounted at /db"));
    for other in ["sdb2", "sdc2"] {
        assert_eq!(tree.first_use(&storage, other), None);
    }
}

#[test]
fn another_path_is_held_while_one_is_written_and_its_partitions_are_with_it() {
    let tree = two_paths();
    let storage = Storage::of(&tree.root());
    assert_eq!(to_claim(&storage, "sdb"), ["sdc"]);
    assert_eq!(to_claim(&storage, "sdc2"), ["sdb2"]);
}

#[test]
fn a_multipath_map_may_be_written_though_its_paths_are_held_and_another_path_is_a_use() {
    let tree = two_paths();
    tree.map("dm-0", "mpath-3600a098038303053", &["sdb", "sdc"]);
    let storage = Storage::of(&tree.root());
    assert_eq!(tree.first_use(&storage, "dm-0"), None);
    assert_eq!(to_claim(&storage, "dm-0"), [""; 0]);
    let message = tree.first_use(&storage, "sdb");
    assert_eq!(message.as_deref(), Some("sdb is part of dm-0 (multipath)"));
    tree.path("sdd", 48, GIB);
    let storage = Storage::of(&tree.root());
    assert_eq!(to_claim(&storage, "dm-0"), ["sdd"]);
    let message = tree.first_use(&storage, "sdd");
    let expected = "sdb (the same storage) is part of dm-0 (multipath)";
    assert_eq!(message.as_deref(), Some(expected));
    tree.mount("sdd", "8:48");
    let message = tree.first_use(&storage, "dm-0");
    let expected = "sdd (the same storage) is mounted at /db";
    assert_eq!(message.as_deref(), Some(expected));
}

#[test]
fn a_namespace_behind_two_controllers_is_one_and_a_disk_of_another_size_is_another() {
    let tree = Tree::new();
    for (name, number, size) in [
        ("nvme0n1", "259:0", GIB),
        ("nvme1n1", "259:1", GIB),
        ("nvme2n1", "259:2", GIB + 8),
    ] {
        let wwid = [("wwid", "eui.0025385b11b0c1d2\n")];
        tree.device(&format!("nvme/{name}"), number, size, &wwid);
    }
    // A path of the kernel's own multipath has no node.
    let hidden = [("wwid", "eui.0025385b11b0c1d2"), ("hidden", "1")];
    tree.device("nvme/nvme0c0n1", "259:3", GIB, &hidden);
    let swap = "Filename Type Size Used Priority\n/dev/nvme1n1 partition 1 0 100\n";
    tree.file("proc/swaps", swap);
    let storage = Storage::of(&tree.root());
    let message = tree.first_use(&storage, "nvme0n1");
    let expected = "nvme1n1 (the same storage) is swap space in use";
    assert_eq!(message.as_deref(), Some(expected));
    assert_eq!(tree.first_use(&storage, "nvme2n1"), None);
    assert_eq!(to_claim(&storage, "nvme0n1"), ["nvme1n1"]);
}

/// Tables of maps on a disk of 1 GiB: two on the same sectors, one beside them, one encrypted, and stripes.
fn tables(_: &Root, number: &str) -> Option<Vec<dm::Target>> {
    let part = |start, length, kind: &str, words: &str| dm::Target {
        start,
        length,
        kind: kind.to_string(),
        words: words.to_string(),
    };
    Some(match number {
        "253:0" => vec![part(0, GIB / 4, "linear", "8:16 0")],
        "253:1" => vec![
            part(0, GIB / 8, "linear", &format!("8:16 {}", GIB / 2)),
            part(GIB / 8, GIB / 8, "linear", &format!("8:16 {}", GIB / 8)),
        ],
        "253:2" => vec![part(0, GIB / 4, "linear", &format!("8:16 {}", GIB / 4))],
        "253:3" => vec![part(
            0,
            GIB / 4,
            "crypt",
            "aes-xts-plain64 :64:logon:key 0 253:2 0 1 allow_discards",
        )],
        "253:4" => vec![part(0, GIB / 4, "striped", "2 128 8:16 0 8:32 0")],
        "253:5" | "253:6" => vec![part(0, GIB / 4, "thin", "253:7 1")],
        "253:7" => vec![part(
            0,
            GIB / 4,
            "thin-pool",
            "253:1 253:0 128 0 1 error_if_no_space",
        )],
        "253:8" => vec![part(0, GIB / 4, "linear", "253:7 0")],
        _ => return None,
    })
}

fn mapped(maps: &[(&str, &[&str])]) -> (Tree, Storage) {
    let tree = Tree::new();
    tree.device("host/sdb", "8:16", GIB, &[]);
    tree.device("host/sdc", "8:32", GIB, &[]);
    for (name, slaves) in maps {
        tree.map(name, "LVM-x", slaves);
    }
    let storage = Storage::with_tables(&tree.root(), tables);
    (tree, storage)
}

#[test]
fn a_second_map_on_the_same_sectors_is_a_use_and_one_beside_them_is_none() {
    let disk: &[&str] = &["sdb"];
    let (tree, storage) = mapped(&[
        ("dm-0", disk),
        ("dm-1", disk),
        ("dm-2", disk),
        ("dm-3", &["dm-2"]),
    ]);
    let message = tree.first_use(&storage, "dm-0");
    let expected = "what it is made of is part of dm-1 (dm)";
    assert_eq!(message.as_deref(), Some(expected));
    tree.mount("dm-1", "253:1");
    let message = tree.first_use(&storage, "dm-0");
    let expected = "dm-1 (the same storage) is mounted at /db";
    assert_eq!(message.as_deref(), Some(expected));
    assert_eq!(tree.first_use(&storage, "dm-3"), None);
    let message = tree.first_use(&storage, "dm-2");
    assert_eq!(message.as_deref(), Some("dm-2 is part of dm-3 (dm)"));
}

#[test]
fn a_stripe_lies_on_its_share_of_each_disk() {
    let (tree, storage) = mapped(&[
        ("dm-2", &["sdb"]),
        ("dm-4", &["sdb", "sdc"]),
        ("dm-0", &["sdb"]),
    ]);
    assert_eq!(tree.first_use(&storage, "dm-2"), None);
    let message = tree.first_use(&storage, "dm-0");
    let expected = "what it is made of is part of dm-4 (dm)";
    assert_eq!(message.as_deref(), Some(expected));
}

#[test]
fn volumes_of_a_pool_do_not_share_what_the_pool_shares_out() {
    let (tree, storage) = mapped(&[
        ("dm-0", &["sdb"]),
        ("dm-1", &["sdb"]),
        ("dm-5", &["dm-7"]),
        ("dm-6", &["dm-7"]),
        ("dm-7", &["dm-0", "dm-1"]),
        ("dm-8", &["dm-7"]),
    ]);
    tree.mount("dm-6", "253:6");
    assert_eq!(tree.first_use(&storage, "dm-5"), None);
    // Whoever writes the pool by its own name writes over its volumes.
    tree.mount("dm-8", "253:8");
    let message = tree.first_use(&storage, "dm-5");
    let expected = "dm-8 (the same storage) is mounted at /db";
    assert_eq!(message.as_deref(), Some(expected));
    let message = tree.first_use(&storage, "sdb").unwrap();
    assert_eq!(message, "dm-8 is mounted at /db");
}

#[test]
fn arrays_of_one_container_do_not_share_their_members() {
    let tree = two_paths();
    for (name, number) in [("md126", "9:126"), ("md127", "9:127")] {
        tree.device(
            &format!("virtual/{name}"),
            number,
            GIB,
            &[("md/level", "raid1")],
        );
        tree.file(&format!("sys/class/block/{name}/slaves/sdb"), "");
    }
    tree.mount("md126", "9:126");
    let storage = Storage::of(&tree.root());
    assert_eq!(tree.first_use(&storage, "md127"), None);
    let message = tree.first_use(&storage, "sdc");
    assert_eq!(
        message.as_deref(),
        Some("md126 (the same storage) is mounted at /db")
    );
}

#[test]
fn what_a_loop_device_is_made_of_is_claimed_as_well() {
    let tree = two_paths();
    let file = [("loop/backing_file", "/dev/sdb2\n")];
    tree.device("virtual/loop0", "7:0", GIB / 4, &file);
    let storage = Storage::of(&tree.root());
    assert_eq!(to_claim(&storage, "loop0"), ["sdb2", "sdc2"]);
    tree.mount("sdc2", "8:34");
    let message = tree.first_use(&storage, "loop0");
    let expected = "sdc2 (the same storage) is mounted at /db";
    assert_eq!(message.as_deref(), Some(expected));
    assert_eq!(tree.first_use(&storage, "sdb1"), None);
}

#[test]
fn devices_that_are_built_on_one_another_in_a_circle_come_to_an_end() {
    let tree = Tree::new();
    tree.map("dm-10", "x", &["dm-11"]);
    tree.map("dm-11", "x", &["dm-10", "dm-11"]);
    let storage = Storage::of(&tree.root());
    assert!(tree.first_use(&storage, "dm-10").is_some());
}

#[test]
fn a_disk_takes_commands_by_nodes_of_their_own() {
    let tree = two_paths();
    tree.file("sys/class/block/sdb/device/scsi_generic/sg1/dev", "21:1\n");
    tree.file("sys/class/block/sdb/device/bsg/0:0:0:0/dev", "246:3\n");
    tree.file("sys/class/nvme-generic/ng0n1/dev", "240:0\n");
    let names = |disk| {
        let nodes = block::command_nodes(&tree.root(), disk).into_iter();
        nodes
            .map(|(name, number)| format!("{name} {number}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(names("sdb"), ["sg1 21:1", "0:0:0:0 246:3"]);
    assert_eq!(names("nvme0n1"), ["ng0n1 240:0"]);
    assert_eq!(names("sdc"), [""; 0]);
}
