//! A finished step as rows of `steps`, `step_ops`, `step_errors`, `histograms`, `findings`, and those of its parts, paths and arrays.

use crate::histogram_rows;
use crate::numbers::{int, mean_us, quantile_us, us, us_of};
use crate::row::{Column, insert, update};
use crate::step_json;
use crate::{array_rows, finding_rows, part_rows, path_rows};
use plimsoll_evidence::{End, StepEvidence};
use rusqlite::Connection;

/// Fills in the row of a begun step, and returns whether there was one. `body` is the evidence as JSON.
pub(crate) fn write(
    db: &Connection,
    step: &StepEvidence,
    body: &str,
    now_unix_ns: i64,
) -> rusqlite::Result<bool> {
    if !write_totals(db, step, body, now_unix_ns)? {
        return Ok(false);
    }
    for op in step.ops.iter().chain(step.syncs.as_deref()) {
        part_rows::write_op(db, "step_ops", &[("step", &step.number)], op)?;
    }
    for (index, error) in step.error_samples.iter().enumerate() {
        insert(
            db,
            "step_errors",
            &[
                ("step", &step.number),
                ("number", &(index as u32 + 1)),
                ("target", &error.target),
                ("op", &error.op.name()),
                ("offset", &int(error.offset)),
                ("length", &int(error.length)),
                ("at_ns", &int(error.at_ns)),
                ("what", &error.what),
            ],
        )?;
    }
    part_rows::write(db, step)?;
    path_rows::write(db, step.number, &step.paths)?;
    array_rows::write(db, step.number, &step.arrays)?;
    for finding in &step.findings {
        finding_rows::write(db, finding)?;
    }
    for (owner, histogram) in step_json::histograms(step) {
        histogram_rows::write(db, owner, histogram)?;
    }
    Ok(true)
}

fn write_totals(
    db: &Connection,
    step: &StepEvidence,
    body: &str,
    now_unix_ns: i64,
) -> rusqlite::Result<bool> {
    with_totals(step, |totals| {
        let rest: [Column; 2] = [("finished_unix_ns", &now_unix_ns), ("evidence", &body)];
        let columns = [totals, &rest].concat();
        update(db, "steps", ("step", &step.number), &columns)
    })
}

/// Hands over the columns of `steps` that are made from a step's evidence.
pub(crate) fn with_totals<T>(step: &StepEvidence, with: impl FnOnce(&[Column]) -> T) -> T {
    let saturation = step.saturation.as_ref();
    let (response, service) = (&step.response, &step.service);
    with(&[
        ("host", &step.host),
        ("name", &step.name),
        ("run", &step.run),
        ("fill", &step.fill),
        ("load", &step.load),
        ("slots", &int(step.slots)),
        ("workers", &step.workers),
        ("offered_iops", &step.offered),
        ("iops", &step.rate.mean),
        ("iops_half_width", &step.rate.half_width),
        (
            "bytes_per_s",
            &(step.counted_s > 0.0).then(|| step.bytes as f64 / step.counted_s),
        ),
        ("response_mean_us", &mean_us(response)),
        (
            "response_mean_half_width_us",
            &step.response_mean_ns.half_width.map(us),
        ),
        ("response_p50_us", &quantile_us(response, 0.5)),
        ("response_p90_us", &quantile_us(response, 0.9)),
        ("response_p99_us", &quantile_us(response, 0.99)),
        ("response_p999_us", &quantile_us(response, 0.999)),
        ("response_p9999_us", &quantile_us(response, 0.9999)),
        ("response_max_us", &us_of(response.max_ns())),
        ("service_mean_us", &mean_us(service)),
        (
            "service_mean_half_width_us",
            &step.service_mean_ns.half_width.map(us),
        ),
        ("service_p50_us", &quantile_us(service, 0.5)),
        ("service_p99_us", &quantile_us(service, 0.99)),
        ("service_p999_us", &quantile_us(service, 0.999)),
        ("service_max_us", &us_of(service.max_ns())),
        ("depth_mean", &step.depth_mean),
        ("ios", &int(step.ios)),
        ("bytes", &int(step.bytes)),
        ("errors", &int(step.errors)),
        ("warmup_s", &step.warmup_s),
        ("counted_s", &step.counted_s),
        ("first_counted_interval", &step.counted_intervals.0),
        ("last_counted_interval", &step.counted_intervals.1),
        ("saturated", &saturation.map(|s| s.saturated)),
        ("no_slot_share", &saturation.map(|s| s.no_slot_share)),
        ("shortfall", &saturation.map(|s| s.shortfall)),
        ("backlog_growth", &saturation.map(|s| s.backlog_growth)),
        ("backlog_end", &saturation.map(|s| int(s.backlog_end))),
        ("short_samples", &saturation.map(|s| s.short_samples)),
        ("unfinished", &int(step.unfinished)),
        ("cpu_ns_per_io", &step.cpu_ns_per_io),
        ("end_reason", &step_end_word(step, step.end)),
    ])
}

/// The word of the `end_reason` column: how a step, or a host's part of it, ended. What is no result is told by it from what is one.
pub(crate) fn step_end_word(step: &StepEvidence, end: End) -> &'static str {
    match step.set_aside {
        Some(_) => "set_aside",
        None => end_word(end),
    }
}

/// Word of an end, as in the evidence's JSON.
pub(crate) fn end_word(end: End) -> &'static str {
    match end {
        End::Elapsed => "elapsed",
        End::Limit => "limit",
        End::Interrupted => "interrupted",
        End::Errors => "errors",
        End::Hung => "hung",
    }
}
