//! The native language: TOML with targets, workloads and runs. `docs/definition.md` describes it.
//!
//! [`keys`] holds the language as data; [`parse`] reads a file, [`direct`] the flags of the command line, and both make
//! steps in [`expand`].

pub mod direct;
mod expand;
mod given;
pub mod keys;
pub mod reference;
mod report;
mod run;
pub mod schema;
mod shape;
mod target;
mod words;
mod workload;

pub use direct::{DirectError, DirectFlags, Method, direct};

use keys::TOP;
use plimsoll_diagnostic::{Diagnostic, Sources, render};
use plimsoll_plan::validate::{Problem, validate};
use plimsoll_plan::{Command, Item, Load, Plan, Target};
use report::{Entry, Report};
use run::Run;
use std::fmt;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use workload::Workload;

/// A file that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Native {
    /// Its text, for showing places of the plan's origins.
    pub sources: Sources,
    /// What it asks for.
    pub plan: Plan,
    /// What may not be meant so.
    pub warnings: Vec<Diagnostic>,
}

/// A file that cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub struct Failure {
    /// Its text.
    pub sources: Sources,
    /// Why, at least one error.
    pub diagnostics: Vec<Diagnostic>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.diagnostics.iter().enumerate() {
            let gap = if i == 0 { "" } else { "\n\n" };
            write!(f, "{gap}{}", render(diagnostic, &self.sources, false))?;
        }
        Ok(())
    }
}

/// Reads a file's bytes; those that are no text are refused with the place of the first bad byte.
pub fn parse_bytes(name: &str, bytes: &[u8]) -> Result<Native, Box<Failure>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(name, text),
        Err(error) => {
            let diagnostic = Diagnostic::error("not-text", format!("{name} is not a text file"))
                .note(format!("byte {} is not UTF-8", error.valid_up_to()))
                .help("a definition is TOML; is this the right file?");
            let mut sources = Sources::default();
            sources.add(name, "");
            Err(Box::new(Failure {
                sources,
                diagnostics: vec![diagnostic],
            }))
        }
    }
}

/// Reads a definition. `name` is what people know the text by, usually a path.
///
/// Never panics, and says all that is wrong at once, except that a text that is no TOML gets its first error only.
pub fn parse(name: &str, text: &str) -> Result<Native, Box<Failure>> {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let mut report = Report::new(text, file);
    let plan = match DeTable::parse(text) {
        Ok(document) => read(&mut report, document.get_ref()),
        Err(error) => {
            syntax(&mut report, &error);
            None
        }
    };
    match plan {
        Some(plan) if !report.failed() => Ok(Native {
            sources,
            plan,
            warnings: report.finish(),
        }),
        _ => Err(Box::new(Failure {
            sources,
            diagnostics: report.finish(),
        })),
    }
}

fn syntax(report: &mut Report<'_>, error: &toml::de::Error) {
    let place = error.span().unwrap_or(0..0);
    let mut diagnostic =
        Diagnostic::error("not-toml", "this is not TOML").at(report.span(place), error.message());
    if report.source.contains('\0') {
        diagnostic =
            diagnostic.help("the file holds bytes that no text has; is this the right file?");
    } else if ["sd=", "fsd=", "hd=", "wd="]
        .iter()
        .any(|k| report.source.lines().take(50).any(|l| l.starts_with(k)))
    {
        diagnostic = diagnostic.help("this looks like a Vdbench parameter file; run it with -f");
    }
    report.push(diagnostic);
}

fn read(report: &mut Report<'_>, document: &DeTable<'_>) -> Option<Plan> {
    let entries = report.entries("a definition", document, &[&TOP]);
    let mut plan = empty("native");
    for entry in &entries {
        general(report, &mut plan, *entry);
    }
    let find = |name: &str| entries.iter().find(|e| e.key.name == name).copied();
    plan.targets = targets(report, find("target"));
    let target_names: Vec<String> = plan.targets.iter().map(|t| t.name.clone()).collect();
    let workloads = workloads(report, find("workload"), &target_names);
    let runs = runs(report, find("run"), &workloads, &target_names);
    missing(report, &plan.targets, &workloads, &runs);
    if report.failed() {
        return None;
    }
    steps(report, &mut plan, &workloads, &runs);
    for problem in validate(&plan) {
        let diagnostic = diagnose(problem);
        report.push(diagnostic);
    }
    Some(plan)
}

/// A plan of nothing, with the defaults of the table of keys.
fn empty(dialect: &str) -> Plan {
    let max_errors = keys::find(&[&TOP], "max_errors")
        .and_then(|k| k.default)
        .and_then(|d| d.parse().ok());
    Plan {
        dialect: dialect.to_string(),
        title: None,
        targets: Vec::new(),
        items: Vec::new(),
        max_errors: max_errors.unwrap_or_default(),
        seed: None,
        start_commands: Vec::<Command>::new(),
        end_commands: Vec::new(),
    }
}

fn general(report: &mut Report<'_>, plan: &mut Plan, entry: Entry<'_>) {
    match entry.key.name {
        "title" => plan.title = report.text(entry).map(|p| p.text),
        "seed" => {
            if let Some(part) = report.text(entry) {
                plan.seed = report.accept(entry, words::count(&part, 0));
            }
        }
        "max_errors" => {
            if let Some(part) = report.text(entry) {
                plan.max_errors = report
                    .accept(entry, words::count(&part, 1))
                    .unwrap_or_default();
            }
        }
        "start_commands" => plan.start_commands = run::commands(report, entry),
        "end_commands" => plan.end_commands = run::commands(report, entry),
        _ => {}
    }
}

/// The named tables under a key, in order of appearance.
fn named<'t>(
    report: &mut Report<'_>,
    what: &str,
    entry: Option<Entry<'t>>,
) -> Vec<(String, Range<usize>, &'t DeTable<'t>)> {
    let Some(entry) = entry else {
        return Vec::new();
    };
    let Some(table) = report.table(&format!("`{what}`"), entry.value) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, value) in table {
        let title = format!("{what} `{}`", name.get_ref());
        if let Some(inner) = report.table(&title, value) {
            found.push((name.get_ref().to_string(), name.span(), inner));
        }
    }
    found.sort_by_key(|(_, span, _)| span.start);
    found
}

fn targets(report: &mut Report<'_>, entry: Option<Entry<'_>>) -> Vec<Target> {
    named(report, "target", entry)
        .into_iter()
        .filter_map(|(name, span, table)| target::read(report, &name, table, span))
        .collect()
}

fn workloads(
    report: &mut Report<'_>,
    entry: Option<Entry<'_>>,
    targets: &[String],
) -> Vec<Workload> {
    named(report, "workload", entry)
        .into_iter()
        .map(|(name, _, table)| workload::read(report, &name, table, targets))
        .collect()
}

fn runs(
    report: &mut Report<'_>,
    entry: Option<Entry<'_>>,
    workloads: &[Workload],
    targets: &[String],
) -> Vec<Run> {
    let Some(entry) = entry else {
        return Vec::new();
    };
    let names: Vec<String> = workloads.iter().map(|w| w.name.clone()).collect();
    let list: Vec<&Spanned<DeValue<'_>>> = match entry.value.get_ref() {
        DeValue::Array(list) => list.iter().collect(),
        _ => vec![entry.value],
    };
    let mut runs: Vec<Run> = Vec::new();
    for (index, value) in list.into_iter().enumerate() {
        let Some(table) = report.table("a run", value) else {
            continue;
        };
        let run = run::read(report, index, table, &names, targets);
        if runs.iter().any(|r| r.name == run.name) {
            let place = run
                .places
                .iter()
                .find(|(k, _)| *k == "name")
                .map(|(_, span)| *span);
            let span = place.unwrap_or(report.span(value.span()));
            report.push(
                Diagnostic::error("twice", format!("two runs have the name `{}`", run.name))
                    .at(span, "the second")
                    .help("give each run a name of its own"),
            );
        }
        runs.push(run);
    }
    runs
}

/// Complains of parts that no definition can do without.
fn missing(report: &mut Report<'_>, targets: &[Target], workloads: &[Workload], runs: &[Run]) {
    if report.failed() {
        return;
    }
    let mut complain = |what: &str, example: &str| {
        report.push(
            Diagnostic::error("missing", format!("the definition has no {what}"))
                .help(format!("add\n{example}")),
        );
    };
    if targets.is_empty() {
        complain("target", "[target.disk]\npath = \"/dev/…\"");
    }
    if workloads.is_empty() {
        complain("workload", "[workload.oltp]\nread = 70\nblock = \"8k\"");
    }
    if runs.is_empty() {
        complain("run", "[[run]]\nload = \"max\"");
    }
}

fn steps(report: &mut Report<'_>, plan: &mut Plan, workloads: &[Workload], runs: &[Run]) {
    for run in runs {
        let place = |key: &str| {
            run.places
                .iter()
                .find(|(k, _)| *k == key)
                .map(|(_, span)| *span)
        };
        if run.workloads.is_empty() {
            let mut diagnostic =
                Diagnostic::error("bad-value", format!("run `{}` has no workload", run.name));
            if let Some(span) = place("workloads") {
                diagnostic = diagnostic.at(span, "an empty list");
            }
            report.push(diagnostic.help("name a workload, or leave the key out for all of them"));
            continue;
        }
        shares(report, run, workloads);
        let count = expand::steps(run);
        if count > expand::STEPS_MAX {
            let message = format!("the loops of run `{}` make {count} steps", run.name);
            let mut diagnostic = Diagnostic::error("too-many-steps", message);
            for axis in run.axes.iter().filter(|a| a.looped) {
                if let Some(span) = place(axis.key) {
                    diagnostic = diagnostic.at(span, format!("{} values", axis.values.len()));
                }
            }
            report.push(diagnostic.help(format!("make it {} or fewer", expand::STEPS_MAX)));
            continue;
        }
        let expanded = expand::items(run, workloads, Some(report));
        if let Some(workload) = expanded.idle_distribution {
            let message = format!(
                "workload `{workload}` in run `{}` has a distribution, but no random addresses",
                run.name
            );
            let origins = expanded.items.first().map(|i| &step_of(i).origins);
            let span = origins.and_then(|o| {
                o.of("distribution")
                    .or_else(|| o.of(&format!("{workload}.distribution")))
            });
            let mut diagnostic = Diagnostic::error("bad-value", message);
            if let Some(span) = span {
                diagnostic = diagnostic.at(span, "not used by this order of addresses");
            }
            report.push(diagnostic.help("leave `distribution` out, or write access = \"random\""));
        }
        if plan.items.is_empty()
            && let Some(Item::Step(step)) = expanded.items.first()
            && let Load::PercentOfLast { .. } = step.load
        {
            let mut diagnostic = Diagnostic::error(
                "bad-value",
                "the first step asks for a percentage of the last",
            );
            if let Some(span) = step.origins.of("load") {
                diagnostic = diagnostic.at(span, "there is no step before this");
            }
            report.push(
                diagnostic
                    .help("put a run with load = \"max\" before it, or write load = \"curve\""),
            );
        }
        plan.items.extend(expanded.items);
    }
}

fn step_of(item: &Item) -> &plimsoll_plan::Step {
    match item {
        Item::Step(step) => step,
        Item::Curve(curve) => &curve.base,
    }
}

/// Shares are relative, so that one alone says nothing.
fn shares(report: &mut Report<'_>, run: &Run, workloads: &[Workload]) {
    let sharing = || {
        run.workloads
            .iter()
            .map(|i| &workloads[*i])
            .filter(|w| w.rate.is_none())
    };
    let without = sharing().find(|w| w.share.is_none());
    let with = sharing().find(|w| w.share.is_some());
    if let (Some(with), Some(without)) = (with, without) {
        let message = format!(
            "in run `{}` workload `{}` has a share and `{}` has none",
            run.name, with.name, without.name
        );
        let mut diagnostic = Diagnostic::error("bad-value", message);
        if let Some((_, span)) = with.places.iter().find(|(k, _)| *k == "share") {
            diagnostic = diagnostic.at(*span, "relative to the others'");
        }
        report.push(diagnostic.help("give each workload of the run a share, or none of them"));
    }
}

fn diagnose(problem: Problem) -> Diagnostic {
    let diagnostic = Diagnostic::error("bad-plan", problem.message).help(problem.remedy);
    match problem.span {
        Some(span) => diagnostic.at(span, ""),
        None => diagnostic,
    }
}
