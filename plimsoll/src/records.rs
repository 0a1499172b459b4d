//! `plimsoll show`, `compare`, `export` and `report`.

use crate::cli::{CompareArgs, ExportArgs, ReportArgs, Rows, ShowArgs};
use crate::display;
use crate::failure::Failure;
use plimsoll_record::compare::{FailRule, compare};
use plimsoll_record::export::{self, CsvTable};
use plimsoll_record::{Record, RunStatus};
use plimsoll_report::{html, json, terminal};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// `plimsoll show`.
pub fn show(args: &ShowArgs) -> Result<ExitCode, Failure> {
    let record = Record::open(&args.record)?;
    let steps = record.steps()?;
    let verdicts = record.verdicts()?;
    if args.json {
        let document = json::document(&json::Run {
            environment: record.environment(),
            steps: &steps,
            verdicts: &verdicts,
            findings: &record.findings()?,
            record: Some(&args.record),
            status: record.status(),
        });
        println!("{}", serde_json::to_string_pretty(&document)?);
        return Ok(ExitCode::SUCCESS);
    }
    let style = display::style();
    println!("{}", terminal::environment(record.environment(), &style));
    match record.status() {
        RunStatus::Completed => {}
        RunStatus::Interrupted => println!("interrupted by the user"),
        RunStatus::Running => println!("unfinished: the run was killed, or still goes on"),
        RunStatus::Failed(reason) => println!("failed: {reason}"),
    }
    println!();
    if args.intervals {
        intervals(&record)?;
    }
    println!("{}", terminal::summary(&steps, &style));
    let errors = terminal::errors(&steps, &style);
    if !errors.is_empty() {
        println!("{errors}");
    }
    for started in record.started_steps()? {
        println!(
            "{}: begun and not finished; its intervals are kept (--intervals)",
            started.name
        );
    }
    for verdict in &verdicts {
        let plimsoll_evidence::Verdict::Curve(curve) = verdict;
        println!("{}", terminal::curve(curve, &style));
    }
    Ok(ExitCode::SUCCESS)
}

fn intervals(record: &Record) -> Result<(), Failure> {
    let finished = record.steps()?.into_iter().map(|s| (s.number, s.name));
    let started = record
        .started_steps()?
        .into_iter()
        .map(|s| (s.number, s.name));
    for (number, name) in finished.chain(started) {
        println!("{name}\n{}", terminal::interval_header());
        let begun = record.step_begun_unix_ns(number)?.unwrap_or_default();
        let instant = jiff::Timestamp::from_nanosecond(i128::from(begun)).unwrap_or_default();
        let context = terminal::Context {
            started: instant.to_zoned(jiff::tz::TimeZone::system()),
        };
        record.each_interval(number, |interval| {
            println!("{}", terminal::interval_line(&interval, &context));
        })?;
        println!();
    }
    Ok(())
}

/// `plimsoll compare`.
pub fn compare_runs(args: &CompareArgs) -> Result<ExitCode, Failure> {
    let rules = args
        .fail_if
        .iter()
        .map(|r| {
            r.parse::<FailRule>()
                .map_err(|e| Failure::usage(format!("--fail-if '{r}': {e}")))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let after_dashes = args
        .after
        .iter()
        .find(|p| p.as_os_str().as_encoded_bytes().starts_with(b"-") && !p.exists());
    if let Some(option) = after_dashes {
        return Err(Failure::usage(format!(
            "{} stands after --, where only records are; write options before the records",
            option.display()
        )));
    }
    let open = |paths: &[PathBuf]| {
        paths
            .iter()
            .map(|p| Record::open(p))
            .collect::<Result<Vec<_>, _>>()
    };
    let comparison = compare(&open(&args.before)?, &open(&args.after)?)?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&comparison)?);
    } else {
        println!("{comparison}");
    }
    let mut failed = false;
    for rule in &rules {
        let judged = comparison.evaluate(rule);
        if judged.failed() {
            failed = true;
            eprintln!("Failed: {}", judged.text);
        } else {
            eprintln!("{:?}: {}", judged.outcome, judged.text);
        }
    }
    Ok(ExitCode::from(u8::from(failed)))
}

/// `plimsoll export`.
pub fn export_record(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let record = Record::open(&args.record)?;
    let mut out: Box<dyn Write> = match &args.output {
        Some(path) => Box::new(BufWriter::new(File::create(path).map_err(|e| {
            Failure::usage(format!("cannot write {}: {e}", path.display()))
        })?)),
        None => Box::new(BufWriter::new(std::io::stdout().lock())),
    };
    if args.format.csv {
        let what = match args.rows {
            Rows::Steps => CsvTable::Steps,
            Rows::Intervals => CsvTable::Intervals,
        };
        export::csv(&record, what, &mut out)?;
    } else if args.format.json {
        export::json(&record, &mut out)?;
    } else {
        export::hdr(&record, &mut out)?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// `plimsoll report`.
pub fn report(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let page = html::render(&Record::open(&args.record)?)?;
    std::fs::write(&args.output, page)
        .map_err(|e| Failure::usage(format!("cannot write {}: {e}", args.output.display())))?;
    println!("{}", args.output.display());
    Ok(ExitCode::SUCCESS)
}
