//! Man pages and completions, from the command line's own definition.

use crate::cli::{Cli, GenerateArgs, Generated};
use crate::failure::Failure;
use clap::CommandFactory;
use clap_complete::{Shell, generate_to};
use std::process::ExitCode;

/// `plimsoll generate`.
pub fn run(args: &GenerateArgs) -> Result<ExitCode, Failure> {
    std::fs::create_dir_all(&args.folder)?;
    match args.what {
        Generated::Man => clap_mangen::generate_to(Cli::command(), &args.folder)?,
        Generated::Completions => {
            for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
                generate_to(shell, &mut Cli::command(), "plimsoll", &args.folder)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
