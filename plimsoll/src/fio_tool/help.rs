//! `--cmdhelp` and `--enghelp`: which options and engines of fio's there are, and what becomes of each.

use crate::failure::Failure;
use plimsoll_dialects::fio::engine::names;
use plimsoll_dialects::fio::options::{Effect, Opt, all, find, guess};

/// All options with a line each, or one with all that is known of it.
pub fn options(which: &str) -> Result<String, Failure> {
    if matches!(which, "" | "all") {
        return Ok(all()
            .map(|o| format!("{:24}: {}\n", o.name, short(o)))
            .collect());
    }
    let Some(option) = find(which) else {
        let near = guess(which).map_or(String::new(), |near| format!("; did you mean {near}?"));
        return Err(Failure::usage(format!(
            "--cmdhelp: fio has no option `{which}`{near}"
        )));
    };
    let mut out = format!("{:>20}: {}\n", option.name, short(option));
    if !option.alias.is_empty() {
        out += &format!("{:>20}: {}\n", "alias", option.alias);
    }
    if let Effect::Refused(_, remedy) = option.effect {
        out += &format!("{:>20}: {remedy}\n", "instead");
    }
    Ok(out)
}

fn short(option: &Opt) -> String {
    match option.effect {
        Effect::Works(_) => "is carried out".to_string(),
        Effect::Nothing(why) => format!("changes nothing: {why}"),
        Effect::Refused(why, _) => format!("is refused: {why}"),
    }
}

/// The engines, in fio's layout.
pub fn engines() -> String {
    let lines = names().map(|name| format!("\t{name}\n"));
    format!("Available IO engines:\n{}", lines.collect::<String>())
}
