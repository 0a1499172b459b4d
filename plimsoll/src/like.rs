//! What a target is to be like: the small file of a fingerprint, written by one command and read by others, or a persona.

use crate::failure::Failure;
use crate::out::tell;
use plimsoll_array::Persona;
use plimsoll_dialects::native::{DirectFlags, Like};
use plimsoll_evidence::{MethodVerdict, Quantity, Verdict};
use plimsoll_permit::output::OutputPermit;
use plimsoll_plan::{Bytes, LabTarget, Location};
use plimsoll_printable::{Printable, line_of};
use std::path::Path;

/// The simulated array that a target is to be like, where the file is a persona.
pub fn reference(path: Option<&str>) -> Option<LabTarget> {
    let path = path.filter(|path| Persona::read(Path::new(path)).is_ok())?;
    // A plain name is no built-in persona's.
    let place = if path.contains('/') { "" } else { "./" };
    match Location::parse(&format!("lab:{place}{path}")) {
        Ok(Location::Lab(lab)) if lab.array.file().is_some() => Some(lab),
        _ => None,
    }
}

/// Fills in what the flags leave open from the file that was named.
pub fn apply(path: &str, flags: &mut DirectFlags) -> Result<(), Failure> {
    if let Ok(persona) = Persona::read(Path::new(path)) {
        return as_deep(&persona, flags);
    }
    let text = std::fs::read_to_string(path)
        .map_err(|e| {
            Failure::usage(format!(
                "--like: cannot read {path}: {e}; `plimsoll fingerprint TARGET --save {path}` writes such a file, and `plimsoll lab fit RESULT` a persona"
            ))
        })?;
    let like = Like::parse(&text).map_err(|e| Failure::usage(format!("--like {path}: {e}")))?;
    for against in like.fill(flags) {
        tell!("note: --like {}: {}", Printable(path), Printable(&against));
    }
    Ok(())
}

/// Gives the load as many in flight as the curve of a persona has, dealt to the targets, where no flag says how many.
fn as_deep(persona: &Persona, flags: &mut DirectFlags) -> Result<(), Failure> {
    let deepest = persona.latency.depths.last().map(|row| row.depth);
    if let (None, Some(deepest)) = (flags.get("--depth"), deepest) {
        let each = deepest / flags.targets.len().max(1) as f64;
        flags.set("--depth", format!("{:.0}", each.ceil().max(1.0)));
    }
    Ok(())
}

/// Writes what follows from the fingerprint among the verdicts, if there is one.
pub fn save(permit: OutputPermit, verdicts: &[Verdict], target: &str) -> Result<(), Failure> {
    let fingerprint = verdicts.iter().find_map(|verdict| match verdict {
        Verdict::Method(m) if m.method == "fingerprint" => Some(m),
        _ => None,
    });
    let Some(verdict) = fingerprint else {
        return Ok(());
    };
    let path = permit.path().to_path_buf();
    let about = format!("# What plimsoll fingerprint found of {target}; for --like");
    let about = line_of(&about);
    permit.write(format!("{about}\n{}", of(verdict)).as_bytes())?;
    tell!("saved {}", Printable(&path.display().to_string()));
    Ok(())
}

fn of(verdict: &MethodVerdict) -> Like {
    let number = |name: &str| {
        let figure = verdict.figures.iter().find(|f| f.name == name)?;
        match figure.quantity {
            Some(Quantity::Count(n) | Quantity::Bytes(n)) => Some(n),
            _ => None,
        }
    };
    let count = |name: &str| number(name).and_then(|n| u32::try_from(n).ok());
    Like {
        depth: count("use_depth"),
        block: number("use_block").map(Bytes),
        luns: count("use_luns"),
        hit_area: number("use_hit_area").map(Bytes),
        hit_slice: number("use_hit_slice").map(Bytes),
        avoid_stride: number("avoid_stride").map(Bytes),
    }
}
