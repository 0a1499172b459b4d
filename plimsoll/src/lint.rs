//! `plimsoll lint`.

use crate::cli::{DirectArgs, LintArgs, LintFormat, PointsArgs};
use crate::definition::{self, Typed};
use crate::exit;
use crate::failure::Failure;
use crate::out::{self, say};
use plimsoll_audit::{PlanView, format, lint};
use plimsoll_dialects::native::Method;
use std::io::IsTerminal;
use std::process::ExitCode;

/// `plimsoll lint`.
pub fn run(args: &LintArgs) -> Result<ExitCode, Failure> {
    if args.file.is_empty() {
        definition::require_definition(&args.what)?;
    }
    let definition = definition::load(&Typed {
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
    let audit = lint(&PlanView::new(&definition.plan, args.claim));
    let sources = &definition.sources;
    match args.format {
        LintFormat::Text => {
            let color = std::io::stdout().is_terminal()
                && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
            say!("{}", format::text(&audit, sources, color));
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
