//! A TOML document to a plan: targets, workloads, runs, and what they are together.

use super::keys::{self, TOP};
use super::report::{Entry, Report};
use super::run::Run;
use super::unsuited::{
    idle_distribution, idle_read, idle_thought, incomplete_method, nobodys, percent_of_nothing,
    place, said_by_log, shares, turns, without_curve, without_method,
};
use super::workload::Workload;
use super::{expand, host, replay, run, target, words, workload};
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::bounds::STREAMS_MAX;
use plimsoll_plan::validate::validate;
use plimsoll_plan::{DepthSearch, Item, Plan, Question, Step, Target, depth};
use std::collections::HashSet;
use std::ops::Range;
use toml::de::DeTable;

/// The plan of a document; complaints go to `report`.
pub fn read(report: &mut Report<'_>, document: &DeTable<'_>) -> Option<Plan> {
    let entries = report.entries("a definition", document, &[&TOP]);
    let mut plan = empty("native");
    for entry in &entries {
        general(report, &mut plan, *entry);
    }
    let find = |name: &str| entries.iter().find(|e| e.key.name == name).copied();
    let named_hosts = named(report, "host", find("host"));
    let hosts: Vec<String> = named_hosts.iter().map(|(name, ..)| name.clone()).collect();
    plan.targets = targets(report, find("target"), &hosts);
    let target_names: Vec<String> = plan.targets.iter().map(|t| t.name.clone()).collect();
    for (name, _, table) in named_hosts {
        let read = host::read(report, &name, table, &target_names);
        plan.hosts.list.push(read);
    }
    let mut workloads = workloads(report, find("workload"), &target_names, &hosts);
    for workload in &mut workloads {
        replay::look(report, workload, &plan.targets);
        expand::once_through_names(workload, &plan.targets);
        expand::find_openings(workload, &mut plan.targets);
    }
    let runs = runs(report, find("run"), &workloads, [&target_names, &hosts]);
    missing(report, &plan.targets, &workloads, &runs);
    if report.failed() {
        return None;
    }
    steps(report, &mut plan, &workloads, &runs);
    if plan.items.is_empty() && report.failed() {
        return None;
    }
    unused(report, &plan, &workloads, &runs);
    for problem in validate(&plan) {
        report.push(problem.complaint("bad-plan"));
    }
    Some(plan)
}

/// A plan of nothing, with the defaults of the table of keys.
pub fn empty(dialect: &str) -> Plan {
    let max_errors = keys::find(&[&TOP], "max_errors")
        .and_then(|k| k.default)
        .and_then(|d| d.parse().ok());
    Plan {
        dialect: dialect.to_string(),
        title: None,
        tag: None,
        note: None,
        claim: None,
        targets: Vec::new(),
        hosts: Default::default(),
        items: Vec::new(),
        max_errors: max_errors.unwrap_or_default(),
        seed: None,
        start_commands: Vec::new(),
        end_commands: Vec::new(),
    }
}

fn general(report: &mut Report<'_>, plan: &mut Plan, entry: Entry<'_>) {
    match entry.key.name {
        "claim" => {
            if let Some(part) = report.text(entry) {
                plan.claim = report.accept(entry, words::unit(&part));
            }
        }
        "hosts_depth" => {
            if let Some(given) = report.one(entry) {
                let read = given
                    .check(entry.key.form)
                    .and_then(|()| words::word(&given));
                let said = report.accept(entry, read);
                plan.hosts.depth_is_of_all = said.is_some_and(|part| part.text == "all");
            }
        }
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
    if table.len() > expand::STEPS_MAX {
        too_many(report, what, table.len());
        return Vec::new();
    }
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

fn targets(report: &mut Report<'_>, entry: Option<Entry<'_>>, hosts: &[String]) -> Vec<Target> {
    named(report, "target", entry)
        .into_iter()
        .filter_map(|(name, span, table)| target::read(report, &name, table, span, hosts))
        .collect()
}

fn workloads(
    report: &mut Report<'_>,
    entry: Option<Entry<'_>>,
    targets: &[String],
    hosts: &[String],
) -> Vec<Workload> {
    named(report, "workload", entry)
        .into_iter()
        .map(|(name, _, table)| workload::read(report, &name, table, targets, hosts))
        .collect()
}

fn runs(
    report: &mut Report<'_>,
    entry: Option<Entry<'_>>,
    workloads: &[Workload],
    [targets, hosts]: [&[String]; 2],
) -> Vec<Run> {
    let Some(entry) = entry else {
        return Vec::new();
    };
    let names: Vec<String> = workloads.iter().map(|w| w.name.clone()).collect();
    let list = entry.values();
    if list.len() > expand::STEPS_MAX {
        too_many(report, "runs", list.len());
        return Vec::new();
    }
    let mut runs: Vec<Run> = Vec::new();
    let mut known = HashSet::new();
    for (index, value) in list.into_iter().enumerate() {
        let Some(table) = report.table("a run", value) else {
            continue;
        };
        let run = run::read(report, index, table, &names, targets, hosts);
        if !known.insert(run.full_name()) {
            let place = run
                .places
                .iter()
                .find(|(k, _)| *k == "name")
                .map(|(_, span)| *span);
            let span = place.unwrap_or(report.span(value.span()));
            report.push(
                Diagnostic::error(
                    "twice",
                    format!("two runs have the name `{}`", run.full_name()),
                )
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
    let mut streams = 0usize;
    for run in runs {
        if !can_expand(report, run) {
            continue;
        }
        streams = streams.saturating_add(expand::streams_of(run, workloads));
        if streams > STREAMS_MAX {
            too_many_streams(report, run, streams);
            return;
        }
        shares(report, run, workloads);
        nobodys(report, run, workloads);
        turns(report, run, workloads);
        let mut expanded = expand::items(run, workloads, Some(report));
        if !run.axes.iter().any(|axis| axis.key == "depth") {
            limit_threads(plan, &mut expanded.items);
        }
        if let Some(workload) = &expanded.idle_distribution {
            idle_distribution(report, run, workload, &expanded.items);
        }
        if let Some((workload, key)) = &expanded.idle_thought {
            idle_thought(report, run, (workload, key), &expanded.items);
        }
        if let Some((workload, key)) = &expanded.idle_read {
            idle_read(report, run, (workload, key), &expanded.items);
        }
        if let Some((workload, key)) = &expanded.said_by_log {
            said_by_log(report, run, (workload, key));
        }
        without_curve(report, run, &expanded.items);
        without_method(report, run);
        incomplete_method(report, run);
        if plan.items.is_empty() {
            percent_of_nothing(report, &expanded.items);
        }
        plan.items.extend(expanded.items);
    }
}

/// Has runs on trees, whose depth nobody chose, take no more threads than are worth it.
pub(super) fn limit_threads(plan: &Plan, items: &mut [Item]) {
    let is_on_tree = |step: &Step| {
        let mut ids = step.depths.iter().map(|d| d.target);
        ids.any(|id| plan.target(id).location.tree().is_some())
    };
    for item in items {
        match item {
            Item::Step(step) if is_on_tree(step) => depth::limit_threads(step),
            Item::Curve(curve) if is_on_tree(&curve.base) => {
                depth::limit_threads(&mut curve.base);
                curve.search = curve.search.map(DepthSearch::of_threads);
            }
            Item::Method(method) if method.steps.iter().any(is_on_tree) => {
                method.steps.iter_mut().for_each(depth::limit_threads);
                if let Question::Adaptive(curve) = &mut method.question {
                    curve.search = curve.search.map(DepthSearch::of_threads);
                }
            }
            _ => {}
        }
    }
}

/// Complains of a run without workloads, and of loops that make more steps than anyone means.
fn can_expand(report: &mut Report<'_>, run: &Run) -> bool {
    if run.workloads.is_empty() {
        let message = format!("run `{}` has no workload", run.name);
        let diagnostic = Diagnostic::error("bad-value", message)
            .help("name a workload, or leave the key out for all of them");
        report.push(match place(run, "workloads") {
            Some(span) => diagnostic.at(span, "an empty list"),
            None => diagnostic,
        });
        return false;
    }
    let count = expand::steps(run);
    if count > expand::STEPS_MAX {
        let message = format!("the loops of run `{}` make {count} steps", run.name);
        let mut diagnostic = Diagnostic::error("too-many-steps", message)
            .help(format!("make it {} or fewer", expand::STEPS_MAX));
        for axis in run.axes.iter().filter(|a| a.looped) {
            if let Some(span) = place(run, axis.key) {
                diagnostic = diagnostic.at(span, format!("{} values", axis.values.len()));
            }
        }
        report.push(diagnostic);
        return false;
    }
    true
}

/// Complains of more tables of a kind than anyone writes, before they are read.
fn too_many(report: &mut Report<'_>, what: &str, count: usize) {
    let most = expand::STEPS_MAX;
    report.push(
        Diagnostic::error(
            "too-many-steps",
            format!("the definition has {count} {what}"),
        )
        .help(format!(
            "make it {most} or fewer: write runs that differ in a few keys as one run that loops over lists of values"
        )),
    );
}

/// Complains before memory is taken for them.
fn too_many_streams(report: &mut Report<'_>, run: &Run, streams: usize) {
    let message = format!(
        "with run `{}` the steps have {streams} streams (workloads on targets) together",
        run.name
    );
    let diagnostic = Diagnostic::error("too-many-steps", message).help(format!(
        "make it {STREAMS_MAX} or fewer: loop over fewer values, or name fewer targets"
    ));
    let looped = run.axes.iter().find(|a| a.looped);
    report.push(match looped.and_then(|axis| place(run, axis.key)) {
        Some(span) => diagnostic.at(span, "looped over here"),
        None => diagnostic,
    });
}

/// Warns of what was defined and is in no run: often a name that was forgotten.
fn unused(report: &mut Report<'_>, plan: &Plan, workloads: &[Workload], runs: &[Run]) {
    let mut warn = |what: &str, name: &str, span: Option<Span>| {
        let diagnostic = Diagnostic::warning("unused", format!("{what} `{name}` is in no run"));
        report.push(diagnostic.at_known(span));
    };
    for (index, workload) in workloads.iter().enumerate() {
        if !runs.iter().any(|r| r.workloads.contains(&index)) {
            warn(
                "workload",
                &workload.name,
                workload.places.first().map(|(_, span)| *span),
            );
        }
    }
    for (index, target) in plan.targets.iter().enumerate() {
        let used = |w: &Workload| {
            let mut all = w.targets.iter().chain(&w.files.to);
            all.any(|t| t.0 as usize == index)
        };
        let runs = runs.iter().flat_map(|r| &r.workloads);
        if !runs.map(|w| &workloads[*w]).any(used) {
            warn("target", &target.name, target.origins.of("path"));
        }
    }
}
