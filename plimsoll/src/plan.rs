//! `plimsoll plan`, and `--dry-run`.

use crate::cli::PlanArgs;
use crate::definition::{self, Definition};
use crate::failure::Failure;
use crate::out::{self, say};
use plimsoll_dialects::native::Method;
use plimsoll_plan::Location;
use plimsoll_plan::describe::describe;
use plimsoll_rig::safety::{destroy_flag, destroy_name, in_use};
use plimsoll_rig::{RigError, check_arrays};
use std::process::ExitCode;

/// `plimsoll plan`.
pub fn run(args: &PlanArgs) -> Result<ExitCode, Failure> {
    let definition = definition::load(&args.what, &args.file, &args.direct, Method::Single)?;
    print(&definition, args.json)
}

/// Prints what a definition would do.
pub fn print(definition: &Definition, json: bool) -> Result<ExitCode, Failure> {
    let plan = &definition.plan;
    match check_arrays(plan) {
        Ok(()) => {}
        Err(RigError::Plan(problems)) => {
            return Err(definition::refuse(&problems, &definition.sources));
        }
        Err(error) => return Err(error.into()),
    }
    if json {
        say!("{}", serde_json::to_string_pretty(&describe(plan))?);
        return Ok(ExitCode::SUCCESS);
    }
    out::put(format_args!("{}", describe(plan).text()));
    for (index, target) in plan.targets.iter().enumerate() {
        let written = plan
            .steps()
            .flat_map(|s| &s.streams)
            .any(|s| s.target.0 as usize == index && (s.mix.write > 0.0 || s.mix.trim > 0.0));
        if written {
            if let Location::Nbd(volume) = &target.location {
                let flag = destroy_flag(&volume.paths[0].to_string());
                say!("writes to {volume}; where it holds data: {flag}");
            }
            for path in target.location.paths() {
                match in_use(path) {
                    Some(why) => say!("writes to {}: would be refused: {why}", path.display()),
                    None => say!(
                        "writes to {}; where it holds data: --destroy {}",
                        path.display(),
                        destroy_name(path)
                    ),
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
