//! A step's parts as rows of `step_streams`, `step_workloads`, `step_targets` and `step_stream_ops`, and its `step_stretches`.

use crate::numbers::{int, mean_us, quantile_us, us, us_of};
use crate::row::{Column, insert};
use plimsoll_evidence::{OpSummary, Part, StepEvidence, Stretch};
use rusqlite::Connection;

/// Writes what a finished step came to in its parts.
pub(crate) fn write(db: &Connection, step: &StepEvidence) -> rusqlite::Result<()> {
    let number = step.number;
    each(step, |table, keys, rest| {
        insert(db, table, &joined(keys, rest))
    })?;
    for (index, (stream, part)) in step.streams.iter().zip(step.by_stream()).enumerate() {
        let stream_number = index as u32 + 1;
        for op in part.ops.iter().chain(stream.syncs.as_deref()) {
            let keys: [Column; 2] = [("step", &number), ("stream", &stream_number)];
            write_op(db, "step_stream_ops", &keys, op)?;
        }
    }
    write_stretches(db, number, "stall", &step.stalls)?;
    write_stretches(db, number, "late by host", &step.late_by_host)
}

/// Hands over the rows of a step's parts: the table, the row's key, and its other columns. Streams and targets count from 1.
pub(crate) fn each(
    step: &StepEvidence,
    mut with: impl FnMut(&'static str, &[Column], &[Column]) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let number = step.number;
    for (index, (stream, part)) in step.streams.iter().zip(step.by_stream()).enumerate() {
        let stream_number = index as u32 + 1;
        let keys: [Column; 2] = [("step", &number), ("stream", &stream_number)];
        let rest: [Column; 4] = [
            ("workload", &stream.workload),
            ("target", &(i64::from(stream.target) + 1)),
            ("host", &stream.host),
            ("counted_s", &part.counted_s),
        ];
        with_numbers(&part, |numbers| {
            with("step_streams", &keys, &joined(&rest, numbers))
        })?;
    }
    for part in step.by_workload() {
        let keys: [Column; 2] = [("step", &number), ("workload", &part.workloads.first())];
        let rest: [Column; 1] = [("targets", &(part.targets.len() as i64))];
        with_numbers(&part, |numbers| {
            with("step_workloads", &keys, &joined(&rest, numbers))
        })?;
    }
    for part in step.by_target() {
        let target = part.targets.first().map(|at| i64::from(*at) + 1);
        let keys: [Column; 2] = [("step", &number), ("target", &target)];
        let rest: [Column; 1] = [("workloads", &(part.workloads.len() as i64))];
        with_numbers(&part, |numbers| {
            with("step_targets", &keys, &joined(&rest, numbers))
        })?;
    }
    Ok(())
}

/// Hands over the columns that all parts have.
fn with_numbers<T>(part: &Part, with: impl FnOnce(&[Column]) -> T) -> T {
    let (response, service) = (part.response(), part.service());
    let saturation = part.saturation;
    let half_us = |half: Option<f64>| half.map(us);
    with(&[
        ("offered_iops", &part.offered),
        ("iops", &part.rate.mean),
        ("iops_half_width", &part.rate.half_width),
        (
            "bytes_per_s",
            &(part.counted_s > 0.0).then(|| part.bytes as f64 / part.counted_s),
        ),
        ("response_mean_us", &mean_us(&response)),
        (
            "response_mean_half_width_us",
            &half_us(part.response_mean_ns.half_width),
        ),
        ("response_p50_us", &quantile_us(&response, 0.5)),
        ("response_p90_us", &quantile_us(&response, 0.9)),
        ("response_p99_us", &quantile_us(&response, 0.99)),
        ("response_p999_us", &quantile_us(&response, 0.999)),
        ("response_max_us", &us_of(response.max_ns())),
        ("service_mean_us", &mean_us(&service)),
        (
            "service_mean_half_width_us",
            &half_us(part.service_mean_ns.half_width),
        ),
        ("service_p50_us", &quantile_us(&service, 0.5)),
        ("service_p99_us", &quantile_us(&service, 0.99)),
        ("service_p999_us", &quantile_us(&service, 0.999)),
        ("service_max_us", &us_of(service.max_ns())),
        ("ios", &int(part.ios)),
        ("bytes", &int(part.bytes)),
        ("errors", &int(part.errors)),
        ("saturated", &saturation.map(|s| s.saturated)),
        ("no_slot_share", &saturation.map(|s| s.no_slot_share)),
        ("shortfall", &saturation.map(|s| s.shortfall)),
        ("backlog_growth", &saturation.map(|s| s.backlog_growth)),
        ("backlog_end", &saturation.map(|s| int(s.backlog_end))),
        ("short_samples", &saturation.map(|s| s.short_samples)),
    ])
}

fn write_stretches(
    db: &Connection,
    step: u32,
    kind: &str,
    stretches: &[Stretch],
) -> rusqlite::Result<()> {
    for (index, stretch) in stretches.iter().enumerate() {
        insert(
            db,
            "step_stretches",
            &[
                ("step", &step),
                ("kind", &kind),
                ("number", &(index as u32 + 1)),
                ("start_ns", &int(stretch.start_ns)),
                ("length_ns", &int(stretch.length_ns)),
                ("ios", &int(stretch.ios)),
            ],
        )?;
    }
    Ok(())
}

/// A row's key, and what else is in it.
pub(crate) fn joined<'a>(keys: &[Column<'a>], rest: &[Column<'a>]) -> Vec<Column<'a>> {
    [keys, rest].concat()
}

/// Writes the row of an operation, of the step or of one of its streams.
pub(crate) fn write_op(
    db: &Connection,
    table: &str,
    keys: &[Column],
    op: &OpSummary,
) -> rusqlite::Result<()> {
    let (response, service) = (&op.response, &op.service);
    insert(
        db,
        table,
        &joined(
            keys,
            &[
                ("op", &op.op.name()),
                ("ios", &int(op.ios)),
                ("bytes", &int(op.bytes)),
                ("errors", &int(op.errors)),
                ("response_mean_us", &mean_us(response)),
                ("response_p50_us", &quantile_us(response, 0.5)),
                ("response_p99_us", &quantile_us(response, 0.99)),
                ("response_p999_us", &quantile_us(response, 0.999)),
                ("response_max_us", &us_of(response.max_ns())),
                ("service_mean_us", &mean_us(service)),
                ("service_p50_us", &quantile_us(service, 0.5)),
                ("service_p99_us", &quantile_us(service, 0.99)),
                ("service_p999_us", &quantile_us(service, 0.999)),
                ("service_max_us", &us_of(service.max_ns())),
            ],
        ),
    )
}
