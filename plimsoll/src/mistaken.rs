//! Mistakes that were surely not meant so: another tool's flag, or a file that says what to measure as what is measured.

use crate::failure::Failure;
use crate::out::tell;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use plimsoll_dialects::native::foreign;
use plimsoll_dialects::recognise::recognise_file;
use plimsoll_plan::{Location, Plan};
use plimsoll_printable::Printable;
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
        without_value_tip(&mut error);
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

/// Takes away the tip that an unknown flag could be passed as a target's name: it may be one of another command.
fn without_value_tip(error: &mut clap::Error) {
    let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested) else {
        return;
    };
    let kept: Vec<_> = tips
        .iter()
        .filter(|tip| !tip.to_string().contains("as a value"))
        .cloned()
        .collect();
    match kept.is_empty() {
        true => error.remove(ContextKind::Suggested),
        false => error.insert(ContextKind::Suggested, ContextValue::StyledStrs(kept)),
    };
    let other =
        "`plimsoll COMMAND --help` lists the flags of a command; not every one has all of them";
    if error.get(ContextKind::SuggestedArg).is_none() && error.get(ContextKind::Suggested).is_none()
    {
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![other.to_owned().into()]),
        );
    }
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

/// Refuses targets that were surely not meant, and warns of those that may not have been.
pub fn targets(plan: &Plan) -> Result<(), Failure> {
    questioned(plan)?;
    twice(plan)
}

/// Refuses files as targets that say what to measure, or hold what was measured.
fn questioned(plan: &Plan) -> Result<(), Failure> {
    for target in &plan.targets {
        if matches!(target.location, Location::Null(_)) {
            continue;
        }
        for path in target.location.paths() {
            let Some(found) = recognise_file(path) else {
                continue;
            };
            let shown = path.display();
            return Err(Failure::usage(format!(
                "{shown} is named as a target, but it is {}: {}",
                found.what(),
                found.instead(&shown.to_string())
            )));
        }
    }
    Ok(())
}

/// Refuses one file or device under two names where both are written to the same places, and warns of others.
fn twice(plan: &Plan) -> Result<(), Failure> {
    for alias in plimsoll_rig::aliases(plan) {
        if alias.both_written {
            return Err(Failure::usage(alias.to_string()));
        }
        tell!("warning: {}", Printable(&alias.to_string()));
    }
    Ok(())
}
