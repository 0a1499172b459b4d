//! `plimsoll explain`.

use crate::cli::ExplainArgs;
use crate::display;
use crate::failure::Failure;
use crate::out::{self, say};
use plimsoll_audit::coverage::{AnswerCounts, Coverage};
use plimsoll_audit::{RULES, Rule, find, page};
use plimsoll_diagnostic::nearest;
use plimsoll_report::terminal::wrap;
use serde::Serialize;
use std::process::ExitCode;

/// Column where summaries begin in the list.
const INDENT: usize = 33;

/// `plimsoll explain`.
pub fn run(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let asked = args.rules.iter().map(|text| known(text));
    let asked = asked.collect::<Result<Vec<&'static Rule>, Failure>>()?;
    if args.coverage {
        return coverage(&asked, args.json);
    }
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

/// Counts that the tests have written: over the rules' own cases, and over results of other tools.
const OF_CASES: &str = include_str!("../../docs/rules/coverage-cases.tsv");
const OF_RESULTS: &str = include_str!("../../docs/rules/coverage-results.tsv");

/// A rule's counts, as JSON.
#[derive(Serialize)]
struct Counted {
    rule: String,
    name: &'static str,
    cases: AnswerCounts,
    results: AnswerCounts,
}

fn coverage(asked: &[&'static Rule], json: bool) -> Result<ExitCode, Failure> {
    let (of_cases, of_results) = (Coverage::parse(OF_CASES), Coverage::parse(OF_RESULTS));
    let rules = if asked.is_empty() { &RULES[..] } else { asked };
    let counted = rules.iter().map(|rule| Counted {
        rule: rule.code(),
        name: rule.name,
        cases: of_cases.of(rule),
        results: of_results.of(rule),
    });
    let counted: Vec<Counted> = counted.collect();
    if json {
        out::json(&counted)?;
        return Ok(ExitCode::SUCCESS);
    }
    say!(
        "{:<34}{:>20}   {:>20}",
        "",
        "the rules' own cases",
        "other tools' results"
    );
    let titles = format!("{:>6}{:>7}{:>7}", "fired", "clean", "unseen");
    say!("{:<34}{titles}   {titles}", "rule");
    for one in counted {
        let counts = |of: AnswerCounts| format!("{:>6}{:>7}{:>7}", of.fired, of.clean, of.unseen);
        say!(
            "{} {:<27} {}   {}",
            one.rule,
            one.name,
            counts(one.cases),
            counts(one.results)
        );
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
