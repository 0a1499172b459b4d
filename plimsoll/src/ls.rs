//! `plimsoll ls`.

use crate::cli::LsArgs;
use crate::failure::Failure;
use crate::out;
use plimsoll_witness::{Root, inventory};
use std::process::ExitCode;

/// Lists what can be tested here.
pub fn run(args: &LsArgs) -> Result<ExitCode, Failure> {
    let devices = inventory::list(&Root::system());
    if args.json {
        out::json(&devices)?;
    } else {
        out::put(format_args!("{}", inventory::table(&devices)));
    }
    Ok(ExitCode::SUCCESS)
}
