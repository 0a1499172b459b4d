//! fsyncs and flushes of each step, which are no I/Os and have times of their own.

use super::amounts::{percentile, time_or_dash};
use super::style::{Paint, Style};
use super::table::{Column, Table};
use crate::human;
use plimsoll_evidence::{OpSummary, StepEvidence};

/// The table; empty where no step had any.
pub(super) fn syncs(steps: &[&StepEvidence], style: &Style) -> String {
    let mut table = Table::new(vec![
        Column::text("step"),
        Column::number("syncs"),
        Column::number("per second"),
        Column::number("mean"),
        Column::number("p50").droppable(2),
        Column::number("p99"),
        Column::number("p99.9").droppable(1),
        Column::number("max"),
        Column::number("errors").droppable(3),
    ]);
    let with_syncs = steps.iter().filter(|s| s.counted_s > 0.0);
    let mut lines = with_syncs
        .filter_map(|s| Some((s, s.syncs.as_deref()?)))
        .peekable();
    if lines.peek().is_none() {
        return String::new();
    }
    for (step, syncs) in lines {
        let paint = (syncs.errors > 0).then_some(Paint::Bad);
        table.row(cells(step, syncs), paint);
    }
    format!(
        "\nsyncs (fsync, fdatasync, flush), each from its call to its end:\n{}",
        table.render(style)
    )
}

fn cells(step: &StepEvidence, syncs: &OpSummary) -> Vec<String> {
    let times = &syncs.service;
    vec![
        step.name.clone(),
        human::count(syncs.ios),
        human::rate(syncs.ios as f64 / step.counted_s),
        time_or_dash(times.mean_ns().map(|ns| ns as u64)),
        percentile(times, 0.5),
        percentile(times, 0.99),
        percentile(times, 0.999),
        time_or_dash(times.max_ns()),
        human::count(syncs.errors),
    ]
}
