//! A TOML document to a plan: targets, workloads, runs, and what they are together.

use super::keys::{self, TOP};
use super::method::{METHOD, methods_of};
use super::report::{Entry, Report};
use super::run::Run;
use super::workload::Workload;
use super::{expand, host, replay, run, target, words, workload};
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::bounds::STREAMS_MAX;
use plimsoll_plan::validate::{Problem, validate};
use plimsoll_plan::{Item, Load, Plan, Target};
use std::collections::HashSet;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

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
        let diagnostic = diagnose(problem);
        report.push(diagnostic);
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
    let list: Vec<&Spanned<DeValue<'_>>> = match entry.value.get_ref() {
        DeValue::Array(list) => list.iter().collect(),
        _ => vec![entry.value],
    };
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
        let expanded = expand::items(run, workloads, Some(report));
        if let Some(workload) = &expanded.idle_distribution {
            idle_distribution(report, run, workload, &expanded.items);
        }
        if let Some((workload, key)) = &expanded.idle_thought {
            idle_thought(report, run, (workload, key), &expanded.items);
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

fn place(run: &Run, key: &str) -> Option<Span> {
    run.places
        .iter()
        .find(|(k, _)| *k == key)
        .map(|(_, span)| *span)
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

fn idle_thought(report: &mut Report<'_>, run: &Run, idle: (&str, &str), items: &[Item]) {
    let (workload, key) = idle;
    let message = format!(
        "workload `{workload}` in run `{}` has `{key}`, but does not think",
        run.name
    );
    let diagnostic = Diagnostic::error("bad-value", message)
        .help(format!("add think = TIME, or leave `{key}` out"));
    let step = items.first().and_then(|i| i.steps().first());
    let origins = step.map(|s| &s.origins);
    let span = origins.and_then(|o| o.of(key).or_else(|| o.of(&format!("{workload}.{key}"))));
    report.push(match span {
        Some(span) => diagnostic.at(span, "goes with `think`"),
        None => diagnostic,
    });
}

/// A workload that replays a log does what that says, whatever its run says.
fn said_by_log(report: &mut Report<'_>, run: &Run, (workload, key): (&str, &str)) {
    let message = format!(
        "run `{}` has `{key}`, and its workload `{workload}` replays a log",
        run.name
    );
    let diagnostic = Diagnostic::error("bad-value", message).help(format!(
        "leave `{key}` out, or give the workload a run of its own"
    ));
    report.push(match place(run, key) {
        Some(span) => diagnostic.at(span, "the log says it"),
        None => diagnostic,
    });
}

fn idle_distribution(report: &mut Report<'_>, run: &Run, workload: &str, items: &[Item]) {
    let message = format!(
        "workload `{workload}` in run `{}` has a distribution, but no random addresses",
        run.name
    );
    let diagnostic = Diagnostic::error("bad-value", message)
        .help("leave `distribution` out, or write access = \"random\"");
    let origins = items
        .first()
        .and_then(|i| i.steps().first())
        .map(|s| &s.origins);
    let span = origins.and_then(|o| {
        o.of("distribution")
            .or_else(|| o.of(&format!("{workload}.distribution")))
    });
    report.push(match span {
        Some(span) => diagnostic.at(span, "not used by this order of addresses"),
        None => diagnostic,
    });
}

/// What is said of a curve that is none would never be looked at.
fn without_curve(report: &mut Report<'_>, run: &Run, items: &[Item]) {
    if items.iter().any(|i| matches!(i, Item::Curve(_))) {
        return;
    }
    let adaptive = run.method.method == Some("adaptive");
    for key in ["slo", "percents", "stop_service"] {
        if adaptive && key == "slo" {
            continue;
        }
        let Some(span) = place(run, key) else {
            continue;
        };
        let message = format!("run `{}` has `{key}`, but no curve", run.name);
        report.push(
            Diagnostic::error("bad-value", message)
                .at(span, "only a curve has it")
                .help("write load = \"curve\", or leave it out"),
        );
    }
}

/// What is said of a method that it is not would never be looked at.
fn without_method(report: &mut Report<'_>, run: &Run) {
    for key in &METHOD {
        let having = methods_of(key.name);
        let Some(span) = place(run, key.name) else {
            continue;
        };
        if run.method.method.is_some_and(|m| having.contains(&m)) {
            continue;
        }
        let message = format!(
            "run `{}` has `{}`, but is no {}",
            run.name,
            key.name,
            having.join(" or ")
        );
        report.push(
            Diagnostic::error("bad-value", message)
                .at(span, format!("only a {} has it", having.join(" or a ")))
                .help(format!("write method = \"{}\", or leave it out", having[0])),
        );
    }
}

/// What a method cannot do without, and what it would do otherwise than was written.
fn incomplete_method(report: &mut Report<'_>, run: &Run) {
    let at = place(run, "method");
    let mut complain = |message: String, help: &str, span: Option<Span>| {
        let diagnostic = Diagnostic::error("bad-value", message).help(help);
        report.push(match span {
            Some(span) => diagnostic.at(span, ""),
            None => diagnostic,
        });
    };
    if let Some((lacks, help)) = run.method.missing() {
        complain(format!("run `{}`: {lacks}", run.name), help, at);
    }
    if let Some(method) = run.method.method.filter(|m| *m != "soak")
        && let Some(span) = place(run, "actions")
    {
        complain(
            format!(
                "run `{}` is a {method}, which decides itself what is done when",
                run.name
            ),
            "leave `actions` out, or `method`",
            Some(span),
        );
    }
}

/// The first step of a plan has no last one to take a percentage of.
fn percent_of_nothing(report: &mut Report<'_>, items: &[Item]) {
    let Some(Item::Step(step)) = items.first() else {
        return;
    };
    if !matches!(step.load, Load::PercentOfLast { .. }) {
        return;
    }
    let diagnostic = Diagnostic::error(
        "bad-value",
        "the first step asks for a percentage of the last",
    )
    .help("put a run with load = \"max\" before it, or write load = \"curve\"");
    report.push(match step.origins.of("load") {
        Some(span) => diagnostic.at(span, "there is no step before this"),
        None => diagnostic,
    });
}

/// A workload of some hosts in a run of others would be carried out by nobody.
fn nobodys(report: &mut Report<'_>, run: &Run, workloads: &[Workload]) {
    let used = run.workloads.iter().map(|i| &workloads[*i]);
    for workload in used.filter(|w| host::of_both(&w.hosts, &run.hosts).is_none()) {
        let message = format!(
            "run `{}` and its workload `{}` have no host in common",
            run.name, workload.name
        );
        let diagnostic = Diagnostic::error("bad-value", message)
            .help("name a host in both, or leave `hosts` out of one of them");
        report.push(match place(run, "hosts") {
            Some(span) => diagnostic.at(span, "not the workload's"),
            None => diagnostic,
        });
    }
}

/// Whoever is waited for has to be in the run, and to come before.
fn turns(report: &mut Report<'_>, run: &Run, workloads: &[Workload]) {
    for (at, index) in run.workloads.iter().enumerate() {
        let workload = &workloads[*index];
        let before = &run.workloads[..at];
        let is_before = |name: &String| before.iter().any(|i| workloads[*i].name == *name);
        let Some(name) = workload.after.iter().find(|name| !is_before(name)) else {
            continue;
        };
        let message = format!(
            "workload `{}` begins after `{name}`, which does not come before it in run `{}`",
            workload.name, run.name
        );
        let diagnostic = Diagnostic::error("bad-value", message)
            .help("name workloads of the run that come before it, in `workloads` or in the file");
        let place = workload.places.iter().find(|(key, _)| *key == "after");
        report.push(match place {
            Some((_, span)) => diagnostic.at(*span, ""),
            None => diagnostic,
        });
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

/// Warns of what was defined and is in no run: often a name that was forgotten.
fn unused(report: &mut Report<'_>, plan: &Plan, workloads: &[Workload], runs: &[Run]) {
    let mut warn = |what: &str, name: &str, span: Option<Span>| {
        let diagnostic = Diagnostic::warning("unused", format!("{what} `{name}` is in no run"));
        report.push(match span {
            Some(span) => diagnostic.at(span, ""),
            None => diagnostic,
        });
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
        let used = |w: &Workload| w.targets.iter().any(|t| t.0 as usize == index);
        let runs = runs.iter().flat_map(|r| &r.workloads);
        if !runs.map(|w| &workloads[*w]).any(used) {
            warn("target", &target.name, target.origins.of("path"));
        }
    }
}

fn diagnose(problem: Problem) -> Diagnostic {
    let diagnostic = Diagnostic::error("bad-plan", problem.message).help(problem.remedy);
    match problem.span {
        Some(span) => diagnostic.at(span, ""),
        None => diagnostic,
    }
}
