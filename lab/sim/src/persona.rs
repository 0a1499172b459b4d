//! From what a target says to an array.

use plimsoll_array::complaint::Complaint;
use plimsoll_array::persona::BUILT_IN;
use plimsoll_array::{Array, Persona, PersonaError};
use plimsoll_diagnostic::nearest;
use plimsoll_plan::{Bytes, LabArray};
use plimsoll_witness::{Root, memory};
use std::io;

/// Memory that is there where the system doesn't say, bytes.
const FEW: u64 = 2 << 30;

/// Why there is no such array.
#[derive(Debug, thiserror::Error)]
pub enum LabArrayError {
    /// No built-in persona of this name.
    #[error("there is no persona `{name}`")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The persona has no such revision.
    #[error("the persona {persona} has no revision `{revision}`")]
    Revision {
        /// The persona.
        persona: String,
        /// What was asked for.
        revision: String,
        /// Those that it has.
        known: Vec<String>,
    },
    /// A persona's file cannot be read.
    #[error("cannot read the persona {path}: {source}")]
    File {
        /// The file.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
    /// A persona's file is none, or a parameter in it is out of its range.
    #[error("{}:{}:{}: {}", .0.file.as_deref().unwrap_or("persona"), .0.line, .0.column, .0.message)]
    Text(Complaint),
    /// The persona cannot be used.
    #[error("{place}: {source}")]
    Persona {
        /// Its name or file.
        place: String,
        /// Why not.
        source: PersonaError,
    },
    /// The array has fewer LUNs.
    #[error("{persona} has {} and no lun{lun}", luns(.count))]
    Lun {
        /// The array's persona.
        persona: String,
        /// The number that was asked for.
        lun: u32,
        /// How many it has.
        count: u32,
    },
    /// The array has fewer paths.
    #[error("{persona} has {count} paths, from 0, and no path {path}")]
    Path {
        /// The array's persona.
        persona: String,
        /// The number that was asked for.
        path: u32,
        /// How many it has.
        count: u32,
    },
    /// A tree on an array that serves blocks alone.
    #[error("{persona} has no filer: it has LUNs, and no directories and files")]
    NoFiler {
        /// The array's persona.
        persona: String,
    },
    /// A tree that a share has no room for.
    #[error("a tree of {tree} does not fit into a share of {persona}, which has {share}")]
    TooSmall {
        /// The array's persona.
        persona: String,
        /// Size of the share.
        share: Bytes,
        /// Bytes of the tree.
        tree: Bytes,
    },
    /// An option of mounts on what is not mounted.
    #[error("actimeo is for a tree on a filer")]
    NoTree,
    /// Two targets say different things of one array.
    #[error("{one} and {other} are of one array, and differ in scale or size")]
    Differ {
        /// A target.
        one: String,
        /// Another.
        other: String,
    },
    /// Storage beside the lab.
    #[error("target `{real}` is real and `{lab}` is simulated; they have no time in common")]
    Mixed {
        /// A target that is real.
        real: String,
        /// One that is not.
        lab: String,
    },
}

impl LabArrayError {
    /// What to do.
    pub fn remedy(&self) -> String {
        let names = || BUILT_IN.map(|b| b.0);
        match self {
            LabArrayError::Unknown { name } => match nearest(name, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!(
                    "there are {}; one of your own is lab:./my.toml",
                    names().join(", ")
                ),
            },
            LabArrayError::Revision {
                revision, known, ..
            } => match nearest(revision, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None if known.is_empty() => "leave @ and what follows out".to_string(),
                None => format!("it has {}", known.join(", ")),
            },
            LabArrayError::File { .. } => "name a file, or a built-in persona".to_string(),
            LabArrayError::Text(complaint) => complaint.remedy.clone(),
            LabArrayError::Persona { .. } => {
                "correct the persona, or the size or scale that is asked for".to_string()
            }
            LabArrayError::Lun { .. } => "name a LUN that is there".to_string(),
            LabArrayError::Path { .. } => "name a path that is there".to_string(),
            LabArrayError::NoFiler { .. } => {
                "take lab:filer, or a persona of your own with a [filer] table".to_string()
            }
            LabArrayError::TooSmall { .. } => {
                "make the tree smaller, or the share larger, as in ?size=64g".to_string()
            }
            LabArrayError::NoTree => "add --tree, or leave actimeo out".to_string(),
            LabArrayError::Differ { .. } => "give both the same scale and size".to_string(),
            LabArrayError::Mixed { .. } => "simulate all targets, or none".to_string(),
        }
    }
}

fn luns(count: &u32) -> String {
    match count {
        1 => "1 LUN".to_string(),
        n => format!("{n} LUNs, lun0 to lun{}", n - 1),
    }
}

/// The persona of an array, with the size of its LUNs as asked for; and the scale.
pub fn find_persona(array: &LabArray) -> Result<(Persona, f64), LabArrayError> {
    let mut persona = read(array)?;
    if let Some(revision) = &array.revision {
        let known: Vec<String> = persona.revisions.keys().cloned().collect();
        persona = persona
            .revised(revision)
            .map_err(|_| LabArrayError::Revision {
                persona: array.persona.clone(),
                revision: revision.clone(),
                known,
            })?;
    }
    let scale = array.scale.unwrap_or(persona.scale);
    if let Some(size) = array.size {
        persona.luns.gib = size.0 as f64 / (1u64 << 30) as f64 * scale;
    }
    Ok((persona, scale))
}

/// A hash of the file that a persona is in (FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/), which tells whether it was
/// changed; `None` of a built-in one.
pub(crate) fn hash_of_file(array: &LabArray) -> Option<String> {
    let bytes = std::fs::read(array.file()?).ok()?;
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    Some(format!("{hash:016x}"))
}

/// The array of a persona, empty.
pub(crate) fn build(
    array: &LabArray,
    persona: &Persona,
    scale: f64,
    seed: u64,
) -> Result<Array, LabArrayError> {
    let available = memory::available(&Root::system()).map_or(FEW, |a| a.bytes);
    let fits = persona.check_memory(scale, available, array.size.is_some());
    let built = fits.and_then(|()| Array::new(persona, scale, seed));
    built.map_err(|source| unusable(array, source))
}

fn read(array: &LabArray) -> Result<Persona, LabArrayError> {
    let persona = match array.file() {
        Some(path) => Persona::read(path),
        None => Persona::named(&array.persona),
    };
    persona.map_err(|e| match e {
        PersonaError::Unknown(name) => LabArrayError::Unknown { name },
        PersonaError::Unreadable { file, source } => LabArrayError::File { path: file, source },
        PersonaError::Text(complaint) => LabArrayError::Text(complaint),
        source => unusable(array, source),
    })
}

fn unusable(array: &LabArray, source: PersonaError) -> LabArrayError {
    LabArrayError::Persona {
        place: array.persona.clone(),
        source,
    }
}
