//! Two looks at made-up trees of `/proc` and `/sys`: what changed between them, worked out by hand.

use plimsoll_evidence::Witnessed;
use plimsoll_evidence::witnessed::{CgroupUse, CpuUse, DeviceUse, Frequency, OwnIo, Pressure};
use plimsoll_witness::{Root, Watch, Watched};
use std::fs;
use std::os::unix::fs::symlink;

struct Tree(tempfile::TempDir);

impl Tree {
    fn new() -> Self {
        Tree(tempfile::tempdir().unwrap())
    }

    fn file(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn stat(&self, device: &str, numbers: &str) {
        self.file(&format!("sys/class/block/{device}/stat"), numbers);
    }

    fn watch(&self, devices: &[&str]) -> Watch {
        let target = Watched {
            name: "t1".into(),
            devices: devices.iter().map(ToString::to_string).collect(),
            ..Watched::default()
        };
        Watch::new(&Root::at(self.0.path()), &[target])
    }
}

fn device(name: &str) -> DeviceUse {
    DeviceUse {
        name: name.into(),
        ..DeviceUse::default()
    }
}

#[test]
fn of_nothing_to_see_nothing_is_said() {
    let tree = Tree::new();
    let mut watch = tree.watch(&["sda"]);
    assert_eq!(watch.look(), Witnessed::default());
    assert_eq!(watch.look(), Witnessed::default());
}

#[test]
fn the_time_of_each_cpu_is_told_apart() {
    let tree = Tree::new();
    // user nice system idle iowait irq softirq steal guest guest_nice; CPU 1 is offline.
    let first = "cpu  0 0 0 0 0 0 0 0 0 0\n\
                 cpu0 100 10 50 1000 20 3 4 5 90 10\n\
                 cpu2 0 0 0 500 0 0 0 0 0 0\n\
                 intr 1 2 3\n";
    let second = "cpu  0 0 0 0 0 0 0 0 0 0\n\
                  cpu0 130 15 60 1040 19 5 7 15 120 15\n\
                  cpu2 0 0 0 600 0 0 0 0 0 0\n\
                  intr 9 9 9\n";
    tree.file("proc/uptime", "100.25 1.00\n");
    tree.file("proc/stat", first);
    let mut watch = tree.watch(&[]);
    tree.file("proc/stat", second);
    tree.file("proc/uptime", "101.25 1.00\n");
    let seen = watch.look();
    assert_eq!(seen.observed_s, 1.0);
    // 30 user, 5 nice, 10 system, 2 irq, 3 softirq; the iowait that went back is none.
    let cpu0 = CpuUse {
        busy_s: 0.5,
        system_s: 0.15,
        interrupts_s: 0.05,
        iowait_s: 0.0,
        steal_s: 0.1,
        all_s: 1.0,
    };
    let cpu2 = CpuUse {
        all_s: 1.0,
        ..CpuUse::default()
    };
    assert_eq!(seen.cpus, [cpu0, CpuUse::default(), cpu2]);
    // Nothing has changed since.
    let seen = watch.look();
    assert_eq!(seen.observed_s, 0.0);
    assert_eq!(seen.cpus, [CpuUse::default(); 3]);
}

#[test]
fn devices_are_told_by_what_they_did_since_the_last_look() {
    let tree = Tree::new();
    tree.stat(
        "dm-0",
        "   1000   10  16000  500  2000 20  64000  900  7  1300  1400  5 0  80  3  9  11\n",
    );
    // As kernels before 4.18 have it.
    tree.stat("sda", "1 2 3 4 5 6 7 8 9 10 11\n");
    let mut watch = tree.watch(&["dm-0", "sda", "dm-0"]);
    tree.stat(
        "dm-0",
        "   1010   11  16160  530  2040 22  65280  980  3  1350  1500  6 0 208  4 12  15\n",
    );
    tree.stat("sda", "2 2 11 4 5 6 7 8 0 10 11\n");
    let dm = DeviceUse {
        reads: 10,
        reads_merged: 1,
        read_bytes: 160 * 512,
        read_ms: 30,
        writes: 40,
        writes_merged: 2,
        written_bytes: 1280 * 512,
        write_ms: 80,
        in_flight: 3,
        busy_ms: 50,
        queue_ms: 100,
        discards: Some(1),
        discarded_bytes: Some(128 * 512),
        flushes: Some(3),
        flush_ms: Some(4),
        ..device("dm-0")
    };
    let sda = DeviceUse {
        reads: 1,
        read_bytes: 4096,
        ..device("sda")
    };
    assert_eq!(watch.look().devices, [dm, sda]);
}

#[test]
fn times_of_32_bits_that_ran_over_are_no_year() {
    let tree = Tree::new();
    tree.stat("sda", "0 0 0 4294967290 0 0 0 0 0 4294967295 4294967000");
    let mut watch = tree.watch(&["sda"]);
    tree.stat("sda", "1 0 8 4 0 0 0 0 0 0 704");
    let seen = watch.look().devices.remove(0);
    assert_eq!((seen.read_ms, seen.busy_ms, seen.queue_ms), (10, 1, 1000));
}

#[test]
fn a_device_that_cannot_be_the_same_is_not_seen() {
    let tree = Tree::new();
    tree.stat("sda", "100 0 800 0 0 0 0 0 0 0 0");
    let mut watch = tree.watch(&["sda"]);
    tree.stat("sda", "3 0 24 0 0 0 0 0 0 0 0");
    assert_eq!(watch.look().devices, [], "another one has taken its name");
    tree.stat("sda", "5 0 40 0 0 0 0 0 0 0 0");
    assert_eq!(watch.look().devices[0].reads, 2);
    for broken in ["", "1 2 3", "a b c d e f g h i j k"] {
        tree.stat("sda", broken);
        assert_eq!(watch.look().devices, [], "{broken}");
    }
}

#[test]
fn a_device_that_counts_nothing_is_not_one_without_io() {
    let tree = Tree::new();
    let zeros = "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0";
    for disk in ["sda", "sdb"] {
        tree.stat(disk, zeros);
    }
    tree.file("sys/devices/sda/queue/iostats", "0\n");
    tree.file("sys/devices/sda/stat", zeros);
    tree.file("sys/devices/sda/sda1/partition", "1");
    tree.file("sys/devices/sda/sda1/stat", zeros);
    tree.file("sys/class/block/sda/queue/iostats", "0\n");
    tree.file("sys/class/block/sdb/queue/iostats", "1\n");
    let part = tree.0.path().join("sys/class/block/sda1");
    symlink("../../devices/sda/sda1", part).unwrap();
    let mut watch = tree.watch(&["sda1", "sda", "sdb"]);
    let names = |seen: Vec<DeviceUse>| seen.into_iter().map(|d| d.name).collect::<Vec<_>>();
    assert_eq!(names(watch.look().devices), ["sdb"]);
    // Some drivers count in spite of it.
    tree.stat("sda", "1 0 8 0 0 0 0 0 0 0 0");
    let seen = watch.look().devices;
    let reads: Vec<_> = seen.iter().map(|d| (d.name.as_str(), d.reads)).collect();
    assert_eq!(reads, [("sda", 1), ("sdb", 0)]);
    assert_eq!(names(watch.look().devices), ["sdb"]);
}

#[test]
fn pressure_is_told_whole_or_not_at_all() {
    let tree = Tree::new();
    let file = |some: u64, full: u64| {
        let line =
            |word, total| format!("{word} avg10=1.00 avg60=2.00 avg300=3.00 total={total}\n");
        line("some", some) + &line("full", full)
    };
    tree.file("proc/pressure/cpu", file(1_000_000, 7));
    tree.file("proc/pressure/memory", file(10, 5));
    let mut watch = tree.watch(&[]);
    tree.file("proc/pressure/io", file(0, 0));
    assert_eq!(watch.look().pressure, None);
    assert_eq!(watch.look().pressure, Some(Pressure::default()));
    tree.file("proc/pressure/cpu", file(1_250_000, 8));
    tree.file("proc/pressure/memory", file(2_000_010, 1_000_005));
    tree.file("proc/pressure/io", file(500_000, 125_000));
    let expected = Pressure {
        cpu_some_s: 0.25,
        memory_some_s: 2.0,
        memory_full_s: 1.0,
        io_some_s: 0.5,
        io_full_s: 0.125,
    };
    assert_eq!(watch.look().pressure, Some(expected));
}

#[test]
fn own_io_is_what_the_process_did_since() {
    let tree = Tree::new();
    let io = |n: u64| {
        format!(
            "rchar: {}\nwchar: {}\nsyscr: 1\nsyscw: 1\nread_bytes: {}\nwrite_bytes: {}\ncancelled_write_bytes: {}\n",
            n,
            2 * n,
            3 * n,
            4 * n,
            5 * n
        )
    };
    tree.file("proc/self/io", io(100));
    let mut watch = tree.watch(&[]);
    tree.file("proc/self/io", io(107));
    let expected = OwnIo {
        asked_read_bytes: 7,
        asked_written_bytes: 14,
        read_bytes: 21,
        written_bytes: 28,
        cancelled_bytes: 35,
    };
    assert_eq!(watch.look().own, Some(expected));
    tree.file("proc/self/io", "rchar: 1\n");
    assert_eq!(watch.look().own, None);
}

const MOUNTS: &str = "\
22 1 0:20 / /proc rw - proc proc rw\n\
30 1 0:26 / /sys/fs/cgroup/unified rw,nosuid shared:9 - cgroup2 cgroup2 rw\n\
31 1 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
32 1 0:28 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n\
33 1 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n";

#[test]
fn the_limits_of_all_groups_above_count() {
    let tree = Tree::new();
    tree.file("proc/self/mountinfo", MOUNTS);
    tree.file("proc/self/cgroup", "0::/apps/db\n");
    tree.file("sys/class/block/sda/dev", "8:0\n");
    let group = |path: &str, max: &str, throttled: u64, us: u64| {
        let folder = format!("sys/fs/cgroup/unified{path}");
        tree.file(&format!("{folder}/cpu.max"), max);
        let stat =
            format!("usage_usec 5\nnr_periods 9\nnr_throttled {throttled}\nthrottled_usec {us}\n");
        tree.file(&format!("{folder}/cpu.stat"), stat);
    };
    group("/apps", "150000 100000\n", 10, 1_000_000);
    group("/apps/db", "max 100000\n", 0, 0);
    let mut watch = tree.watch(&["sda"]);
    group("/apps", "150000 100000\n", 13, 1_250_000);
    group("/apps/db", "200000 50000\n", 1, 500_000);
    tree.file(
        "sys/fs/cgroup/unified/apps/io.max",
        "8:16 rbps=1 wbps=max riops=max wiops=max\n8:0 rbps=max wbps=1048576 riops=max wiops=max\n",
    );
    let expected = CgroupUse {
        cpu_limit: Some(1.5),
        // Of nested groups the one that was held up most, not both.
        throttled_periods: 1,
        throttled_s: 0.5,
        io_limits: vec!["sda rbps=max wbps=1048576 riops=max wiops=max".into()],
    };
    assert_eq!(watch.look().cgroup, Some(expected));
}

#[test]
fn limits_of_version_1_are_told_in_the_words_of_version_2() {
    let tree = Tree::new();
    tree.file("proc/self/mountinfo", MOUNTS);
    tree.file(
        "proc/self/cgroup",
        "7:blkio:/io\n2:cpu,cpuacct:/half\n1:cpuset:/x\n0::/\n",
    );
    tree.file("sys/class/block/loop3/dev", "7:3\n");
    let cpu = "sys/fs/cgroup/cpu,cpuacct/half";
    tree.file(&format!("{cpu}/cpu.cfs_quota_us"), "50000\n");
    tree.file(&format!("{cpu}/cpu.cfs_period_us"), "100000\n");
    tree.file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    tree.file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    let stat = |n: u64, ns: u64| {
        let text = format!("nr_periods 100\nnr_throttled {n}\nthrottled_time {ns}\n");
        tree.file(&format!("{cpu}/cpu.stat"), text);
    };
    stat(40, 7_000_000_000);
    tree.file(
        "sys/fs/cgroup/blkio/io/blkio.throttle.read_iops_device",
        "7:2 1\n7:3 400\n",
    );
    let mut watch = tree.watch(&["loop3"]);
    stat(45, 7_500_000_000);
    let expected = CgroupUse {
        cpu_limit: Some(0.5),
        throttled_periods: 5,
        throttled_s: 0.5,
        io_limits: vec!["loop3 riops=400".into()],
    };
    assert_eq!(watch.look().cgroup, Some(expected));
}

#[test]
fn a_process_that_nothing_limits_is_told_from_one_whose_groups_do_not_show() {
    let tree = Tree::new();
    tree.file("proc/self/cgroup", "0::/\n");
    assert_eq!(tree.watch(&[]).look().cgroup, None);
    tree.file("proc/self/mountinfo", MOUNTS);
    assert_eq!(tree.watch(&[]).look().cgroup, Some(CgroupUse::default()));
    tree.file("proc/self/cgroup", "0::/../elsewhere\n");
    assert_eq!(tree.watch(&[]).look().cgroup, None);
}

#[test]
fn heat_counts_once_for_each_core_and_package_and_frequency_is_the_mean() {
    let tree = Tree::new();
    let cpus = "sys/devices/system/cpu";
    tree.file(
        &format!("{cpus}/cpu0/cpufreq/scaling_governor"),
        "powersave\n",
    );
    for (policy, khz) in [("policy0", "1000000"), ("policy1", "3000000")] {
        tree.file(&format!("{cpus}/cpufreq/{policy}/scaling_cur_freq"), khz);
    }
    // Two threads of one core, and another core, in one package.
    let heat = |core: [u64; 3], package: u64| {
        for (cpu, count) in core.iter().enumerate() {
            let folder = format!("{cpus}/cpu{cpu}");
            let id = if cpu < 2 { "0" } else { "1" };
            tree.file(&format!("{folder}/topology/core_id"), id);
            tree.file(&format!("{folder}/topology/physical_package_id"), "0");
            let heat = format!("{folder}/thermal_throttle");
            tree.file(&format!("{heat}/core_throttle_count"), count.to_string());
            tree.file(
                &format!("{heat}/package_throttle_count"),
                package.to_string(),
            );
        }
    };
    heat([4, 4, 9], 20);
    let mut watch = tree.watch(&[]);
    heat([5, 5, 12], 26);
    let expected = Frequency {
        governor: Some("powersave".into()),
        lowest_khz: Some(2_000_000),
        highest_khz: Some(2_000_000),
        throttled: Some(1 + 3 + 6),
        ..Frequency::default()
    };
    assert_eq!(watch.look().frequency, Some(expected));
}

#[test]
fn looks_at_this_host_add_up_to_one() {
    let mut all = Watch::new(&Root::system(), &[]);
    let mut each = Watch::new(&Root::system(), &[]);
    let mut sum = each.look();
    for _ in 0..3 {
        std::thread::sleep(std::time::Duration::from_millis(20));
        sum.append(each.look());
    }
    let whole = all.look();
    assert_eq!(sum.cpus.len(), whole.cpus.len());
    assert!(!whole.cpus.is_empty());
    // Beginnings and ends are not quite the same.
    assert!(sum.observed_s >= 0.06 && whole.observed_s >= sum.observed_s);
    assert_eq!(whole.clocks.map(|c| c.suspended_ns), Some(0));
    assert_eq!(sum.own.is_some(), whole.own.is_some());
}
