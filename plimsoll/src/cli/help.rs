//! Help of the program itself: its commands in groups, by what one wants.

use super::Cli;
use crate::exit;
use clap::{Arg, Command, CommandFactory};

/// What one wants, and the commands for it, the usual one first.
const GROUPS: [(&str, &[&str]); 7] = [
    (
        "Measure",
        &[
            "run",
            "curve",
            "saturate",
            "sweep",
            "soak",
            "disturb",
            "pts",
            "fingerprint",
            "probe",
            "resume",
            "plan",
            "ls",
        ],
    ),
    (
        "Judge",
        &["audit", "check", "lint", "doctor", "explain", "hero"],
    ),
    ("Your job files", &["fio", "vdbench", "diskspd", "convert"]),
    (
        "Records",
        &[
            "watch", "records", "show", "report", "compare", "export", "serve", "clean",
        ],
    ),
    ("Lab", &["lab"]),
    ("Fleet", &["agent", "hosts", "attach"]),
    ("Itself", &["generate"]),
];

const EXAMPLES: &str = "\
Examples:
  plimsoll audit fio.json                        can this result be true? No root, no disk, no risk
  plimsoll curve ./test.dat --size 4g            how much it carries within which response time; makes the file
  plimsoll fio job.fio                           your job file, in fio's own words";

/// Options of a command that has so many are all in its short help.
const MOST_SHORT: usize = 20;

/// Options that are in the short help of a command with more, by their ids: those of all measurements, then each method's own.
const USUAL: [&str; 31] = [
    "what",
    "read",
    "block",
    "size",
    "rate",
    "depth",
    "duration",
    "record",
    "html",
    "json",
    "destroy",
    "claim",
    "verbose",
    "percents",
    "slo",
    "budget",
    "beside",
    "repeats",
    "reads",
    "blocks",
    "overwrites",
    "over",
    "at",
    "action",
    "undo_at",
    "undo",
    "times",
    "tests",
    "scale",
    "purged",
    "save",
];

const WIDTH: usize = 100;
/// A terminal that is not known is taken for one of 80.
const SHORT_WIDTH: usize = 80;

/// The command line with its help.
pub fn command() -> Command {
    let all = Cli::command();
    let long = format!("{}{EXAMPLES}\n\n{}", groups(&all), exit::WORDS);
    let short = format!(
        "{}\nplimsoll --help says what each does, plimsoll COMMAND --help what it takes.",
        names()
    );
    all.mut_subcommands(shortened)
        .help_template("{about-with-newline}\n{usage-heading} {usage}{after-help}")
        .after_help(short)
        .after_long_help(long)
}

/// A command with many options: its short help shows the usual ones.
fn shortened(of: Command) -> Command {
    if of.get_arguments().count() <= MOST_SHORT {
        return of;
    }
    let long = of.get_after_help().map(ToString::to_string);
    let long = long.unwrap_or_default();
    let more = format!(
        "{long}\n\nplimsoll {} --help has all options.",
        of.get_name()
    );
    let usual = |arg: Arg| match USUAL.contains(&arg.get_id().as_str()) {
        true => arg,
        false => arg.hide_short_help(true),
    };
    of.mut_args(usual)
        .after_help(more.trim_start().to_owned())
        .after_long_help(long)
}

fn names() -> String {
    let widest = GROUPS.iter().map(|(group, _)| group.len()).max();
    let widest = widest.unwrap_or(0);
    let line = |(group, names): &(&str, &[&str])| {
        let names = plimsoll_report::terminal::wrap(&names.join(", "), SHORT_WIDTH, widest + 2);
        format!("{group:<widest$}  {names}\n")
    };
    GROUPS.iter().map(line).collect()
}

/// Each command with what it does.
fn groups(all: &Command) -> String {
    let mut out = String::new();
    for (group, names) in GROUPS {
        out.push_str(group);
        out.push('\n');
        for name in names {
            let of = all.find_subcommand(name).and_then(Command::get_about);
            let about = of.map(ToString::to_string).unwrap_or_default();
            let line = plimsoll_report::terminal::wrap(&about, WIDTH, 15);
            out.push_str(&format!("  {name:<13}{line}\n"));
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let all = Cli::command();
        let shown = all.get_subcommands().filter(|c| !c.is_hide_set());
        let mut known: Vec<&str> = shown.map(Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        known.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(known, grouped);
    }
}
