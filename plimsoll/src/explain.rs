//! `plimsoll explain`.

use crate::cli::ExplainArgs;
use crate::display;
use crate::failure::Failure;
use crate::out::{self, say};
use plimsoll_audit::{RULES, Rule, find, page};
use plimsoll_diagnostic::nearest;
use plimsoll_report::terminal::wrap;
use std::process::ExitCode;

/// Where summaries begin in the list.
const INDENT: usize = 33;

/// `plimsoll explain`.
pub fn run(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let asked = args.rules.iter().map(|text| known(text));
    let asked = asked.collect::<Result<Vec<&'static Rule>, Failure>>()?;
    if args.json {
        let rules = if asked.is_empty() { &RULES[..] } else { &asked };
        let all: Vec<page::Explained> = rules.iter().map(|rule| page::explained(rule)).collect();
        out::json(&all)?;
        return Ok(ExitCode::SUCCESS);
    }
    let columns = display::style().width.min(120);
    if asked.is_empty() {
        for rule in RULES.iter() {
            let about = wrap(rule.summary, columns, INDENT);
            say!("{} {:<26} {about}", rule.code(), rule.name);
        }
        return Ok(ExitCode::SUCCESS);
    }
    for (i, rule) in asked.iter().enumerate() {
        if i > 0 {
            say!();
        }
        for line in page::text(rule).lines() {
            say!("{}", wrap(line, columns, 0));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn known(text: &str) -> Result<&'static Rule, Failure> {
    find(text).ok_or_else(|| {
        let meant = match nearest(text, RULES.iter().map(|rule| rule.name)) {
            Some(name) => format!("did you mean {name}?"),
            None => "`plimsoll explain` lists all".to_string(),
        };
        Failure::usage(format!("there is no rule `{text}`; {meant}"))
    })
}
