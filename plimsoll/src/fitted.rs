//! `plimsoll lab fit`: a persona from the points of a result.

use crate::cli::FitArgs;
use crate::failure::Failure;
use crate::out::{self, tell};
use plimsoll_array::fit::{Fit, MeasuredPoint, Replayed};
use plimsoll_evidence::StepEvidence;
use plimsoll_foreign::model::{Latency, Load, Run};
use plimsoll_foreign::{ForeignResult, IntakeError, ReadError, intake};
use plimsoll_measure::Op;
use plimsoll_printable::Printable;
use plimsoll_record::{Record, RecordError};
use std::path::Path;
use std::process::ExitCode;

/// Loads are the same that differ in their bytes for each I/O and their share of reads by no more than this.
const ALIKE: f64 = 0.03;
/// A replay's mean time is off that is further from the measured one than this, as a share.
const OFF: f64 = 0.1;

/// A point, with what its load was.
pub struct Found {
    /// The step's name, or the run's.
    pub name: String,
    /// Bytes of an I/O.
    pub bytes: f64,
    /// The load, and what came of it.
    pub point: MeasuredPoint,
}

/// Prints the persona.
pub fn fit(args: &FitArgs) -> Result<ExitCode, Failure> {
    let name = args.result.display().to_string();
    let found = points(&args.result)?;
    of_one_load(&name, &found)?;
    let points: Vec<MeasuredPoint> = found.iter().map(|f| f.point).collect();
    let fit = Fit::to(&points).map_err(|e| Failure::usage(format!("{}: {e}", Printable(&name))))?;
    judge(&name, &fit)?;
    let stem = args.result.file_stem().and_then(|s| s.to_str());
    let persona = persona_name(stem.unwrap_or_default());
    let from = Printable(&name).to_string().replace(['\n', '\r'], " ");
    out::put(format_args!("{}", fit.persona(&persona, &from)));
    Ok(ExitCode::SUCCESS)
}

/// Says each point whose replay is off, and refuses a fit that is off at most of them.
fn judge(name: &str, fit: &Fit) -> Result<(), Failure> {
    let each = fit.points.iter().zip(&fit.replayed);
    let is_off = |(p, r): &(&MeasuredPoint, &Replayed)| (r.mean_us / p.mean_us() - 1.0).abs() > OFF;
    let off: Vec<_> = each.filter(is_off).collect();
    for (p, r) in &off {
        tell!(
            "note: at {:.0}/s the fitted array has a mean of {:.0} us, where {:.0} us were measured",
            p.rate,
            r.mean_us,
            p.mean_us()
        );
    }
    match 2 * off.len() > fit.points.len() {
        true => Err(Failure::usage(format!(
            "{}: no latencies by depth give these times: {} of {} replays are off by more than 10 %",
            Printable(name),
            off.len(),
            fit.points.len()
        ))),
        false => Ok(()),
    }
}

/// A persona's name: the letters and digits of a file's.
fn persona_name(stem: &str) -> String {
    let kept = |c: &char| c.is_ascii_alphanumeric() || "-_.".contains(*c);
    let plain: String = stem.chars().filter(kept).collect();
    match plain.contains(|c: char| c.is_ascii_alphanumeric()) {
        true => plain,
        false => "fitted".to_string(),
    }
}

/// The points of a record, or of another tool's result.
pub fn points(path: &Path) -> Result<Vec<Found>, Failure> {
    let not_a_record = match Record::open(path) {
        Ok(record) => {
            let steps = record.steps()?;
            return Ok(steps.iter().filter_map(of_step).collect());
        }
        Err(error) => error,
    };
    let may_be_other = matches!(not_a_record, RecordError::NotSqlite { .. }) || path.is_dir();
    let Some(name) = path.to_str().filter(|_| may_be_other) else {
        return Err(not_a_record.into());
    };
    match intake::take(name) {
        Ok(taken) => Ok(taken.results.iter().flat_map(of_result).collect()),
        Err(IntakeError::Read(ReadError::Unknown { .. } | ReadError::Empty { .. })) => {
            Err(not_a_record.into())
        }
        Err(error) => Err(error.into()),
    }
}

/// The point that a measured step is.
pub fn of_step(step: &StepEvidence) -> Option<Found> {
    let of = |op| step.ops.iter().find(|o| o.op == op && o.ios > 0);
    let mean_us = |op| Some(of(op)?.service.mean_ns()? / 1e3);
    let ios = |op| of(op).map_or(0.0, |o| o.ios as f64);
    let both = ios(Op::Read) + ios(Op::Write);
    let all = step.service.mean_ns()? / 1e3;
    (!step.fill && both > 0.0).then(|| Found {
        name: step.name.clone(),
        bytes: step.bytes as f64 / both,
        point: MeasuredPoint {
            rate: step.rate.mean,
            is_limited: step.offered.is_some(),
            read_share: ios(Op::Read) / both,
            read_us: mean_us(Op::Read).unwrap_or(all),
            write_us: mean_us(Op::Write).unwrap_or(all),
            sd_us: step.service.std_dev_ns().map(|sd| sd / 1e3),
            longest_us: step.service.max_ns().map(|longest| longest as f64 / 1e3),
        },
    })
}

/// The points of a result. What is missing in it is said.
fn of_result(result: &ForeignResult) -> Vec<Found> {
    for remark in &result.remarks {
        tell!("note: line {}: {}", remark.at.line, Printable(&remark.text));
    }
    let tells_loads = result.runs.iter().any(|run| run.asked.load.is_some());
    let of_run = |run: &Run| {
        if tells_loads && run.asked.load.is_none() {
            tell!(
                "note: {} has no beginning in this log, so that its load is not known: it is left out",
                Printable(&run.name)
            );
            return None;
        }
        let found = of_run(run);
        if found.is_none() {
            tell!(
                "note: {} has no average with a rate and a mean time in this log: it is no point of the curve, which is less sure there",
                Printable(&run.name)
            );
        }
        found
    };
    result.runs.iter().filter_map(of_run).collect()
}

fn of_run(run: &Run) -> Option<Found> {
    let row = run.whole()?;
    let (rate, all) = (row.iops()?, row.mean_ns()? / 1e3);
    let mean_us = |latency: &Latency| latency.mean.map_or(all, |mean| mean.0 as f64 / 1e3);
    let sides = (row.reads.iops, row.writes.iops);
    let done = match sides {
        (Some(reads), Some(writes)) => Some(reads.0 / (reads.0 + writes.0)),
        _ => run.asked.read_share,
    };
    let latency = &row.all.latency;
    (rate > 0.0 && all > 0.0).then(|| Found {
        name: run.name.clone(),
        bytes: row.bandwidth.map_or(0.0, |b| b.0 as f64 / rate),
        point: MeasuredPoint {
            rate,
            is_limited: matches!(run.asked.load, Some(Load::Limited { .. })),
            read_share: done.unwrap_or(1.0),
            read_us: mean_us(&row.reads.latency),
            write_us: mean_us(&row.writes.latency),
            sd_us: latency.sd.map(|sd| sd.0 as f64 / 1e3),
            longest_us: latency.max.map(|longest| longest.0 as f64 / 1e3),
        },
    })
}

/// Refuses points that are of different loads: no depth has the times of both.
fn of_one_load(name: &str, found: &[Found]) -> Result<(), Failure> {
    let Some(first) = found.first() else {
        return Err(Failure::usage(format!(
            "{}: nothing in it has a rate and a mean time",
            Printable(name)
        )));
    };
    let other = found.iter().find(|f| {
        (f.bytes - first.bytes).abs() > ALIKE * first.bytes
            || (f.point.read_share - first.point.read_share).abs() > ALIKE
    });
    let Some(other) = other else { return Ok(()) };
    let load = |f: &Found| {
        format!(
            "{} ({:.0} bytes, {:.0} % reads)",
            f.name,
            f.bytes,
            100.0 * f.point.read_share
        )
    };
    Err(Failure::usage(format!(
        "{}: {} and {} are different loads; a curve is of one: give a result of runs that differ in their rate or depth alone",
        Printable(name),
        Printable(&load(first)),
        Printable(&load(other))
    )))
}

#[test]
fn a_name_without_a_letter_is_made_up() {
    assert_eq!(persona_name("all flash-2.1"), "allflash-2.1");
    assert_eq!(persona_name("\u{5b58}\u{5132}"), "fitted");
    assert_eq!(persona_name("-_"), "fitted");
}
