//! `plimsoll convert`: a definition in another dialect.

use crate::cli::{ConvertArgs, DirectArgs, FileArgs, PointsArgs};
use crate::definition::{Definition, Engine, Typed, fail};
use crate::destination::Destination;
use crate::failure::Failure;
use crate::reading;
use plimsoll_diagnostic::Diagnostic;
use plimsoll_dialects::Dialect;
use plimsoll_dialects::convert::{self, Original, to_fio, to_native, to_vdbench};
use plimsoll_dialects::native::Method;
use plimsoll_plan::Plan;
use plimsoll_rig::BackendKind;
use std::path::Path;
use std::process::ExitCode;

/// `plimsoll convert`.
pub fn run(args: &ConvertArgs) -> Result<ExitCode, Failure> {
    let definition = read(args)?;
    let text = written(&definition, &definition.plan, args.to)?;
    let precious = plimsoll_rig::precious(&definition.plan, &definition.files());
    let path = args.output.as_deref().unwrap_or(Path::new("-"));
    let destination = Destination::ask(path, args.overwrite, &precious)?;
    destination.write(|out| Ok(out.write_all(text.as_bytes())?))?;
    Ok(ExitCode::SUCCESS)
}

/// Definition that is to be converted, from files, or a command line of the tool that its first word names.
fn read(args: &ConvertArgs) -> Result<Definition, Failure> {
    match (&args.what[..], &args.command[..]) {
        ([], []) => Err(Failure::usage(
            "there is nothing to convert; name a definition, or a tool's command line behind --",
        )),
        ([], command @ [tool, ..]) => reading::of_command(command).unwrap_or_else(|| {
            Err(Failure::usage(format!(
                "{tool} is no tool whose command line is known, or nothing stands behind it; begin with fio, vdbench or diskspd"
            )))
        }),
        (files, []) => reading::load(&Typed {
            what: &[],
            file: &FileArgs {
                file: files.to_vec(),
                dialect: args.dialect,
                section: args.section.clone(),
            },
            direct: &DirectArgs::default(),
            points: &PointsArgs::default(),
            method: Method::Single,
            of_method: Vec::new(),
        }),
        ([first, ..], _) => Err(Failure::usage(format!(
            "{first} stands beside a command line; convert each alone"
        ))),
    }
}

/// The definition in another dialect, by its plan or a likeness of that.
pub fn written(definition: &Definition, plan: &Plan, to: Dialect) -> Result<String, Failure> {
    let beside = beside(&definition.engine, to);
    let original = Original {
        plan,
        sources: &definition.sources,
        beside: &beside,
    };
    let refused = |found: Vec<Diagnostic>| fail(&found, &definition.sources);
    let mut texts = definition.sources.iter();
    match (to, texts.next(), texts.next()) {
        // It is written so already, its methods and its comments too.
        (Dialect::Native, Some(one), None) if plan.dialect == "native" => Ok(one.text.clone()),
        (Dialect::Native, ..) => to_native(&original).map_err(refused),
        (Dialect::Fio, ..) => {
            let names: Vec<Option<&str>> = definition
                .engine
                .backends
                .iter()
                .map(|b| b.map(fio_name))
                .collect();
            to_fio(&original, engine(definition, &names)).map_err(refused)
        }
        (Dialect::Vdbench, ..) => to_vdbench(&original).map_err(refused),
        (other, ..) => Err(Failure::usage(format!(
            "nothing is written in the dialect of {other}; --to knows toml, vdbench and fio"
        ))),
    }
}

/// Engine that carries out the I/O, in fio's words: what the definition asks for, else what serves a queue.
fn engine<'a>(definition: &Definition, of_targets: &'a [Option<&'a str>]) -> convert::Engine<'a> {
    let asked = &definition.engine;
    convert::Engine {
        name: asked.backend.map_or("libaio", fio_name),
        // A flag wins over what the definition says of its targets.
        of_targets: match asked.backend {
            Some(_) => &[],
            None => of_targets,
        },
        batch: asked.batch.map_or(1, |n| u32::try_from(n).unwrap_or(1)),
        reap: asked.reap.unwrap_or(1),
    }
}

/// fio's engine that is nearest to a backend.
fn fio_name(backend: BackendKind) -> &'static str {
    match backend {
        BackendKind::Uring(_) => backend.name(),
        BackendKind::Psync => "psync",
        BackendKind::Mmap => "mmap",
        _ => "libaio",
    }
}

/// The backend of all targets, where they have one.
fn common_backend(engine: &Engine) -> Option<BackendKind> {
    let own = engine.backends.first().copied().flatten();
    let alike = own.filter(|_| engine.backends.iter().all(|b| *b == own));
    engine.backend.or(alike)
}

/// Flags for what a definition says and no plan holds, where the other dialect has no word for it.
fn beside(engine: &Engine, to: Dialect) -> Vec<String> {
    let mut flags: Vec<String> = Vec::new();
    if to == Dialect::Fio {
        return flags;
    }
    flags.extend(common_backend(engine).map(|b| format!("--backend {b}")));
    flags.extend(engine.batch.map(|n| format!("--batch {n}")));
    flags.extend(
        engine
            .reap
            .filter(|n| *n > 1)
            .map(|n| format!("--reap {n}")),
    );
    match flags.is_empty() {
        true => flags,
        false => vec![format!(
            "How the original has its I/O carried out, flags say: {}",
            flags.join(" ")
        )],
    }
}
