//! A plan with the texts that it was read from, and complaints about it.

use crate::cli::{DirectArgs, FileArgs, PointsArgs, RepeatsArgs};
use crate::failure::Failure;
use crate::out::tell;
use plimsoll_diagnostic::{Diagnostic, Sources, fold, render};
use plimsoll_dialects::Dialect;
use plimsoll_dialects::diskspd;
use plimsoll_dialects::native::{self, COMMAND_LINE, Method};
use plimsoll_plan::validate::Problem;
use plimsoll_plan::{Item, Load, Plan};
use plimsoll_rig::{BackendKind, RigError, check_arrays};
use std::io::IsTerminal;
use std::path::PathBuf;

/// A plan, with the texts that it was read from.
pub struct Definition {
    pub plan: Plan,
    pub sources: Sources,
    pub engine: Engine,
}

/// The engine that a definition asks for, where flags do not say otherwise.
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

    /// The definition with all that it measures as often as is asked for.
    #[must_use]
    pub fn repeated(mut self, args: RepeatsArgs) -> Definition {
        if let Some(times) = args.repeats.filter(|times| *times > 1) {
            self.plan = self.plan.repeated(times);
        }
        self
    }
}

/// The name of what came from standard input; no file has it.
pub const STDIN: &str = "standard input";

/// The files among the texts.
pub fn files(sources: &Sources) -> Vec<PathBuf> {
    sources
        .iter()
        .filter(|s| s.name != COMMAND_LINE && s.name != STDIN)
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

/// Words and flags that say what to measure.
pub struct Typed<'a> {
    /// The plain words: definitions or targets.
    pub what: &'a [String],
    /// Files that stood after -f.
    pub file: &'a FileArgs,
    pub direct: &'a DirectArgs,
    pub points: &'a PointsArgs,
    pub method: Method,
    /// Flags that only the method has: flag, key, and what was typed.
    pub of_method: Vec<(&'static str, &'static str, String)>,
}

impl Typed<'_> {
    /// The flags as the dialect takes them.
    pub fn flags(&self) -> native::DirectFlags {
        native::DirectFlags {
            of_method: self.of_method.clone(),
            ..self.direct.flags(self.what, self.method, self.points)
        }
    }
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
    check_arrays(&definition.plan).map_err(|error| refusal(error, &definition.sources))
}

/// A run that could not be begun, or not carried out: a plan's problems with their places in the texts that it is of.
pub fn refusal(error: RigError, sources: &Sources) -> Failure {
    match error {
        RigError::Plan(problems) => refuse(&problems, sources),
        error => error.into(),
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
    let problems = problems.iter().cloned();
    let diagnostics: Vec<Diagnostic> = problems.map(|p| p.complaint("plan")).collect();
    fail(&diagnostics, sources)
}

/// Prints warnings to standard error, those of many jobs once.
pub fn warn(warnings: &[Diagnostic], sources: &Sources) {
    for warning in fold(warnings, sources) {
        tell!("{}\n", render(&warning, sources, color()));
    }
}

/// Diagnostics as a failure.
pub fn fail(diagnostics: &[Diagnostic], sources: &Sources) -> Failure {
    Failure::of(diagnostics, sources, color())
}

/// The definition that a profile asks for.
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

fn color() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}
