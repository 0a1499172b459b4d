//! What was surely not meant so: another tool's flag, or a file that says what to measure as what is measured.

use crate::failure::Failure;
use crate::out::tell;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use plimsoll_dialects::native::foreign;
use plimsoll_dialects::recognise::{HEAD, recognise};
use plimsoll_plan::{Location, Plan, Target};
use plimsoll_printable::Printable;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// An unknown flag that is another tool's word gets its translation for a tip.
pub fn flag(mut error: clap::Error) -> clap::Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let Some((flag, meant)) = foreign::flag(word) else {
        return error;
    };
    let tip = format!(
        "{}'s {} is {flag} here: {}",
        meant.tool, meant.word, meant.values
    );
    // They are of the flag that is nearest in letters.
    for kind in [ContextKind::SuggestedArg, ContextKind::Usage] {
        error.remove(kind);
    }
    let tips = ContextValue::StyledStrs(vec![tip.into()]);
    error.insert(ContextKind::Suggested, tips);
    error
}

/// Refuses targets on the command line that look like settings, such as `bs=4k`; `./bs=4k` is a file.
pub fn words(what: &[String]) -> Result<(), Failure> {
    for word in what {
        let Some((name, _)) = word.split_once('=') else {
            continue;
        };
        if name.contains(['/', ':']) || Path::new(word).exists() {
            continue;
        }
        let meant = match foreign::flag(name) {
            Some((flag, meant)) => {
                format!("{}'s {name} is {flag} here: {}", meant.tool, meant.values)
            }
            None => "settings are flags; --help lists them".to_string(),
        };
        return Err(Failure::usage(format!(
            "`{word}` is a setting, not a target: {meant}. A file of that name is ./{word}"
        )));
    }
    Ok(())
}

/// Refuses files as targets that say what to measure, or hold what was measured.
pub fn questioned(plan: &Plan) -> Result<(), Failure> {
    for target in &plan.targets {
        if matches!(target.location, Location::Null(_)) {
            continue;
        }
        for path in target.location.paths() {
            question(path)?;
        }
    }
    Ok(())
}

/// Refuses one file or device under two names where both are written to the same places, and warns of others.
pub fn twice(plan: &Plan) -> Result<(), Failure> {
    let mut seen: Vec<(Inode, usize, &Path)> = Vec::new();
    for (index, target) in plan.targets.iter().enumerate() {
        for path in target.location.paths() {
            let Some(inode) = Inode::of(path) else {
                continue;
            };
            let before = seen
                .iter()
                .find(|(i, at, _)| *i == inode && overlap(plan, *at, index));
            if let Some((_, at, other)) = before {
                let (other, shown) = (other.display(), path.display());
                if written(plan, *at) && written(plan, index) {
                    return Err(Failure::usage(format!(
                        "{other} and {shown} are one and the same, and as two targets both would be written to: what \
                         one writes the other overwrites. Name it once with the depth of both, or in a definition give \
                         each an offset and a size of its own"
                    )));
                }
                let line = format!(
                    "{other} and {shown} are one and the same: their depths add up there, and a cache serves one what \
                     the other has read"
                );
                tell!("warning: {}", Printable(&line));
            }
            seen.push((inode, index, path));
        }
    }
    Ok(())
}

/// What a name leads to: a file by its inode, a device by its number.
#[derive(PartialEq, Eq)]
enum Inode {
    File(u64, u64),
    Device(u64),
}

impl Inode {
    fn of(path: &Path) -> Option<Self> {
        let there = std::fs::metadata(path).ok()?;
        Some(if there.file_type().is_block_device() {
            Inode::Device(there.rdev())
        } else {
            Inode::File(there.dev(), there.ino())
        })
    }
}

/// Whether the parts that two targets use have anything in common. Of joined files nobody knows yet where each begins.
fn overlap(plan: &Plan, one: usize, other: usize) -> bool {
    let (one, other) = (&plan.targets[one], &plan.targets[other]);
    let alone = |t: &Target| t.location.paths().len() == 1;
    if !alone(one) || !alone(other) {
        return true;
    }
    let end = |t: &Target| t.size.map_or(u64::MAX, |s| t.offset.0.saturating_add(s.0));
    one.offset.0 < end(other) && other.offset.0 < end(one)
}

/// Whether any step writes to a target, or trims.
fn written(plan: &Plan, target: usize) -> bool {
    plan.steps()
        .flat_map(|s| &s.streams)
        .any(|s| s.target.0 as usize == target && (s.mix.write > 0.0 || s.mix.trim > 0.0))
}

fn question(path: &Path) -> Result<(), Failure> {
    // A device is no text, and a pipe would have to be waited for.
    let regular = std::fs::metadata(path).is_ok_and(|m| m.is_file());
    let mut head = Vec::new();
    if regular && let Ok(file) = File::open(path) {
        // What cannot be read is refused later, with its reason.
        let _ = file.take(HEAD).read_to_end(&mut head);
    }
    match recognise(&head) {
        None => Ok(()),
        Some(found) => {
            let shown = path.display();
            Err(Failure::usage(format!(
                "{shown} is named as a target, but it is {}: {}",
                found.what(),
                found.instead(&shown.to_string())
            )))
        }
    }
}
