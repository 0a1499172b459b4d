//! The commands of the methods: each is `plimsoll run` with one question.

use crate::cli::{
    CommonArgs, DirectArgs, DisturbArgs, FileArgs, FingerprintArgs, PointsArgs, PtsArgs,
    SaturateArgs, SoakArgs, SweepArgs,
};
use crate::definition::{self, Definition, Typed};
use crate::failure::Failure;
use crate::measure::After;
use crate::{bisect, measure, reading};
use plimsoll_dialects::native::Method;
use std::process::ExitCode;

/// A flag that only a method has, its key in the language, and what was typed.
type Flag<'a> = (&'static str, &'static str, &'a Option<String>);

/// `plimsoll fingerprint`: whoever lets the target's data be destroyed has it written to, too.
pub fn fingerprint(args: &FingerprintArgs) -> Result<ExitCode, Failure> {
    let direct = DirectArgs {
        workers: args.workers.clone(),
        size: args.size.clone(),
        ..DirectArgs::default()
    };
    let writes = (!args.common.going.destroy.is_empty()).then(|| "allowed".to_string());
    let flags = [("--destroy", "writes", &writes)];
    let definition = read("fingerprint", &args.what.what, &flags, &direct)?;
    let after = After {
        save: args.save.as_deref(),
        like: None,
    };
    measure::go_and_then(definition, &args.common, after)
}

/// `plimsoll saturate`.
pub fn saturate(args: &SaturateArgs) -> Result<ExitCode, Failure> {
    let mut direct = args.direct.clone();
    // One mix, or one size, that is asked for as elsewhere is a list of one.
    let reads = args.reads.clone().or(direct.read.take());
    let blocks = args.blocks.clone().or(direct.block.take());
    let flags = [
        ("--reads", "reads", &reads),
        ("--blocks", "blocks", &blocks),
    ];
    let definition = read("saturate", &args.what.what, &flags, &direct)?;
    measure::go(definition.repeated(args.repeats), &args.common)
}

/// `plimsoll sweep`.
pub fn sweep(args: &SweepArgs) -> Result<ExitCode, Failure> {
    let flags = [
        ("--repeats", "repeats", &args.repeats),
        ("--order", "order", &args.order),
        ("--over", "over", &args.over),
    ];
    ask("sweep", &args.what.what, &flags, &args.direct, &args.common)
}

/// `plimsoll soak`.
pub fn soak(args: &SoakArgs) -> Result<ExitCode, Failure> {
    let flags = [
        ("--overwrites", "overwrites", &args.overwrites),
        ("--precondition", "precondition", &args.precondition),
        ("--part", "part", &args.part),
    ];
    ask("soak", &args.what.what, &flags, &args.direct, &args.common)
}

/// `plimsoll disturb`.
pub fn disturb(args: &DisturbArgs) -> Result<ExitCode, Failure> {
    if !args.bisect.is_empty() {
        return bisect::run(&args.bisect, &args.what);
    }
    let flags = [
        ("--at", "at", &args.at),
        ("--do", "do", &args.action),
        ("--do-fault", "do_fault", &args.do_fault),
        ("--undo-at", "undo_at", &args.undo_at),
        ("--undo", "undo", &args.undo),
        ("--undo-fault", "undo_fault", &args.undo_fault),
        ("--times", "times", &args.times),
    ];
    ask("disturb", &args.what, &flags, &args.direct, &args.common)
}

/// `plimsoll pts`.
pub fn pts(args: &PtsArgs) -> Result<ExitCode, Failure> {
    let purged = args.purged.then(|| "yes".to_string());
    let flags = [
        ("--tests", "tests", &args.tests),
        ("--scale", "scale", &args.scale),
        ("--blocks", "blocks", &args.blocks),
        ("--purged", "purged", &purged),
    ];
    ask("pts", &args.what.what, &flags, &args.direct, &args.common)
}

fn ask(
    name: &'static str,
    what: &[String],
    flags: &[Flag<'_>],
    direct: &DirectArgs,
    common: &CommonArgs,
) -> Result<ExitCode, Failure> {
    measure::go(read(name, what, flags, direct)?, common)
}

fn read(
    name: &'static str,
    what: &[String],
    flags: &[Flag<'_>],
    direct: &DirectArgs,
) -> Result<Definition, Failure> {
    let typed = |(flag, key, value): &Flag<'_>| Some((*flag, *key, (*value).clone()?));
    let definition = reading::load(&Typed {
        what,
        file: &FileArgs::default(),
        direct,
        points: &PointsArgs::default(),
        method: Method::Named(name),
        of_method: flags.iter().filter_map(typed).collect(),
    })?;
    definition::require_method(&definition, name)?;
    Ok(definition)
}
