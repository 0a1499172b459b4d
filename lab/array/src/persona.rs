//! A persona: all parameters of an array, as a TOML file that users can copy and change.

mod check;
mod error;
pub(crate) mod parameters;

pub use error::PersonaError;
pub use parameters::*;

use crate::complaint::{self, Complaint};
use crate::fault::ScheduledFault;
use crate::masking::{ExportRequest, Igroup, Masking, MaskingError};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The personas that come with the program: (name, file).
pub const BUILT_IN: [(&str, &str); 8] = [
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
    ("filer", include_str!("../personas/filer.toml")),
    ("single-ssd", include_str!("../personas/single-ssd.toml")),
    ("curve-8k", include_str!("../personas/curve-8k.toml")),
    (
        "starved-host",
        include_str!("../personas/starved-host.toml"),
    ),
];

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
    /// Its media, where their dies are a limit.
    pub flash: Option<FlashParameters>,
    /// Disks below the flash.
    pub tier: Option<TierParameters>,
    /// Other nodes.
    pub nodes: Option<NodeParameters>,
    /// A filer in front of it.
    pub filer: Option<FilerParameters>,
    /// What taking and keeping one costs.
    #[serde(default)]
    pub snapshots: SnapshotParameters,
    /// A host in front that starves.
    pub host: Option<HostParameters>,
    /// Sets of initiators; everyone is one in any case.
    #[serde(default)]
    pub igroups: Vec<Igroup>,
    /// Who sees which LUN over which ports; everyone sees everything where nothing is said.
    pub exports: Option<Vec<ExportRequest>>,
    /// What happens to it, and when.
    #[serde(default)]
    pub faults: Vec<ScheduledFault>,
    /// Other releases of the same array, by name.
    #[serde(default)]
    pub revisions: BTreeMap<String, RevisionParameters>,
}

impl Persona {
    /// The file of a built-in persona.
    pub fn text(name: &str) -> Result<&'static str, PersonaError> {
        let found = BUILT_IN.iter().find(|b| b.0 == name);
        found.map_or_else(|| Err(PersonaError::Unknown(name.to_owned())), |b| Ok(b.1))
    }

    /// A built-in persona: `name`, a revision of it: `name@revision`, or one behind another's host:
    /// `starved-host+name`.
    pub fn named(name: &str) -> Result<Self, PersonaError> {
        if let Some((host, array)) = name.split_once('+') {
            let persona = Persona {
                host: Self::named(host)?.host,
                ..Self::named(array)?
            };
            return Ok(Persona {
                name: name.to_owned(),
                ..persona
            });
        }
        let (base, revision) = match name.split_once('@') {
            Some((base, revision)) => (base, Some(revision)),
            None => (name, None),
        };
        let persona = Self::parse(Self::text(base)?)?;
        match revision {
            None => Ok(persona),
            Some(revision) => persona.revised(revision),
        }
    }

    /// Reads a persona's text.
    pub fn parse(text: &str) -> Result<Self, PersonaError> {
        let persona: Persona = complaint::read(text).map_err(PersonaError::Text)?;
        let wrong = |key, message| {
            let complaint = Complaint::about(text, key, message, "correct it".to_owned());
            PersonaError::Text(complaint)
        };
        if let Some((key, must)) = persona.broken() {
            return Err(wrong(key, format!("`{key}` must be {must}")));
        }
        match persona.masking() {
            Ok(_) => Ok(persona),
            Err((key, why)) => Err(wrong(key, why.to_string())),
        }
    }

    /// Its igroups and exports at the start; or the table that cannot be, and why.
    pub fn masking(&self) -> Result<Masking, (&'static str, MaskingError)> {
        let (ports, luns) = (self.ports.each_name(), self.luns.count);
        let mut masking = match self.exports {
            Some(_) => Masking::closed(ports, luns),
            None => Masking::open(ports, luns),
        };
        for igroup in self.igroups.iter().cloned() {
            masking.put_igroup(igroup).map_err(|e| ("igroups", e))?;
        }
        for export in self.exports.iter().flatten().cloned() {
            masking.export(export).map_err(|e| ("exports", e))?;
        }
        Ok(masking)
    }

    /// Reads a persona's file.
    pub fn read(file: &Path) -> Result<Self, PersonaError> {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).map_err(|source| PersonaError::Unreadable {
            file: name.clone(),
            source,
        })?;
        Self::parse(&text).map_err(|e| match e {
            PersonaError::Text(complaint) => PersonaError::Text(Complaint {
                file: Some(name),
                ..complaint
            }),
            other => other,
        })
    }

    /// The same array in another release.
    pub fn revised(mut self, revision: &str) -> Result<Self, PersonaError> {
        let Some(r) = self.revisions.get(revision).cloned() else {
            let known: Vec<_> = self.revisions.keys().map(String::as_str).collect();
            return Err(PersonaError::UnknownRevision {
                known: match known.is_empty() {
                    true => "none".to_owned(),
                    false => known.join(", "),
                },
                persona: self.name,
                revision: revision.to_owned(),
            });
        };
        self.latency.read_us *= r.latency_factor;
        self.latency.write_us *= r.latency_factor;
        if !r.depths.is_empty() {
            self.latency.depths = r.depths;
        }
        for row in &mut self.latency.depths {
            row.read_us *= r.latency_factor;
            row.write_us *= r.latency_factor;
            for time in [&mut row.sd_us, &mut row.longest_us].into_iter().flatten() {
                *time *= r.latency_factor;
            }
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
}
