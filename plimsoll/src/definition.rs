//! From what was typed to a plan.

use crate::cli::DirectArgs;
use crate::failure::Failure;
use crate::out::tell;
use plimsoll_diagnostic::{Diagnostic, Sources, render};
use plimsoll_dialects::native::{self, Method};
use plimsoll_dialects::vdbench;
use plimsoll_plan::validate::{Problem, validate};
use plimsoll_plan::{Item, Load, Plan};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// A plan, with the texts that it was read from.
pub struct Definition {
    pub plan: Plan,
    pub sources: Sources,
}

impl Definition {
    /// The files that it was read from.
    pub fn files(&self) -> Vec<PathBuf> {
        files(&self.sources)
    }
}

/// The files among the texts.
pub fn files(sources: &Sources) -> Vec<PathBuf> {
    sources.iter().map(|s| PathBuf::from(&s.name)).collect()
}

/// Names that Vdbench parameter files go by.
const VDBENCH_ENDINGS: [&str; 5] = ["parm", "vdb", "vdbench", "param", "parmfile"];

/// Reads definition files, or makes a plan of targets and flags. `file` is what stood after -f.
pub fn load(
    what: &[String],
    file: &[String],
    direct: &DirectArgs,
    method: Method,
) -> Result<Definition, Failure> {
    load_with(what, file, direct, method, None, &[])
}

/// As [`load`], with the points and limits of a curve.
pub fn load_with(
    what: &[String],
    file: &[String],
    direct: &DirectArgs,
    method: Method,
    percents: Option<String>,
    slos: &[String],
) -> Result<Definition, Failure> {
    let definition = if let ([], [one]) = (what, file)
        && ends_with(one, &["toml"])
    {
        no_flags(direct)?;
        read_native(Path::new(one))?
    } else if !file.is_empty() {
        let (words, files): (Vec<&String>, Vec<&String>) = file
            .iter()
            .chain(what)
            .partition(|w| w.contains('=') && !Path::new(w).exists());
        let files: Vec<PathBuf> = files.into_iter().map(PathBuf::from).collect();
        no_flags(direct)?;
        read_vdbench(
            &files,
            &words.into_iter().map(|w| word(w)).collect::<Vec<_>>(),
        )?
    } else {
        match what {
            [one] if ends_with(one, &["toml"]) => {
                no_flags(direct)?;
                read_native(Path::new(one))?
            }
            [first, rest @ ..] if ends_with(first, &VDBENCH_ENDINGS) => {
                no_flags(direct)?;
                let words: Vec<(String, String)> = rest.iter().map(|w| word(w)).collect();
                read_vdbench(&[PathBuf::from(first)], &words)?
            }
            _ => {
                let mut flags = direct.flags(what, method);
                flags.percents = percents.clone();
                flags.slos = slos.to_vec();
                let plan = native::direct(&flags).map_err(|e| Failure::usage(e.to_string()))?;
                return Ok(Definition {
                    plan,
                    sources: Sources::default(),
                });
            }
        }
    };
    if percents.is_some() || !slos.is_empty() {
        return Err(Failure::usage(
            "--percents and --slo go with targets on the command line; in a definition write percents = [...] and \
             slo = [...] in its [[run]]",
        ));
    }
    let problems = validate(&definition.plan);
    if problems.is_empty() {
        Ok(definition)
    } else {
        Err(refuse(&problems, &definition.sources))
    }
}

/// A definition given to `plimsoll curve` must have one.
pub fn require_curve(definition: &Definition) -> Result<(), Failure> {
    let has = definition
        .plan
        .items
        .iter()
        .any(|i| matches!(i, Item::Curve(_)));
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

/// Problems of a plan as diagnostics with their places.
pub fn refuse(problems: &[Problem], sources: &Sources) -> Failure {
    let color = color();
    let texts: Vec<String> = problems
        .iter()
        .map(|p| {
            let mut d = Diagnostic::error("plan", p.message.clone()).help(p.remedy.clone());
            if let Some(span) = p.span {
                d = d.at(span, "");
            }
            render(&d, sources, color)
        })
        .collect();
    Failure::rendered(texts.join("\n\n"))
}

/// Prints warnings to standard error.
pub fn warn(warnings: &[Diagnostic], sources: &Sources) {
    for warning in warnings {
        tell!("{}\n", render(warning, sources, color()));
    }
}

/// Diagnostics as a failure.
pub fn fail(diagnostics: &[Diagnostic], sources: &Sources) -> Failure {
    let color = color();
    let texts: Vec<String> = diagnostics
        .iter()
        .map(|d| render(d, sources, color))
        .collect();
    Failure::rendered(texts.join("\n\n"))
}

fn read_native(path: &Path) -> Result<Definition, Failure> {
    let bytes = std::fs::read(path)
        .map_err(|e| Failure::usage(format!("cannot read {}: {e}", path.display())))?;
    match native::parse_bytes(&path.display().to_string(), &bytes) {
        Ok(native) => {
            warn(&native.warnings, &native.sources);
            Ok(Definition {
                plan: native.plan,
                sources: native.sources,
            })
        }
        Err(failure) => Err(fail(&failure.diagnostics, &failure.sources)),
    }
}

fn read_vdbench(files: &[PathBuf], words: &[(String, String)]) -> Result<Definition, Failure> {
    let mut input = vdbench::Input::files(files.iter().cloned());
    input.words = words.to_vec();
    let parsed =
        vdbench::parse(&input).map_err(|refused| fail(&refused.diagnostics, &refused.sources))?;
    warn(&parsed.warnings, &parsed.sources);
    let lowered = parsed.plan().map_err(|d| fail(&d, &parsed.sources))?;
    warn(&lowered.warnings, &parsed.sources);
    Ok(Definition {
        plan: lowered.plan,
        sources: parsed.sources,
    })
}

fn no_flags(direct: &DirectArgs) -> Result<(), Failure> {
    match direct.first_given() {
        None => Ok(()),
        Some(flag) => Err(Failure::usage(format!(
            "{flag} goes with a target on the command line; a definition says it itself"
        ))),
    }
}

/// True for a file of such a name; a persona's file in `lab:./my.toml` is none of a definition.
fn ends_with(name: &str, endings: &[&str]) -> bool {
    !name.starts_with("lab:")
        && Path::new(name)
            .extension()
            .and_then(|e| e.to_str())
            .is_some_and(|e| endings.iter().any(|known| known.eq_ignore_ascii_case(e)))
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
