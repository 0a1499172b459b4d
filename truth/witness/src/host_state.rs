//! Reads how a host is set up: a list of files, and the names of its processes.

use crate::{Root, watch};
use plimsoll_evidence::{HostState, without_secrets};
use std::io::{Read, Seek, SeekFrom};

/// A file is read so far; of a longer one the end is kept, where a log has what is new.
const LONGEST: u64 = 4 << 20;

/// What is read. `*` stands for each name in its folder.
const FILES: &[&str] = &[
    "/etc/os-release",
    "/etc/multipath.conf",
    "/etc/multipath/conf.d/*",
    "/etc/infiniband/openib.conf",
    "/etc/iscsi/iscsid.conf",
    "/etc/sysctl.conf",
    "/etc/sysctl.d/*",
    "/proc/cpuinfo",
    "/proc/fs/cifs/DebugData",
    "/proc/interrupts",
    "/proc/irq/*/smp_affinity_list",
    "/proc/mounts",
    "/proc/net/tcp",
    "/proc/net/tcp6",
    "/proc/pressure/*",
    "/proc/self/mountstats",
    "/proc/stat",
    "/proc/swaps",
    "/proc/sys/kernel/numa_balancing",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/vm/dirty_background_ratio",
    "/proc/sys/vm/dirty_ratio",
    "/proc/sys/vm/swappiness",
    "/proc/sys/vxvm/vxio/vol_use_rq",
    "/proc/xen/capabilities",
    "/sys/block/*/alignment_offset",
    "/sys/block/*/device/model",
    "/sys/block/*/device/queue_depth",
    "/sys/block/*/device/rev",
    "/sys/block/*/device/timeout",
    "/sys/block/*/device/vendor",
    "/sys/block/*/dm/name",
    "/sys/block/*/dm/uuid",
    "/sys/block/*/mq/*/nr_tags",
    "/sys/block/*/queue/*",
    "/sys/block/*/size",
    "/sys/block/*/*/start",
    "/sys/block/*/wwid",
    "/sys/class/dmi/id/bios_vendor",
    "/sys/class/dmi/id/board_vendor",
    "/sys/class/dmi/id/product_name",
    "/sys/class/dmi/id/sys_vendor",
    "/sys/class/fc_host/*/fabric_name",
    "/sys/class/fc_host/*/port_state",
    "/sys/class/fc_host/*/port_type",
    "/sys/class/fc_host/*/speed",
    "/sys/class/fc_host/*/statistics/invalid_crc_count",
    "/sys/class/fc_host/*/statistics/link_failure_count",
    "/sys/class/fc_host/*/statistics/loss_of_sync_count",
    "/sys/class/fc_host/*/symbolic_name",
    "/sys/class/fc_remote_ports/*/dev_loss_tmo",
    "/sys/class/fc_remote_ports/*/fast_io_fail_tmo",
    "/sys/class/fc_remote_ports/*/port_name",
    "/sys/class/fc_remote_ports/*/port_state",
    "/sys/class/fc_remote_ports/*/scsi_target_id",
    "/sys/class/infiniband/*/node_type",
    "/sys/class/infiniband/*/ports/*/gid_attrs/types/0",
    "/sys/class/infiniband/*/ports/*/link_layer",
    "/sys/class/infiniband/*/ports/*/rate",
    "/sys/class/infiniband/*/ports/*/state",
    "/sys/class/iscsi_connection/*/persistent_address",
    "/sys/class/iscsi_connection/*/persistent_port",
    "/sys/class/iscsi_session/*/recovery_tmo",
    "/sys/class/iscsi_session/*/state",
    "/sys/class/iscsi_session/*/targetname",
    "/sys/class/nvme/*/address",
    "/sys/class/nvme/*/firmware_rev",
    "/sys/class/nvme/*/model",
    "/sys/class/nvme/*/state",
    "/sys/class/nvme/*/subsysnqn",
    "/sys/class/nvme/*/transport",
    "/sys/class/scsi_host/*/dgid",
    "/sys/class/scsi_host/*/local_ib_device",
    "/sys/class/scsi_host/*/local_ib_port",
    "/sys/devices/system/clocksource/clocksource0/available_clocksource",
    "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "/sys/devices/system/cpu/cpu0/cpuidle/*/disable",
    "/sys/devices/system/cpu/cpu0/cpuidle/*/latency",
    "/sys/devices/system/cpu/cpu0/cpuidle/*/name",
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/node/online",
    "/sys/hypervisor/type",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/sys/module/bfa/version",
    "/sys/module/lpfc/parameters/lpfc_lun_queue_depth",
    "/sys/module/lpfc/version",
    "/sys/module/nvme_core/parameters/multipath",
    "/sys/module/qla2xxx/parameters/ql2xmaxqdepth",
    "/sys/module/qla2xxx/version",
    "/sys/module/vxio/version",
    // Of a captured tree: what commands said there.
    "/commands/*",
];

/// Where it stands over what storage is reached.
const OF_TRANSPORTS: &[&str] = &[
    "/proc/fs/cifs/",
    "/proc/mounts",
    "/proc/net/",
    "/proc/self/mountstats",
    "/sys/class/fc_host/",
    "/sys/class/infiniband/",
    "/sys/class/iscsi_",
    "/sys/class/nvme/",
    "/sys/class/scsi_host/",
];

/// Reads only what tells over what storage is reached.
pub fn of_transports(root: &Root) -> HostState {
    let mut state = HostState::default();
    let wanted = |pattern: &&&str| OF_TRANSPORTS.iter().any(|w| pattern.starts_with(w));
    files(root, FILES.iter().filter(wanted), &mut state);
    state
}

fn files<'p>(root: &Root, patterns: impl Iterator<Item = &'p &'p str>, state: &mut HostState) {
    // Connections tell of channels of SMB alone, and a host may have very many.
    let has_smb = root.path("/proc/fs/cifs/DebugData").exists();
    for pattern in patterns.filter(|p| has_smb || !p.starts_with("/proc/net/")) {
        for path in matching(root, pattern) {
            if let Some(text) = limited(root, &path) {
                state.insert(path.clone(), without_secrets(&path, &text));
            }
        }
    }
}

/// Reads the files. Of a captured tree what its commands said is among them.
pub fn read(root: &Root) -> HostState {
    let mut state = HostState::default();
    files(root, FILES.iter(), &mut state);
    for disk in root.names("/sys/block") {
        for slave in root.names(format!("/sys/block/{disk}/slaves")) {
            state.insert(format!("/sys/block/{disk}/slaves/{slave}"), "");
        }
    }
    if root.is_system() {
        state.insert("/commands/processes", processes(root));
        for disk in root.names("/sys/block") {
            let told = watch::drive(root, &disk).and_then(|told| serde_json::to_string(&told).ok());
            if let Some(text) = told {
                state.insert(watch::captured(&disk), text);
            }
        }
        if let Some(limits) = control_group(root) {
            state.insert("/commands/limits of the control group", limits);
        }
    }
    state
}

/// The limits of the control group that this runs in, and of those above it: a line for each.
fn control_group(root: &Root) -> Option<String> {
    let seen = watch::control_group(root, root.names("/sys/block"))?;
    let cpu = seen.cpu_limit.map(|cpus| format!("cpu {cpus}"));
    let io = seen.io_limits.iter().map(|limit| format!("io {limit}"));
    let lines: Vec<String> = cpu.into_iter().chain(io).collect();
    Some(lines.join("\n"))
}

/// The paths that a pattern stands for.
fn matching(root: &Root, pattern: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for part in pattern.split('/').skip(1) {
        let next = |folder: &String| match part {
            "*" => root
                .names(if folder.is_empty() { "/" } else { folder })
                .into_iter()
                .map(|name| format!("{folder}/{name}"))
                .collect(),
            name => vec![format!("{folder}/{name}")],
        };
        found = found.iter().flat_map(next).collect();
    }
    found
}

/// A plain file's text, or the end of it. A pipe or a device in a tree that somebody sent is not opened.
fn limited(root: &Root, path: &str) -> Option<String> {
    let place = root.path(path);
    let about = std::fs::metadata(&place).ok()?;
    if !about.is_file() {
        return None;
    }
    let mut file = std::fs::File::open(place).ok()?;
    if about.len() > LONGEST {
        file.seek(SeekFrom::Start(about.len() - LONGEST)).ok()?;
    }
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The names of all processes, each once: enough to see which services run.
fn processes(root: &Root) -> String {
    let pids = root.names("/proc").into_iter();
    let pids = pids.filter(|name| name.bytes().all(|b| b.is_ascii_digit()));
    let mut names: Vec<String> = pids
        .filter_map(|pid| root.word(format!("/proc/{pid}/comm")))
        .collect();
    names.sort();
    names.dedup();
    names.join("\n")
}
