//! Man pages and completions, from the command line's own definition, and pages of the rules.

use crate::cli::{Cli, GenerateArgs, Generated};
use crate::failure::Failure;
use clap::{Command, CommandFactory};
use clap_complete::{Generator, Shell};
use clap_mangen::Man;
use plimsoll_audit::{RULES, Rule, page};
use plimsoll_permit::output::{OutputPermit, Rules};
use std::process::ExitCode;

/// A file's name and its content.
type Page = (String, Vec<u8>);

/// `plimsoll generate`.
pub fn run(args: &GenerateArgs) -> Result<ExitCode, Failure> {
    std::fs::create_dir_all(&args.folder)?;
    let pages = match args.what {
        Generated::Man => man()?,
        Generated::Completions => completions(),
        Generated::Rules => rules(),
    };
    let rules = Rules {
        overwrite: args.overwrite,
        ..Rules::default()
    };
    // All of them are judged before any is written.
    let permits = pages
        .iter()
        .map(|(name, _)| OutputPermit::ask(&args.folder.join(name), &rules))
        .collect::<Result<Vec<_>, _>>()?;
    for (permit, (_, content)) in permits.into_iter().zip(&pages) {
        permit.write(content)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn man() -> Result<Vec<Page>, Failure> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    add_man(&command, &mut pages)?;
    Ok(pages)
}

/// The page of a command, after those of the commands below it.
fn add_man(command: &Command, pages: &mut Vec<Page>) -> Result<(), Failure> {
    for below in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        add_man(below, pages)?;
    }
    let man = Man::new(command.clone());
    let mut content = Vec::new();
    man.render(&mut content)?;
    pages.push((man.get_filename(), content));
    Ok(())
}

fn rules() -> Vec<Page> {
    let page = |rule: &&Rule| (format!("{}.md", rule.code()), page::text(rule).into_bytes());
    RULES.iter().map(page).collect()
}

fn completions() -> Vec<Page> {
    [Shell::Bash, Shell::Zsh, Shell::Fish]
        .map(|shell| {
            let mut content = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "plimsoll", &mut content);
            (shell.file_name("plimsoll"), content)
        })
        .into()
}
