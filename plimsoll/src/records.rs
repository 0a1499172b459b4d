//! `plimsoll show`, `compare`, `export` and `report`.

use crate::cli::{CompareArgs, ExportArgs, ReportArgs, Rows, ShowArgs};
use crate::display;
use crate::failure::Failure;
use crate::out::{say, tell};
use plimsoll_record::compare::{FailRule, RuleOutcome, compare};
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
        say!("{}", serde_json::to_string_pretty(&document)?);
        return Ok(ExitCode::SUCCESS);
    }
    let style = display::style();
    say!("{}", terminal::environment(record.environment(), &style));
    match record.status() {
        RunStatus::Completed => {}
        RunStatus::Interrupted => say!("interrupted by the user"),
        RunStatus::Running => say!("unfinished: the run was killed, or still goes on"),
        RunStatus::Failed(reason) => say!("failed: {reason}"),
    }
    say!();
    if args.intervals {
        intervals(&record)?;
    }
    say!("{}", terminal::summary(&steps, &style));
    let errors = terminal::errors(&steps, &style);
    if !errors.is_empty() {
        say!("{errors}");
    }
    for started in record.started_steps()? {
        say!(
            "{}: begun and not finished; its intervals are kept (--intervals)",
            started.name
        );
    }
    for verdict in &verdicts {
        let plimsoll_evidence::Verdict::Curve(curve) = verdict;
        say!("{}", terminal::curve(curve, &style));
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
        say!("{name}\n{}", terminal::interval_header());
        let begun = record.step_begun_unix_ns(number)?.unwrap_or_default();
        let instant = jiff::Timestamp::from_nanosecond(i128::from(begun)).unwrap_or_default();
        let context = terminal::Context {
            started: instant.to_zoned(jiff::tz::TimeZone::system()),
        };
        record.each_interval(number, |interval| {
            say!("{}", terminal::interval_line(&interval, &context));
        })?;
        say!();
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
        say!("{}", serde_json::to_string_pretty(&comparison)?);
    } else {
        say!("{comparison}");
    }
    let judged: Vec<_> = rules.iter().map(|r| comparison.evaluate(r)).collect();
    for rule in &judged {
        tell!("{:?}: {}", rule.outcome, rule.text);
    }
    let any = |outcome| judged.iter().any(|r| r.outcome == outcome);
    Ok(ExitCode::from(if any(RuleOutcome::Failed) {
        1
    } else if any(RuleOutcome::Undecided) {
        // A gate that cannot tell does not let pass.
        crate::REFUSED
    } else {
        0
    }))
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
    say!("{}", args.output.display());
    Ok(ExitCode::SUCCESS)
}
