//! A plan in the native dialect.

mod run;
mod shape;
mod target;
mod workload;

use super::origin;
use super::toml::{comment, number, text, whole};
use super::{Original, no_word};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{Command, DEFAULT_MAX_ERRORS, Item, Plan, Step, TargetId};
use std::fmt::Write;
use workload::Workloads;

/// A line `key = value` of a table, without its end.
type Line = (&'static str, String);

/// The plan as a definition in TOML.
///
/// # Errors
/// Methods apart from the curve: only native definitions have them, and those need no writing.
pub fn to_native(original: &Original<'_>) -> Result<String, Vec<Diagnostic>> {
    let plan = original.plan;
    let mut missing: Vec<Diagnostic> = plan.items.iter().filter_map(method).collect();
    missing.extend(in_turn(plan));
    if !missing.is_empty() {
        return Err(missing);
    }
    let mut workloads = Workloads::new(plan);
    let mut runs = Vec::new();
    for item in &plan.items {
        runs.push(workloads.of(item));
    }
    let mut out = head(original);
    for host in &plan.hosts.list {
        begin(&mut out, original, host.origins.iter().map(|(_, s)| *s));
        let _ = writeln!(out, "[host.{}]", super::toml::key(&host.name));
        lines(&mut out, &target::of_host(host, plan));
    }
    for target in &plan.targets {
        let place = target.origins.of("path").or(target.origins.of("name"));
        begin(&mut out, original, place);
        let _ = writeln!(out, "[target.{}]", super::toml::key(&target.name));
        lines(&mut out, &target::lines(target, plan));
    }
    for written in workloads.written() {
        begin(&mut out, original, written.spans.iter().copied());
        let _ = writeln!(out, "[workload.{}]", super::toml::key(&written.key));
        lines(&mut out, &written.lines);
    }
    let mut names = run::Names::default();
    for (number, (item, used)) in plan.items.iter().zip(&runs).enumerate() {
        let step = step(item);
        let whole_run = step.origins.iter().filter(|(f, _)| !f.contains('.'));
        begin(&mut out, original, whole_run.map(|(_, span)| *span));
        out.push_str("[[run]]\n");
        let all = used.keys == workloads.keys();
        lines(
            &mut out,
            &run::lines(number, item, used, all, plan, &mut names),
        );
    }
    Ok(out)
}

/// The first tree that takes turns with another, and that no run makes.
fn in_turn(plan: &Plan) -> Option<Diagnostic> {
    let mut all = (0..).map(TargetId).zip(&plan.targets);
    let (_, target) = all.find(|(id, _)| !plan.makes(*id) && plan.turns(*id).next().is_some())?;
    Some(no_word(
        format!(
            "the tree of target `{}` takes turns with another in its root, and no run makes it, which is not converted",
            target.name
        ),
        target.origins.of("path"),
        "run the definition as it is, or give each tree a root of its own",
    ))
}

fn step(item: &Item) -> &Step {
    match item {
        Item::Step(step) => step,
        Item::Curve(curve) => &curve.base,
        // Refused before.
        Item::Method(method) => &method.steps[0],
    }
}

fn method(item: &Item) -> Option<Diagnostic> {
    let Item::Method(method) = item else {
        return None;
    };
    let name = method.question.method();
    let at = method.steps.first().and_then(|s| s.origins.of("method"));
    Some(no_word(
        format!(
            "run `{}` is a {name}, which is not written again",
            method.run()
        ),
        at,
        "it is in the native dialect already: copy the file",
    ))
}

fn head(original: &Original<'_>) -> String {
    let plan = original.plan;
    let mut out = String::new();
    let files: Vec<&str> = original.sources.iter().map(|s| s.name.as_str()).collect();
    let of = match plan.dialect.as_str() {
        "vdbench" => "Vdbench parameters",
        "fio" => "fio jobs",
        "diskspd" => "a DiskSPD profile",
        _ => "a definition",
    };
    let from = match &files[..] {
        [] => of.to_string(),
        files => format!("{of}: {}", files.join(", ")),
    };
    let _ = writeln!(
        out,
        "{}",
        comment(&format!("Written by plimsoll convert from {from}"))
    );
    for remark in original.beside {
        let _ = writeln!(out, "{}", comment(remark));
    }
    let mut top: Vec<Line> = Vec::new();
    if let Some(title) = &plan.title {
        top.push(("title", text(title)));
    }
    if let Some(claim) = plan.claim {
        top.push(("claim", text(claim.name())));
    }
    if let Some(seed) = plan.seed {
        top.push(("seed", whole(seed)));
    }
    if plan.max_errors != DEFAULT_MAX_ERRORS {
        top.push(("max_errors", whole(plan.max_errors)));
    }
    if plan.hosts.depth_is_of_all {
        top.push(("hosts_depth", text("all")));
    }
    commands(&mut top, "start_commands", &plan.start_commands);
    commands(&mut top, "end_commands", &plan.end_commands);
    if !top.is_empty() {
        out.push('\n');
        lines(&mut out, &top);
    }
    out
}

/// A blank line, and where the part that follows was written.
fn begin(
    out: &mut String,
    original: &Original<'_>,
    spans: impl IntoIterator<Item = plimsoll_diagnostic::Span>,
) {
    out.push('\n');
    if let Some(place) = origin::of(original.sources, spans) {
        let _ = writeln!(out, "{}", comment(&place));
    }
}

fn lines(out: &mut String, lines: &[Line]) {
    for (key, value) in lines {
        let _ = writeln!(out, "{key} = {value}");
    }
}

/// Commands, where there are any.
fn commands(lines: &mut Vec<Line>, key: &'static str, all: &[Command]) {
    if all.is_empty() {
        return;
    }
    let one = |command: &Command| match command.output.as_str() {
        "console" => text(&command.line),
        output => super::toml::table([("run", text(&command.line)), ("output", text(output))]),
    };
    lines.push((key, super::toml::list(all.iter().map(one))));
}

/// A word of a percentage or a count that need not be whole.
fn plain(value: f64) -> String {
    number(value)
}
