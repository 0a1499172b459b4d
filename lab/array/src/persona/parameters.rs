//! The parameters of a persona, table by table. All are at full size.

use plimsoll_operation::Op;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Volumes.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LunParameters {
    /// How many.
    pub count: u32,
    /// The size of each, GiB.
    pub gib: f64,
}

/// Ports and paths.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortParameters {
    /// Front-end ports.
    pub count: u32,
    /// What they are called, in order; `port0`, `port1` and so on where nothing is said.
    #[serde(default)]
    pub names: Vec<String>,
    /// Paths, dealt to the ports in turn.
    pub paths: u32,
    /// What a port carries, MiB/s.
    pub mib_s: f64,
    /// A port's time for each command, microseconds.
    pub command_us: f64,
    /// Gateways that have the ports and the LUNs in turn, of an array without cores; 0: none that could fail.
    #[serde(default)]
    pub controllers: u32,
}

impl PortParameters {
    /// What each port is called.
    pub fn each_name(&self) -> Vec<String> {
        let number = |i| format!("port{i}");
        let names = self.names.iter().cloned();
        let rest = (self.names.len() as u32..self.count).map(number);
        names.chain(rest).collect()
    }

    /// The port that a path leads to.
    pub fn of_path(&self, path: u32) -> u32 {
        path % self.count
    }
}

/// Latency that nothing else explains: the fabric, the software, the way there and back.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatencyParameters {
    /// A read, without its media, microseconds.
    pub read_us: f64,
    /// A write, microseconds.
    pub write_us: f64,
    /// A chunk that is found in a map (zeros, unmapped), in addition, microseconds.
    #[serde(default)]
    pub map_us: f64,
    /// Measured latency by requests in flight, which replaces the two first; depths ascend.
    #[serde(default)]
    pub depths: Vec<DepthRow>,
    /// The measured latencies are means of a gamma distribution of this shape; 0: they are exact.
    #[serde(default)]
    pub spread_shape: u32,
}

/// A measured point.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DepthRow {
    /// Requests in flight.
    pub depth: f64,
    /// A read's mean latency, microseconds.
    pub read_us: f64,
    /// A write's, microseconds.
    pub write_us: f64,
    /// The standard deviation of all, microseconds; where nobody measured it, that of `spread_shape`.
    #[serde(default)]
    pub sd_us: Option<f64>,
    /// The longest that was seen, microseconds. What of the standard deviation a body of times near the mean cannot have is that of
    /// few requests, up to this.
    #[serde(default)]
    pub longest_us: Option<f64>,
}

/// Data reduction.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReductionParameters {
    /// Chunks of zeros are only noted.
    pub zeros: bool,
    /// Chunks that are held already are only referred to.
    pub dedupe: bool,
    /// Data is compressed.
    pub compression: bool,
    /// A compressed chunk takes a multiple of this, bytes.
    pub granule: u32,
}

/// Processor cores.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoreParameters {
    /// Controllers; slices and ports are theirs in turn.
    pub controllers: u32,
    /// Cores of each that own addresses.
    pub per_controller: u32,
    /// Bytes of a LUN that one core owns, KiB.
    pub slice_kib: u32,
    /// The share of a request's cost that its owner bears.
    pub owner_share: f64,
    /// The share that the core bears on which the data is placed by its fingerprint. The rest goes round.
    pub fingerprint_share: f64,
    /// A read's cost over all cores.
    pub read: CoreCost,
    /// A write's.
    pub write: CoreCost,
    /// What it costs a core more when it turns from reads to writes or back, nanoseconds.
    pub switch_ns: f64,
    /// A write of zeros, as a share of a write of new data.
    pub zero_factor: f64,
    /// A write of data that is held already, as a share.
    pub duplicate_factor: f64,
}

/// The processor time of a request: base + chunk for each 4 KiB.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoreCost {
    /// For the request, nanoseconds.
    pub base_ns: f64,
    /// For each chunk, nanoseconds.
    pub chunk_ns: f64,
}

/// DRAM read cache.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheParameters {
    /// Its size, MiB.
    pub mib: f64,
    /// A hit, in addition to a read's own time, microseconds.
    pub hit_us: f64,
}

/// Write journal.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalParameters {
    /// Its size, MiB.
    pub mib: f64,
    /// The rate of its drain, MiB/s.
    pub drain_mib_s: f64,
    /// The share of it that the drain leaves full.
    pub keep_share: f64,
    /// The time to append, with its copies, microseconds.
    pub append_us: f64,
    /// The time to read from it, microseconds.
    pub read_us: f64,
    /// Larger writes pass by it, KiB.
    pub bypass_kib: u32,
    /// Bytes that one write to its media gathers, KiB.
    pub batch_kib: u32,
    /// Bytes that one write of the drain gathers, KiB.
    pub drain_batch_kib: u32,
    /// Copies of everything that is written.
    pub replicas: u32,
}

/// NAND as dies that are busy one operation at a time, and what collects garbage on them.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlashParameters {
    /// Dies that work at the same time.
    pub dies: u32,
    /// Of which so many are in one drive; 0 where nobody knows. A rebuild group's dies are in as many drives.
    #[serde(default)]
    pub dies_per_drive: u32,
    /// A page read, microseconds.
    pub read_us: f64,
    /// A page programmed, microseconds.
    pub program_us: f64,
    /// A block erased, microseconds.
    pub erase_us: f64,
    /// Dies of which one at a time may be busy while the others rebuild its data; 0 for none.
    #[serde(default)]
    pub rebuild_group: u32,
    /// Pages after which a die erases a block, where there is no page mapping that says when; 0 for never.
    #[serde(default)]
    pub pages_per_erase: u32,
    /// The garbage that collects, where it is not folded into other costs.
    pub mapping: Option<MappingParameters>,
    /// Pages that the SSD's write buffer holds; a write is answered once it is in.
    #[serde(default)]
    pub buffer_pages: u32,
}

/// Page mapping.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MappingParameters {
    /// Pages of an erase block.
    pub pages_per_block: u32,
    /// (physical − user) / user.
    pub over_provisioning: f64,
}

/// Disks below the flash.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TierParameters {
    /// Flash for data, GiB.
    pub flash_gib: f64,
    /// How many disks there are, each busy with one request at a time.
    pub disks: u32,
    /// A disk read, microseconds.
    pub disk_us: f64,
}

/// A cluster whose data may be on another node than the one that a host talks to.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeParameters {
    /// The share of the extents whose data is on another node than the host's.
    pub remote_share: f64,
    /// The way to another node and back, microseconds.
    pub remote_us: f64,
}

/// A filer in front of the array: a file system on each LUN, behind a gateway. The scale leaves it as it is.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilerParameters {
    /// Nodes of the gateway; shares are theirs in turn.
    pub nodes: u32,
    /// Threads of each node that serve calls.
    pub threads: u32,
    /// The way to a node and back, microseconds.
    pub network_us: f64,
    /// What a client takes to answer by itself, microseconds.
    pub client_us: f64,
    /// How long a client goes by the attributes that it was told, where a mount does not say it itself, seconds.
    pub attributes_s: f64,
    /// How long a change holds the lock of its directory, microseconds.
    pub directory_us: f64,
    /// A thread's work for a call, microseconds.
    pub call_us: f64,
    /// The same of some operations, by their names.
    #[serde(default)]
    pub call_us_of: BTreeMap<Op, f64>,
    /// The log of each share.
    pub log: Option<LogParameters>,
}

/// The log of changes of a share.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogParameters {
    /// From the beginning of a flush to that of the next, milliseconds.
    pub period_ms: f64,
    /// Records after which it is flushed before its time, KiB.
    pub size_kib: u32,
    /// The record of a change, bytes.
    pub record_bytes: u32,
    /// A flush, without its bytes, microseconds.
    pub flush_us: f64,
    /// The rate of a flush, MiB/s.
    pub mib_s: f64,
    /// A change is answered when it is flushed.
    #[serde(default)]
    pub answers_wait: bool,
}

/// Snapshots by redirect-on-write.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnapshotParameters {
    /// A core's time to take one, microseconds.
    pub take_us: f64,
    /// The owner's time for the first write to a chunk after one, nanoseconds.
    pub redirect_ns: f64,
}

/// A host that starves.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostParameters {
    /// What it can issue, over time; linear between the points.
    pub course: Vec<HostPoint>,
}

/// A point of a host's course.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostPoint {
    /// When, seconds.
    pub at_s: f64,
    /// What it can issue then, I/Os a second.
    pub iops: f64,
}

/// How another release differs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevisionParameters {
    /// Latencies multiply by it.
    pub latency_factor: f64,
    /// A write's core time multiplies by it.
    pub write_factor: f64,
    /// Data is compressed.
    pub compression: bool,
    /// Measured points in place of the persona's own, where there are any.
    #[serde(default)]
    pub depths: Vec<DepthRow>,
}
