//! From words, flags and files to a definition.

use crate::definition::{Definition, Engine, Typed, fail, of_diskspd, refuse, warn};
use crate::failure::Failure;
use crate::{fio, like, mistaken, vdbench_changes, written_in};
use plimsoll_diagnostic::Sources;
use plimsoll_dialects::native::{self, Overrides};
use plimsoll_dialects::{Dialect, diskspd, vdbench};
use plimsoll_plan::validate::validate;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Reads definition files, or makes a plan of targets and flags.
pub fn load(typed: &Typed<'_>) -> Result<Definition, Failure> {
    let definition = match (typed.what, &typed.file.file[..]) {
        (words, files @ [_, ..]) => {
            let dialect = written_in::of(files, typed.file.dialect)?;
            of_files(dialect, files.iter().chain(words).collect(), typed)?
        }
        (words @ [_, ..], []) => match written_in_one(words) {
            Some(dialect) => of_files(dialect, typed.what.iter().collect(), typed)?,
            None => of_targets(typed)?,
        },
        ([], []) => of_targets(typed)?,
    };
    checked(definition)
}

/// The dialect of the files that the words are; `None` where they are targets.
fn written_in_one(words: &[String]) -> Option<Dialect> {
    let (first, rest) = words.split_first()?;
    written_in::plain(first).filter(|dialect| *dialect != Dialect::Native || rest.is_empty())
}

/// True where the words name targets, and no files with a definition.
pub fn are_targets(words: &[String]) -> bool {
    written_in_one(words).is_none()
}

/// Refuses a definition that was surely not meant so, or whose plan is not valid.
fn checked(definition: Definition) -> Result<Definition, Failure> {
    mistaken::targets(&definition.plan, &definition.sources)?;
    let problems = validate(&definition.plan);
    if problems.is_empty() {
        Ok(definition)
    } else {
        Err(refuse(&problems, &definition.sources))
    }
}

/// The definition that another tool's command line asks for, which its first word names; `None` where that is no tool's name, or there is
/// nothing behind it.
pub fn of_command(words: &[String]) -> Option<Result<Definition, Failure>> {
    let words = match words {
        [sudo, words @ ..] if sudo == "sudo" => words,
        words => words,
    };
    let (tool, words) = words.split_first()?;
    let first = words.first()?;
    // By a path it may be a target that has a tool's name.
    let by_path = tool.contains(['/', '\\']);
    let is_command = first.starts_with('-') || Dialect::by_name(first).is_some();
    let definition = match Dialect::by_program(tool).filter(|_| !by_path || is_command)? {
        Dialect::Fio => crate::fio_tool::definition(words),
        Dialect::Vdbench => crate::vdbench::definition(words),
        Dialect::DiskSpd => crate::diskspd::definition(words),
        Dialect::Native => return None,
    };
    Some(definition.and_then(checked))
}

/// The definition in files that are written in one dialect. With them stand words that change what a Vdbench file says.
fn of_files(
    dialect: Dialect,
    given: Vec<&String>,
    typed: &Typed<'_>,
) -> Result<Definition, Failure> {
    match dialect {
        Dialect::Native => match &given[..] {
            [one] => read_native(Path::new(one), typed),
            [first, second, ..] => Err(Failure::usage(format!(
                "one definition in TOML is run at a time, and {second} stands beside {first}; run each alone"
            ))),
            [] => of_targets(typed),
        },
        Dialect::Vdbench => read_vdbench(&VdbenchWords::of(given.into_iter()), typed),
        Dialect::Fio => fio::read(&given, typed),
        Dialect::DiskSpd => read_diskspd(&given, typed),
    }
}

fn of_targets(typed: &Typed<'_>) -> Result<Definition, Failure> {
    if !typed.direct.set.is_empty() {
        return Err(Failure::usage(
            "--set changes a definition (.toml), and there is none; say it with flags, such as --block 8k",
        ));
    }
    mistaken::words(typed.what)?;
    let mut flags = typed.flags();
    if let Some(path) = &typed.direct.like {
        like::apply(path, &mut flags)?;
    }
    let plan = native::direct(&flags).map_err(|e| Failure::usage(e.to_string()))?;
    Ok(Definition {
        plan,
        sources: Sources::default(),
        engine: Engine::default(),
    })
}

fn read_native(path: &Path, typed: &Typed<'_>) -> Result<Definition, Failure> {
    let overrides = Overrides {
        sets: typed.direct.set.clone(),
        flags: typed.flags(),
    };
    if typed.direct.like.is_some() {
        return Err(Failure::usage(
            "--like is for targets on the command line; a definition says its depth and hit sets itself",
        ));
    }
    if typed.direct.tree.is_some() {
        return Err(Failure::usage(
            "--tree is for a directory on the command line; in a definition one of its numbers is changed by --set target.NAME.tree.depth=2",
        ));
    }
    let bytes = read_bounded(path)
        .map_err(|e| Failure::usage(format!("cannot read {}: {e}", path.display())))?;
    match native::parse_bytes_with(&path.display().to_string(), &bytes, &overrides) {
        Ok(native) => {
            warn(&native.warnings, &native.sources);
            Ok(Definition {
                plan: native.plan,
                sources: native.sources,
                engine: Engine::default(),
            })
        }
        Err(failure) => Err(fail(&failure.diagnostics, &failure.sources)),
    }
}

/// A file's bytes, no more than show that it is larger than a definition may be.
fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = native::BYTES_MAX as u64 + 1;
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Words of a Vdbench definition as they were typed.
pub struct VdbenchWords<'a> {
    /// Files, read as one.
    pub files: Vec<&'a String>,
    /// `key=value` words that change what they say.
    pub words: Vec<&'a String>,
    /// Words that stood after a `+`, which are added to every run.
    pub appended: Vec<String>,
}

impl<'a> VdbenchWords<'a> {
    /// Files, words and what is added, as they were typed.
    pub fn of(given: impl Iterator<Item = &'a String>) -> Self {
        let mut before: Vec<&String> = given.collect();
        let plus = before.iter().position(|w| *w == "+");
        let after = plus.map(|at| before.split_off(at)).unwrap_or_default();
        let (words, files) = before
            .into_iter()
            .partition(|w| w.contains('=') && !Path::new(w).exists());
        VdbenchWords {
            files,
            words,
            appended: after.into_iter().skip(1).cloned().collect(),
        }
    }

    /// Reads them.
    pub fn read(&self, overrides: vdbench::Overrides) -> Result<vdbench::Parsed, Failure> {
        let mut input = vdbench::Input::files(self.files.iter().map(PathBuf::from));
        input.words = self.words.iter().map(|w| word(w)).collect();
        input.appended = self.appended.clone();
        input.overrides = overrides;
        vdbench::parse(&input).map_err(|refused| fail(&refused.diagnostics, &refused.sources))
    }
}

fn read_vdbench(words: &VdbenchWords<'_>, typed: &Typed<'_>) -> Result<Definition, Failure> {
    let parsed = words.read(vdbench_changes::overrides(typed)?)?;
    warn(&parsed.warnings, &parsed.sources);
    let lowered = parsed.plan().map_err(|d| fail(&d, &parsed.sources))?;
    warn(&lowered.warnings, &parsed.sources);
    Ok(Definition {
        plan: lowered.plan,
        sources: parsed.sources,
        engine: Engine::default(),
    })
}

/// A profile, and the paths that take the places of its templates.
fn read_diskspd(given: &[&String], typed: &Typed<'_>) -> Result<Definition, Failure> {
    if let Some(flag) = typed.direct.first_given() {
        return Err(Failure::usage(format!(
            "{flag} goes with a target or a definition in TOML; a DiskSPD profile says it itself. `plimsoll diskspd -XFILE` \
             takes -d, -W and -z beside it"
        )));
    }
    let Some((file, paths)) = given.split_first() else {
        return of_targets(typed);
    };
    let paths: Vec<String> = paths.iter().map(|p| p.to_string()).collect();
    let parsed = diskspd::parse_file(file, &paths)
        .map_err(|refused| fail(&refused.diagnostics, &refused.sources))?;
    warn(&parsed.warnings, &parsed.sources);
    of_diskspd(parsed)
}

fn word(text: &str) -> (String, String) {
    match text.split_once('=') {
        Some((key, value)) => (key.to_string(), value.to_string()),
        None => (text.to_string(), String::new()),
    }
}
