//! What this kind of host does not have: a real run, of which everyone else's account is read from a tree of the kernel's files
//! before and after, in the kernel's own words. The same tree without its fault has to be silent.

use plimsoll_audit::{Audit, RunView, StepCourse, judge};
use plimsoll_evidence::Interval;
use plimsoll_plan::Plan;
use plimsoll_rig::{Control, Event, RunOptions, RunResult};
use plimsoll_witness::{CpuSampler, Root, Watch, Watched, cpu, host};
use std::fs;
use std::path::Path;

/// A file of a tree and what it says before the step and at its end.
type ExpectedFinding = (&'static str, &'static str, &'static str);

/// A host as a tree of files.
pub struct Captured {
    pub name: &'static str,
    pub planted: &'static str,
    /// Rules that have to fire; without `fault` none of them may.
    pub fires: &'static [&'static str],
    /// Files in which its kernel says what sound ones do not.
    pub fault: &'static [ExpectedFinding],
}

/// Hosts as lines: name, what is planted, the rules, and the files that say it.
macro_rules! captured {
    ($($name:literal $planted:literal & $fires:tt & $fault:tt;)*) => {
        &[$(Captured { name: $name, planted: $planted, fires: &$fires, fault: &$fault }),*]
    };
}

/// What every tree says, where its fault says nothing else: four CPUs that are half idle, of one node, at full clock, and a drive
/// and a link below the target.
const SOUND: &[ExpectedFinding] = &[
    (
        "proc/stat",
        HALF_IDLE,
        "cpu  600 0 600 4000 0 0 0 0 0 0\ncpu0 150 0 150 1000 0 0 0 0 0 0\ncpu1 150 0 150 1000 0 0 0 0 0 0\n\
         cpu2 150 0 150 1000 0 0 0 0 0 0\ncpu3 150 0 150 1000 0 0 0 0 0 0\n",
    ),
    ("proc/uptime", "1000.00 4000.00\n", "1002.00 4004.00\n"),
    ("sys/devices/system/cpu/online", "0-3\n", "0-3\n"),
    ("sys/devices/system/node/online", "0\n", "0\n"),
    (CLOCK, "tsc\n", "tsc\n"),
    (GOVERNOR, "performance\n", "performance\n"),
    (FREQUENCY, "3000000\n", "3000000\n"),
    (THROTTLED, "0\n", "0\n"),
    (
        "sys/class/block/dm-0/stat",
        IDLE,
        "18000 0 288000 900 0 0 0 0 0 900 900\n",
    ),
    (
        "sys/class/block/dm-0/dm/uuid",
        "mpath-3600a0980\n",
        "mpath-3600a0980\n",
    ),
    ("sys/class/block/dm-0/slaves/sda/dev", "8:0\n", "8:0\n"),
    ("sys/class/block/dm-0/slaves/sdb/dev", "8:16\n", "8:16\n"),
    ("sys/class/block/sda/device/state", "running\n", "running\n"),
    ("sys/class/block/sdb/device/state", "running\n", "running\n"),
    ("sys/class/block/sda/stat", IDLE, BUSY),
    ("sys/class/block/sdb/stat", IDLE, BUSY),
    (
        "sys/class/block/sda/device/hwmon/hwmon2/name",
        "drivetemp\n",
        "drivetemp\n",
    ),
    (CELSIUS, "41000\n", "41000\n"),
    (
        "sys/class/block/sda/device/hwmon/hwmon2/temp1_max",
        "70000\n",
        "70000\n",
    ),
    ("proc/net/route", ROUTES, ROUTES),
    ("sys/class/net/eth1/device/vendor", "0x8086\n", "0x8086\n"),
    (SPEED, "10000\n", "10000\n"),
    ("sys/class/net/eth1/operstate", "up\n", "up\n"),
    ("sys/class/net/eth1/mtu", "9000\n", "9000\n"),
    (RECEIVED, "0\n", "70000000\n"),
    ("sys/class/net/eth1/statistics/tx_bytes", "0\n", "1000000\n"),
    ("sys/class/net/eth1/statistics/rx_errors", "0\n", "0\n"),
    ("sys/class/net/eth1/statistics/tx_errors", "0\n", "0\n"),
    (DROPPED, "0\n", "0\n"),
    ("sys/class/net/eth1/statistics/tx_dropped", "0\n", "0\n"),
    ("sys/class/net/eth2/device/vendor", "0x8086\n", "0x8086\n"),
    ("sys/class/net/eth2/speed", "10000\n", "10000\n"),
    ("sys/class/net/eth2/operstate", "up\n", "up\n"),
    ("sys/class/net/eth2/mtu", "9000\n", "9000\n"),
    (BESIDE, "0\n", "70000000\n"),
    ("sys/class/net/eth2/statistics/tx_bytes", "0\n", "1000\n"),
    ("sys/class/net/eth2/statistics/rx_errors", "0\n", "0\n"),
    ("sys/class/net/eth2/statistics/tx_errors", "0\n", "0\n"),
    ("sys/class/net/eth2/statistics/rx_dropped", "0\n", "0\n"),
    ("sys/class/net/eth2/statistics/tx_dropped", "0\n", "0\n"),
];

const CLOCK: &str = "sys/devices/system/clocksource/clocksource0/current_clocksource";
const GOVERNOR: &str = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
const FREQUENCY: &str = "sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq";
const THROTTLED: &str = "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count";
const CELSIUS: &str = "sys/class/block/sda/device/hwmon/hwmon2/temp1_input";
const SPEED: &str = "sys/class/net/eth1/speed";
const RECEIVED: &str = "sys/class/net/eth1/statistics/rx_bytes";
const DROPPED: &str = "sys/class/net/eth1/statistics/rx_dropped";
const BESIDE: &str = "sys/class/net/eth2/statistics/rx_bytes";
/// Four CPUs that are half idle.
const HALF_IDLE: &str = "cpu  400 0 400 3200 0 0 0 0 0 0\ncpu0 100 0 100 800 0 0 0 0 0 0\ncpu1 100 0 100 800 0 0 0 0 0 0\n\
                         cpu2 100 0 100 800 0 0 0 0 0 0\ncpu3 100 0 100 800 0 0 0 0 0 0\n";
/// What a disk counts before it has done anything, and after 9,000 reads of 8 KiB.
const IDLE: &str = "0 0 0 0 0 0 0 0 0 0 0\n";
const BUSY: &str = "9000 0 144000 900 0 0 0 0 0 900 900\n";
/// 192.0.2.0/24 by eth1 and 198.51.100.0/24 by eth2, in the kernel's words: hexadecimal, the lowest byte first.
const ROUTES: &str = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n\
                      eth1\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n\
                      eth2\t006433C6\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n";

pub static CAPTURED: &[Captured] = captured! {
    "steal" "a hypervisor takes a tenth of each CPU" &["stolen-cpu"]
        &[("proc/stat", HALF_IDLE, "cpu  560 0 560 3920 0 0 0 160 0 0\ncpu0 140 0 140 980 0 0 0 40 0 0\ncpu1 140 0 140 980 0 0 0 40 0 0\n\
         cpu2 140 0 140 980 0 0 0 40 0 0\ncpu3 140 0 140 980 0 0 0 40 0 0\n")];
    "one-stolen" "a hypervisor takes a quarter of one CPU, and nothing of the others" &["one-cpu-stolen"]
        &[("proc/stat", HALF_IDLE, "cpu  600 0 600 3900 0 0 0 100 0 0\ncpu0 150 0 150 1000 0 0 0 0 0 0\ncpu1 150 0 150 1000 0 0 0 0 0 0\n\
         cpu2 150 0 150 1000 0 0 0 0 0 0\ncpu3 150 0 150 900 0 0 0 100 0 0\n")];
    "interrupts" "one CPU of four serves all interrupts, for most of its time" &["interrupts-on-one-cpu"]
        &[("proc/stat", HALF_IDLE, "cpu  600 0 600 3800 0 60 180 0 0 0\ncpu0 150 0 150 800 0 60 180 0 0 0\ncpu1 150 0 150 1000 0 0 0 0 0 0\n\
         cpu2 150 0 150 1000 0 0 0 0 0 0\ncpu3 150 0 150 1000 0 0 0 0 0 0\n")];
    "governor-moved" "the governor is changed in the middle of the step" &["frequency-moved"] &[(GOVERNOR, "performance\n", "powersave\n")];
    "powersave" "the governor is powersave from the beginning" &["frequency-governor"] &[(GOVERNOR, "powersave\n", "powersave\n")];
    "hot-cpu" "a core is slowed down for heat 17 times" &["cpu-hot"] &[(THROTTLED, "5\n", "22\n")];
    "hot-drive" "the drive comes to 73 degrees, and warns from 70 on" &["drive-hot"] &[(CELSIUS, "41000\n", "73000\n")];
    "slow-clock" "the clocksource is acpi_pm" &["slow-clock"] &[(CLOCK, "acpi_pm\n", "acpi_pm\n")];
    "guest" "the host says that VMware made it" &["virtual-host"] &[("sys/class/dmi/id/sys_vendor", "VMware, Inc.\n", "VMware, Inc.\n")];
    "two-nodes" "two NUMA nodes, and no worker is pinned" &["several-numa-nodes"] &[("sys/devices/system/node/online", "0-1\n", "0-1\n")];
    "full-link" "a link of 1 Gbit/s to the target receives 118 MB/s, and drops 2,000 packets" &["link-full", "packets-lost"]
        &[(SPEED, "1000\n", "1000\n"), (RECEIVED, "0\n", "236000000\n"), (DROPPED, "0\n", "2000\n")];
    "idle-link" "of two links to the target one carries nothing" &["link-unused"] &[(BESIDE, "0\n", "100\n")];
    "idle-path" "of two paths to a multipath device one carries nothing" &["path-idle"] &[("sys/class/block/sdb/stat", IDLE, IDLE)];
};

/// A real run whose host's account is to be another's.
pub struct Measured {
    plan: Plan,
    result: RunResult,
    intervals: Vec<Interval>,
}

/// Two seconds of a file: what the target is matters to none of these rules, but that it is real.
pub fn measured(path: &Path) -> Measured {
    let text = format!(
        "target.t = {{ path = \"{}\", caching = \"buffered\" }}\nworkload.w = {{ read = 100, block = \"8k\" }}\n\
         run = [{{ load = \"max\", depth = 2, for = \"2s\", warmup = \"0s\" }}]\n",
        path.display()
    );
    let plan = crate::plan("captured", &text);
    let mut intervals = Vec::new();
    let options = RunOptions {
        seed: Some(1),
        ..RunOptions::default()
    };
    let result = plimsoll_rig::run(&plan, &options, &Control::default(), &mut |event| {
        if let Event::Interval { interval, .. } = event {
            intervals.push(interval.clone());
        }
    });
    Measured {
        plan,
        result: result.expect("it runs"),
        intervals,
    }
}

/// Audit of that run on such a host.
pub fn judged(measured: &Measured, fault: &[ExpectedFinding]) -> Audit {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |at_the_end: bool| {
        for (path, first, last) in SOUND.iter().chain(fault) {
            let file = folder.path().join(path);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, if at_the_end { last } else { first }).expect("a file");
        }
    };
    write(false);
    let root = Root::at(folder.path());
    let target = Watched {
        name: "t".into(),
        devices: vec!["dm-0".into(), "sda".into(), "sdb".into()],
        addresses: ["192.0.2.7:3260", "198.51.100.7:3260"]
            .map(|address| address.parse().expect("an address"))
            .to_vec(),
        ..Watched::default()
    };
    let mut watch = Watch::new(&root, &[target]);
    let sampler = CpuSampler::new(&root);
    let before = sampler.sample();
    // The first look has what was so all the while; the second what had changed by the end.
    let mut seen = watch.look();
    write(true);
    seen.append(watch.look());
    let cpu = cpu::between(&before, &sampler.sample(), &[]);

    let mut environment = measured.result.environment.clone();
    environment.host = host::facts(&root);
    let mut steps = measured.result.steps.clone();
    for step in &mut steps {
        step.witnessed = Some(seen.clone());
    }
    let mut course = StepCourse::new(steps[0].number);
    for interval in &measured.intervals {
        let mut interval = interval.clone();
        interval.cpu = cpu.clone();
        course.push(&interval);
    }
    judge(&RunView {
        plan: Some(&measured.plan),
        environment: &environment,
        steps: &steps,
        verdicts: &measured.result.verdicts,
        courses: &[course],
        made: &[],
        claim: measured.result.audit.claim,
    })
}
