//! A tree as it might be captured on a database host: a system disk with LVM, a LUN over two paths, an NVMe disk, a
//! virtio disk without a serial number, a loop device, zram.

use plimsoll_evidence::CpuInterval;
use plimsoll_witness::block::{self, NameSource};
use plimsoll_witness::inventory::{self, Content, Write};
use plimsoll_witness::storage::Storage;
use plimsoll_witness::{CpuSampler, Root, cpu, host};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

const MIB: usize = 1 << 20;

struct Tree {
    folder: tempfile::TempDir,
}

impl Tree {
    fn root(&self) -> Root {
        Root::at(self.folder.path())
    }

    fn file(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn link(&self, path: &str, to: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(to, path).unwrap();
    }

    /// A device at `place` below /sys/devices; its last part is the name.
    fn device(&self, place: &str, number: &str, sectors: u64, files: &[(&str, &str)]) {
        let name = place.rsplit('/').next().unwrap();
        for (file, content) in files {
            self.file(&format!("sys/devices/{place}/{file}"), content);
        }
        self.file(&format!("sys/devices/{place}/dev"), number);
        self.file(&format!("sys/devices/{place}/size"), sectors.to_string());
        self.file(&format!("sys/devices/{place}/ro"), "0");
        self.link(
            &format!("sys/class/block/{name}"),
            &format!("../../devices/{place}"),
        );
        self.link(
            &format!("sys/dev/block/{number}"),
            &format!("../../devices/{place}"),
        );
        if !files.iter().any(|(file, _)| *file == "partition") {
            self.link(&format!("sys/block/{name}"), &format!("../devices/{place}"));
        }
    }

    /// `lower` is part of `upper`.
    fn built_on(&self, upper: &str, lower: &str) {
        self.file(&format!("sys/class/block/{upper}/slaves/{lower}"), "");
        self.file(&format!("sys/class/block/{lower}/holders/{upper}"), "");
    }
}

fn database_host() -> Tree {
    let tree = Tree {
        folder: tempfile::tempdir().unwrap(),
    };
    let sda = "pci0000:00/0000:00:01.0/host0/target0:0:0/0:0:0:0/block/sda";
    tree.device(
        sda,
        "8:0",
        2_097_152,
        &[
            ("device/vendor", "ATA     "),
            ("device/model", "SuperDisk 9000  "),
            ("device/rev", "A1B2"),
            ("device/wwid", "naa.5000c500a1b2c3d4"),
            ("device/vpd_pg80", "\0\u{1}\0\u{8}  ZX0042\0"),
            ("device/state", "running"),
            ("queue/scheduler", "none [mq-deadline] kyber"),
            ("queue/nr_requests", "256"),
            ("queue/rotational", "1"),
            ("queue/logical_block_size", "512"),
            ("mq/0/cpu_list", "0"),
            ("mq/1/cpu_list", "1"),
        ],
    );
    tree.device(
        &format!("{sda}/sda1"),
        "8:1",
        1_048_576,
        &[("partition", "1")],
    );
    tree.device(
        &format!("{sda}/sda2"),
        "8:2",
        1_040_000,
        &[("partition", "2")],
    );
    tree.device(
        "virtual/block/dm-0",
        "253:0",
        1_000_000,
        &[("dm/name", "vg0-data"), ("dm/uuid", "LVM-abc")],
    );
    tree.built_on("dm-0", "sda2");
    for (name, number, state) in [("sdb", "8:16", "running"), ("sdc", "8:32", "offline")] {
        tree.device(
            &format!("pci0000:00/0000:00:02.0/host1/{name}/block/{name}"),
            number,
            4_194_304,
            &[
                ("device/vendor", "ARRAY"),
                ("device/model", "LUN"),
                ("device/wwid", "naa.600a098038303053"),
                ("device/state", state),
            ],
        );
    }
    tree.device(
        "virtual/block/dm-1",
        "253:1",
        4_194_304,
        &[
            ("dm/name", "mpatha"),
            ("dm/uuid", "mpath-3600a098038303053"),
        ],
    );
    tree.built_on("dm-1", "sdb");
    tree.built_on("dm-1", "sdc");
    tree.device(
        "pci0000:00/0000:00:03.0/nvme/nvme0/nvme0n1",
        "259:0",
        8192,
        &[
            ("wwid", "eui.0025385b11b0c1d2"),
            ("device/model", "FastNVMe"),
            ("device/serial", "S4EV"),
            ("device/firmware_rev", "2B2Q"),
        ],
    );
    tree.device(
        "pci0000:00/0000:00:03.0/nvme/nvme0/nvme0c0n1",
        "259:1",
        8192,
        &[("hidden", "1")],
    );
    tree.device(
        "pci0000:00/0000:00:04.0/virtio1/block/vdb",
        "254:16",
        8192,
        &[("device/vendor", "0x1af4")],
    );
    tree.device(
        "virtual/block/loop0",
        "7:0",
        2048,
        &[("loop/backing_file", "/data/disk image"), ("loop/dio", "0")],
    );
    tree.device("virtual/block/loop1", "7:1", 0, &[]);
    tree.device("virtual/block/zram0", "252:0", 2048, &[]);
    tree.link("dev/disk/by-id/nvme-FastNVMe_S4EV", "../../nvme0n1");
    tree.link(
        "dev/disk/by-id/dm-uuid-mpath-3600a098038303053",
        "../../dm-1",
    );
    tree.file("dev/nvme0n1", vec![0; 4 * MIB]);
    let mut image = vec![0; 4 * MIB];
    image[..4].copy_from_slice(b"XFSB");
    tree.file("dev/vdb", image);
    let mut data = vec![0; 4 * MIB];
    data[3 * MIB] = 1;
    tree.file("dev/dm-1", data);
    tree.file("dev/zram0", vec![0; MIB]);
    tree.file(
        "proc/self/mountinfo",
        "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 253:0 / /data rw - xfs /dev/mapper/vg0-data rw\n",
    );
    tree.file(
        "proc/swaps",
        "Filename\tType\tSize\tUsed\tPriority\n/dev/zram0 partition 1 0 100\n",
    );
    tree
}

fn device(tree: &Tree, name: &str) -> inventory::Device {
    let root = tree.root();
    inventory::device(&root, &Storage::of(&root), name)
}

#[test]
fn a_layer_says_what_the_kernel_says() {
    let layer = block::layer(&database_host().root(), "sda");
    assert_eq!(layer.kind, "disk");
    assert_eq!(layer.size_bytes, 1 << 30);
    assert_eq!(layer.model.as_deref(), Some("ATA SuperDisk 9000"));
    assert_eq!(layer.wwn.as_deref(), Some("naa.5000c500a1b2c3d4"));
    assert_eq!(layer.serial.as_deref(), Some("ZX0042"));
    assert_eq!(layer.firmware.as_deref(), Some("A1B2"));
    assert_eq!(layer.scheduler.as_deref(), Some("mq-deadline"));
    let setting = |name: &str| {
        layer
            .queue
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    };
    assert_eq!(setting("nr_requests"), Some("256"));
    assert_eq!(setting("nr_hw_queues"), Some("2"));
    assert_eq!(setting("write_cache"), None);
}

#[test]
fn a_stack_goes_down_to_the_disks_through_a_loop_devices_file() {
    let tree = database_host();
    let root = tree.root();
    let names = |name| {
        block::stack(&root, name)
            .iter()
            .map(|l| l.name.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(names("dm-0"), "dm-0 sda2 sda");
    assert_eq!(names("dm-1"), "dm-1 sdb sdc");
    assert_eq!(names("loop0"), "loop0 dm-0 sda2 sda");
    let of_path = |path| block::device_of_path(&root, Path::new(path)).unwrap();
    assert_eq!(of_path("/data/some/file").as_deref(), Some("dm-0"));
    assert_eq!(of_path("/dev/mapper/vg0-data").as_deref(), Some("dm-0"));
    assert_eq!(
        of_path("/dev/disk/by-id/nvme-FastNVMe_S4EV").as_deref(),
        Some("nvme0n1")
    );
    let shared = block::share_a_disk(&block::stack(&root, "dm-0"), &block::stack(&root, "sda1"));
    assert_eq!(shared, Some("sda".to_string()));
    assert_eq!(
        block::share_a_disk(&block::stack(&root, "dm-0"), &block::stack(&root, "dm-1")),
        None
    );
}

#[test]
fn every_device_has_names_that_outlive_a_reboot_where_there_are_any() {
    let tree = database_host();
    let names = |name: &str| -> Vec<(NameSource, String)> {
        let names = device(&tree, name).names;
        names
            .into_iter()
            .map(|name| (name.source, name.text))
            .collect()
    };
    let expected = |list: &[(NameSource, &str)]| -> Vec<(NameSource, String)> {
        list.iter()
            .map(|(source, text)| (*source, (*text).to_string()))
            .collect()
    };
    use NameSource::{ById, Definition, Kernel, Place, Serial, Wwn};
    assert_eq!(
        names("nvme0n1"),
        expected(&[
            (Wwn, "eui.0025385b11b0c1d2"),
            (Serial, "S4EV"),
            (ById, "nvme-FastNVMe_S4EV"),
        ])
    );
    assert_eq!(
        names("dm-1"),
        expected(&[
            (Wwn, "3600a098038303053"),
            (ById, "dm-uuid-mpath-3600a098038303053"),
            (Definition, "mpatha"),
        ])
    );
    assert_eq!(
        names("sda2")[0],
        (Wwn, "naa.5000c500a1b2c3d4-part2".to_string())
    );
    assert_eq!(names("vdb"), expected(&[(Place, "pci-0000:00:04.0")]));
    assert_eq!(
        names("loop0"),
        expected(&[(Definition, "/data/disk image")])
    );
    assert_eq!(names("zram0"), expected(&[(Kernel, "zram0")]));
}

#[test]
fn a_serial_number_that_two_disks_share_names_neither() {
    let tree = database_host();
    for (name, number) in [("vdc", "254:32"), ("vdd", "254:48")] {
        let place = format!("pci0000:00/0000:00:05.0/{name}/block/{name}");
        tree.device(&place, number, 8, &[("serial", "SAME")]);
        let is_serial = |n: &block::StableName| n.source == NameSource::Serial;
        assert_eq!(
            device(&tree, name).names.iter().any(is_serial),
            name == "vdc"
        );
    }
    // Nor does a bus address that several disks lie at.
    assert_eq!(device(&tree, "vdc").names[0].source, NameSource::Kernel);
}

#[test]
fn what_is_in_use_is_refused_and_what_holds_something_needs_its_name() {
    let tree = database_host();
    let refused = |name: &str| match device(&tree, name).write {
        Write::Refused { why } => why,
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(refused("sda1"), "sda1 is mounted at /");
    assert_eq!(refused("sda"), "sda1 is mounted at /");
    assert_eq!(refused("sda2"), "dm-0 is mounted at /data");
    assert_eq!(refused("sdb"), "sdb is part of dm-1 (multipath)");
    assert_eq!(refused("zram0"), "zram0 is swap space in use");
    assert_eq!(device(&tree, "nvme0n1").write, Write::Allowed);
    let Write::Destroy { name, why } = device(&tree, "vdb").write else {
        panic!("a file system must not be written unasked");
    };
    assert_eq!(
        (name.as_str(), why.as_str()),
        ("pci-0000:00:04.0", "it holds xfs")
    );
    let Content::Data { at } = device(&tree, "dm-1").content else {
        panic!("one byte is data");
    };
    assert_eq!(at, 3 * MIB as u64);
}

#[test]
fn a_node_that_cannot_be_opened_is_not_taken_for_blank() {
    let tree = database_host();
    fs::remove_file(tree.folder.path().join("dev/nvme0n1")).unwrap();
    let found = device(&tree, "nvme0n1");
    assert!(matches!(found.content, Content::Unreadable { .. }));
    assert!(matches!(found.write, Write::Destroy { .. }));
}

#[test]
fn the_listing_is_a_table_for_people() {
    let devices = inventory::list(&database_host().root());
    insta::assert_snapshot!(inventory::table(&devices));
}

#[test]
fn the_listing_is_json_for_programs() {
    let tree = database_host();
    let json = serde_json::to_value(device(&tree, "dm-1")).unwrap();
    assert_eq!(json["path"], "/dev/dm-1");
    assert_eq!(json["paths"][1]["state"], "offline");
    assert_eq!(json["content"]["kind"], "data");
    assert_eq!(json["write"]["name"], "3600a098038303053");
    assert_eq!(json["stack"][1]["name"], "sdb");
}

#[test]
fn the_host_is_read_from_its_files() {
    let tree = database_host();
    tree.file("proc/sys/kernel/hostname", "db1\n");
    tree.file("proc/sys/kernel/osrelease", "6.1.0\n");
    tree.file(
        "etc/os-release",
        "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n",
    );
    tree.file(
        "proc/cpuinfo",
        "processor : 0\nmodel name : Xeon\nflags : fpu hypervisor\n",
    );
    tree.file("proc/meminfo", "MemTotal:       1024 kB\n");
    tree.file("proc/self/status", "Name: x\nCpus_allowed_list:\t0-2\n");
    tree.file("proc/1/environ", "a=b\0container=lxc\0");
    tree.file("sys/class/dmi/id/sys_vendor", "VMware, Inc.\n");
    tree.file("sys/devices/system/cpu/online", "0-7\n");
    tree.file("sys/devices/system/node/online", "0-1\n");
    tree.file(
        "sys/devices/system/clocksource/clocksource0/current_clocksource",
        "tsc\n",
    );
    let facts = host::facts(&tree.root());
    assert_eq!(facts.hostname, "db1");
    assert_eq!(facts.kernel, "6.1.0");
    assert_eq!(facts.distribution.as_deref(), Some("Debian GNU/Linux 12"));
    assert_eq!(facts.cpu_model.as_deref(), Some("Xeon"));
    assert_eq!(
        (facts.cpus_available, facts.cpus_online, facts.numa_nodes),
        (3, 8, 2)
    );
    assert_eq!(facts.memory_bytes, 1 << 20);
    assert_eq!(
        facts.virtualization.as_deref(),
        Some("VMware, container (lxc)")
    );
    assert_eq!(facts.clocksource.as_deref(), Some("tsc"));
    assert_eq!(facts.governor, None);
}

#[test]
fn cpu_use_is_read_from_a_tree_too() {
    let tree = database_host();
    let write = |user: u32, idle: u32, worker: u64, kernel: u64| {
        tree.file("proc/stat", format!("cpu  {user} 0 0 {idle} 0 0 0 0 0 0\n"));
        for (tid, name, ns) in [(7, "worker", worker), (8, "iou-wrk-7", kernel)] {
            tree.file(&format!("proc/self/task/{tid}/comm"), name);
            tree.file(
                &format!("proc/self/task/{tid}/schedstat"),
                format!("{ns} 0 1"),
            );
        }
    };
    let sampler = CpuSampler::new(&tree.root());
    write(0, 0, 1_000, 500);
    let from = sampler.sample();
    write(25, 75, 3_000, 700);
    let used = cpu::between(&from, &sampler.sample(), &[]).unwrap();
    let expected = CpuInterval {
        user: 0.25,
        process_ns: 2_200,
        io_wq_ns: 200,
        ..CpuInterval::default()
    };
    assert_eq!(used, expected);
}
