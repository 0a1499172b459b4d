//! `plimsoll show`, `records`, `compare`, `export` and `report`.

use crate::against;
use crate::cli::{CompareArgs, ExportArgs, RecordsArgs, ReportArgs, Rows, ShowArgs};
use crate::compared;
use crate::destination::Destination;
use crate::failure::Failure;
use crate::out::{self, say, tell};
use crate::serve::cache;
use crate::{display, exit};
use plimsoll_evidence::{StepEvidence, gathered};
use plimsoll_permit::output::{OutputPermit, Precious, Rules};
use plimsoll_plan::{Claim, Plan};
use plimsoll_printable::Printable;
use plimsoll_record::compare::{Comparison, Terms, compare_runs as compare};
use plimsoll_record::export::{self, Csv, ExportError, Parquet, Sink, Together};
use plimsoll_record::{Record, RunStatus};
use plimsoll_report::terminal::Detail;
use plimsoll_report::{AnswerLines, Measured, gates, html, json, redact, terminal};
use plimsoll_shelf::records_in;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// `plimsoll show`.
pub fn show(args: &ShowArgs) -> Result<ExitCode, Failure> {
    let record = Record::open(&args.record)?;
    let steps = record.steps()?;
    tell_contradictions(&record, &steps)?;
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
        out::json(&document)?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = display::style();
    say!("{}", terminal::environment(record.environment(), &style));
    match record.status() {
        RunStatus::Completed => {}
        RunStatus::Interrupted => say!("interrupted by the user"),
        RunStatus::Running => say!("unfinished: the run was killed, or still goes on"),
        RunStatus::Failed(reason) => say!("failed: {}", Printable(reason)),
    }
    say!();
    if args.intervals {
        intervals(&record)?;
    }
    let targets = &record.environment().targets;
    let tables = terminal::summary(&steps, &verdicts, targets, Detail::Full, &style);
    say!("{tables}");
    for started in record.started_steps()? {
        say!(
            "{}: begun and not finished; its intervals are kept (--intervals)",
            Printable(&started.name)
        );
    }
    for verdict in &verdicts {
        say!("{}", terminal::verdict(verdict, Detail::Full, &style));
    }
    if let Some(line) = terminal::errors_line(&steps) {
        say!("{}{line}", terminal::errors(&steps, &style));
    }
    // A plan of another version may not be readable.
    let plan: Option<Plan> = serde_json::from_str(record.plan_json()).ok();
    let found = gathered(&steps, &verdicts, &record.findings()?);
    let answer = AnswerLines::of(&Measured {
        environment: record.environment(),
        steps: &steps,
        verdicts: &verdicts,
        findings: found.iter().collect(),
        claim: plan.as_ref().map_or(Claim::default(), Plan::judged_for),
        status: record.status(),
        record: Some(&args.record),
    });
    display::close(&answer);
    Ok(ExitCode::SUCCESS)
}

/// Names what the record says twice and differently, for each command shows one of the two.
fn tell_contradictions(record: &Record, steps: &[StepEvidence]) -> Result<(), Failure> {
    for found in plimsoll_rig::contradictions(record, steps)? {
        let (rule, message) = (Printable(&found.rule), Printable(&found.message));
        tell!("warning: {rule}: {message}");
    }
    Ok(())
}

fn intervals(record: &Record) -> Result<(), Failure> {
    let finished = record.steps()?.into_iter().map(|s| (s.number, s.name));
    let started = record
        .started_steps()?
        .into_iter()
        .map(|s| (s.number, s.name));
    for (number, name) in finished.chain(started) {
        let header = terminal::interval_header(record.environment().counted());
        say!("{}\n{header}", Printable(&name));
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

/// `plimsoll records`.
pub fn list(args: &RecordsArgs) -> Result<ExitCode, Failure> {
    let (mut entries, unread) = records_in(&args.folder, cache().as_deref())?;
    if let Some(tag) = &args.tag {
        entries.retain(|entry| entry.tag.as_ref() == Some(tag));
    }
    match args.json {
        true => out::json(&entries)?,
        false => say!(
            "{}",
            terminal::records(&entries, &display::style()).trim_end()
        ),
    }
    for (path, error) in &unread {
        let path = path.display().to_string();
        tell!("warning: {}: {}", Printable(&path), Printable(error));
    }
    Ok(ExitCode::SUCCESS)
}

/// `plimsoll compare`.
pub fn compare_runs(args: &CompareArgs) -> Result<ExitCode, Failure> {
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
    let (before, after) = sides(args)?;
    if let Some(array) = against::persona_of(after)? {
        return against::compare(args, before, &array);
    }
    let files = comparison_files(args)?;
    let terms = Terms {
        rules: args.fail_if.clone(),
        confidence: args.confidence,
        different: args.different,
        steps: args.step.clone(),
    };
    let sides = compared::Sides::take(before, after)?;
    let mut comparison = compare(&sides.a, &sides.b, &terms)?;
    sides.tell(&mut comparison);
    if args.json {
        out::json(&comparison)?;
    } else {
        say!("{comparison}");
    }
    for (file, text) in files {
        let path = file.path().to_path_buf();
        file.write(text(&comparison).as_bytes())?;
        tell!("report {}", Printable(&path.display().to_string()));
    }
    for gate in &comparison.gates {
        tell!("{}: {}", Printable(&gate.gate), gate.outcome);
    }
    Ok(ExitCode::from(exit::of_gates(comparison.outcome())))
}

/// The records of each side: those before and behind `--`, or two that need none.
fn sides(args: &CompareArgs) -> Result<(&[PathBuf], &[PathBuf]), Failure> {
    match (&args.before[..], &args.after[..]) {
        ([a, b], []) => Ok((std::slice::from_ref(a), std::slice::from_ref(b))),
        (_, []) => Err(Failure::usage(
            "which records are before the change, and which after it? Write A.plim B.plim, or A.plim... -- B.plim...",
        )),
        (before, after) => Ok((before, after)),
    }
}

/// Form of a comparison in a file.
type Form = fn(&Comparison) -> String;

/// Leave to write the files of a comparison, asked for before anything is read.
fn comparison_files(args: &CompareArgs) -> Result<Vec<(OutputPermit, Form)>, Failure> {
    let asked: [(&str, &Option<PathBuf>, Form); 3] = [
        ("--html", &args.html, html::comparison::page),
        ("--junit", &args.junit, gates::junit),
        ("--markdown", &args.markdown, gates::markdown),
    ];
    let records = args.before.iter().chain(&args.after);
    let precious: Vec<Precious> = records.flat_map(|record| read(record)).collect();
    let rules = Rules {
        overwrite: args.overwrite,
        precious: &precious,
    };
    let (mut files, mut taken) = (Vec::new(), Vec::new());
    for (flag, path, text) in asked {
        let Some(path) = path else { continue };
        if path == Path::new("-") {
            return Err(Failure::usage(format!(
                "{flag} -: standard output has the comparison; name a file"
            )));
        }
        if let Some((other, _)) = taken.iter().find(|(_, known)| *known == path) {
            return Err(Failure::usage(format!(
                "{other} and {flag} both write {}: name two files",
                Printable(&path.display().to_string())
            )));
        }
        taken.push((flag, path));
        files.push((OutputPermit::ask(path, &rules)?, text));
    }
    Ok(files)
}

/// `plimsoll export`.
pub fn export_record(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let output = args.output.as_deref().unwrap_or(Path::new("-"));
    let precious: Vec<Precious> = args
        .records
        .iter()
        .flat_map(|record| read(record))
        .collect();
    let place = Destination::ask(output, args.overwrite, &precious)?;
    let is_table = args.format.csv || args.format.parquet;
    if let [_, another, ..] = &args.records[..]
        && !is_table
        && !args.format.influx
    {
        return Err(Failure::usage(format!(
            "several records go into one table with --csv, --parquet or --influx; export {} by itself",
            another.display()
        )));
    }
    if args.format.parquet && output == Path::new("-") && std::io::stdout().is_terminal() {
        return Err(Failure::usage(
            "a terminal can't show Parquet: name a file with --output FILE",
        ));
    }
    let records = args.records.iter().map(|path| Record::open(path));
    let records = records.collect::<Result<Vec<_>, _>>()?;
    for record in &records {
        tell_contradictions(record, &record.steps()?)?;
        let of_method = matches!(args.rows, Rows::Figures | Rows::Cells | Rows::Points);
        if is_table && of_method && record.verdicts()?.is_empty() {
            return Err(Failure::usage(format!(
                "{} is of no method, and has no such rows: --rows steps has what was measured",
                Printable(&record.path().display().to_string())
            )));
        }
    }
    place.write(|out| export_all(&records, args, out))?;
    Ok(ExitCode::SUCCESS)
}

fn export_all(
    records: &[Record],
    args: &ExportArgs,
    mut out: &mut dyn Write,
) -> Result<(), Failure> {
    if args.format.csv {
        return Ok(table(records, args.rows, &mut Csv::new(out))?);
    }
    if args.format.parquet {
        let mut parquet = Parquet::default();
        table(records, args.rows, &mut parquet)?;
        return Ok(parquet.finish(out)?);
    }
    for record in records {
        if args.redact {
            serde_json::to_writer_pretty(&mut out, &redact::redacted(record)?)?;
            writeln!(out)?;
        } else if args.format.influx {
            export::influx(record, out)?;
        } else if args.format.json {
            export::json(record, out)?;
        } else {
            export::hdr(record, out)?;
        }
    }
    Ok(())
}

fn table(records: &[Record], rows: Rows, sink: &mut dyn Sink) -> Result<(), ExportError> {
    let rows = match rows {
        Rows::Steps => export::Rows::Steps,
        Rows::Intervals => export::Rows::Intervals,
        Rows::Workloads => export::Rows::Workloads,
        Rows::Targets => export::Rows::Targets,
        Rows::Streams => export::Rows::Streams,
        Rows::Hosts => export::Rows::Hosts,
        Rows::Figures => export::Rows::Figures,
        Rows::Cells => export::Rows::Cells,
        Rows::Points => export::Rows::Points,
        Rows::Findings => export::Rows::Findings,
    };
    if let [record] = records {
        return export::table(record, rows, sink);
    }
    let mut together = Together::new(sink);
    for record in records {
        export::table(record, rows, together.of(record.path()))?;
    }
    Ok(())
}

/// `plimsoll report`.
pub fn report(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let place = Destination::ask(&args.output, args.overwrite, &read(&args.record))?;
    let record = Record::open(&args.record)?;
    tell_contradictions(&record, &record.steps()?)?;
    let page = match args.redact {
        true => redact::page(&redact::redacted(&record)?),
        false => html::render(&record)?,
    };
    let is_file = matches!(place, Destination::File(_));
    place.write(|out| Ok(out.write_all(page.as_bytes())?))?;
    if is_file {
        say!("{}", Printable(&args.output.display().to_string()));
    }
    Ok(ExitCode::SUCCESS)
}

/// The record that a command reads, and what belongs to it.
fn read(record: &Path) -> Vec<Precious> {
    plimsoll_record::precious("the record that is read", record)
}
