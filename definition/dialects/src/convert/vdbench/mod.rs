//! A plan as a Vdbench parameter file: an sd for each target, a wd for each workload, an rd for each step or curve.

mod general;
mod names;
mod run;
mod storage;
mod workload;

use super::toml::comment;
use super::{Original, no_word, origin, own_words};
use names::Names;
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::{Item, Location, Step, Target};
use std::fmt::Write;

/// After so many parts that Vdbench has no word for, nobody wants to know of more.
const ENOUGH: usize = 20;

/// What cannot be said, gathered.
#[derive(Default)]
struct Missing(Vec<Diagnostic>);

impl Missing {
    /// A part that Vdbench has no word for.
    fn add(&mut self, whose: &str, what: impl std::fmt::Display, at: Option<Span>, remedy: &str) {
        let message = format!("Vdbench has no word for this of {whose}: {what}");
        let said = no_word(message, at, remedy);
        if !self.0.contains(&said) {
            self.0.push(said);
        }
    }

    /// A part of a workload; `field` is its key in the native dialect.
    fn of_workload(
        &mut self,
        step: &Step,
        workload: &str,
        field: &str,
        what: impl std::fmt::Display,
        remedy: &str,
    ) {
        let at = origin::of_part(&step.origins, workload, field);
        self.add(&format!("workload `{workload}`"), what, at, remedy);
    }

    /// A part of a step.
    fn of_step(&mut self, step: &Step, field: &str, what: impl std::fmt::Display, remedy: &str) {
        let at = step.origins.of(field);
        self.add(&format!("run `{}`", step.name), what, at, remedy);
    }
}

/// The plan as a parameter file.
///
/// # Errors
/// All that Vdbench has no word for, with its place.
pub fn to_vdbench(original: &Original<'_>) -> Result<String, Vec<Diagnostic>> {
    let plan = original.plan;
    let is_tree = |target: &&Target| matches!(target.location, Location::Tree(_));
    if let Some(tree) = plan.targets.iter().find(is_tree) {
        return Err(vec![no_word(
            "it works on trees of files, which is not converted to Vdbench: only sds, wds and their rds are written, no fsd and no fwd",
            tree.origins.of("path"),
            "run the file as it is, by plimsoll vdbench, or convert it to toml",
        )]);
    }
    let mut missing = Missing(own_words(plan, false));
    let (formats, items) = general::fill(plan);
    let mut out = head(original);
    general::lines(plan, formats, items, &mut out, &mut missing);
    let storages = storage::all(plan, items, &mut missing);
    for (storage, target) in storages.iter().zip(&plan.targets) {
        begin(&mut out, original, target.origins.of("path"));
        let _ = writeln!(out, "{}", storage.line);
    }
    let mut workloads = workload::Workloads::default();
    let mut runs = Vec::new();
    let mut names = Names::default();
    for item in items {
        if missing.0.len() > ENOUGH {
            break;
        }
        let step = match item {
            Item::Step(step) => step,
            Item::Curve(curve) => &curve.base,
            Item::Method(method) => {
                let name = method.question.method();
                let at = method.steps.first().and_then(|s| s.origins.of("method"));
                let remedy = "convert a definition of runs and curves";
                missing.add(
                    &format!("run `{}`", method.run()),
                    format!("a {name}"),
                    at,
                    remedy,
                );
                continue;
            }
        };
        let used = workloads.of(step, &storages, &mut missing);
        runs.push((
            step,
            run::line(item, step, &used, &storages, &mut names, &mut missing),
        ));
    }
    for written in workloads.written() {
        begin(&mut out, original, written.spans.iter().copied());
        let _ = writeln!(out, "{}", written.line);
    }
    for (step, line) in &runs {
        let whole_run = step.origins.iter().filter(|(f, _)| !f.contains('.'));
        begin(&mut out, original, whole_run.map(|(_, span)| *span));
        let _ = writeln!(out, "{line}");
    }
    match missing.0.is_empty() {
        true => Ok(out),
        false => Err(missing.0),
    }
}

fn head(original: &Original<'_>) -> String {
    let plan = original.plan;
    let files: Vec<&str> = original.sources.iter().map(|s| s.name.as_str()).collect();
    let from = match files.is_empty() {
        true => plan.dialect.clone(),
        false => files.join(", "),
    };
    let mut out = comment(&format!("Written by plimsoll convert from {from}"));
    out.push('\n');
    for said in plan.title.iter().chain(original.beside) {
        let _ = writeln!(out, "{}", comment(said));
    }
    out.push('\n');
    out
}

fn begin(out: &mut String, original: &Original<'_>, spans: impl IntoIterator<Item = Span>) {
    if let Some(place) = origin::of(original.sources, spans) {
        let _ = writeln!(out, "{}", comment(&place));
    }
}
