//! A step's reads and writes, workloads and targets, each with a line of its own where there are several.

use super::amounts::{mean_time, mib_per_s, percentile, plural, time_or_dash};
use super::style::{Paint, Style};
use super::table::{Column, Table};
use crate::human;
use crate::names::target_name;
use crate::saturation::Cause;
use plimsoll_evidence::{Counted, EnvironmentTarget, Estimate, OpSummary, Part, StepEvidence};
use plimsoll_measure::Histogram;
use plimsoll_printable::Printable;

/// More parts of a step than this are not listed one by one.
const LISTED: usize = 16;

/// One line.
struct Line {
    step: String,
    name: String,
    /// Thing that the load was on, or that was on it.
    with: String,
    offered: String,
    rate: Estimate,
    bytes_per_s: f64,
    response_mean_ns: Estimate,
    response: Histogram,
    service_mean_ns: Estimate,
    errors: u64,
    cause: Option<Cause>,
}

/// The tables; empty where no step has more than one operation, workload or target.
pub(super) fn parts(
    steps: &[&StepEvidence],
    targets: &[EnvironmentTarget],
    style: &Style,
) -> String {
    let counted: Vec<&StepEvidence> = steps
        .iter()
        .copied()
        .filter(|s| s.counted_s > 0.0)
        .collect();
    let mut tables = String::new();
    let mut add = |heading: &str, [name, with]: [&'static str; 2], listed: Listed| {
        if !listed.lines.is_empty() {
            let table = table(name, with, &listed.lines, style);
            tables.push_str(&format!("\n{heading}:\n{table}{}", listed.more));
        }
    };
    let heading = match Counted::of(counted.iter().map(|step| step.counted)) {
        Counted::Operations => "operations",
        Counted::Ios => "reads and writes",
    };
    add(heading, ["operation", ""], operations(&counted));
    let by_workload = list(&counted, "workload", |step| workloads(step, targets));
    add("workloads", ["workload", "on"], by_workload);
    let by_target = list(&counted, "target", |step| by_target(step, targets));
    add("targets", ["target", "by"], by_target);
    tables
}

/// Lines, and what is said of those that are too many.
#[derive(Default)]
struct Listed {
    lines: Vec<Line>,
    more: String,
}

fn operations(steps: &[&StepEvidence]) -> Listed {
    let several = steps.iter().filter(|s| s.ops.len() > 1);
    let line = |step: &StepEvidence, op: &OpSummary| Line {
        step: step.name.clone(),
        name: op.op.name().to_owned(),
        with: String::new(),
        offered: String::new(),
        rate: Estimate::bare(op.ios as f64 / step.counted_s),
        bytes_per_s: OpSummary::moved(std::slice::from_ref(op)) as f64 / step.counted_s,
        response_mean_ns: Estimate::bare(op.response.mean_ns().unwrap_or(0.0)),
        response: op.response.clone(),
        service_mean_ns: Estimate::bare(op.service.mean_ns().unwrap_or(0.0)),
        errors: op.errors,
        cause: Cause::of_step(step),
    };
    Listed {
        lines: several
            .flat_map(|s| s.ops.iter().map(move |op| line(s, op)))
            .collect(),
        more: String::new(),
    }
}

fn list(steps: &[&StepEvidence], what: &str, of: impl Fn(&StepEvidence) -> Vec<Line>) -> Listed {
    let mut listed = Listed::default();
    for step in steps {
        let mut lines = of(step);
        if lines.len() > LISTED {
            listed.more.push_str(&format!(
                "{}: {} are not listed; `plimsoll export --csv --rows {what}s` has them all\n",
                Printable(&step.name),
                plural((lines.len() - LISTED) as u64, &format!("more {what}"))
            ));
            lines.truncate(LISTED);
        }
        listed.lines.append(&mut lines);
    }
    listed
}

/// One line a workload, where there are several.
fn workloads(step: &StepEvidence, targets: &[EnvironmentTarget]) -> Vec<Line> {
    let parts = step.by_workload();
    let several_targets = step
        .streams
        .iter()
        .any(|s| s.target != step.streams[0].target);
    let line = |part: &Part| {
        let with = match part.targets.as_slice() {
            _ if !several_targets => String::new(),
            [one] => target_name(targets, *one),
            many => plural(many.len() as u64, "target"),
        };
        line(step, part, part.workloads.concat(), with)
    };
    match parts.len() {
        0 | 1 => Vec::new(),
        _ => parts.iter().map(line).collect(),
    }
}

/// One line a target, where there are several, and where they are not what the workloads are.
fn by_target(step: &StepEvidence, targets: &[EnvironmentTarget]) -> Vec<Line> {
    let parts = step.by_target();
    let several_workloads = step
        .streams
        .iter()
        .any(|s| s.workload != step.streams[0].workload);
    let paired = several_workloads
        && parts.iter().all(|p| p.workloads.len() == 1)
        && step.by_workload().iter().all(|p| p.targets.len() == 1);
    let line = |part: &Part| {
        let with = match part.workloads.as_slice() {
            _ if !several_workloads => String::new(),
            [one] => one.clone(),
            many => plural(many.len() as u64, "workload"),
        };
        let name = part.targets.first().map(|at| target_name(targets, *at));
        line(step, part, name.unwrap_or_default(), with)
    };
    match parts.len() {
        0 | 1 => Vec::new(),
        _ if paired => Vec::new(),
        _ => parts.iter().map(line).collect(),
    }
}

fn line(step: &StepEvidence, part: &Part, name: String, with: String) -> Line {
    let saturation = part.saturation.filter(|s| s.saturated);
    Line {
        step: step.name.clone(),
        name,
        with,
        offered: part.offered.map_or_else(
            // Its part of a rate that is shared is what it is dealt, and asked for by nobody.
            || if step.offered.is_some() { "" } else { "max" }.into(),
            human::rate,
        ),
        rate: part.rate,
        bytes_per_s: part.bytes as f64 / part.counted_s.max(f64::MIN_POSITIVE),
        response_mean_ns: part.response_mean_ns,
        response: part.response(),
        service_mean_ns: part.service_mean_ns,
        errors: part.errors,
        cause: saturation.map(|s| Cause::of(&s)),
    }
}

fn table(name: &'static str, with: &'static str, lines: &[Line], style: &Style) -> String {
    let errors = Column::number("errors");
    let failed = lines.iter().any(|l| l.errors > 0);
    let mut table = Table::new(vec![
        Column::text("step"),
        Column::text(name),
        Column::text(with).droppable(9),
        Column::number("offered").droppable(8),
        Column::number("achieved"),
        Column::text("±").droppable(5),
        Column::number("MiB/s").droppable(4),
        Column::number("response"),
        Column::text("±").droppable(6),
        Column::number("p50").droppable(7),
        Column::number("p99"),
        Column::number("p99.9").droppable(2),
        Column::number("max").droppable(3),
        Column::number("service").droppable(1),
        if failed { errors } else { errors.droppable(10) },
        Column::text("note"),
    ]);
    // Where no confidence is known there is no column of it.
    let sure = |which: fn(&Line) -> &Estimate| lines.iter().any(|l| which(l).half_width.is_some());
    let known = (sure(|l| &l.rate), sure(|l| &l.response_mean_ns));
    for line in lines {
        table.row(cells(line, known), paint(line));
    }
    table.render(style)
}

/// A cell for each column; `known`: whether the confidence of rates, and of mean responses, has a column.
fn cells(line: &Line, known: (bool, bool)) -> Vec<String> {
    let confidence = |known: bool, of: &Estimate| match known {
        true => human::plus_minus(of),
        false => String::new(),
    };
    let mut cells = vec![
        line.step.clone(),
        line.name.clone(),
        line.with.clone(),
        line.offered.clone(),
        human::rate(line.rate.mean),
        confidence(known.0, &line.rate),
        human::rate(mib_per_s(line.bytes_per_s)),
    ];
    match line.cause {
        Some(cause) => {
            cells.extend([cause.cell(), String::new()]);
            cells.extend((0..5).map(|_| "—".to_owned()));
        }
        None => cells.extend([
            mean_time(&line.response_mean_ns),
            confidence(known.1, &line.response_mean_ns),
            percentile(&line.response, 0.5),
            percentile(&line.response, 0.99),
            percentile(&line.response, 0.999),
            time_or_dash(line.response.max_ns()),
            mean_time(&line.service_mean_ns),
        ]),
    }
    cells.push(human::count(line.errors));
    cells.push(line.cause.map_or("", |_| "saturated").into());
    cells
}

fn paint(line: &Line) -> Option<Paint> {
    match line.cause {
        _ if line.errors > 0 => Some(Paint::Bad),
        Some(_) => Some(Paint::Warn),
        None => None,
    }
}
