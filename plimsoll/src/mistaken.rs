//! Mistakes that were surely not meant so: another tool's flag, or a file that says what to measure as what is measured.

use crate::definition::refuse;
use crate::failure::Failure;
use crate::out::tell;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use plimsoll_diagnostic::{Sources, printed};
use plimsoll_dialects::Dialect;
use plimsoll_dialects::native::foreign;
use plimsoll_dialects::recognise::recognise_file;
use plimsoll_plan::Plan;
use plimsoll_printable::Printable;
use std::ffi::OsString;
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

/// Refuses a flag in printed quotes, and words that begin with a printed dash: they were copied from a document. A file of such a name that
/// is there may be meant, and a quote before anything else, as of a title.
pub fn printed_letters(words: impl IntoIterator<Item = OsString>) -> Result<(), Failure> {
    for word in words {
        let word = word.to_string_lossy();
        let bare = word.strip_prefix(printed::QUOTES);
        if bare.is_some_and(|bare| bare.starts_with('-')) && !Path::new(&*word).exists() {
            let quote = word.chars().next().map_or(0, u32::from);
            return Err(Failure::usage(format!(
                "`{word}` begins with a typographic quote (U+{quote:04X}), as documents have it, which a shell takes for a letter: type `{}`",
                word.replace(printed::QUOTES, "'")
            )));
        }
        let first = word.chars().next();
        let Some((dash, name)) = printed::DASHES
            .iter()
            .find(|(dash, _)| first == Some(*dash))
        else {
            continue;
        };
        if Path::new(&*word).exists() {
            continue;
        }
        let rest =
            word.trim_start_matches(|c| c == '-' || printed::DASHES.iter().any(|(d, _)| *d == c));
        // Editors make one em dash of two minus signs.
        let typed = match word.chars().count() - rest.chars().count() == 1 && *dash != '\u{2014}' {
            true => format!("-{rest}"),
            false => format!("--{rest}"),
        };
        return Err(Failure::usage(format!(
            "`{word}` begins with {name} (U+{:04X}), as documents have it, not with a minus sign: type `{typed}`. A file of that \
             name is ./{word}",
            u32::from(*dash)
        )));
    }
    Ok(())
}

/// Refuses targets on the command line that are another tool's command line, or look like settings, such as `bs=4k`; `./bs=4k` is a file.
pub fn words(what: &[String]) -> Result<(), Failure> {
    if let [word, _, ..] = what
        && !word.contains(['/', '\\'])
        && let Some(tool) = Dialect::by_program(word)
        && !Path::new(word).exists()
    {
        return Err(Failure::usage(format!(
            "`{word}` is a tool, not a target: `plimsoll {tool} …` carries out its command line, `plimsoll plan -- {tool} …` says what that would do"
        )));
    }
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
pub fn targets(plan: &Plan, sources: &Sources) -> Result<(), Failure> {
    questioned(plan)?;
    twice(plan, sources)
}

/// Refuses files as targets that say what to measure, or hold what was measured.
fn questioned(plan: &Plan) -> Result<(), Failure> {
    for target in &plan.targets {
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
fn twice(plan: &Plan, sources: &Sources) -> Result<(), Failure> {
    for alias in plimsoll_rig::aliases(plan) {
        if alias.both_written {
            return Err(refuse(&[alias.problem(plan)], sources));
        }
        tell!("warning: {}", Printable(&alias.to_string()));
    }
    Ok(())
}
