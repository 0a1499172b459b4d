//! The host and the devices that a record was made on.

use plimsoll_measure::Counted;
use serde::{Deserialize, Serialize};

/// Program, host, targets and time of a record.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// Version of this program.
    pub tool_version: String,
    /// Time at which the run began, RFC 3339, UTC.
    pub started: String,
    /// The command line, word by word.
    pub command: Vec<String>,
    /// The seed of every random choice.
    pub seed: u64,
    /// The host.
    pub host: HostFacts,
    /// Further hosts, where several carried out the run together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_hosts: Vec<HostFacts>,
    /// The backend that was used: `io_uring`, `libaio`, `psync`, `null`, `simulated`.
    pub backend: String,
    /// Reason for not taking the first choice of backend; empty where it was taken.
    pub backend_reason: String,
    /// I/Os handed to the kernel at once, at most.
    pub submit_batch: u32,
    /// Completions that a closed loop waited for at once.
    pub reap_batch: u32,
    /// Clock: `tsc` or `clock_gettime`; `virtual` in the lab.
    pub clock: String,
    /// Targets, in the plan's order.
    pub targets: Vec<EnvironmentTarget>,
    /// True where nothing was real: the lab's virtual time.
    pub simulated: bool,
    /// Things worth knowing, one sentence each: a fall-back taken, a record on the tested device.
    pub notes: Vec<String>,
}

impl Environment {
    /// All hosts, in the order of their numbers: what is said to be of host 1 is of the first.
    pub fn hosts(&self) -> impl Iterator<Item = &HostFacts> {
        std::iter::once(&self.host).chain(&self.more_hosts)
    }

    /// Word for what is counted on all targets.
    pub fn counted(&self) -> Counted {
        self.counted_on(0..self.targets.len())
    }

    /// Word for what is counted on these targets.
    pub fn counted_on(&self, targets: impl Iterator<Item = usize>) -> Counted {
        Counted::of(targets.filter_map(|at| Some(self.targets.get(at)?.counted)))
    }
}

/// Facts about the host; `None` where something cannot be seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HostFacts {
    /// Identity of the host, which no other host has and which stays the same from run to run: its name, and a hash of its machine id from
    /// which that id can't be found. Empty in the lab.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// Host name.
    pub hostname: String,
    /// Kernel release.
    pub kernel: String,
    /// Distribution's pretty name.
    pub distribution: Option<String>,
    /// CPU model.
    pub cpu_model: Option<String>,
    /// CPUs that this process may use.
    pub cpus_available: u32,
    /// CPUs online.
    pub cpus_online: u32,
    /// NUMA nodes.
    pub numa_nodes: u32,
    /// Memory, bytes.
    pub memory_bytes: u64,
    /// Virtual machine or container, where it shows.
    pub virtualization: Option<String>,
    /// The kernel's clocksource.
    pub clocksource: Option<String>,
    /// CPU frequency governor of the first CPU.
    pub governor: Option<String>,
    /// Loaded drivers and other modules that say which version they are, by name: (`bfa`, `3.1.2.1`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drivers: Vec<(String, String)>,
}

/// One target as it was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EnvironmentTarget {
    /// Name in the plan.
    pub name: String,
    /// Path of the target, or `null:64GiB`.
    pub location: String,
    /// `file`, `block device`, `null`, `simulated LUN`.
    pub kind: String,
    /// Word for what is counted there.
    #[serde(default, skip_serializing_if = "Counted::is_ios")]
    pub counted: Counted,
    /// Bytes used.
    pub size_bytes: u64,
    /// Logical block, bytes: the smallest direct I/O.
    pub logical_block_bytes: u32,
    /// Identities of its files, each as inode and time of birth, so that a new file of the same name is told apart. Empty for devices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Hash of the persona's file, for a simulated array whose persona is one; `None` else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
    /// Slices of the simulated array below it, where a part of each I/O is work of their owner alone; `None` else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slices: Option<Slices>,
    /// Set where it is to be left as the making of a file leaves it, and reads find zeros that nobody wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zeros: Option<ZerosLeft>,
    /// File system type, for a file.
    pub filesystem: Option<String>,
    /// Layout in its file system when the run ended; `None` for devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<FileLayout>,
    /// Backend that this target got, where it differs from the rest.
    pub backend: Option<String>,
    /// Block devices below the target, from the device itself down to the disks.
    pub stack: Vec<BlockLayer>,
}

/// Zeros that the making of a file left, as the user sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ZerosLeft {
    /// Nobody said that they are meant.
    Found,
    /// The user said so.
    Meant,
}

/// Pieces of a LUN that an array deals to its cores in turn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Slices {
    /// Bytes of each.
    pub bytes: u64,
    /// Cores that they are dealt to.
    pub owners: u64,
    /// Part of an I/O's work that only its slice's owner can do, 0..=1.
    pub owner_share: f64,
}

/// Layout of a target's files in their file system.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FileLayout {
    /// Files that it is made of.
    pub files: u32,
    /// Runs of blocks that lie one behind the other on the device, all files together; `None` where the file system does not tell.
    pub pieces: Option<u64>,
    /// Bytes in them.
    pub allocated_bytes: Option<u64>,
    /// Bytes of the file system.
    pub file_system_bytes: u64,
    /// Bytes of it that are free.
    pub free_bytes: u64,
}

/// One block device of a stack.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BlockLayer {
    /// Kernel name: `sda`, `dm-3`, `nvme0n1`.
    pub name: String,
    /// `disk`, `partition`, `dm`, `md`, `loop`, `zram`, `multipath`.
    pub kind: String,
    /// Names of the devices it is made of.
    pub slaves: Vec<String>,
    /// Bytes.
    pub size_bytes: u64,
    /// Vendor and model.
    pub model: Option<String>,
    /// World-wide name.
    pub wwn: Option<String>,
    /// Serial number.
    pub serial: Option<String>,
    /// Firmware revision.
    pub firmware: Option<String>,
    /// Links under /dev/disk/by-id.
    pub by_id: Vec<String>,
    /// I/O scheduler in use.
    pub scheduler: Option<String>,
    /// Further queue settings: (name, value), as in /sys/block/X/queue.
    pub queue: Vec<(String, String)>,
}
