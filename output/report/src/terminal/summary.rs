//! The table of all steps, and a line for each as it starts and ends.

use super::actions;
use super::amounts::{mean_time, mib_per_s, percentile, plural, time_or_dash};
use super::arrays::arrays;
use super::devices::devices;
use super::hosts::hosts;
use super::parts::parts;
use super::paths::paths;
use super::style::{Paint, Style};
use super::syncs::syncs;
use super::table::{Column, Table};
use crate::human;
use crate::saturation::Cause;
use plimsoll_evidence::{CurvePoint, End, EnvironmentTarget, StepEvidence, Stretch, Verdict};
use plimsoll_printable::Printable;

/// Facts of a step before it runs.
#[derive(Debug, Clone, PartialEq)]
pub struct StepStart {
    /// Place of the step among all, from 1.
    pub number: u32,
    /// Number of all steps, where that's known.
    pub of: Option<u32>,
    /// Name of the step.
    pub name: String,
    /// The load in words.
    pub load: String,
    /// Warm-up, s.
    pub warmup_s: f64,
    /// Length of the counted time in words, or what ends it: `1m30s`, `until it is full`.
    pub length: String,
    /// Slots of all targets.
    pub slots: u64,
    /// Worker threads; 0 where several hosts have theirs.
    pub workers: u32,
}

/// The line above a step's intervals.
pub fn step_start(start: &StepStart, style: &Style) -> String {
    let place = match start.of {
        Some(of) => format!("[{}/{of}]", start.number),
        None => format!("[{}]", start.number),
    };
    let warmup = if start.warmup_s > 0.0 {
        format!(" after {} of warm-up", human::duration(start.warmup_s))
    } else {
        String::new()
    };
    let on = match start.workers {
        0 => "on all hosts".to_owned(),
        count => format!("on {}", plural(u64::from(count), "worker")),
    };
    let line = format!(
        "{place} {}: {}, {}{warmup}, {} {on}",
        Printable(&start.name),
        Printable(&start.load),
        start.length,
        plural(start.slots, "slot"),
    );
    style.paint(Paint::Heading, &style.characters(line))
}

/// One step's result in one line.
pub fn step_line(step: &StepEvidence, style: &Style) -> String {
    if step.counted_s == 0.0 {
        let end = end_word(step.end).map_or(String::new(), |end| format!("  {end}"));
        let line = format!("{}: nothing was counted{end}", Printable(&step.name));
        return match row_paint(step) {
            Some(paint) => style.paint(paint, &line),
            None => line,
        };
    }
    let mut parts = vec![format!(
        "{}/s {}  {} MiB/s",
        human::rate(step.rate.mean),
        human::plus_minus(&step.rate),
        human::rate(mib_per_s(bytes_per_s(step))),
    )];
    if let Some(cause) = Cause::of_step(step) {
        parts.push(format!("saturated: {}", cause.clause()));
    } else {
        parts.push(format!(
            "response {} {}  p99 {}",
            human::time(step.response_mean_ns.mean),
            human::plus_minus(&step.response_mean_ns),
            percentile(&step.response, 0.99),
        ));
    }
    if let Some(ns) = step.syncs.as_ref().and_then(|s| s.service.mean_ns()) {
        parts.push(format!("sync {}", human::time(ns)));
    }
    if step.errors > 0 {
        parts.push(plural(step.errors, "error"));
    }
    parts.extend(remarks(step));
    let line = style.characters(format!("{}: {}", Printable(&step.name), parts.join("  ")));
    match row_paint(step) {
        Some(paint) => style.paint(paint, &line),
        None => line,
    }
}

/// Detail in which a run is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Brief form for a person: where a method has an answer, no table of the steps that led to it.
    Brief,
    /// All that has a table.
    Full,
}

/// The table of measured steps, but for the points of `verdicts`, which have tables of their own; then fills, each
/// step's operations, workloads and targets, what was seen of paths and arrays, and each step's notes.
///
/// A saturated step has no latency here: what shows the saturation stands in the response column instead.
pub fn summary(
    steps: &[StepEvidence],
    verdicts: &[Verdict],
    targets: &[EnvironmentTarget],
    detail: Detail,
    style: &Style,
) -> String {
    let measured: Vec<&StepEvidence> = steps.iter().filter(|s| !s.fill).collect();
    // The many steps of a method have what matters of them in its own tables.
    let by_method = |step: &StepEvidence| {
        verdicts
            .iter()
            .any(|v| matches!(v, Verdict::Method(m) if !m.tables.is_empty() && m.run == step.run))
    };
    let in_curve = |step: &StepEvidence| {
        let points = |v: &Verdict| match v {
            Verdict::Curve(curve) => curve.points.iter().any(|p| p.step == step.number),
            Verdict::Method(_) => false,
        };
        verdicts.iter().any(points) || by_method(step)
    };
    let brief = |step: &StepEvidence| detail == Detail::Brief && is_answered(step, verdicts);
    let reported = |s: &&StepEvidence| !by_method(s) && !brief(s);
    let reported: Vec<&StepEvidence> = measured.iter().copied().filter(reported).collect();
    let errors = Column::number("errors");
    let failed = measured.iter().any(|s| s.errors > 0);
    let mut table = Table::new(vec![
        Column::text("step"),
        Column::number("offered"),
        Column::number("achieved"),
        Column::text("±").droppable(3),
        Column::number("MiB/s").droppable(5),
        Column::number("response"),
        Column::text("±").droppable(4),
        Column::number("p50").droppable(7),
        Column::number("p99"),
        Column::number("p99.9").droppable(2),
        Column::number("max").droppable(2),
        Column::number("service").droppable(1),
        Column::number("depth").droppable(6),
        if failed { errors } else { errors.droppable(8) },
        Column::text("note"),
    ]);
    let is_listed = |s: &&&StepEvidence| !in_curve(s) && !brief(s);
    let listed: Vec<&&StepEvidence> = measured.iter().filter(is_listed).collect();
    for step in &listed {
        table.row(cells(step), row_paint(step));
    }
    let mut out = match (measured.is_empty(), listed.is_empty()) {
        (true, _) => "no step was measured\n".to_owned(),
        (_, true) => String::new(),
        _ => table.render(style),
    };
    for fill in steps.iter().filter(|s| s.fill) {
        let size = human::bytes(fill.bytes);
        out.push_str(&format!(
            "filled before: {} ({size})\n",
            Printable(&fill.name)
        ));
    }
    let seen = parts(&reported, targets, style)
        + &syncs(&reported, style)
        + &hosts(&measured, style)
        + &paths(&measured, style)
        + &devices(&measured, style)
        + &arrays(&reported, style);
    out.push_str(&seen);
    let notes = notes(steps, verdicts, detail, style);
    if !seen.is_empty() && !notes.is_empty() {
        out.push('\n');
    }
    out.push_str(&notes);
    style.characters(out)
}

/// True of a step whose run a method has answered: it led to the answer, and is none itself.
fn is_answered(step: &StepEvidence, verdicts: &[Verdict]) -> bool {
    verdicts.iter().any(|verdict| verdict.run() == step.run)
}

fn notes(steps: &[StepEvidence], verdicts: &[Verdict], detail: Detail, style: &Style) -> String {
    let of_step = |s: &StepEvidence| -> String {
        let brief = detail == Detail::Brief && is_answered(s, verdicts);
        // What was found the audit says, once of all steps.
        let remarks = match brief {
            true => s.notes.clone(),
            false => s.remarks(),
        };
        let remarks = remarks
            .into_iter()
            .map(|note| format!("{}: {}", Printable(&s.name), Printable(&note)));
        let lines = actions::lines(s)
            .chain(limited(s, verdicts).filter(|_| !brief))
            .chain(remarks)
            .map(|line| style.sentence(0, &line) + "\n");
        lines.collect()
    };
    steps.iter().map(of_step).collect()
}

/// Limit of a step, in words; that of a curve's maximum stands with the curve, and those of the steps of a search, or of another method,
/// would hide its answer.
fn limited(step: &StepEvidence, verdicts: &[Verdict]) -> Option<String> {
    let told_there = |verdict: &Verdict| match verdict {
        Verdict::Curve(curve) => {
            let point = |p: &CurvePoint| p.percent.is_some() && p.step == step.number;
            curve.run == step.run && !curve.points.iter().any(point)
        }
        Verdict::Method(method) => method.run == step.run,
    };
    let limit = step
        .limit
        .as_ref()
        .filter(|_| !verdicts.iter().any(told_there))?;
    Some(format!(
        "{}: {}",
        Printable(&step.name),
        Printable(&limit.sentence)
    ))
}

/// Load that a closed loop is asked for: all that it can, or where that is short enough for a column, what holds it back.
fn held(load: &str) -> String {
    const WIDEST: usize = 24;
    let words = load.strip_prefix("max, ").unwrap_or("max");
    let is_held = words.starts_with("think ") || words.starts_with("at most ");
    match is_held && words.chars().count() <= WIDEST {
        true => words.to_owned(),
        false => "max".to_owned(),
    }
}

fn cells(step: &StepEvidence) -> Vec<String> {
    let dash = || "—".to_owned();
    let offered = step.offered.map_or_else(|| held(&step.load), human::rate);
    if step.counted_s == 0.0 {
        let mut cells = vec![step.name.clone(), offered];
        cells.extend((0..11).map(|column| match column {
            // Confidence of nothing.
            1 | 4 => String::new(),
            _ => dash(),
        }));
        cells.push(human::count(step.errors));
        cells.push(end_word(step.end).unwrap_or("not counted").to_owned());
        return cells;
    }
    let mut cells = vec![
        step.name.clone(),
        offered,
        human::rate(step.rate.mean),
        human::plus_minus(&step.rate),
        human::rate(mib_per_s(bytes_per_s(step))),
    ];
    let cause = Cause::of_step(step);
    match cause {
        Some(cause) => {
            cells.push(cause.cell());
            cells.push(String::new());
            cells.extend((0..5).map(|_| dash()));
        }
        None => cells.extend([
            mean_time(&step.response_mean_ns),
            human::plus_minus(&step.response_mean_ns),
            percentile(&step.response, 0.5),
            percentile(&step.response, 0.99),
            percentile(&step.response, 0.999),
            time_or_dash(step.response.max_ns()),
            mean_time(&step.service_mean_ns),
        ]),
    }
    cells.push(human::rate(step.depth_mean));
    cells.push(human::count(step.errors));
    let saturated = cause.map(|_| "saturated".to_owned());
    let words: Vec<String> = saturated.into_iter().chain(remarks(step)).collect();
    cells.push(words.join(", "));
    cells
}

fn row_paint(step: &StepEvidence) -> Option<Paint> {
    if step.errors > 0 || matches!(step.end, End::Errors | End::Hung) {
        Some(Paint::Bad)
    } else if Cause::of_step(step).is_some()
        || step.end == End::Interrupted
        || !step.stalls.is_empty()
        || step.unfinished > 0
    {
        Some(Paint::Warn)
    } else {
        None
    }
}

/// Remarks on a step beside its numbers, a few words each.
fn remarks(step: &StepEvidence) -> Vec<String> {
    let late = step
        .late_by_host
        .iter()
        .fold(0, |sum, s| u64::saturating_add(sum, s.ios));
    [
        stalls(&step.stalls),
        (late > 0).then(|| format!("{} late by the host", human::count(late))),
        (step.unfinished > 0).then(|| format!("{} unfinished", human::count(step.unfinished))),
        end_word(step.end).map(str::to_owned),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// `stall of 1.02s`, `3 stalls, 4.20s in all`.
fn stalls(stalls: &[Stretch]) -> Option<String> {
    let all = human::time(stalls.iter().map(|s| s.length_ns as f64).sum());
    match stalls.len() {
        0 => None,
        1 => Some(format!("stall of {all}")),
        n => Some(format!("{} stalls, {all} in all", human::count(n as u64))),
    }
}

/// A word for an end that isn't the usual one.
fn end_word(end: End) -> Option<&'static str> {
    match end {
        End::Elapsed => None,
        End::Limit => Some("limit reached"),
        End::Interrupted => Some("interrupted"),
        End::Errors => Some("too many errors"),
        End::Hung => Some("hung"),
    }
}

fn bytes_per_s(step: &StepEvidence) -> f64 {
    if step.counted_s > 0.0 {
        step.bytes as f64 / step.counted_s
    } else {
        0.0
    }
}
