//! A persona: all parameters of an array, as a TOML file that users can copy and change.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The personas that come with the program: (name, file).
pub const BUILT_IN: [(&str, &str); 7] = [
    (
        "scale-out-flash-4",
        include_str!("../personas/scale-out-flash-4.toml"),
    ),
    (
        "scale-out-flash-8",
        include_str!("../personas/scale-out-flash-8.toml"),
    ),
    ("hybrid-hci", include_str!("../personas/hybrid-hci.toml")),
    (
        "flash-gateway",
        include_str!("../personas/flash-gateway.toml"),
    ),
    ("single-ssd", include_str!("../personas/single-ssd.toml")),
    ("curve-8k", include_str!("../personas/curve-8k.toml")),
    (
        "starved-host",
        include_str!("../personas/starved-host.toml"),
    ),
];

/// Why a persona cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PersonaError {
    /// No built-in persona has this name.
    #[error("there is no persona {0:?}")]
    Unknown(String),
    /// The persona has no revision of this name.
    #[error("persona {persona:?} has no revision {revision:?}")]
    UnknownRevision {
        /// The persona.
        persona: String,
        /// What was asked for.
        revision: String,
    },
    /// The file is not a persona.
    #[error("not a persona: {0}")]
    Toml(#[from] toml::de::Error),
    /// A parameter is out of its range.
    #[error("persona {persona:?}: {parameter} must be {must}")]
    Range {
        /// The persona.
        persona: String,
        /// The parameter, as in the file.
        parameter: &'static str,
        /// What it must be.
        must: &'static str,
    },
}

/// An array at full size. `scale` divides rates, parallelism, capacity, caches and the journal when it is built.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Persona {
    /// What it is called.
    pub name: String,
    /// What it is like, in a sentence.
    pub about: String,
    /// The scale when none is asked for.
    pub scale: f64,
    /// The volumes.
    pub luns: LunParameters,
    /// Ports and paths.
    pub ports: PortParameters,
    /// Time without any wait.
    pub latency: LatencyParameters,
    /// What it does with data.
    #[serde(default)]
    pub reduction: ReductionParameters,
    /// Processor cores, where they are a limit.
    pub cores: Option<CoreParameters>,
    /// DRAM read cache.
    pub cache: Option<CacheParameters>,
    /// Write journal.
    pub journal: Option<JournalParameters>,
    /// Flash.
    pub flash: Option<FlashParameters>,
    /// Disks below the flash.
    pub tier: Option<TierParameters>,
    /// Other nodes.
    pub nodes: Option<NodeParameters>,
    /// Snapshots.
    #[serde(default)]
    pub snapshots: SnapshotParameters,
    /// A host in front that starves.
    pub host: Option<HostParameters>,
    /// Other releases of the same array, by name.
    #[serde(default)]
    pub revisions: BTreeMap<String, RevisionParameters>,
}

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
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortParameters {
    /// Front-end ports.
    pub count: u32,
    /// Paths, dealt to the ports in turn.
    pub paths: u32,
    /// What a port carries, MiB/s.
    pub mib_s: f64,
    /// A port's time for each command, microseconds.
    pub command_us: f64,
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
    /// Controllers.
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

/// Flash.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlashParameters {
    /// Dies that work at the same time.
    pub dies: u32,
    /// A page read, microseconds.
    pub read_us: f64,
    /// A page programmed, microseconds.
    pub program_us: f64,
    /// A block erased, microseconds.
    pub erase_us: f64,
    /// Dies of which one at a time may be busy while the others rebuild its data; 0 for none.
    #[serde(default)]
    pub rebuild_group: u32,
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
    /// Disks.
    pub disks: u32,
    /// A disk read, microseconds.
    pub disk_us: f64,
}

/// Nodes.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeParameters {
    /// The share of the extents whose data is on another node than the host's.
    pub remote_share: f64,
    /// The way to another node and back, microseconds.
    pub remote_us: f64,
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
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevisionParameters {
    /// Latencies multiply by it.
    pub latency_factor: f64,
    /// A write's core time multiplies by it.
    pub write_factor: f64,
    /// Data is compressed.
    pub compression: bool,
}

impl Persona {
    /// A built-in persona, or a revision of one: `name` or `name@revision`.
    pub fn named(name: &str) -> Result<Self, PersonaError> {
        let (base, revision) = match name.split_once('@') {
            Some((base, revision)) => (base, Some(revision)),
            None => (name, None),
        };
        let file = BUILT_IN.iter().find(|b| b.0 == base);
        let persona = Self::parse(
            file.ok_or_else(|| PersonaError::Unknown(base.to_owned()))?
                .1,
        )?;
        match revision {
            None => Ok(persona),
            Some(revision) => persona.revised(revision),
        }
    }

    /// Reads a persona's file.
    pub fn parse(text: &str) -> Result<Self, PersonaError> {
        let persona: Persona = toml::from_str(text)?;
        persona.check()?;
        Ok(persona)
    }

    /// The same array in another release.
    pub fn revised(mut self, revision: &str) -> Result<Self, PersonaError> {
        let Some(r) = self.revisions.get(revision).copied() else {
            return Err(PersonaError::UnknownRevision {
                persona: self.name,
                revision: revision.to_owned(),
            });
        };
        self.latency.read_us *= r.latency_factor;
        self.latency.write_us *= r.latency_factor;
        for row in &mut self.latency.depths {
            row.read_us *= r.latency_factor;
            row.write_us *= r.latency_factor;
        }
        if let Some(flash) = &mut self.flash {
            flash.read_us *= r.latency_factor;
        }
        if let Some(cores) = &mut self.cores {
            cores.write.base_ns *= r.write_factor;
            cores.write.chunk_ns *= r.write_factor;
        }
        self.reduction.compression = r.compression;
        self.name = format!("{}@{revision}", self.name);
        Ok(self)
    }

    fn check(&self) -> Result<(), PersonaError> {
        let share = |x: f64| (0.0..=1.0).contains(&x);
        let time = |x: f64| (0.0..1e12).contains(&x);
        let rate = |x: f64| x > 0.0 && x.is_finite();
        let mut rules = vec![
            (rate(self.scale), "scale", "above 0"),
            (self.luns.count > 0, "luns.count", "at least 1"),
            (rate(self.luns.gib), "luns.gib", "above 0"),
            (
                self.ports.count > 0 && self.ports.paths > 0,
                "ports",
                "at least one port and one path",
            ),
            (rate(self.ports.mib_s), "ports.mib_s", "above 0"),
            (time(self.ports.command_us), "ports.command_us", "a time"),
            (
                time(self.latency.read_us) && time(self.latency.write_us),
                "latency",
                "a time",
            ),
            (
                self.latency.depths.is_sorted_by(|a, b| a.depth < b.depth),
                "latency.depths",
                "ascending",
            ),
            (
                self.latency.depths.iter().all(|r| r.depth > 0.0),
                "latency.depths",
                "above 0",
            ),
        ];
        if let Some(c) = &self.cores {
            let shares = share(c.owner_share)
                && share(c.fingerprint_share)
                && share(c.owner_share + c.fingerprint_share);
            rules.push((
                c.controllers > 0 && c.per_controller > 0,
                "cores",
                "at least one",
            ));
            rules.push((
                shares,
                "cores: owner_share and fingerprint_share",
                "shares of one cost",
            ));
        }
        if let Some(j) = &self.journal {
            rules.push((
                rate(j.mib) && rate(j.drain_mib_s),
                "journal",
                "above 0 in size and drain",
            ));
            rules.push((share(j.keep_share), "journal.keep_share", "a share"));
            rules.push((
                j.batch_kib > 0 && j.drain_batch_kib > 0,
                "journal batches",
                "above 0",
            ));
        }
        if let Some(f) = &self.flash {
            let blocks = f
                .mapping
                .is_none_or(|m| m.pages_per_block > 0 && m.over_provisioning >= 0.0);
            rules.push((f.dies > 0, "flash.dies", "at least 1"));
            rules.push((
                blocks,
                "flash.mapping",
                "blocks of at least a page, and no less flash than data",
            ));
        }
        if let Some(t) = &self.tier {
            rules.push((
                rate(t.flash_gib) && t.disks > 0,
                "tier",
                "above 0 in flash and disks",
            ));
        }
        if let Some(h) = &self.host {
            let ascending = h.course.is_sorted_by(|a, b| a.at_s < b.at_s);
            rules.push((
                ascending && h.course.iter().all(|c| rate(c.iops)),
                "host.course",
                "ascending, above 0",
            ));
        }
        match rules.into_iter().find(|r| !r.0) {
            None => Ok(()),
            Some((_, parameter, must)) => Err(PersonaError::Range {
                persona: self.name.clone(),
                parameter,
                must,
            }),
        }
    }
}
