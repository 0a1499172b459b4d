//! Options of a run, of flags and of what a definition asks for.

use crate::cli::{CommonArgs, GoingArgs};
use crate::definition::Engine;
use crate::failure::Failure;
use crate::own_flags::{command_line, default_record};
use plimsoll_plan::Nanos;
use plimsoll_rig::RunOptions;
use std::path::PathBuf;

/// I/Os handed to the kernel at once, where nobody says.
const BATCH: usize = 4;

/// Options that flags say, else that the definition asks for.
pub fn options(common: &CommonArgs, asked: &Engine) -> Result<RunOptions, Failure> {
    let going = going(&common.going)?;
    if common.batch == Some(0) {
        return Err(Failure::usage(
            "--batch: at least one I/O must be handed over at once",
        ));
    }
    if common.reap == Some(0) {
        return Err(Failure::usage(
            "--reap: at least one I/O must be waited for",
        ));
    }
    Ok(RunOptions {
        record: record_path(common),
        record_is_unnamed: common.record.is_none(),
        seed: common.seed,
        submit_batch: common.batch.or(asked.batch).unwrap_or(BATCH),
        reap_batch: common.reap.or(asked.reap).unwrap_or(1),
        backend: going.backend.or(asked.backend),
        backends: asked.backends.clone(),
        unlink: asked.unlink.clone(),
        ..going
    })
}

/// Options that whoever goes on with a run may choose anew.
pub fn going(args: &GoingArgs) -> Result<RunOptions, Failure> {
    let drain: Nanos = args
        .drain
        .parse()
        .map_err(|e| Failure::usage(format!("--drain: {e}")))?;
    let command_limit: Nanos = args
        .command_limit
        .parse()
        .map_err(|e| Failure::usage(format!("--command-limit: {e}")))?;
    if command_limit.0 == 0 {
        return Err(Failure::usage(
            "--command-limit: no command can end in no time; give a time, as 60s",
        ));
    }
    let backend = match &args.backend {
        None => None,
        Some(name) => Some(
            name.parse()
                .map_err(|e: String| Failure::usage(format!("--backend: {e}")))?,
        ),
    };
    Ok(RunOptions {
        overwrite_record: args.overwrite,
        destroy: args.destroy.clone(),
        fill: args.fill,
        allow_commands: args.allow_commands,
        commands_may_write: args.commands_may_write.clone(),
        command_limit,
        allow_unwritten: args.allow_unwritten,
        backend,
        max_errors: args.max_errors,
        drain,
        no_settle: args.no_settle,
        strict: args.strict,
        command: command_line(),
        ..RunOptions::default()
    })
}

fn record_path(common: &CommonArgs) -> Option<PathBuf> {
    if common.no_record {
        return None;
    }
    Some(common.record.clone().unwrap_or_else(default_record))
}
