//! `plimsoll lint`.

use crate::cli::{DirectArgs, LintArgs, LintFormat, PointsArgs};
use crate::definition::{self, Definition, Typed};
use crate::exit;
use crate::failure::Failure;
use crate::out::{self, say};
use crate::{display, reading};
use plimsoll_audit::{PlanView, format, lint};
use plimsoll_dialects::native::Method;
use plimsoll_report::{AnswerLines, shell_word};
use std::io::IsTerminal;
use std::process::ExitCode;

/// Refuses a second definition: each is a plan of its own, and one answer is of one plan.
fn one_definition(what: &[String]) -> Result<(), Failure> {
    match what {
        [first, second, ..] if first.ends_with(".toml") => Err(Failure::usage(format!(
            "lint looks at one definition at a time, and {second} is a second one beside {first}; run it for each"
        ))),
        _ => Ok(()),
    }
}

/// `plimsoll lint`. What cannot be read is a document too, where one was asked for.
pub fn run(args: &LintArgs) -> Result<ExitCode, Failure> {
    looked(args).or_else(|failure| {
        let complaints = failure.complaints();
        match args.format {
            LintFormat::Text => {}
            LintFormat::Json => out::json(&format::refused_json(&complaints))?,
            LintFormat::Sarif => {
                out::json(&format::refused_sarif(&complaints, exit::REFUSED))?;
            }
            LintFormat::Github => say!("{}", format::refused_github(&complaints)),
        }
        Err(failure)
    })
}

fn looked(args: &LintArgs) -> Result<ExitCode, Failure> {
    if let Some(definition) = reading::of_command(&args.what) {
        return judged(&definition?, args);
    }
    if args.file.file.is_empty() {
        definition::require_definition(&args.what)?;
        one_definition(&args.what)?;
    }
    let definition = reading::load(&Typed {
        what: &args.what,
        file: &args.file,
        direct: &DirectArgs {
            set: args.set.clone(),
            ..DirectArgs::default()
        },
        points: &PointsArgs::default(),
        method: Method::Single,
        of_method: Vec::new(),
    })?;
    judged(&definition, args)
}

/// Prints what the rules say of a definition.
fn judged(definition: &Definition, args: &LintArgs) -> Result<ExitCode, Failure> {
    definition::require_arrays(definition)?;
    let audit = lint(&PlanView::new(&definition.plan, args.claim));
    let sources = &definition.sources;
    match args.format {
        LintFormat::Text => {
            let color = std::io::stdout().is_terminal()
                && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
            say!("{}", format::text(&audit, sources, color));
            let words: Vec<String> = args.what.iter().map(|word| shell_word(word)).collect();
            let next = format!("plimsoll run {} measures it", words.join(" "));
            let is_file = args.file.file.is_empty() && reading::of_command(&args.what).is_none();
            display::close(&AnswerLines::of_plan(&audit, is_file.then_some(next)));
        }
        LintFormat::Json => out::json(&format::json(&audit, sources)?)?,
        LintFormat::Sarif => out::json(&format::sarif(&audit, sources))?,
        LintFormat::Github => {
            let commands = format::github(&audit, sources);
            if !commands.is_empty() {
                say!("{commands}");
            }
        }
    }
    Ok(ExitCode::from(exit::of_audit(audit.worst(), args.strict)))
}
