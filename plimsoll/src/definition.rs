//! From what was typed to a plan.

use crate::cli::{DirectArgs, FileArgs, PointsArgs};
use crate::failure::Failure;
use crate::out::tell;
use crate::{
    diskspd as diskspd_tool, fio, fio_tool, like, mistaken, vdbench as vdbench_tool,
    vdbench_changes, written_in,
};
use plimsoll_diagnostic::{Diagnostic, Sources, render};
use plimsoll_dialects::Dialect;
use plimsoll_dialects::native::{self, COMMAND_LINE, Method, Overrides};
use plimsoll_dialects::{diskspd, vdbench};
use plimsoll_plan::validate::{Problem, validate};
use plimsoll_plan::{Item, Load, Plan};
use plimsoll_rig::{BackendKind, RigError, check_arrays};
use std::fs::File;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};

/// A plan, with the texts that it was read from.
pub struct Definition {
    pub plan: Plan,
    pub sources: Sources,
    pub engine: Engine,
}

/// What a definition asks of what carries it out, where flags do not say otherwise.
#[derive(Default)]
pub struct Engine {
    pub backend: Option<BackendKind>,
    /// Of each target by itself, in the plan's order.
    pub backends: Vec<Option<BackendKind>>,
    /// Files that go when all is over.
    pub unlink: Vec<PathBuf>,
    /// I/Os handed to the kernel at once.
    pub batch: Option<usize>,
    /// I/Os waited for at once.
    pub reap: Option<u32>,
}

impl Definition {
    /// The files that it was read from.
    pub fn files(&self) -> Vec<PathBuf> {
        files(&self.sources)
    }
}

/// The files among the texts.
pub fn files(sources: &Sources) -> Vec<PathBuf> {
    sources
        .iter()
        .filter(|s| s.name != COMMAND_LINE && s.name != fio::STDIN)
        .map(|s| PathBuf::from(&s.name))
        .collect()
}

/// All texts with their names, for the record.
pub fn texts(sources: &Sources) -> Vec<(String, String)> {
    sources
        .iter()
        .map(|s| (s.name.clone(), s.text.clone()))
        .collect()
}

/// What was typed to say what to measure.
pub struct Typed<'a> {
    /// The plain words: definitions or targets.
    pub what: &'a [String],
    /// What stood after -f.
    pub file: &'a FileArgs,
    pub direct: &'a DirectArgs,
    pub points: &'a PointsArgs,
    pub method: Method,
    /// Flags that only the method has: flag, key, and what was typed.
    pub of_method: Vec<(&'static str, &'static str, String)>,
}

impl Typed<'_> {
    /// The flags as the dialect takes them.
    fn flags(&self) -> native::DirectFlags {
        native::DirectFlags {
            of_method: self.of_method.clone(),
            ..self.direct.flags(self.what, self.method, self.points)
        }
    }
}

/// Reads definition files, or makes a plan of targets and flags.
pub fn load(typed: &Typed<'_>) -> Result<Definition, Failure> {
    let definition = match (typed.what, &typed.file.file[..]) {
        (words, files @ [_, ..]) => {
            let dialect = written_in::of(files, typed.file.dialect)?;
            of_files(dialect, files.iter().chain(words).collect(), typed)?
        }
        ([first, rest @ ..], []) => match written_in::plain(first) {
            Some(Dialect::Native) if !rest.is_empty() => of_targets(typed)?,
            Some(dialect) => of_files(dialect, typed.what.iter().collect(), typed)?,
            None => of_targets(typed)?,
        },
        ([], []) => of_targets(typed)?,
    };
    checked(definition)
}

/// Refuses a definition that was surely not meant so, or whose plan is not valid.
fn checked(definition: Definition) -> Result<Definition, Failure> {
    mistaken::questioned(&definition.plan)?;
    mistaken::twice(&definition.plan)?;
    let problems = validate(&definition.plan);
    if problems.is_empty() {
        Ok(definition)
    } else {
        Err(refuse(&problems, &definition.sources))
    }
}

/// Reads the command line of another tool, which its first word names; `None` where that is no tool's name, or there is nothing behind it.
pub fn of_command(words: &[String]) -> Option<Result<Definition, Failure>> {
    let (tool, words) = words.split_first().filter(|(_, words)| !words.is_empty())?;
    let definition = match tool.as_str() {
        "fio" => fio_tool::definition(words),
        "vdbench" => vdbench_tool::definition(words),
        "diskspd" => diskspd_tool::definition(words),
        _ => return None,
    };
    Some(definition.and_then(checked))
}

/// What files say that are written in one dialect. With them stand words that change what a Vdbench file says.
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

/// Refuses what is no definition by its name, where nothing else will do.
pub fn require_definition(what: &[String]) -> Result<(), Failure> {
    match what.first() {
        Some(first) if Dialect::by_name(first).is_none() => {
            let endings = Dialect::ALL.iter().flat_map(|d| d.endings());
            let endings: Vec<String> = endings.map(|e| format!(".{e}")).collect();
            Err(Failure::usage(format!(
                "{first} is no definition by its name ({}); give one of another name behind -f",
                endings.join(", ")
            )))
        }
        _ => Ok(()),
    }
}

/// Refuses arrays of the lab that there are none of.
pub fn require_arrays(definition: &Definition) -> Result<(), Failure> {
    match check_arrays(&definition.plan) {
        Ok(()) => Ok(()),
        Err(RigError::Plan(problems)) => Err(refuse(&problems, &definition.sources)),
        Err(error) => Err(error.into()),
    }
}

/// A definition given to `plimsoll curve` must have one.
pub fn require_curve(definition: &Definition) -> Result<(), Failure> {
    let has = definition
        .plan
        .items
        .iter()
        .any(|i| matches!(i, Item::Curve(_)) || is_method(i, "adaptive"));
    if has {
        return Ok(());
    }
    let closed = definition
        .plan
        .steps()
        .any(|s| matches!(s.load, Load::Max | Load::MaxShared));
    Err(Failure::usage(if closed {
        "the definition holds no curve; write load = \"curve\" in its [[run]] instead of \"max\""
    } else {
        "the definition holds no curve; write load = \"curve\" in its [[run]]"
    }))
}

/// A definition given to the command of a method must have a run that is one.
pub fn require_method(definition: &Definition, name: &str) -> Result<(), Failure> {
    if definition.plan.items.iter().any(|i| is_method(i, name)) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "the definition holds no {name}; write method = \"{name}\" in its [[run]]"
    )))
}

fn is_method(item: &Item, name: &str) -> bool {
    matches!(item, Item::Method(m) if m.question.method() == name)
}

/// Problems of a plan as diagnostics with their places.
pub fn refuse(problems: &[Problem], sources: &Sources) -> Failure {
    let diagnostics: Vec<Diagnostic> = problems
        .iter()
        .map(|p| {
            let d = Diagnostic::error("plan", p.message.clone()).help(p.remedy.clone());
            match p.span {
                Some(span) => d.at(span, ""),
                None => d,
            }
        })
        .collect();
    fail(&diagnostics, sources)
}

/// Prints warnings to standard error.
pub fn warn(warnings: &[Diagnostic], sources: &Sources) {
    for warning in warnings {
        tell!("{}\n", render(warning, sources, color()));
    }
}

/// Diagnostics as a failure.
pub fn fail(diagnostics: &[Diagnostic], sources: &Sources) -> Failure {
    Failure::of(diagnostics, sources, color())
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

/// What was typed of a Vdbench definition.
pub struct VdbenchWords<'a> {
    /// Its files, read as one.
    pub files: Vec<&'a String>,
    /// `key=value` words that change what they say.
    pub words: Vec<&'a String>,
    /// What stood after a `+`, and is added to every run.
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

/// What a profile asks for.
pub fn of_diskspd(parsed: diskspd::Parsed) -> Result<Definition, Failure> {
    let lowered = parsed.plan().map_err(|d| fail(&d, &parsed.sources))?;
    warn(&lowered.warnings, &parsed.sources);
    Ok(Definition {
        // DiskSPD's threads submit one I/O each time.
        engine: Engine {
            batch: Some(1),
            backends: mapped_backends(&lowered),
            ..Engine::default()
        },
        plan: lowered.plan,
        sources: parsed.sources,
    })
}

/// Targets that a profile has mapped.
pub fn mapped_backends(lowered: &diskspd::Lowered) -> Vec<Option<BackendKind>> {
    let of = |mapped: &bool| mapped.then_some(BackendKind::Mmap);
    lowered.mapped.iter().map(of).collect()
}

fn word(text: &str) -> (String, String) {
    match text.split_once('=') {
        Some((key, value)) => (key.to_string(), value.to_string()),
        None => (text.to_string(), String::new()),
    }
}

fn color() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}
